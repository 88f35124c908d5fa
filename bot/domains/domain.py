"""What an optional domain is to the rest of the bot."""

from collections.abc import Callable
from dataclasses import dataclass

from bot.discord_chat.commands.parts import CommandParts
from bot.personal_data import PersonalData
from bot.run_extras import RunDomain
from core.clock import Clock
from sessions.storage.database import Database
from sessions.storage.schema import MigrationHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainSettings:
    """What a domain may need to know of the deployment. `context_tokens` is the model's window."""

    context_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDomain:
    """A domain over the open database."""

    runs: RunDomain
    personal_data: tuple[PersonalData, ...]
    add_commands: Callable[[CommandParts], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionalDomain:
    """A domain before the database is open: its tables, and how it is opened."""

    name: str
    history: MigrationHistory
    open: Callable[[Database, Clock, DomainSettings], OpenedDomain]

"""What an optional domain is to the rest of the bot."""

from collections.abc import AsyncGenerator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from bot.discord_chat.commands.parts import CommandParts
from bot.personal_data import PersonalData
from bot.run_extras import RunDomain, RunExtras
from bot.run_planner import Models, Personas
from bot.tokens_beside import Spent
from core.clock import Clock
from core.generation.media import MediaStore
from core.generation.requests import ModelEndpoint
from core.identifiers import NewId
from core.orchestration.hooks import Hooks
from core.orchestration.run_ports import Generation
from core.prompts.profiles import PromptProfile
from sessions.history import History
from sessions.storage.database import Database
from sessions.storage.schema import MigrationHistory


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainSettings:
    """What a domain may need to know of the deployment. `context_tokens` is the model's window."""

    context_tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class DomainRuntime:
    """What a domain may use while runs go on.

    `endpoint` None: no text model is set that could be asked (the embedded one is too small). `idle_s`: after
    so many seconds without a reply a talk is over; 0: it never is. `backend`: the name of the backend agent.
    `media`: the files that people sent. `spent` is told of tokens beside the replies.
    """

    hooks: Hooks
    generation: Generation
    endpoint: ModelEndpoint | None
    profile: PromptProfile
    max_tokens: int | None
    personas: Personas
    models: Models
    history: History
    extras: RunExtras
    media: MediaStore
    clock: Clock
    new_id: NewId
    idle_s: float
    spent: Spent
    backend: str = ""


@asynccontextmanager
async def nothing_runs(_runtime: DomainRuntime) -> AsyncGenerator[None]:
    """A domain that does nothing by itself."""
    yield


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDomain:
    """A domain over the open database."""

    runs: RunDomain
    personal_data: tuple[PersonalData, ...]
    add_commands: Callable[[CommandParts], None]
    running: Callable[[DomainRuntime], AbstractAsyncContextManager[None]] = nothing_runs


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionalDomain:
    """A domain before the database is open: its tables, and how it is opened."""

    name: str
    history: MigrationHistory
    open: Callable[[Database, Clock, DomainSettings], OpenedDomain]

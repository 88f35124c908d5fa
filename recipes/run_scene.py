"""Where a run is, who speaks, and what the domains of this package add to it.

`bot` makes a `RunScene` for every run, asks each domain for its additions and composes them. So a domain
knows nothing of Discord, and the planner nothing of recipes or memory.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from enum import StrEnum

from core.conversation.turns import Speaker
from core.generation.requests import ForcedCall
from core.tools.tool import AnyTool


class Standing(StrEnum):
    """Who somebody is in a scene: the application's owner, a member with Manage Server, anybody else."""

    OWNER = "owner"
    MANAGER = "manager"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A scene's place.

    Attributes:
        guild_id: the server; None in direct messages and in the console.
        channel_id: the channel, thread or post; None in the console.
        direct_with: the person, in direct messages.
        is_private: `@everyone` of the server cannot see it. What is not known counts as private.
    """

    session_id: str
    guild_id: str | None = None
    channel_id: str | None = None
    direct_with: str | None = None
    is_private: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class RunScene:
    """A run's place, persona (its key) and speaker; no speaker where a notice is answered."""

    place: Place
    persona: str
    speaker: Speaker | None
    standing: Standing


@dataclass(frozen=True, slots=True, kw_only=True)
class ForcedTool:
    """A tool that the next request must call (REC-4)."""

    tool: AnyTool
    call: ForcedCall


def _nothing_forced() -> ForcedTool | None:
    return None


async def _nothing_begins() -> None:
    """Most domains only add."""


def _nothing_remembered(_tools: frozenset[str]) -> str:
    return ""


def _nothing_to_tell() -> tuple[str, ...]:
    return ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RunAdditions:
    """What a domain adds to a run.

    Attributes:
        tools: offered in every request of the run.
        memory_prompt: for the system prompt, after the identity, given the names of the tools that the run
            has: none where the model takes none, fewer than `tools` where not all are allowed.
        next_forced: asked before each request; a forced tool takes the place of all others there.
        begins: called once a run goes by these additions; a guess begins nothing (VOX-16).
        small_print: asked when the run is over: what happened, in a few words each (REC-11).
    """

    tools: tuple[AnyTool, ...] = ()
    memory_prompt: Callable[[frozenset[str]], str] = field(default=_nothing_remembered)
    next_forced: Callable[[], ForcedTool | None] = field(default=_nothing_forced)
    begins: Callable[[], Awaitable[None]] = field(default=_nothing_begins)
    small_print: Callable[[], tuple[str, ...]] = field(default=_nothing_to_tell)

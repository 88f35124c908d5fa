"""What a host hands to the orchestrator, and what becomes of it (CORE-19)."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Protocol

from core.conversation.turns import UserTurn
from core.failures import Failure
from core.generation.requests import ResolveStep
from core.markers.stickers import StickerCatalog
from core.orchestration.replies import ReplySink
from core.tools.tool import AnyTool


class SceneKind(StrEnum):
    """Where the reply is read: every scene returns text to its own place, never to the host's speakers."""

    DISCORD = "discord"


@dataclass(frozen=True, slots=True, kw_only=True)
class SendOptions:
    """What the host decides for one send; a queued send keeps them as they were submitted (CORE-18).

    Notices, invoked skills and attachments are part of the send's user turns. `tools` are those that this
    send may use. `resolve_step` takes the place of the host's own resolution; `supplement` and the sticker
    instructions are appended to every prompt that it resolves.
    """

    scene: SceneKind | None = None
    background: bool = False
    supplement: str = ""
    tools: tuple[AnyTool, ...] = ()
    resolve_step: ResolveStep | None = None
    stickers: StickerCatalog = field(default_factory=StickerCatalog)
    max_tokens: int | None = None

    @property
    def speaks(self) -> bool:
        """Whether the reply may sound from the host's speakers: no scene, no background work (CORE-19)."""
        return self.scene is None and not self.background


class ReplyPlace(Protocol):
    """Where replies of one scene go."""

    def open_sink(self, send: "Send") -> ReplySink:
        """A sink for the reply to `send`; its `reply_id` finds again what an earlier process posted."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """The send's turns stand in the history already, without a whole answer (CORE-23).

    They are not stored a second time. `replaces` is the interrupted reply whose place the new one takes.
    """

    replaces: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Send:
    """One or more user turns that want one reply.

    `generation` is the session's when the send was submitted: a reset raises it, and what is older is stale.
    `reply_id` names the reply across crashes and retries; it comes from the first turn, so that a reply which
    takes in later turns keeps it. `may_join`: while it waits, a later send of the same session may join it.
    """

    session_id: str
    generation: int
    reply_id: str
    turns: tuple[UserTurn, ...]
    place: ReplyPlace
    options: SendOptions = SendOptions()
    may_join: bool = True
    retry: Retry | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """The reply was delivered and committed; `silent` when the model chose to say nothing."""

    silent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Stopped:
    """Somebody stopped it; what was visible is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Failed:
    """The generation failed; the room was told `failure.advice` with `error_id`."""

    failure: Failure
    error_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """It never ran: cancelled while it waited, or its session was reset."""

    reason: str


Outcome = Answered | Stopped | Failed | Dropped
OutcomeListener = Callable[[Outcome], None]

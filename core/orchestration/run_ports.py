"""What a run needs from others, as ports, and the values that pass through them."""

from collections.abc import AsyncGenerator, Awaitable, Callable
from dataclasses import dataclass, field
from typing import Protocol

from core.conversation.turns import AssistantTurn, Conversation
from core.generation.events import StreamEvent
from core.generation.requests import GenerationInput
from core.orchestration.replies import Ending
from core.orchestration.sends import Send


class Generation(Protocol):
    """Runs a conversation through a model, tools included."""

    def stream_from(self, request: GenerationInput) -> AsyncGenerator[StreamEvent]:
        """Events up to `TurnFinished`. Raises `Failure`; closing the iterator aborts the request."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunPlan:
    """What a run generates from, and how its text is read.

    `own_names`: names that the model may wrongly write before its words. `cut_repeats`: end a reply that goes
    round in circles (CORE-46). `begins` is called once a run goes by this plan, never for a guess (VOX-16).
    `on_turn` learns of the generated turn, and of what it cost. `work` is asked once the reply is whole: what
    was done for it, in a few words each (REC-11). Plans of the same send with equal `basis` ask the model the
    very same.
    """

    request: GenerationInput
    basis: tuple[object, ...] = field(default=(), repr=False)
    own_names: tuple[str, ...] = ()
    cut_repeats: bool = False
    begins: Callable[[], Awaitable[None]] | None = None
    on_turn: Callable[[AssistantTurn], None] | None = None
    work: Callable[[], tuple[str, ...]] | None = None


class RunPlanner(Protocol):
    """Knows identity, model and tools of a session at the moment its run starts (CORE-15, CORE-22)."""

    async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
        """Compose what is generated from. Raises `Failure` when it cannot be."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """What a run leaves behind. `reply` is None when there is nothing to remember.

    `turn_ids` are the turns that the run settles: none of a retry, whose turns are settled already.
    `replaces` is the earlier reply that leaves the history when `reply` comes (CORE-23).
    """

    session_id: str
    generation: int
    reply_id: str
    run_id: str
    turn_ids: tuple[str, ...]
    reply: AssistantTurn | None
    ending: Ending
    replaces: str | None = None


class StaleSession(Exception):
    """The session was reset after the send was submitted."""


class Journal(Protocol):
    """The memory of a scene as a run sees it."""

    async def window(self, send: Send) -> Conversation:
        """What a run starts from: the session as it is kept, and the send's turns behind it, each once."""
        ...

    async def keep(self, send: Send, run_id: str) -> None:
        """Keep the send's turns, once each however often they are kept; a run begins to answer them.

        Raises:
            StaleSession: the session was reset; nothing was kept.
        """
        ...

    async def commit(self, record: RunRecord) -> None:
        """Keep the reply and settle its turns, all or nothing.

        Raises:
            Failure: nothing was kept; a later try may work.
        """
        ...

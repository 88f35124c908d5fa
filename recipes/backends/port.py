"""What a backend agent is to this bot (TASK-6), whatever protocol it speaks.

One piece of work is a stream of events up to exactly one `WorkEnded`. Text is never state: only the events
move a task (TASK-25).
"""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from recipes.tasks.task import Artifact
from recipes.tasks.work import Activity


class StopReason(StrEnum):
    """Why a turn of the backend is over; only `end_turn` is success (TASK-24)."""

    END_TURN = "end_turn"
    CANCELLED = "cancelled"
    REFUSAL = "refusal"
    MAX_TOKENS = "max_tokens"
    MAX_REQUESTS = "max_requests"


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeInput:
    """An image, recording or file as a part of its own: its bytes, or where they can be fetched."""

    name: str
    media_type: str
    content: bytes | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class BackendWork:
    """What is sent: one self-contained instruction and native inputs, nothing of the conversation (TASK-5).

    `owner` names the coordinator session; `work_id` correlates, and is no part of what the model reads.
    """

    work_id: str
    owner: str
    objective: str
    inputs: tuple[NativeInput, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionAsked:
    """It wants to do something; answered once by `answer` with this id."""

    request_id: str
    title: str
    detail: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputAsked:
    """It needs to know something to go on; answered once by `answer` with this id (TASK-22)."""

    request_id: str
    question: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkDelegated:
    """It handed the work on to a session of its own; verified by the adapter, never by words (TASK-8)."""

    run_id: str
    session_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkFinalizing:
    """What was handed on is done and becomes the answer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkEnded:
    """The last event."""

    stop_reason: StopReason
    text: str = ""
    artifacts: tuple[Artifact, ...] = ()


BackendEvent = Activity | PermissionAsked | InputAsked | WorkDelegated | WorkFinalizing | WorkEnded


class BackendBroken(Exception):
    """The backend is gone or speaks nonsense; the work is lost unless it can be verified."""


class CancelRefused(Exception):
    """It does not stop; the message is one sentence."""


class BackendPort(Protocol):
    """One backend. Writes into one coordinator session are serialised by the adapter, too (TASK-7)."""

    def events_of(self, work: BackendWork) -> AsyncGenerator[BackendEvent, None]:
        """Send the work and follow it. Closing the stream leaves the work alone; `cancel` ends it.

        Raises:
            BackendBroken: while it is followed.
        """
        ...

    async def answer(self, request_id: str, answer: str) -> None:
        """Answer a `PermissionAsked` with `once` or `reject`, an `InputAsked` with words."""
        ...

    async def cancel(self, work: BackendWork, delegated: WorkDelegated | None) -> None:
        """Stop it, the exact target when it was handed on; returns once it has stopped.

        Raises:
            CancelRefused: it has not.
        """
        ...

    def resumed(
        self, work: BackendWork, delegated: WorkDelegated
    ) -> AsyncGenerator[BackendEvent, None] | None:
        """Follow work of an earlier process again; None when its session cannot be verified (TASK-3)."""
        ...

"""Turns and rounds: who said what, and what one model invocation did (CORE-1 to CORE-4).

User and system turns have no place for rounds; a tool invocation lives in a round and nowhere else. A round
refers to an invocation by our own id, so that a provider may repeat its call ids.
"""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.conversation.content import UserContent
from core.conversation.continuation import ProjectionIssue, ProviderContinuation


class Authority(StrEnum):
    """How much weight a system turn carries; context is data and never instructs (CORE-2)."""

    SYSTEM = "system"
    DEVELOPER = "developer"
    CONTEXT = "context"


@dataclass(frozen=True, slots=True, kw_only=True)
class Speaker:
    """The person a user turn is attributed to; `id` is stable, `name` is what the room sees (SCENE-3)."""

    id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """Marks text that is not a person's speech: a finished task, a reminder (CORE-20).

    `about`: the id of whoever asked for what it tells, if anybody did; it is theirs to export and forget.
    """

    source: str
    silence_allowed: bool = False
    about: str | None = None


class SkillForm(StrEnum):
    """What the text of an invoked skill asks for."""

    STEPS = "steps"
    BACKGROUND = "background"
    DECISION = "decision"


@dataclass(frozen=True, slots=True, kw_only=True)
class InvokedSkill:
    """A recipe's text as it stood when the message invoked it, projected after that message (CORE-21).

    `by_owner` False: the speaker of the turn used it, who is somebody else (REC-13).
    """

    name: str
    text: str
    form: SkillForm = SkillForm.STEPS
    by_owner: bool = True


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class UserTurn:
    """One message of a person, or one notice to the conversation.

    `at` carries the time zone that was valid for the scene when the turn was stored (CORE-22).
    """

    id: str
    at: datetime
    content: tuple[UserContent, ...]
    speaker: Speaker | None = None
    notice: Notice | None = None
    skills: tuple[InvokedSkill, ...] = ()


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class SystemTurn:
    """Instructions, or data of the application; `writer` names where context data came from."""

    id: str
    authority: Authority
    text: str
    writer: str | None = None


class InvocationStatus(StrEnum):
    """How a tool execution ended; none of these ends the turn (CORE-17)."""

    COMPLETED = "completed"
    FAILED = "failed"
    REFUSED = "refused"
    TIMED_OUT = "timed_out"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolInvocation:
    """A tool call and its result, each exactly once (CORE-3).

    `arguments` is the JSON text that the model wrote; `provider_call_id` correlates within one round only.
    `result_edited` marks a result changed after the fact, which voids later native items (CORE-9).
    """

    id: str
    provider_call_id: str
    name: str
    arguments: str
    result: str
    status: InvocationStatus
    started_at: datetime
    finished_at: datetime
    result_edited: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyText:
    """Text of the reply."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningSummary:
    """What the model told of its reasoning; never speech (CORE-11)."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """The model declined, in its own words."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A source of the reply; offsets count code points of the round's portable text (CORE-10, CORE-38)."""

    url: str
    title: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolReference:
    """The place in the content at which an invocation of the same round stands."""

    invocation_id: str


RoundContent = ReplyText | ReasoningSummary | Refusal | Citation | ToolReference


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one model request; `estimated` where the provider reported none (CORE-11)."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    estimated: bool = False


class FinishReason(StrEnum):
    """Why a model stopped."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCall:
    """Metadata of a request that really happened; imported history has none (CORE-4)."""

    provider: str
    endpoint: str
    model: str
    started_at: datetime
    first_token_at: datetime | None
    finished_at: datetime
    attempts: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One model invocation plus every tool execution that it asked for, parallel calls included (CORE-3).

    Raises:
        ValueError: the content refers to an invocation that the round does not own, or owns one twice.
    """

    content: tuple[RoundContent, ...]
    invocations: tuple[ToolInvocation, ...] = ()
    usage: Usage | None = None
    finish_reason: FinishReason | None = None
    model_call: ModelCall | None = None
    continuation: ProviderContinuation | None = None

    def __post_init__(self) -> None:
        owned = [invocation.id for invocation in self.invocations]
        referred = [part.invocation_id for part in self.content if isinstance(part, ToolReference)]
        if (
            len(set(owned)) != len(owned)
            or len(set(referred)) != len(referred)
            or set(owned) != set(referred)
        ):
            message = "a round refers to each of its invocations exactly once"
            raise ValueError(message)

    @property
    def text(self) -> str:
        """The portable text of the round."""
        return "".join(part.text for part in self.content if isinstance(part, ReplyText))


@dataclass(frozen=True, slots=True, weakref_slot=True, kw_only=True)
class AssistantTurn:
    """A reply: its rounds in order.

    `run_id` names one real scheduler execution, or None for imported history (CORE-4). `interrupted` marks
    the visible text of a run that did not finish; such a turn was not generated and is kept for local use
    only (CORE-23, CORE-39). `created_at` is the start of the run, `completed_at` its last output (CORE-24).
    """

    id: str
    run_id: str | None
    created_at: datetime
    completed_at: datetime
    rounds: tuple[Round, ...]
    interrupted: bool = False
    proactive: bool = False
    sticker_id: str | None = None
    issues: tuple[ProjectionIssue, ...] = ()

    @property
    def text(self) -> str:
        """The portable text of the whole turn."""
        return "".join(round_.text for round_ in self.rounds)


Turn = UserTurn | SystemTurn | AssistantTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """An ordered snapshot of turns; `id` is the session id and part of the continuation scope."""

    id: str
    turns: tuple[Turn, ...] = ()

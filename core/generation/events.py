"""What a generation tells while it runs: one closed union, in order (CORE-13).

Order within a round: any deltas and tool call events, then at most one `UsageReported`, then `RoundFinished`.
After the last round comes `TurnFinished`, once. A generation that fails raises and tells no `TurnFinished`.
"""

from dataclasses import dataclass

from core.conversation.turns import AssistantTurn, Citation, Round, ToolInvocation, Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class TextDelta:
    """A piece of the reply's text, never empty, cut at any code point."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReasoningDelta:
    """A piece of the model's reasoning, apart from the reply."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RefusalDelta:
    """A piece of the text in which the model declines."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallStarted:
    """The model began to call a tool."""

    invocation_id: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallArguments:
    """A piece of the JSON text of a call's arguments."""

    invocation_id: str
    delta: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallFinished:
    """The tool ran, or was refused; the model will read the result in the next round."""

    invocation: ToolInvocation


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationFound:
    """A source of the text so far."""

    citation: Citation


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReported:
    """Tokens of the round that ends now."""

    usage: Usage


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundFinished:
    """One model invocation and its tools are settled."""

    round: Round


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """Every step is settled; the turn is whole. `silent`: a tool ended it, nothing of it is said."""

    turn: AssistantTurn
    silent: bool = False


StreamEvent = (
    TextDelta
    | ReasoningDelta
    | RefusalDelta
    | ToolCallStarted
    | ToolCallArguments
    | ToolCallFinished
    | CitationFound
    | UsageReported
    | RoundFinished
    | TurnFinished
)

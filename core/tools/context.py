"""The circumstances of a tool's call, as its handler and its policy see them."""

from dataclasses import dataclass

from core.conversation.turns import Speaker


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolContext:
    """For whom and within what a tool is called; `speaker` wrote the last user turn, if a person did."""

    conversation_id: str
    run_id: str
    speaker: Speaker | None = None

"""Builds the portable content of a round from deltas, in the order in which they came."""

from core.conversation.turns import (
    Citation,
    ReasoningSummary,
    Refusal,
    ReplyText,
    RoundContent,
    ToolReference,
)


class RoundContentBuilder:
    """Joins neighbouring deltas of one kind; keeps the place of calls and citations."""

    def __init__(self) -> None:
        self._parts: list[RoundContent] = []
        self._open: type[ReplyText | ReasoningSummary | Refusal] | None = None
        self._pieces: list[str] = []
        self._text_length = 0

    @property
    def text_length(self) -> int:
        """Code points of reply text so far."""
        return self._text_length

    @property
    def is_empty(self) -> bool:
        """Whether nothing came yet."""
        return not self._parts and not self._pieces

    def add_text(self, piece: str) -> None:
        """More of the reply."""
        self._text_length += len(piece)
        self._add(ReplyText, piece)

    def add_reasoning(self, piece: str) -> None:
        """More of the reasoning."""
        self._add(ReasoningSummary, piece)

    def add_refusal(self, piece: str) -> None:
        """More of a refusal."""
        self._add(Refusal, piece)

    def add_call(self, invocation_id: str) -> None:
        """A call stands here."""
        self._close()
        self._parts.append(ToolReference(invocation_id=invocation_id))

    def add_citation(self, citation: Citation) -> None:
        """A citation; the text around it stays in one piece."""
        self._parts.append(citation)

    def built(self) -> tuple[RoundContent, ...]:
        """Everything so far."""
        self._close()
        return tuple(self._parts)

    def _add(self, kind: type[ReplyText | ReasoningSummary | Refusal], piece: str) -> None:
        if self._open is not kind:
            self._close()
            self._open = kind
        self._pieces.append(piece)

    def _close(self) -> None:
        if self._open is not None and self._pieces:
            self._parts.append(self._open(text="".join(self._pieces)))
        self._open = None
        self._pieces = []

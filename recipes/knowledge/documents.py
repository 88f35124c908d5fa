"""What was given to a place: a document, and the pieces that it is found by (MEM-8). Values only."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Final

from recipes.spaces import Space

MOST_CHARACTERS: Final = 50_000
"""Of one document, which is written in one step while other writes wait."""

MOST_DOCUMENTS: Final = 25
"""Of one space: as many as a choice of Discord holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A part of a document that is told whole.

    `heading`: the headings above it, the outermost first; empty without any. `line`: of the document, from 1.
    """

    text: str
    line: int
    heading: str = ""

    @property
    def place(self) -> str:
        """Where it stands, for a citation."""
        return f'"{self.heading}", line {self.line}' if self.heading else f"line {self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDocument:
    """A document that has no id yet. `added_by`: the id of who gave it; None when they are forgotten."""

    space: Space
    name: str
    added_by: str | None
    added_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(NewDocument):
    """A document as it is kept, in so many pieces."""

    id: str
    pieces: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPiece:
    """A piece that answers a question, and the name of its document."""

    source: str
    piece: Piece


@dataclass(frozen=True, slots=True, kw_only=True)
class GivenDocument:
    """A document with all that stands in it, for who gave it."""

    document: Document
    pieces: tuple[Piece, ...]


def kept_document(document: NewDocument, document_id: str, pieces: Sequence[Piece]) -> Document:
    """The document as it is kept."""
    given = {field.name: getattr(document, field.name) for field in fields(NewDocument)}
    return Document(**given, id=document_id, pieces=len(pieces))


def searched_text(piece: Piece) -> str:
    """What a search looks at."""
    return f"{piece.heading}\n{piece.text}"

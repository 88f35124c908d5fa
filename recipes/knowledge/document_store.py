"""The port to where documents are kept. Both adapters pass one contract.

Exception
├── NameTaken           a document of that space has the name; nothing was stored
└── TooManyDocuments    the space holds as many as it may; nothing was stored
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from recipes.knowledge.documents import Document, FoundPiece, GivenDocument, NewDocument, Piece
from recipes.spaces import Space


class NameTaken(Exception):
    """The document `document_id` has it; names differ by more than case."""

    def __init__(self, document_id: str) -> None:
        super().__init__(document_id)
        self.document_id = document_id


class TooManyDocuments(Exception):
    """One has to go first."""


class DocumentStore(Protocol):
    """Keeps documents; what one call has acknowledged, the next one sees.

    Readers name the spaces that they read for; nothing of another one is ever returned.
    """

    async def add(self, document: NewDocument, pieces: Sequence[Piece], most: int) -> Document:
        """Stores a document whole and gives it its id; its space holds at most `most` then.

        Raises:
            NameTaken: nothing was stored.
            TooManyDocuments: nothing was stored.
        """
        ...

    async def documents(self, spaces: Sequence[Space]) -> tuple[Document, ...]:
        """All of them, in the order in which they came."""
        ...

    async def remove(self, spaces: Sequence[Space], document_id: str) -> Document | None:
        """Takes a document of these spaces out and returns what it was; None when there is none."""
        ...

    async def search(
        self, spaces: Sequence[Space], words: Sequence[str], limit: int
    ) -> tuple[FoundPiece, ...]:
        """The pieces that hold some of the words (of `query_words`), by `best_places`."""
        ...


class DocumentPersons(Protocol):
    """What knowledge holds about a person (MEM-6)."""

    async def documents_of(self, user_id: str) -> tuple[GivenDocument, ...]:
        """What they gave, and all of their direct messages."""
        ...

    async def forget_documents_of(self, user_id: str) -> Mapping[str, int]:
        """Takes out what is of their direct messages, and their id from the rest; returns counts."""
        ...

"""Knowledge in memory: nothing outlives the process, everything else is the same."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from recipes.knowledge.document_store import NameTaken, TooManyDocuments
from recipes.knowledge.documents import (
    Document,
    FoundPiece,
    GivenDocument,
    NewDocument,
    Piece,
    kept_document,
    searched_text,
)
from recipes.knowledge.ranking_rules import MOST_HITS, best_places
from recipes.search_rules import words_of
from recipes.spaces import Space, own_space


class DocumentsInMemory:
    """`DocumentStore` and `DocumentPersons`."""

    def __init__(self) -> None:
        self._given: dict[str, GivenDocument] = {}
        self._pieces: dict[int, FoundPiece] = {}
        self._words: dict[int, tuple[Document, frozenset[str]]] = {}
        self._last = 0
        self._last_piece = 0

    async def add(self, document: NewDocument, pieces: Sequence[Piece], most: int) -> Document:
        """See `DocumentStore`."""
        beside = await self.documents((document.space,))
        for other in beside:
            if other.name.casefold() == document.name.casefold():
                raise NameTaken(other.id)
        if len(beside) >= most:
            raise TooManyDocuments
        self._last += 1
        kept = kept_document(document, f"k{self._last}", pieces)
        self._given[kept.id] = GivenDocument(document=kept, pieces=tuple(pieces))
        for piece in pieces:
            self._last_piece += 1
            self._pieces[self._last_piece] = FoundPiece(source=kept.name, piece=piece)
            self._words[self._last_piece] = (kept, words_of(searched_text(piece)))
        return kept

    async def documents(self, spaces: Sequence[Space]) -> tuple[Document, ...]:
        """See `DocumentStore`."""
        return tuple(one.document for one in self._given.values() if one.document.space in spaces)

    async def remove(self, spaces: Sequence[Space], document_id: str) -> Document | None:
        """See `DocumentStore`."""
        known = self._given.get(document_id)
        if known is None or known.document.space not in spaces:
            return None
        self._take_out(known.document)
        return known.document

    async def search(
        self, spaces: Sequence[Space], words: Sequence[str], limit: int
    ) -> tuple[FoundPiece, ...]:
        """See `DocumentStore`."""
        hits: dict[str, list[int]] = {}
        for word in words:
            for space in spaces:
                hits.setdefault(word, []).extend(list(self._holding(space, word))[-MOST_HITS:])
        return tuple(self._pieces[place] for place in best_places(hits, limit))

    async def documents_of(self, user_id: str) -> tuple[GivenDocument, ...]:
        """See `DocumentPersons`."""
        return tuple(one for one in self._given.values() if _is_of(one.document, user_id))

    async def forget_documents_of(self, user_id: str) -> Mapping[str, int]:
        """See `DocumentPersons`."""
        gone = 0
        for given in await self.documents_of(user_id):
            if given.document.space == own_space(user_id):
                self._take_out(given.document)
                gone += 1
            else:
                unnamed = replace(given.document, added_by=None)
                self._given[unnamed.id] = replace(given, document=unnamed)
        return {"knowledge_documents": gone}

    def _holding(self, space: Space, word: str) -> Iterable[int]:
        return (place for place, (of, words) in self._words.items() if of.space == space and word in words)

    def _take_out(self, document: Document) -> None:
        del self._given[document.id]
        for place in [place for place, (of, _) in self._words.items() if of.id == document.id]:
            del self._pieces[place], self._words[place]


def _is_of(document: Document, user_id: str) -> bool:
    return document.added_by == user_id or document.space == own_space(user_id)

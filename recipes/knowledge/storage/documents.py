"""Documents in the database: their pieces are found by words, space by space."""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, bindparam, delete, func, insert, or_, select, update

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
from recipes.knowledge.storage.tables import documents, pieces, words
from recipes.search_rules import words_of
from recipes.spaces import Space, own_space
from sessions.storage.database import Database
from sessions.storage.row_ids import row_behind

_hits = (
    select(words.c.place)
    .where(words.c.space == bindparam("in_space"), words.c.word == bindparam("searched"))
    .order_by(words.c.place.desc())
    .limit(MOST_HITS)
)
_found = (
    select(documents.c.name, pieces)
    .join(documents, documents.c.place == pieces.c.document_place)
    .where(pieces.c.place == bindparam("one"))
)
_pieces_of = (
    select(pieces).where(pieces.c.document_place == bindparam("of_document")).order_by(pieces.c.place)
)
_insert_document = insert(documents)
_insert_piece = insert(pieces)
_insert_words = insert(words)


class StoredDocuments:
    """`DocumentStore` and `DocumentPersons`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, document: NewDocument, pieces: Sequence[Piece], most: int) -> Document:
        """See `DocumentStore`."""
        space = str(document.space)
        words_by_piece = await asyncio.to_thread(_words_by_piece, pieces)  # the one writer has no time for it

        def work(connection: Connection) -> Document:
            _check_room(connection, document, most)
            key = connection.execute(_insert_document, _row(document, pieces)).inserted_primary_key
            place = int(key[0]) if key else 0
            rows: list[dict[str, str | int]] = []
            for piece, found_by in zip(pieces, words_by_piece, strict=True):
                piece_place = _keep_piece(connection, place, piece)
                rows += [{"space": space, "word": word, "place": piece_place} for word in sorted(found_by)]
            if rows:
                connection.execute(_insert_words, rows)
            return kept_document(document, f"k{place}", pieces)

        return await self._database.write(work)

    async def documents(self, spaces: Sequence[Space]) -> tuple[Document, ...]:
        """See `DocumentStore`."""
        statement = select(documents).where(_in_spaces(spaces)).order_by(documents.c.place)
        return await self._database.read(
            lambda connection: tuple(_document(row) for row in connection.execute(statement))
        )

    async def remove(self, spaces: Sequence[Space], document_id: str) -> Document | None:
        """See `DocumentStore`."""
        named = documents.c.place == row_behind(document_id, "k")

        def work(connection: Connection) -> Document | None:
            row = connection.execute(select(documents).where(named, _in_spaces(spaces))).one_or_none()
            if row is None:
                return None
            _take_out(connection, named)
            return _document(row)

        return await self._database.write(work)

    async def search(
        self, spaces: Sequence[Space], words: Sequence[str], limit: int
    ) -> tuple[FoundPiece, ...]:
        """See `DocumentStore`."""

        def work(connection: Connection) -> tuple[FoundPiece, ...]:
            hits: dict[str, list[int]] = {}
            for word in words:
                for space in spaces:
                    asked = {"in_space": str(space), "searched": word}
                    hits.setdefault(word, []).extend(connection.execute(_hits, asked).scalars())
            rows = (
                connection.execute(_found, {"one": place}).one_or_none() for place in best_places(hits, limit)
            )
            return tuple(FoundPiece(source=row.name, piece=_piece(row)) for row in rows if row is not None)

        return await self._database.read(work)

    async def documents_of(self, user_id: str) -> tuple[GivenDocument, ...]:
        """See `DocumentPersons`."""
        theirs = or_(documents.c.added_by == user_id, documents.c.space == str(own_space(user_id)))

        def work(connection: Connection) -> tuple[GivenDocument, ...]:
            rows = connection.execute(select(documents).where(theirs).order_by(documents.c.place)).all()
            return tuple(
                GivenDocument(
                    document=_document(row),
                    pieces=tuple(map(_piece, connection.execute(_pieces_of, {"of_document": row.place}))),
                )
                for row in rows
            )

        return await self._database.read(work)

    async def forget_documents_of(self, user_id: str) -> Mapping[str, int]:
        """See `DocumentPersons`."""

        def work(connection: Connection) -> Mapping[str, int]:
            gone = _take_out(connection, documents.c.space == str(own_space(user_id)))
            connection.execute(update(documents).where(documents.c.added_by == user_id).values(added_by=None))
            return {"knowledge_documents": gone}

        return await self._database.write(work)


def _check_room(connection: Connection, document: NewDocument, most: int) -> None:
    here = documents.c.space == str(document.space)
    named = select(documents.c.place).where(here, documents.c.name_key == document.name.casefold())
    other = connection.execute(named).scalar_one_or_none()
    if other is not None:
        raise NameTaken(f"k{other}")
    count = connection.execute(select(func.count()).select_from(documents).where(here)).scalar_one()
    if count >= most:
        raise TooManyDocuments


def _words_by_piece(pieces: Sequence[Piece]) -> list[frozenset[str]]:
    return [words_of(searched_text(piece)) for piece in pieces]


def _keep_piece(connection: Connection, document_place: int, piece: Piece) -> int:
    row = {
        "document_place": document_place,
        "line": piece.line,
        "heading": piece.heading,
        "text": piece.text,
    }
    key = connection.execute(_insert_piece, row).inserted_primary_key
    return int(key[0]) if key else 0


def _take_out(connection: Connection, which: Any) -> int:
    theirs = select(documents.c.place).where(which)
    their_pieces = select(pieces.c.place).where(pieces.c.document_place.in_(theirs))
    connection.execute(delete(words).where(words.c.place.in_(their_pieces)))
    connection.execute(delete(pieces).where(pieces.c.document_place.in_(theirs)))
    return connection.execute(delete(documents).where(which)).rowcount


def _in_spaces(spaces: Sequence[Space]) -> Any:
    return documents.c.space.in_([str(space) for space in spaces])


def _row(document: NewDocument, pieces: Sequence[Piece]) -> dict[str, object]:
    return {
        "space": str(document.space),
        "name": document.name,
        "name_key": document.name.casefold(),
        "added_by": document.added_by,
        "added_at": document.added_at,
        "pieces": len(pieces),
    }


def _document(row: Row[Any]) -> Document:
    return Document(
        id=f"k{row.place}",
        space=Space.stored_as(row.space),
        name=row.name,
        added_by=row.added_by,
        added_at=row.added_at,
        pieces=row.pieces,
    )


def _piece(row: Row[Any]) -> Piece:
    return Piece(text=row.text, line=row.line, heading=row.heading)

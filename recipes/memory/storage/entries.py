"""Memory entries in the database: listed by an index over their rank, found by their words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlalchemy import Connection, Row, Select, bindparam, delete, insert, or_, select, update

from recipes.memory.entries import EntryKind, MemoryEntry, NewEntry, Provenance, kept_entry, searched_text
from recipes.memory.entry_store import TitleTaken, UnknownEntry
from recipes.memory.memory_rules import rank, title_key
from recipes.memory.storage.tables import PUBLIC, entries, words
from recipes.search_rules import score, words_of
from recipes.spaces import Space, own_space
from sessions.storage.database import Database
from sessions.storage.row_ids import row_behind

_MOST_PREFERENCES = 20
_MOST_HITS = 500  # of one word: what is newer counts, and a word that stands everywhere costs no more
_GENERAL = ""

_one = entries.c.place == bindparam("one")
_find = select(entries).where(_one)
_shelf = (
    entries.c.shelf == bindparam("on_shelf"),
    entries.c.persona == bindparam("of_persona"),
    entries.c.about == bindparam("of_person"),
)
_best = (
    select(entries)
    .where(*_shelf)
    .order_by(entries.c.rank.desc(), entries.c.place.desc())
    .limit(bindparam("most"))
)
_titled = select(entries.c.place).where(
    entries.c.space == bindparam("in_space"),
    entries.c.persona == bindparam("of_persona"),
    entries.c.about == bindparam("of_person"),
    entries.c.title_key == bindparam("titled"),
)
_hits = (
    select(words.c.place)
    .where(words.c.shelf == bindparam("on_shelf"), words.c.word == bindparam("searched"))
    .order_by(words.c.place.desc())
    .limit(_MOST_HITS)
)
_page = (
    select(entries)
    .where(entries.c.space == bindparam("in_space"), entries.c.place > bindparam("beyond"))
    .order_by(entries.c.place)
    .limit(bindparam("most"))
)
_insert = insert(entries)
_update = update(entries).where(_one)
_delete = delete(entries).where(_one)
_insert_words = insert(words)
_delete_words = delete(words).where(words.c.place == bindparam("one"))


class StoredEntries:
    """`EntryStore` and `MemoryPersons`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, entry: NewEntry) -> MemoryEntry:
        """See `EntryStore`."""

        def work(connection: Connection) -> MemoryEntry:
            _check_title(connection, entry, None)
            first = kept_entry(entry, "m0")
            key = connection.execute(_insert, _row(first)).inserted_primary_key
            place = int(key[0]) if key else 0
            kept = kept_entry(entry, f"m{place}")
            _keep_words(connection, kept)
            return kept

        return await self._database.write(work)

    async def find(self, entry_id: str) -> MemoryEntry | None:
        """See `EntryStore`."""
        place = row_behind(entry_id, "m")
        return await self._database.read(lambda connection: _found(connection, place))

    async def change(self, entry_id: str, change: Callable[[MemoryEntry], MemoryEntry]) -> MemoryEntry:
        """See `EntryStore`."""
        place = row_behind(entry_id, "m")

        def work(connection: Connection) -> MemoryEntry:
            known = _found(connection, place)
            if known is None:
                raise UnknownEntry(entry_id)
            changed = change(known)
            if changed.title != known.title or changed.persona != known.persona:
                _check_title(connection, changed, place)
            connection.execute(_update, {**_row(changed), "one": place})
            if searched_text(changed) != searched_text(known) or _shelf_of(changed) != _shelf_of(known):
                connection.execute(_delete_words, {"one": place})
                _keep_words(connection, changed)
            return changed

        return await self._database.write(work)

    async def remove(self, entry_id: str) -> MemoryEntry | None:
        """See `EntryStore`."""
        place = row_behind(entry_id, "m")

        def work(connection: Connection) -> MemoryEntry | None:
            known = _found(connection, place)
            connection.execute(_delete_words, {"one": place})
            connection.execute(_delete, {"one": place})
            return known

        return await self._database.write(work)

    async def listed(self, spaces: Sequence[Space], persona: str, limit: int) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""

        def work(connection: Connection) -> tuple[MemoryEntry, ...]:
            found: list[Row[Any]] = []
            for shelf in (*map(str, spaces), PUBLIC):
                for whose in (persona, _GENERAL):
                    asked = {"on_shelf": shelf, "of_persona": whose, "of_person": "", "most": limit}
                    found += connection.execute(_best, asked)
            found.sort(key=lambda row: (-row.rank, -row.place))
            return tuple(_entry(row) for row in found[:limit])

        return await self._database.read(work)

    async def preferences(self, spaces: Sequence[Space], persona: str, about: str) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""
        statement = (
            select(entries)
            .where(
                entries.c.shelf.in_([str(space) for space in spaces]),
                entries.c.persona.in_([persona, _GENERAL]),
                entries.c.about == about,
            )
            .order_by(entries.c.place)
            .limit(_MOST_PREFERENCES)
        )
        return await self._database.read(_reading(statement))

    async def search(
        self, spaces: Sequence[Space], persona: str, words: Sequence[str], limit: int
    ) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""

        def work(connection: Connection) -> tuple[MemoryEntry, ...]:
            hits: dict[int, list[str]] = {}
            for shelf in (*map(str, spaces), PUBLIC):
                for word in words:
                    asked = {"on_shelf": shelf, "searched": word}
                    for place in connection.execute(_hits, asked).scalars():
                        hits.setdefault(place, []).append(word)
            best = sorted(hits, key=lambda place: (-score(hits[place]), -place))
            found: list[MemoryEntry] = []
            for place in best:
                entry = _found(connection, place)
                if entry is not None and entry.persona in (None, persona):
                    found.append(entry)
                if len(found) == limit:
                    break
            return tuple(found)

        return await self._database.read(work)

    async def page(self, space: Space, after: str, limit: int) -> tuple[MemoryEntry, ...]:
        """See `EntryStore`."""
        asked = {"in_space": str(space), "beyond": row_behind(after, "m") if after else 0, "most": limit}
        return await self._database.read(_reading(_page, **asked))

    async def entries_of(self, user_id: str) -> tuple[MemoryEntry, ...]:
        """See `MemoryPersons`."""
        statement = select(entries).where(_of_person(user_id)).order_by(entries.c.place)
        return await self._database.read(_reading(statement))

    async def forget_entries_of(self, user_id: str) -> Mapping[str, int]:
        """See `MemoryPersons`."""

        def work(connection: Connection) -> Mapping[str, int]:
            theirs = select(entries.c.place).where(_of_person(user_id))
            connection.execute(delete(words).where(words.c.place.in_(theirs)))
            gone = connection.execute(delete(entries).where(_of_person(user_id)))
            return {"memory_entries": gone.rowcount}

        return await self._database.write(work)


def _of_person(user_id: str) -> Any:
    own = str(own_space(user_id))
    return or_(entries.c.about == user_id, entries.c.speaker_id == user_id, entries.c.space == own)


def _reading(statement: Select[Any], **values: object) -> Callable[[Connection], tuple[MemoryEntry, ...]]:
    def work(connection: Connection) -> tuple[MemoryEntry, ...]:
        return tuple(_entry(row) for row in connection.execute(statement, values))

    return work


def _found(connection: Connection, place: int) -> MemoryEntry | None:
    row = connection.execute(_find, {"one": place}).one_or_none()
    return None if row is None else _entry(row)


def _check_title(connection: Connection, entry: NewEntry, own: int | None) -> None:
    titled = {
        "in_space": str(entry.space),
        "of_persona": entry.persona or _GENERAL,
        "of_person": entry.about or "",
        "titled": title_key(entry.title),
    }
    other = connection.execute(_titled, titled).scalar_one_or_none()
    if other not in (None, own):
        raise TitleTaken(f"m{other}")


def _keep_words(connection: Connection, entry: MemoryEntry) -> None:
    shelf, place = _shelf_of(entry), row_behind(entry.id, "m")
    rows = [{"shelf": shelf, "word": word, "place": place} for word in sorted(words_of(searched_text(entry)))]
    if rows:
        connection.execute(_insert_words, rows)


def _shelf_of(entry: NewEntry) -> str:
    return PUBLIC if entry.public else str(entry.space)


def _row(entry: MemoryEntry) -> dict[str, object]:
    return {
        "space": str(entry.space),
        "shelf": _shelf_of(entry),
        "persona": entry.persona or _GENERAL,
        "kind": entry.kind.value,
        "about": entry.about or "",
        "title": entry.title,
        "title_key": title_key(entry.title),
        "summary": entry.summary,
        "text": entry.text,
        "session_id": entry.provenance.session_id,
        "turn_id": entry.provenance.turn_id,
        "speaker_id": entry.provenance.speaker_id,
        "speaker_name": entry.provenance.speaker_name,
        "created_at": entry.created_at,
        "updated_at": entry.updated_at,
        "used_at": entry.used_at,
        "uses": entry.uses,
        "rank": rank(entry),
    }


def _entry(row: Row[Any]) -> MemoryEntry:
    return MemoryEntry(
        id=f"m{row.place}",
        space=Space.stored_as(row.space),
        persona=row.persona or None,
        public=row.shelf == PUBLIC,
        kind=EntryKind(row.kind),
        about=row.about or None,
        title=row.title,
        summary=row.summary,
        text=row.text,
        provenance=Provenance(
            session_id=row.session_id,
            turn_id=row.turn_id,
            speaker_id=row.speaker_id,
            speaker_name=row.speaker_name,
        ),
        created_at=row.created_at,
        updated_at=row.updated_at,
        used_at=row.used_at,
        uses=row.uses,
    )

"""Lists of notes in the database."""

from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, and_, delete, func, insert, or_, select, update

from recipes.memory.memory_rules import title_key
from recipes.memory.notes import NoteItem, NoteList, UnknownList
from recipes.memory.storage.tables import note_items, note_lists
from recipes.spaces import Space, own_space
from sessions.storage.database import Database


class StoredNotes:
    """`NoteStore` and `NotePersons`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def lists(self, space: Space) -> tuple[NoteList, ...]:
        """See `NoteStore`."""
        found = select(note_lists).where(note_lists.c.space == str(space)).order_by(note_lists.c.place)

        def work(connection: Connection) -> tuple[NoteList, ...]:
            rows = connection.execute(found)
            return tuple(NoteList(id=row.place, space=space, name=row.name) for row in rows)

        return await self._database.read(work)

    async def make(self, space: Space, name: str, made_by: str | None, now: datetime) -> NoteList:
        """See `NoteStore`."""
        key = title_key(name)

        def work(connection: Connection) -> NoteList:
            named = and_(note_lists.c.space == str(space), note_lists.c.name_key == key)
            row = connection.execute(select(note_lists).where(named)).one_or_none()
            if row is not None:
                return NoteList(id=row.place, space=space, name=row.name)
            values = {"space": str(space), "name": name, "name_key": key, "made_by": made_by, "made_at": now}
            made = connection.execute(insert(note_lists).values(values)).inserted_primary_key
            return NoteList(id=int(made[0]) if made else 0, space=space, name=name)

        return await self._database.write(work)

    async def items(self, list_id: int) -> tuple[NoteItem, ...]:
        """See `NoteStore`."""
        found = select(note_items).where(note_items.c.list_place == list_id).order_by(note_items.c.place)

        def work(connection: Connection) -> tuple[NoteItem, ...]:
            return tuple(
                NoteItem(id=row.place, text=row.text, added_by=row.added_by, added_at=row.added_at)
                for row in connection.execute(found)
            )

        return await self._database.read(work)

    async def add(self, list_id: int, texts: tuple[str, ...], added_by: str | None, now: datetime) -> None:
        """See `NoteStore`."""

        def work(connection: Connection) -> None:
            known = select(func.count()).select_from(note_lists).where(note_lists.c.place == list_id)
            if not connection.execute(known).scalar_one():
                raise UnknownList(str(list_id))
            rows = [
                {"list_place": list_id, "text": text, "added_by": added_by, "added_at": now} for text in texts
            ]
            if rows:
                connection.execute(insert(note_items), rows)

        await self._database.write(work)

    async def remove(self, item_id: int) -> bool:
        """See `NoteStore`."""
        gone = delete(note_items).where(note_items.c.place == item_id)
        return await self._database.write(lambda connection: connection.execute(gone).rowcount > 0)

    async def clear(self, list_id: int) -> int:
        """See `NoteStore`."""
        gone = delete(note_items).where(note_items.c.list_place == list_id)
        return await self._database.write(lambda connection: connection.execute(gone).rowcount)

    async def drop(self, list_id: int) -> bool:
        """See `NoteStore`."""

        def work(connection: Connection) -> bool:
            connection.execute(delete(note_items).where(note_items.c.list_place == list_id))
            return connection.execute(delete(note_lists).where(note_lists.c.place == list_id)).rowcount > 0

        return await self._database.write(work)

    async def notes_of(self, user_id: str) -> Mapping[str, tuple[str, ...]]:
        """See `NotePersons`."""
        theirs = or_(note_lists.c.space == _own(user_id), note_items.c.added_by == user_id)
        found = (
            select(note_lists.c.name, note_items.c.text)
            .join(note_lists, note_lists.c.place == note_items.c.list_place)
            .where(theirs)
            .order_by(note_lists.c.place, note_items.c.place)
        )

        def work(connection: Connection) -> Mapping[str, tuple[str, ...]]:
            by_list: dict[str, tuple[str, ...]] = {}
            for row in connection.execute(found):
                by_list[row.name] = (*by_list.get(row.name, ()), row.text)
            return by_list

        return await self._database.read(work)

    async def forget_notes_of(self, user_id: str) -> Mapping[str, int]:
        """See `NotePersons`."""
        own_lists = select(note_lists.c.place).where(note_lists.c.space == _own(user_id))
        theirs = or_(note_items.c.added_by == user_id, note_items.c.list_place.in_(own_lists))

        def work(connection: Connection) -> Mapping[str, int]:
            items = connection.execute(delete(note_items).where(theirs)).rowcount
            lists = connection.execute(delete(note_lists).where(note_lists.c.space == _own(user_id))).rowcount
            connection.execute(update(note_lists).where(note_lists.c.made_by == user_id).values(made_by=None))
            return {"note_lists": lists, "note_items": items}

        return await self._database.write(work)


def _own(user_id: str) -> str:
    return str(own_space(user_id))

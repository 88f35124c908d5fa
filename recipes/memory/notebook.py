"""What is done with lists of notes, by tools and by commands (MEM-7).

Every failure is one sentence with the names that could have been meant.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from core.clock import Clock
from core.sentences import sentence
from recipes.memory.memory_rules import is_secret_like
from recipes.memory.note_rules import Found, Missing, Unclear, resolve
from recipes.memory.notes import (
    MOST_ITEM,
    MOST_ITEMS,
    MOST_LISTS,
    MOST_NAME,
    NoteItem,
    NoteList,
    NotePersons,
    NoteStore,
    UnknownList,
)
from recipes.spaces import Space


class NotesRefused(Exception):
    """Nothing was changed; the message says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownList:
    """A list with its items."""

    about: NoteList
    items: tuple[NoteItem, ...]


class Notebook:
    """One for the process."""

    def __init__(self, *, store: NoteStore, persons: NotePersons, clock: Clock) -> None:
        self._store = store
        self._persons = persons
        self._clock = clock

    async def lists(self, space: Space) -> tuple[NoteList, ...]:
        """The lists of a place."""
        return await self._store.lists(space)

    async def add(self, space: Space, name: str, texts: Iterable[str], *, by: str | None) -> ShownList:
        """Add items; a list of a new name is made.

        Raises:
            NotesRefused: nothing was added.
        """
        items = tuple(text.strip() for text in texts if text.strip())
        _check(items)
        known = await self._store.lists(space)
        found = resolve(name, known, _name)
        match found:
            case Found(one=kept):
                pass
            case Unclear(candidates=candidates):
                raise _unclear(sentence("list"), name, candidates)
            case Missing():
                _check_name(name, known)
                kept = await self._store.make(space, " ".join(name.split()), by, self._clock.now())
            case _:
                assert_never(found)
        if len(await self._store.items(kept.id)) + len(items) > MOST_ITEMS:
            raise NotesRefused(
                sentence(
                    '"{kept}" would have more than {most_items} items.', kept=kept.name, most_items=MOST_ITEMS
                )
            )
        try:
            await self._store.add(kept.id, items, by, self._clock.now())
        except UnknownList as gone:
            raise _gone(kept) from gone
        return await self._shown(kept)

    async def show(self, space: Space, name: str) -> ShownList:
        """A list with its items.

        Raises:
            NotesRefused: no list, or several, could be meant.
        """
        return await self._shown(await self._list(space, name))

    async def remove(self, space: Space, name: str, item: str) -> tuple[ShownList, str]:
        """Take one item out; returns the list after it, and the item.

        Raises:
            NotesRefused: no item, or several, could be meant.
        """
        shown = await self.show(space, name)
        found = resolve(item, shown.items, _text)
        if not isinstance(found, Found):
            raise _unclear(sentence("item"), item, found.candidates)
        await self._store.remove(found.one.id)
        return await self._shown(shown.about), found.one.text

    async def clear(self, space: Space, name: str) -> tuple[NoteList, int]:
        """Take all items out; returns how many.

        Raises:
            NotesRefused: no list, or several, could be meant.
        """
        kept = await self._list(space, name)
        return kept, await self._store.clear(kept.id)

    async def drop(self, space: Space, name: str) -> NoteList:
        """Take the list out.

        Raises:
            NotesRefused: no list, or several, could be meant.
        """
        kept = await self._list(space, name)
        if not await self._store.drop(kept.id):
            raise _gone(kept)
        return kept

    async def of_person(self, user_id: str) -> Mapping[str, tuple[str, ...]]:
        """What a person noted, everywhere."""
        return await self._persons.notes_of(user_id)

    async def forget_person(self, user_id: str) -> Mapping[str, int]:
        """Forget all of that; returns counts."""
        return await self._persons.forget_notes_of(user_id)

    async def _list(self, space: Space, name: str) -> NoteList:
        found = resolve(name, await self._store.lists(space), _name)
        if isinstance(found, Found):
            return found.one
        raise _unclear(sentence("list"), name, found.candidates)

    async def _shown(self, kept: NoteList) -> ShownList:
        return ShownList(about=kept, items=await self._store.items(kept.id))


def _name(kept: NoteList) -> str:
    return kept.name


def _text(item: NoteItem) -> str:
    return item.text


def _check(items: tuple[str, ...]) -> None:
    if not items:
        raise NotesRefused("There is nothing to add.")
    if any(len(item) > MOST_ITEM for item in items):
        raise NotesRefused(sentence("An item has at most {most_item} characters.", most_item=MOST_ITEM))
    if any(is_secret_like(item) for item in items):
        raise NotesRefused("This looks like a password, a key or an account number; those are not kept.")


def _check_name(name: str, known: Sequence[NoteList]) -> None:
    if not name.strip() or len(name) > MOST_NAME or not name.isprintable():
        raise NotesRefused(
            sentence("A list needs a name of at most {most_name} plain characters.", most_name=MOST_NAME)
        )
    if len(known) >= MOST_LISTS:
        raise NotesRefused(
            sentence("There are {most_lists} lists here already; drop one first.", most_lists=MOST_LISTS)
        )


def _unclear(kind: str, said: str, candidates: tuple[str, ...]) -> NotesRefused:
    names = ", ".join(f'"{candidate}"' for candidate in candidates)
    there = (
        sentence("There are: {names}.", names=names)
        if candidates
        else sentence("There is no {kind} yet.", kind=kind)
    )
    return NotesRefused(
        sentence(
            'No single {kind} is meant by "{said}". {there}',
            kind=kind,
            said=" ".join(said.split())[:60],
            there=there,
        )
    )


def _gone(kept: NoteList) -> NotesRefused:
    return NotesRefused(sentence('The list "{kept}" is gone.', kept=kept.name))

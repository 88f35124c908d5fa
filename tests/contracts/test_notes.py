"""Contract of `NoteStore` and `NotePersons`, for both kinds of store (MEM-6, MEM-7)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recipes.memory.notes import UnknownList
from recipes.memory.notes_in_memory import NotesInMemory
from recipes.memory.storage.notes import StoredNotes
from recipes.spaces import Space, SpaceKind
from tests.contracts.scene_contract import ADAPTERS
from tests.memory_setup import GUILD, NOON, opened_notes

Notes = NotesInMemory | StoredNotes
DIRECT = Space(kind=SpaceKind.DIRECT, id="111")


@pytest.fixture(params=ADAPTERS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Notes]:
    async with opened_notes(request.param, tmp_path) as opened:
        yield opened


async def texts(store: Notes, list_id: int) -> list[str]:
    return [item.text for item in await store.items(list_id)]


async def test_items_keep_their_order_and_lists_their_space(store: Notes) -> None:
    """MEM-7."""
    shopping = await store.make(GUILD, "Shopping", "111", NOON)
    assert await store.make(GUILD, "shopping", "222", NOON) == shopping
    private = await store.make(DIRECT, "Shopping", "111", NOON)
    await store.add(shopping.id, ("milk", "eggs"), "111", NOON)
    await store.add(shopping.id, ("牛奶",), None, NOON)
    assert await texts(store, shopping.id) == ["milk", "eggs", "牛奶"]
    assert await texts(store, private.id) == []
    assert await store.lists(GUILD) == (shopping,)
    item = (await store.items(shopping.id))[1]
    assert (item.added_by, item.added_at) == ("111", NOON)
    assert await store.remove(item.id)
    assert not await store.remove(item.id)
    assert await texts(store, shopping.id) == ["milk", "牛奶"]


async def test_clear_empties_and_drop_takes_away(store: Notes) -> None:
    """MEM-7."""
    kept = await store.make(GUILD, "guests", None, NOON)
    await store.add(kept.id, ("Ada", "Grace"), "111", NOON)
    assert await store.clear(kept.id) == 2
    assert await store.clear(kept.id) == 0
    assert await store.lists(GUILD) == (kept,)
    await store.add(kept.id, ("Ada",), "111", NOON)
    assert await store.drop(kept.id)
    assert not await store.drop(kept.id)
    assert await store.lists(GUILD) == ()
    assert await texts(store, kept.id) == []
    with pytest.raises(UnknownList):
        await store.add(kept.id, ("late",), "111", NOON)


async def test_a_person_is_forgotten(store: Notes) -> None:
    """MEM-6: their items, and all of their direct messages; what others noted stays."""
    shared = await store.make(GUILD, "shared", "111", NOON)
    await store.add(shared.id, ("mine",), "111", NOON)
    await store.add(shared.id, ("theirs",), "222", NOON)
    own = await store.make(DIRECT, "own", "111", NOON)
    await store.add(own.id, ("by the bot",), None, NOON)
    assert await store.notes_of("111") == {"shared": ("mine",), "own": ("by the bot",)}
    assert await store.forget_notes_of("111") == {"note_lists": 1, "note_items": 2}
    assert await texts(store, shared.id) == ["theirs"]
    assert await store.lists(DIRECT) == ()
    assert await store.notes_of("111") == {}

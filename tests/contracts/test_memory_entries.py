"""Contract of `EntryStore` and `MemoryPersons`, for both kinds of store (MEM-1, MEM-2, MEM-4, MEM-6)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from recipes.memory.entries import EntryKind, MemoryEntry, Provenance
from recipes.memory.entry_store import EntryStore, TitleTaken, UnknownEntry
from recipes.memory.in_memory import EntriesInMemory
from recipes.memory.memory_rules import MemoryRefused, appended, made_general, used
from recipes.memory.storage.entries import StoredEntries
from recipes.search_rules import query_words
from recipes.spaces import Space, SpaceKind
from tests.contracts.scene_contract import ADAPTERS
from tests.memory_setup import GUILD, NOON, entry, opened_entries

CHANNEL = Space(kind=SpaceKind.CHANNEL, id="44")
DIRECT = Space(kind=SpaceKind.DIRECT, id="111")


@pytest.fixture(params=ADAPTERS)
async def store(
    request: pytest.FixtureRequest, tmp_path: Path
) -> AsyncIterator[EntriesInMemory | StoredEntries]:
    async with opened_entries(request.param, tmp_path) as opened:
        yield opened


async def titles(store: EntryStore, *spaces: Space, persona: str = "default", limit: int = 9) -> list[str]:
    return [one.title for one in await store.listed(spaces, persona, limit)]


async def found(store: EntryStore, query: str, *spaces: Space, persona: str = "default") -> list[str]:
    hits = await store.search(spaces or (GUILD,), persona, query_words(query), 9)
    return [one.title for one in hits]


async def test_an_entry_is_kept_as_it_was_told(store: EntryStore) -> None:
    """MEM-2, MEM-6: with where it came from."""
    told = entry(
        provenance=Provenance(session_id="s", turn_id="t", speaker_id="1", speaker_name="Ada\u0000é"),
        text="One\ntwo 三",
        kind=EntryKind.PREFERENCE,
        about="1",
    )
    kept = await store.add(told)
    assert await store.find(kept.id) == kept
    assert (kept.text, kept.provenance, kept.uses, kept.used_at) == (told.text, told.provenance, 0, NOON)
    for unknown in ("m999", "x", "", "m-1", "m٣", "m" + "9" * 30):
        assert await store.find(unknown) is None


async def test_a_place_lists_its_spaces_personas_and_what_is_public(store: EntryStore) -> None:
    """MEM-2: nothing else, whatever is asked for."""
    for title, more in {
        "here": {},
        "channel": {"space": CHANNEL},
        "direct": {"space": DIRECT},
        "pirate": {"persona": "pirate"},
        "general": {"persona": None},
        "public": {"space": DIRECT, "persona": None, "public": True},
        "preference": {"kind": EntryKind.PREFERENCE, "about": "111"},
    }.items():
        await store.add(entry(title, **more))
    assert sorted(await titles(store, GUILD)) == ["general", "here", "public"]
    assert sorted(await titles(store, CHANNEL, GUILD)) == ["channel", "general", "here", "public"]
    assert sorted(await titles(store, DIRECT)) == ["direct", "public"]
    assert sorted(await titles(store, GUILD, persona="pirate")) == ["general", "pirate", "public"]
    assert sorted(await found(store, "here channel direct pirate general public")) == [
        "general",
        "here",
        "public",
    ]
    preferences = await store.preferences((GUILD,), "default", "111")
    assert [one.title for one in preferences] == ["preference"]
    assert await store.preferences((GUILD,), "default", "222") == ()
    assert await store.preferences((DIRECT,), "default", "111") == ()


async def test_the_best_are_listed_first(store: EntryStore) -> None:
    """MEM-1: by recency and use, and a use counts at once."""
    kept = [
        await store.add(entry(f"t{number}", created_at=NOON + timedelta(minutes=number)))
        for number in range(5)
    ]
    assert await titles(store, GUILD, limit=3) == ["t4", "t3", "t2"]
    await store.change(kept[0].id, lambda known: used(known, NOON + timedelta(hours=1)))
    assert await titles(store, GUILD, limit=3) == ["t0", "t4", "t3"]


async def test_a_change_is_one_step_and_what_fails_changes_nothing(store: EntryStore) -> None:
    """MEM-4."""
    kept = await store.add(entry())
    later = NOON + timedelta(minutes=1)
    changed = await store.change(kept.id, lambda known: appended(known, "It was eaten.", later))
    assert changed.text == "All of cake.\nIt was eaten."
    with pytest.raises(MemoryRefused):
        await store.change(kept.id, lambda known: appended(known, " ", later))
    with pytest.raises(UnknownEntry):
        await store.change("m999", lambda known: known)
    assert await store.find(kept.id) == changed


async def test_a_title_is_given_once_per_space_persona_and_person(store: EntryStore) -> None:
    """MEM-4: so that a fact has one entry; the answer names it."""
    first = await store.add(entry("Cake"))
    with pytest.raises(TitleTaken) as caught:
        await store.add(entry("  cake"))
    assert caught.value.entry_id == first.id
    for other in ({"space": CHANNEL}, {"persona": "pirate"}, {"kind": EntryKind.PREFERENCE, "about": "1"}):
        await store.add(entry("cake", **other))
    general = await store.add(entry("cake", persona=None))
    with pytest.raises(TitleTaken):
        await store.change(first.id, lambda known: made_general(known, public=False, now=NOON))
    assert (await store.find(general.id)) == general


async def test_search_follows_every_change(store: EntryStore) -> None:
    """MEM-1: Chinese and Japanese too; a removed word is found no more."""
    kept = await store.add(entry("会议", summary="星期二的会议", text="我们在京都见面"))
    await store.add(entry("cake", text="The cake costs thirty. 火曜日"))
    assert await found(store, "星期二") == ["会议"]
    assert await found(store, "京都") == ["会议"]
    assert await found(store, "火曜日") == ["cake"]
    assert await found(store, "thirty cakes 见面") == ["cake", "会议"]
    assert await found(store, "nothing") == []

    def moved(known: MemoryEntry) -> MemoryEntry:
        return replace(known, text="在大阪")

    await store.change(kept.id, moved)
    assert await found(store, "大阪") == ["会议"]
    assert "会议" not in await found(store, "京都")
    gone = await store.remove(kept.id)
    assert gone is not None
    assert await found(store, "大阪") == []
    assert await store.remove(kept.id) is None


async def test_search_puts_the_better_then_the_newer_first(store: EntryStore) -> None:
    """MEM-1."""
    await store.add(entry("a", text="harbour"))
    await store.add(entry("b", text="harbour lights"))
    await store.add(entry("c", text="harbour"))
    assert await found(store, "harbour lights") == ["b", "c", "a"]


async def test_pages_hold_a_whole_space_once(store: EntryStore) -> None:
    """MEM-6: for lists and exports, whatever the persona."""
    kept = [await store.add(entry(f"t{n}", persona=None if n % 2 else "pirate")) for n in range(12)]
    await store.add(entry("x", space=DIRECT))
    seen: list[MemoryEntry] = []
    while page := await store.page(GUILD, seen[-1].id if seen else "", 5):
        seen += page
    assert seen == kept


async def test_a_person_is_forgotten(store: EntryStore) -> None:
    """MEM-6: what they said, what they prefer, and what is of their direct messages; words included."""
    nobody = Provenance(session_id="s")
    others = [
        await store.add(entry("other", provenance=Provenance(session_id="s", speaker_id="222"))),
        await store.add(entry("nobody", provenance=nobody)),
    ]
    await store.add(entry("said"))
    await store.add(entry("direct", space=DIRECT, provenance=nobody))
    await store.add(entry("wish", kind=EntryKind.PREFERENCE, about="111", provenance=nobody))
    assert {one.title for one in await store.entries_of("111")} == {"said", "direct", "wish"}  # type: ignore[attr-defined] - both ports
    assert await store.forget_entries_of("111") == {"memory_entries": 3}  # type: ignore[attr-defined] - both ports
    assert await store.page(GUILD, "", 9) == tuple(others)
    assert await found(store, "said direct wish other") == ["other"]
    assert await found(store, "direct", DIRECT) == []


async def test_changes_that_come_together_lose_nothing(store: EntryStore) -> None:
    """MEM-4: each is made from what the one before it left."""
    kept = await store.add(entry(text="begin"))
    async with asyncio.TaskGroup() as tasks:
        for number in range(30):
            tasks.create_task(
                store.change(kept.id, lambda known, n=number: appended(known, f"line {n}", NOON))
            )
    changed = await store.find(kept.id)
    assert changed is not None
    assert sorted(changed.text.splitlines()[1:]) == sorted(f"line {number}" for number in range(30))

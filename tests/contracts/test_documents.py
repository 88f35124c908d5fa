"""Contract of `DocumentStore` and `DocumentPersons`, for every kind of store (MEM-2, MEM-6, MEM-8)."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recipes.knowledge.document_store import DocumentStore, NameTaken, TooManyDocuments
from recipes.knowledge.documents import Document, NewDocument, Piece
from recipes.knowledge.in_memory import DocumentsInMemory
from recipes.knowledge.storage.documents import StoredDocuments
from recipes.knowledge.storage.schema import KNOWLEDGE
from recipes.search_rules import query_words
from recipes.spaces import Space, SpaceKind
from sessions.storage.database import Database, sqlite_url
from tests.contracts.scene_contract import ADAPTERS, POSTGRESQL, empty_server
from tests.memory_setup import GUILD, NOON

CHANNEL = Space(kind=SpaceKind.CHANNEL, id="44")
DIRECT = Space(kind=SpaceKind.DIRECT, id="111")
Documents = DocumentsInMemory | StoredDocuments


@pytest.fixture(params=ADAPTERS)
async def store(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Documents]:
    if request.param == "memory":
        yield DocumentsInMemory()
        return
    url = sqlite_url(tmp_path / "knowledge.db")
    if request.param == "postgresql":
        url = POSTGRESQL or ""
        await empty_server()
    async with Database(url, (KNOWLEDGE,)) as database:
        yield StoredDocuments(database)


async def add(
    store: DocumentStore, name: str, *texts: str, space: Space = GUILD, by: str = "111", most: int = 25
) -> Document:
    new = NewDocument(space=space, name=name, added_by=by, added_at=NOON)
    pieces = [Piece(text=text, line=line, heading="Sea") for line, text in enumerate(texts, 1)]
    return await store.add(new, pieces, most)


async def found(store: DocumentStore, query: str, *spaces: Space) -> list[tuple[str, int]]:
    hits = await store.search(spaces or (GUILD,), query_words(query), 9)
    return [(one.source, one.piece.line) for one in hits]


async def test_a_document_is_found_by_its_pieces_in_its_own_space_alone(store: Documents) -> None:
    """MEM-8, MEM-2: with source and place; Chinese and Japanese, too."""
    await add(store, "guide.md", "The harbour opens at six.", "一条船在京都。\u0000", "火曜日の会議")
    await add(store, "own.txt", "My harbour.", space=DIRECT)
    await add(store, "secret.md", "The hidden harbour.", space=CHANNEL)
    assert await found(store, "when does the harbour open?") == [("guide.md", 1)]
    assert await found(store, "京都") == [("guide.md", 2)]
    assert await found(store, "会議") == [("guide.md", 3)]
    assert await found(store, "harbour", DIRECT) == [("own.txt", 1)]
    assert await found(store, "hidden harbour", CHANNEL, GUILD) == [("secret.md", 1), ("guide.md", 1)]
    assert await found(store, "hidden") == []
    assert len(await found(store, "sea")) == 3
    (hit,) = await store.search((GUILD,), query_words("京都"), 9)
    assert hit.piece == Piece(text="一条船在京都。\u0000", line=2, heading="Sea")


async def test_documents_are_listed_and_removed_in_their_space(store: Documents) -> None:
    """MEM-8: words and all; nobody removes what another place has."""
    first = await add(store, "a.md", "One anchor.", "Two anchors.")
    second = await add(store, "b.md", "Three anchors.")
    own = await add(store, "a.md", "An anchor.", space=DIRECT)
    assert (first.pieces, first.added_by, first.added_at) == (2, "111", NOON)
    assert await store.documents((GUILD,)) == (first, second)
    assert await store.documents((CHANNEL, GUILD, DIRECT)) == (first, second, own)
    assert await store.documents((CHANNEL,)) == ()
    for unknown in (own.id, "k999", "x", "", "k" + "9" * 30):
        assert await store.remove((GUILD,), unknown) is None
    assert await store.remove((GUILD,), first.id) == first
    assert await store.remove((GUILD,), first.id) is None
    assert await found(store, "anchor") == [("b.md", 1)]
    assert await found(store, "anchor", DIRECT) == [("a.md", 1)]


async def test_a_name_is_given_once_and_a_space_holds_so_many(store: Documents) -> None:
    """MEM-8: what is refused stores nothing."""
    kept = await add(store, "Guide.md", "One.")
    with pytest.raises(NameTaken) as caught:
        await add(store, "guide.MD", "Two.")
    assert caught.value.document_id == kept.id
    with pytest.raises(TooManyDocuments):
        await add(store, "b.md", "Two.", most=1)
    await add(store, "guide.md", "Two.", space=CHANNEL, most=1)
    assert await store.documents((GUILD,)) == (kept,)
    assert await found(store, "two") == []


async def test_a_person_is_forgotten(store: Documents) -> None:
    """MEM-6: what is of their direct messages goes; a server keeps its file, without who gave it."""
    shared = await add(store, "shared.md", "A shared anchor.")
    other = await add(store, "other.md", "Another anchor.", by="222")
    own = await add(store, "own.md", "My anchor.", space=DIRECT)
    given = await store.documents_of("111")
    assert [one.document for one in given] == [shared, own]
    assert given[1].pieces == (Piece(text="My anchor.", line=1, heading="Sea"),)
    assert await store.forget_documents_of("111") == {"knowledge_documents": 1}
    assert await store.documents_of("111") == ()
    assert [one.added_by for one in await store.documents((GUILD,))] == [None, "222"]
    assert await found(store, "anchor", DIRECT) == []
    assert sorted(await found(store, "anchor")) == [("other.md", 1), ("shared.md", 1)]
    assert [one.document for one in await store.documents_of("222")] == [other]

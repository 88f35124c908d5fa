"""Who may ask which files, and what the tool answers (MEM-2, MEM-8, TASK-33)."""

import pytest

from core.tools.context import ToolContext
from core.tools.tool import AnyTool
from recipes.knowledge.documents import MOST_DOCUMENTS
from recipes.knowledge.in_memory import DocumentsInMemory
from recipes.knowledge.knowledge import Knowledge, KnowledgeRefused
from recipes.knowledge.knowledge_runs import KnowledgeArguments, KnowledgeRuns
from recipes.knowledge.personal_data import KnowledgePersonalData
from recipes.run_scene import Place
from tests.memory_setup import DM_MIA, GENERAL, PLACES, PRIVATE, scene
from tests.orchestration import StillClock


def new_knowledge() -> Knowledge:
    store = DocumentsInMemory()
    return Knowledge(store=store, persons=store, clock=StillClock())


async def tools(knowledge: Knowledge, place: Place) -> tuple[AnyTool, ...]:
    return (await KnowledgeRuns(knowledge).additions(scene(place), ())).tools


async def answer(knowledge: Knowledge, place: Place, query: str) -> str:
    (tool,) = await tools(knowledge, place)
    return await tool.handler(
        KnowledgeArguments(query=query), ToolContext(conversation_id=place.session_id, run_id="r")
    )


@pytest.mark.parametrize(
    ("given", "asked"),
    [
        ("general", {"general", "other channel", "private channel", "second private channel"}),
        ("private channel", {"private channel"}),
        ("direct message of Mia", {"direct message of Mia"}),
        ("other server", {"other server"}),
        ("console", {"console"}),
    ],
)
async def test_a_file_is_asked_only_where_it_may_be(given: str, asked: set[str]) -> None:
    """MEM-2, TASK-33: elsewhere there is no tool, and nothing to list or remove."""
    knowledge = new_knowledge()
    kept = await knowledge.add(scene(PLACES[given]), "guide.md", "The harbour opens at six.")
    for name, place in PLACES.items():
        assert len(await tools(knowledge, place)) == (name in asked), name
        assert await knowledge.documents(scene(place)) == ((kept,) if name in asked else ())
        if name not in asked:
            assert await knowledge.search(scene(place), "harbour") == ()
            with pytest.raises(KnowledgeRefused):
                await knowledge.remove(scene(place), kept.id)


async def test_the_tool_answers_with_source_and_place() -> None:
    """MEM-8, TASK-33: the nearest files, and what to do where they tell nothing."""
    knowledge = new_knowledge()
    await knowledge.add(scene(GENERAL), "[guide].md", "# Prices\n\nA berth costs thirty.")
    await knowledge.add(scene(PRIVATE), "crew.txt", "\nThe crew pays ten for a berth.")
    assert '[guide.md, "Prices", line 1]\n# Prices\n\nA berth costs thirty.' in await answer(
        knowledge, GENERAL, "What does a berth cost?"
    )
    assert "ten" not in await answer(knowledge, GENERAL, "berth")
    assert "[crew.txt, line 2]" in await answer(knowledge, PRIVATE, "berth")
    for query in ("zebra", "?!"):
        assert (await answer(knowledge, GENERAL, query)).startswith("Nothing like that stands in the files.")


async def test_a_place_holds_so_many_files() -> None:
    """MEM-8: and says how room is made."""
    knowledge = new_knowledge()
    for number in range(MOST_DOCUMENTS):
        await knowledge.add(scene(GENERAL), f"{number}.txt", "Words.")
    with pytest.raises(KnowledgeRefused, match="`/knowledge remove` makes room"):
        await knowledge.add(scene(GENERAL), "more.txt", "Words.")
    await knowledge.add(scene(DM_MIA), "more.txt", "Words.")


async def test_who_gave_a_file_is_forgotten_and_their_own_files_go() -> None:
    """MEM-6."""
    knowledge = new_knowledge()
    await knowledge.add(scene(GENERAL), "shared.txt", "Words.")
    await knowledge.add(scene(DM_MIA), "own.txt", "My words.")
    data = KnowledgePersonalData(knowledge=knowledge, tables=frozenset())
    exported = (await data.export("111"))["knowledge"]
    assert [(one["name"], one["pieces"][0]["text"]) for one in exported] == [  # type: ignore[index,attr-defined] - JSON
        ("shared.txt", "Words."),
        ("own.txt", "My words."),
    ]
    assert await data.forget("111") == {"knowledge_documents": 1}
    assert await data.export("111") == {"knowledge": []}
    assert [one.name for one in await knowledge.documents(scene(GENERAL))] == ["shared.txt"]


async def test_every_change_shows_at_once() -> None:
    """MEM-8: what a place may ask is kept at hand, and never out of date."""
    knowledge = new_knowledge()
    assert await tools(knowledge, GENERAL) == ()
    kept = await knowledge.add(scene(GENERAL), "guide.md", "Words.")
    assert await knowledge.documents(scene(GENERAL)) == (kept,)
    assert len(await tools(knowledge, PRIVATE)) == 1
    await knowledge.forget_person("111")
    assert [one.added_by for one in await knowledge.documents(scene(GENERAL))] == [None]
    await knowledge.remove(scene(PRIVATE), kept.id)
    assert await tools(knowledge, GENERAL) == ()
    assert await tools(knowledge, PRIVATE) == ()

"""Past turns are found by their words, in one scene, in any script (TASK-33)."""

from datetime import timedelta
from pathlib import Path

import pytest

from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Notice, ReplyText, Round, UserTurn
from core.tools.context import ToolContext
from core.tools.tool import AnyTool
from recipes.recall.recall_runs import OFFERED_FROM, RecallRuns
from recipes.run_scene import Place, RunScene, Standing
from sessions.bindings import ChannelBinding
from sessions.storage.database import Database, sqlite_url
from sessions.storage.past_turns import StoredPastTurns
from sessions.storage.stores import stored_scenes
from tests.contracts.scene_contract import POSTGRESQL, empty_server
from tests.task_setup import MIA, NOON

HERE = ChannelBinding(channel_id=42, guild_id=7)
ELSEWHERE = ChannelBinding(channel_id=43, guild_id=7)
SAID = (
    "The Gärtner is called Übermut, 100% sure",
    "我们明天去北京看长城",
    "Anna\u2019s birthday is on the third of May",
)


def said(number: int, text: str, *, notice: bool = False) -> UserTurn:
    return UserTurn(
        id=f"turn{number}",
        at=NOON + timedelta(minutes=number),
        content=(Text(text=text),),
        speaker=None if notice else MIA,
        notice=Notice(source="recipe:x") if notice else None,
    )


async def tools_of(recall: RecallRuns, session_id: str, *now: UserTurn) -> tuple[AnyTool, ...]:
    place = Place(session_id=session_id, guild_id="7", channel_id="42")
    scene = RunScene(place=place, persona="p", speaker=MIA, standing=Standing.MEMBER)
    return (await recall.additions(scene, now)).tools


@pytest.mark.parametrize("adapter", ["sqlite", *(["postgresql"] if POSTGRESQL else [])])
async def test_recall_finds_what_was_said_here_and_nothing_else(adapter: str, tmp_path: Path) -> None:
    """TASK-33: offered when a prompt holds not all; no other scene, no notice, not the question."""
    url = sqlite_url(tmp_path / "x.db")
    if adapter == "postgresql":
        url = POSTGRESQL or ""
        await empty_server()
    async with Database(url) as database:
        stores, past = stored_scenes(database), StoredPastTurns(database)
        here = await stores.sessions.open(HERE, NOON)
        elsewhere = await stores.sessions.open(ELSEWHERE, NOON)
        await stores.history.append(elsewhere.session_id, 0, said(0, "Übermut is a secret of elsewhere"))
        for number, text in enumerate(SAID):
            await stores.history.append(here.session_id, 0, said(number, text))
        assert await tools_of(RecallRuns(past), here.session_id) == ()
        reply = Round(content=(ReplyText(text="The cat sleeps in the piano."),))
        answer = AssistantTurn(id="a", run_id="r", created_at=NOON, completed_at=NOON, rounds=(reply,))
        await stores.history.append(here.session_id, 0, answer)
        await stores.history.append(here.session_id, 0, said(50, "Übermut, says a task", notice=True))
        for number in range(100, 100 + OFFERED_FROM):
            await stores.history.append(here.session_id, 0, said(number, "small talk"))
        question = said(900, "what was the name of the gärtner, übermut?")
        await stores.history.append(here.session_id, 0, question)
        (tool,) = await tools_of(RecallRuns(past), here.session_id, question)

        async def recalled(words: str) -> str:
            context = ToolContext(conversation_id="c", run_id="r", speaker=MIA)
            return await tool.handler(tool.arguments.model_validate({"words": words}), context)

        assert await recalled("übermut GÄRTNER") == f"2026-11-30 12:00 Mia: {SAID[0]}"
        assert await recalled("北京") == f"2026-11-30 12:01 Mia: {SAID[1]}"
        assert await recalled("birthdays? the birthday of Anna!") == f"2026-11-30 12:02 Mia: {SAID[2]}"
        assert await recalled("cat piano") == "2026-11-30 12:00 you: The cat sleeps in the piano."
        assert await recalled("submarine %") == "Nothing of that was said here."

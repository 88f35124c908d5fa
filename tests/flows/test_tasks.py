"""Background recipes in text: asked for, working beside the conversation, coming back (TASK, REC-8)."""

import asyncio
from typing import Any

from tests.fake_models import Answer, Call, Script
from tests.flows.recipe_room import TASK, last_said, owner, put_recipe, tool_names
from tests.flows.text_room import TextRoom, messages_of, spoken

LONG = "It lies deep. " * 215


def in_task(body: dict[str, Any]) -> bool:
    """Whether a request comes from the space of a task."""
    return 'You run the recipe "dig"' in str(body["messages"][0]["content"])


async def test_a_background_recipe_comes_back(room: TextRoom) -> None:
    """TASK-1, REC-8, REC-14: accepted at once; two tools, 3,000 characters, a message that answers."""
    put_recipe(room, "dig.md", TASK)
    began = asyncio.Event()
    rounds = [
        Answer(calls=(Call(name="memory_read", arguments='{"ids": [1]}'),)),
        Answer(calls=(Call(name="notes_show", arguments='{"list": "tools"}'),)),
        Answer(text=(LONG,), delay_s=0.3),
    ]

    def model(body: dict[str, Any]) -> Script:
        if in_task(body):
            began.set()
            return rounds.pop(0)
        if "Notice from recipe:dig" in last_said(body):
            return Answer(text=("<|SILENT|>",))
        return Answer(text=("I am on it.",))

    async with room.bot() as core:
        room.models._default = model
        asked = room.says("please dig for gold", by=owner(room))
        await room.answer("I am on it.")
        first = await room.answer("It lies deep.", within_s=10)
        assert first.reference is not None
        await room.answer("· task ")
        await room.quiet(core)
        history = await spoken(core, room.general)
    requests = [request.body for request in room.models.requests]
    spaces = [body for body in requests if in_task(body)]
    assert messages_of(spaces[0])[-1][1].endswith("The owner said: @Parley please dig for gold")
    assert not {"builtIn_useRecipe", "builtIn_proposeRecipe"} & set(tool_names(spaces[0]))
    assert "".join(room.answers()).count("It lies deep.") == 215
    notice = next(body for body in requests if "Notice from recipe:dig" in last_said(body))
    assert last_said(notice).startswith(
        '[Notice from recipe:dig, not a message from the owner.]\nThe background task "dig" finished.\n'
    )
    assert [line for line in history if "It lies deep." in line]
    assert asked

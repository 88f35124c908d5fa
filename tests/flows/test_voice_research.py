"""Work beside a talk (TASK-1, TASK-11): asked for aloud, asked about, stopped and permitted in words."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from bot.wiring.core import Core
from tests.fake_backend import installed
from tests.fake_discord.world import Channel
from tests.fake_models import Answer, Script
from tests.flows.recipe_room import TASK, all_text, last_said, owner, put_recipe
from tests.flows.scripted_services import Talking, ToneVoice
from tests.flows.slash_commands import run, told, told_alone
from tests.flows.test_task_backend import call, frontend
from tests.flows.test_tasks import in_task, is_notice
from tests.flows.test_voice_talk import says, until
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room
from tests.flows.voice_scene import speech

LONG = "It lies deep. " * 215


async def states(core: Core) -> list[str]:
    """Of all tasks, the oldest first."""
    return [task.state.value for task in reversed(await core.domains.tasks.store.latest(20))]


async def come_to(core: Core, *wanted: str) -> None:
    async with asyncio.timeout(15):
        while await states(core) != list(wanted):
            await asyncio.sleep(0.01)


async def test_research_goes_on_while_people_talk(room: TextRoom) -> None:
    """TASK-1, TASK-11, TASK-12, TASK-20, TASK-34, VOX-37: two tools, 3,000 characters, told in a pause.

    Neither an interruption nor the end of the talk nor a reset of its scene stops a task; words do.
    """
    put_recipe(room, "dig.md", TASK)
    talking = Talking(speaking=ToneVoice(word_s=0.02))
    rounds = [
        Answer(calls=(call("memory_read", ids=[1]),)),
        Answer(calls=(call("notes_show", list="tools"),)),
        Answer(text=(LONG,), delay_s=1.5),
        Answer(text=("never",), delay_s=60.0),
        Answer(text=("Still gold.",), delay_s=2.5),
    ]

    def play(body: dict[str, Any]) -> Script:
        said = last_said(body)
        if in_task(body):
            return rounds.pop(0)
        if is_notice(body):
            return Answer(text=("<|SILENT|>",))
        if body["messages"][-1]["role"] != "user":
            return Answer(text=("So it is.",))
        if "How far" in said:
            return Answer(calls=(call("get_agent_task_status"),))
        if "Stop" in said:
            return Answer(calls=(call("cancel_agent_task"),))
        return Answer(text=("I am on it, and it will take me quite a while.",))

    room.models._default = play
    talking.hearing.texts = [
        *("Please dig for gold.", "And I was just saying that there is more to say."),
        *("Then dig for silver.", "How far are you?", "Stop the research."),
        "At last dig for copper.",
    ]
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        boss = place.enter(owner(room))
        await place.summoned(by=owner(room))
        await says(place, boss)
        await come_to(core, "running")
        await boss.speak(speech(2.5), pace_s=0.02)  # over the acknowledgement, and while the work ends
        await come_to(core, "completed")
        assert not any("It lies deep." in text for text in talking.speaking.asked)
        await until(lambda: any("It lies deep." in text for text in talking.speaking.asked))
        assert sum(len(text) for text in talking.speaking.asked if "It lies deep." in text) < 1_500
        lounge = place.lounge
        await place.until(lambda: sum(text.count("It lies deep.") for text in place.said_in(lounge)) == 215)
        await says(place, boss)
        await come_to(core, "completed", "running")
        await says(place, boss)
        await until(lambda: "So it is." in talking.speaking.asked)
        await says(place, boss)
        await come_to(core, "completed", "cancelled")
        await says(place, boss)
        await come_to(core, "completed", "cancelled", "running")
        await told(run(room, "session reset", by=owner(room), channel=lounge))
        await told_alone(run(room, "voice leave", by=owner(room)))
        await come_to(core, "completed", "cancelled", "completed")
        await place.until(lambda: any("Still gold." in text for text in place.said_in(lounge)))
        assert sum(text.count("It lies deep.") for text in place.said_in(lounge)) == 215
    statuses = [
        str(one["content"])
        for request in room.models.requests
        for one in request.body["messages"]
        if one["role"] == "tool" and "processing" in str(one["content"])
    ]
    assert "(dig): processing · thinking." in statuses[0]
    assert not any("thinking" in text for text in talking.speaking.asked)


async def test_permission_is_asked_for_and_given_aloud(
    room: TextRoom, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TASK-9, TASK-22: what waits for a word is said when nobody speaks; another's word gives nothing."""
    installed.install(tmp_path / "packages", monkeypatch)
    talking = Talking(speaking=ToneVoice(word_s=0.02))
    room.models._default = frontend(
        Yes=Answer(calls=(call("respond_permission", decision="task"),)),
        Blue=Answer(calls=(call("respond_agent_input", answer="blue"),)),
    )
    talking.hearing.texts = [
        "work: ask rm -rf build",
        "Yes, do it!",
        "Yes, you may do that now, please.",
        "work: question which colour?",
        "Blue.",
    ]
    async with (
        voice_room(room) as place,
        room.bot(speech=talking.services, VOICE_MODE="always", BACKEND=installed.NAME) as core,
    ):
        boss, ada = place.enter(owner(room)), place.enter(room.ada)
        await place.summoned(by=owner(room))
        await says(place, boss)
        await until(lambda: any("may I do this: run a command?" in text for text in talking.speaking.asked))
        assert any("rm -rf build" in all_text(message) for message in messages(room, place.lounge))
        pending = core.domains.tasks.permissions.pending
        await says(place, ada)
        await until(lambda: talking.speaking.asked.count("I am on it.") >= 2)
        assert pending(f"discord:channel:{place.lounge.id}")
        await says(place, boss)
        await come_to(core, "completed")
        await until(lambda: any(text.endswith("allowed") for text in talking.speaking.asked))
        await says(place, boss)
        await until(lambda: any("Tell me: which colour?" in text for text in talking.speaking.asked))
        await says(place, boss)
        await come_to(core, "completed", "completed")
        await until(lambda: any(text.endswith("blue") for text in talking.speaking.asked))


def messages(room: TextRoom, channel: Channel) -> list[Any]:
    return list(channel.messages.by(room.discord.bot))

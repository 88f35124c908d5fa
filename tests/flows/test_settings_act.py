"""SET-1: a setting does what its description says, from the environment to the wire."""

import asyncio
import json
import signal
import time
from pathlib import Path

from tests.fake_discord import ChannelKind
from tests.fake_models import Answer, Refusal
from tests.flows.bot_process import BotProcess
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\x08\2\0\0\0"
SLOW = tuple(f"word{number} " for number in range(40))


def told(room: TextRoom, number: int = -1) -> str:
    """What the model read in one request beside the instructions."""
    return "\n".join(str(message["content"]) for message in room.models.requests[number].body["messages"][1:])


async def test_the_protocol_of_the_whole_road(room: TextRoom) -> None:
    """OPENAI_PROTOCOL, MODEL_MAX_TOKENS; CORE-6, CORE-10, CORE-12: answers and history pass in Responses."""
    async with room.bot(OPENAI_PROTOCOL="responses", MODEL_MAX_TOKENS="77") as core:
        room.models.script(Answer(text=("Blue.",)), Answer(text=("Because of the light.",)))
        room.says("which colour has the sky?")
        await room.answer("Blue.")
        room.says("why?")
        await room.answer("Because of the light.")
        await room.quiet(core)
    first, second = room.models.requests
    assert {first.path, second.path} == {"/v1/responses"}
    assert second.body["max_output_tokens"] == 77
    assert second.body["store"] is False
    assert all(words in json.dumps(second.body["input"]) for words in ("which colour", "Blue.", "why?"))


async def test_what_models_take(room: TextRoom) -> None:
    """MODEL_CAPABILITIES; CORE-16, SET-8: for each model of the endpoint by itself."""
    changes = "fake-model=images,-tools; other*=-images"
    room.models.model_names = ["fake-model", "other-model"]
    picture = room.discord.humans.attach(room.general, "cat.png", PNG)
    async with room.bot(MODEL_CAPABILITIES=changes) as core:
        room.discord.humans.mention_bot(room.general, room.ada, "look", attachments=[picture])
        seeing = (await room.models.wait_for_request(1)).body
        await room.quiet(core)
        await told_alone(run(room, "model set", by=room.discord.world.owner, name="other-model"))
        room.says("and now?")
        blind = (await room.models.wait_for_request(2)).body
    assert (seeing["model"], blind["model"]) == ("fake-model", "other-model")
    assert "data:image/png;base64," in str(seeing["messages"])
    assert "data:image" not in str(blind["messages"])
    assert "tools" not in seeing
    assert blind["tools"]


async def test_the_window_of_the_model(room: TextRoom) -> None:
    """MODEL_CONTEXT_TOKENS; CORE-28: what does not fit is not sent, what was said now is."""
    async with room.bot(MODEL_CONTEXT_TOKENS="4000", MODEL_MAX_TOKENS="500") as core:
        for number in range(10):
            room.models.script(Answer(text=(f"Answer {number}.",), usage=None))
            room.says(f"question {number} " + "lorem ipsum " * 150)
            await room.answer(f"Answer {number}.")
            await room.quiet(core)
    questions = [request for request in room.models.requests if "question 9" in str(request.body)]
    assert "question 9" in str(questions[-1].body["messages"][-1]["content"])
    assert len(questions[-1].body["messages"]) < 2 * 8
    assert len(str(questions[-1].body["messages"])) < 4 * 4000


async def test_requests_at_once(room: TextRoom) -> None:
    """MODEL_REQUESTS_AT_ONCE; CORE-18: over all rooms; who waits for a place is answered, not timed out."""
    other = room.discord.world.add_channel(room.discord.guild, "other", kind=ChannelKind.TEXT)
    async with room.bot(MODEL_REQUESTS_AT_ONCE="1", MODEL_FIRST_TOKEN_TIMEOUT_S="0.5"):
        room.models.script(Answer(text=SLOW, delay_between_s=0.02), Answer(text=("At last.",)))
        room.says("tell me")
        await room.models.wait_for_request(1)
        room.says("me too", channel=other)
        await room.answer("word0")
        assert len(room.models.requests) == 1
        await room.answer("At last.", channel=other)


async def test_the_time_of_a_whole_answer(room: TextRoom) -> None:
    """MODEL_TOTAL_TIMEOUT_S; CORE-45: what came is kept, and a sentence says why it ends."""
    async with room.bot(MODEL_TOTAL_TIMEOUT_S="0.5"):
        room.models.script(Answer(text=SLOW * 20, delay_between_s=0.02))
        room.says("tell me")
        answer = await room.answer("The answer took too long.")
    assert answer.content.startswith("word0")


async def test_how_much_of_a_channel_is_read_back(room: TextRoom) -> None:
    """BACKFILL_MESSAGES; SCENE-7: so many and no more; none at all with 0."""
    for number in range(6):
        room.discord.humans.say(
            room.general, room.discord.grace, f"small talk {number}", at=time.time() - 3600 + number
        )
    room.models.script(Answer(text=("One.",)), Answer(text=("Two.",)))
    async with room.bot(BACKFILL_MESSAGES="2", ANSWER_MISSED_WITHIN_S="0") as core:
        room.says("hi")
        await room.answer("One.")
        await room.quiet(core)
    assert [number for number in range(6) if f"small talk {number}" in told(room)] == [4, 5]
    async with room.bot(BACKFILL_MESSAGES="0", ANSWER_MISSED_WITHIN_S="0"):
        room.says("hi again")
        await room.answer("Two.")
    assert "small talk" not in told(room)


async def test_how_many_messages_a_reply_may_have(room: TextRoom) -> None:
    """MAX_REPLY_MESSAGES; TEXT-2."""
    async with room.bot(MAX_REPLY_MESSAGES="2") as core:
        room.models.script(Answer(text=("word " * 100,) * 20))
        room.says("tell me")
        answer = await room.answer("The whole answer is in the attached file.")
        await room.quiet(core)
    assert len(room.answers()) <= 2
    assert len(answer.attachments) == 1


async def test_another_database(room: TextRoom, tmp_path: Path) -> None:
    """DATABASE_URL: what is remembered is there and nowhere else."""
    url = f"sqlite:///{tmp_path / 'elsewhere' / 'memory.db'}"
    room.models.script(Answer(text=("Noted.",)), Answer(text=("Seven.",)))
    async with room.bot(DATABASE_URL=url) as core:
        room.says("my number is seven")
        await room.answer("Noted.")
        await room.quiet(core)
    async with room.bot(DATABASE_URL=url, BACKFILL_MESSAGES="0"):
        room.says("which number?")
        await room.answer("Seven.")
    assert "my number is seven" in told(room)
    assert not (room.folder / "parley.db").exists()


async def test_logs_for_machines_hold_neither_words_nor_secrets(room: TextRoom, tmp_path: Path) -> None:
    """LOG_FORMAT, LOG_LEVEL; CORE-30: each line is JSON; a failure stands there with the id that was told."""
    environment = {
        **room.discord.environment,
        "OPENAI_API_BASE_URL": room.models.base_url,
        "OPENAI_MODEL": "fake-model",
        "OPENAI_API_KEY": "sk-very-secret",
        "DATA_DIR": str(room.folder),
        "LOG_FORMAT": "json",
        "LOG_LEVEL": "DEBUG",
    }
    async with BotProcess.started(tmp_path, environment) as bot:
        await room.discord.bot_connected(within_s=40)
        room.models.script(Answer(text=("A zebra.",)), Refusal(status=401))
        room.says("the marker is heliotrope")
        await room.answer("A zebra.")
        await asyncio.sleep(0.05)
        room.says("heliotrope once more")
        failed = await room.answer("OPENAI_API_KEY")
        bot.signal(signal.SIGTERM)
        assert await bot.ended() == 0
    lines = [json.loads(line) for line in bot.output.splitlines()]
    told_id = failed.content.split("`")[1]
    assert [line["event"] for line in lines if line.get("error_id") == told_id] == ["reply failed"]
    secrets = ("heliotrope", "zebra", "sk-very-secret", environment["DISCORD_TOKEN"])
    assert [secret for secret in secrets if secret in bot.output] == []

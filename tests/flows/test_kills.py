"""SIGKILL at the fake's Nth event: nothing is lost, nothing is answered twice (SET-3, TEXT-11, SCENE-7).

One life of a bot is one data folder and one Discord. In each round people talk in two channels and in direct
messages; the process is killed at an event that the seed chooses, people say more while it is down, it starts
again, is perhaps killed once more, and must end up with exactly one whole reply to everything.
"""

import asyncio
import random
import re
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.fake_discord import FakeDiscord
from tests.fake_discord.entities import Channel, Message
from tests.fake_discord.recorder import Record
from tests.fake_models import Answer, FakeModels, Refusal, Script
from tests.flows.bot_process import WarmStarts
from tests.flows.text_room import POST, TextRoom, messages_of

QUESTION = re.compile(r"\bq(\d+)-(short|long|fails)\b")
LAST_EVENT = 48
"""An undisturbed round has about as many events, so nearly every kill comes in the middle of one."""
EVENTS_OF_A_START = 40
"""With what is resumed after it."""


class Model:
    """Answers every question of the newest turns by name; the answer depends on the questions alone.

    One that fails does so once. Its turns stay without an answer: later questions come on top of them.
    """

    def __init__(self) -> None:
        self._failed: list[list[str]] = []

    def __call__(self, body: dict[str, Any]) -> Script:
        tags = list(asked_last(body))
        for failed in self._failed:
            if tags[: len(failed)] == failed != tags:
                tags = tags[len(failed) :]
        if tags not in self._failed and any(tag.endswith("fails") for tag in tags):
            self._failed.append(tags)
            return Refusal(status=400)
        text = answer_to(tags)
        size = 150
        pieces = tuple(text[at : at + size] for at in range(0, len(text), size))
        return Answer(text=pieces, delay_s=0.02, delay_between_s=0.03)


def asked_last(body: dict[str, Any]) -> Iterator[str]:
    """The questions since the last answer."""
    newest: list[str] = []
    for role, text in messages_of(body):
        newest = [] if role == "assistant" else [*newest, text]
    for text in newest:
        yield from (match[0] for match in QUESTION.finditer(text))


def answer_to(tags: list[str]) -> str:
    """One line for each short question, 4,500 characters for a long one."""
    parts: list[str] = []
    for tag in tags:
        if tag.endswith("long"):
            parts += [f"{tag} part {number}: " + "so it goes on and on, " * 4 for number in range(42)]
        else:
            parts.append(f"{tag} is answered.")
    return "\n".join(parts)


@dataclass(kw_only=True)
class Life:
    """What has been said so far, and what must come of it."""

    room: TextRoom
    starts: WarmStarts
    chance: random.Random
    said: dict[str, Message] = field(default_factory=dict[str, Message])
    kills: int = 0

    def ask(self, channel: Channel, kind: str = "short") -> str:
        tag = f"q{len(self.said)}-{kind}"
        humans, author = self.room.discord.humans, self.room.ada
        if channel.guild is None:
            self.said[tag] = humans.say(channel, author, tag)
        else:
            self.said[tag] = humans.mention_bot(channel, author, tag)
        return tag

    def kill_at(self, number: int) -> None:
        """Kill the process when the fake has had `number` more events."""
        recorder = self.room.discord.recorder
        at = recorder.count + number

        def look(count: int, record: Record) -> None:
            if count >= at:
                recorder.on_event = None
                self.kills += 1
                self.starts.kill()

        recorder.on_event = look

    async def until_answered_or_dead(self, tags: list[str]) -> None:
        async with asyncio.timeout(30):
            while self.starts.running and not all(self.is_answered(tag) for tag in tags):
                await asyncio.sleep(0.01)

    def is_answered(self, tag: str) -> bool:
        """The whole answer stands, or the sentence about the failure."""
        return any(tag in reply.tags and reply.is_whole for reply in self.replies(self.said[tag].channel))

    def replies(self, channel: Channel) -> list["Reply"]:
        """The bot's messages there, each first one with those that continue it."""
        found: list[Reply] = []
        waiting = self.expected_questions(channel)
        for message in channel.messages.by(self.room.discord.bot):
            if message.referenced is not None:
                asked = [tag for tag in waiting if self.said[tag].id <= message.referenced.id]
                waiting = waiting[len(asked) :]
                found.append(Reply(messages=[message], asked=asked))
            else:
                assert found, f"a continuation of nothing: {message.content[:80]!r}"
                found[-1].messages.append(message)
        return found

    def expected_questions(self, channel: Channel) -> list[str]:
        return [tag for tag, message in self.said.items() if message.channel is channel]


@dataclass(kw_only=True)
class Reply:
    """The messages of one reply, and what was asked up to the message that it refers to."""

    messages: list[Message]
    asked: list[str]

    @property
    def text(self) -> str:
        return "\n".join(message.content for message in self.messages)

    @property
    def is_failure(self) -> bool:
        return "(`err_" in self.text

    @property
    def tags(self) -> list[str]:
        """The questions that it names; a failure names none and is about all that was asked."""
        return named_in([self.text]) or self.asked

    @property
    def is_whole(self) -> bool:
        return self.is_failure or self.text.split() == answer_to(self.tags).split()


def named_in(texts: Iterable[str]) -> list[str]:
    """The questions that texts name, each once a text."""
    return [tag for text in texts for tag in dict.fromkeys(match[0] for match in QUESTION.finditer(text))]


async def settled(room: TextRoom, folder: Path) -> None:
    """Inbox and outbox hold nothing unfinished."""
    async with asyncio.timeout(30):
        while counted(folder, "inbox", "accepted", "answering"):
            await asyncio.sleep(0.02)
    assert counted(folder, "outbox", "planned", "posted") == 0


def counted(folder: Path, table: str, *states: str) -> int:
    marks = ",".join("?" * len(states))
    with closing(sqlite3.connect(f"file:{folder / 'parley.db'}?mode=ro", uri=True)) as database:
        query = f"select count(*) from {table} where state in ({marks})"  # noqa: S608 - our own words
        return database.execute(query, states).fetchone()[0]


def history(folder: Path, channel: Channel) -> list[tuple[str, str]]:
    """Kind and stored text of each turn of a scene."""
    query = "select kind, body, interrupted from turns where session_id = ? order by position"
    with closing(sqlite3.connect(f"file:{folder / 'parley.db'}?mode=ro", uri=True)) as database:
        found = database.execute(query, (f"discord:channel:{channel.id}",)).fetchall()
    assert not [body for _, body, interrupted in found if interrupted], "a cut reply was kept"
    return [(kind, body.replace("\\n", " ")) for kind, body, _ in found]


async def one_round(life: Life, direct: Channel) -> None:
    room, chance = life.room, life.chance
    guild = room.discord.guild
    first = room.discord.humans.create_channel(guild, f"room-{len(life.said)}")
    second = room.discord.humans.create_channel(guild, f"side-{len(life.said)}")
    room.discord.messages.nonce_in_history = chance.random() < 0.7
    if chance.random() < 0.25:
        room.discord.failures.drop(*POST, after_execution=chance.random() < 0.7)
    life.kill_at(chance.randint(1, LAST_EVENT))
    asked = [life.ask(first, "long"), life.ask(second), life.ask(direct)]
    await life.until_answered_or_dead(asked[1:])
    asked += [life.ask(first), life.ask(first), life.ask(second, "fails")]
    await life.until_answered_or_dead(asked)
    room.discord.recorder.on_event = None
    life.starts.kill()
    await life.starts.ended()
    asked += [life.ask(first), life.ask(direct)]
    if chance.random() < 0.4:
        life.kill_at(chance.randint(1, EVENTS_OF_A_START))
        await life.starts.start()
        asked.append(life.ask(second))
        await life.until_answered_or_dead(asked)
        room.discord.recorder.on_event = None
        life.starts.kill()
        await life.starts.ended()
    room.discord.failures.clear()
    await life.starts.start()
    await life.until_answered_or_dead(asked)
    assert life.starts.running
    await settled(room, room.folder)
    for channel in (first, second, direct):
        hold(life, channel)


def hold(life: Life, channel: Channel) -> None:
    """Everything said there was answered once, wholly, in order; the history says the same."""
    questions = life.expected_questions(channel)
    replies = life.replies(channel)
    shown = "\n".join(f"{reply.tags} {reply.text[:60]!r} .. {reply.text[-60:]!r}" for reply in replies)
    unfinished = [reply.tags for reply in replies if not reply.is_whole]
    assert not unfinished, f"not whole: {unfinished}\n{shown}"
    answered = [tag for reply in replies for tag in reply.tags]
    assert sorted(answered) == sorted(set(answered)), f"answered twice\n{shown}"
    assert answered == questions, f"asked {questions}\n{shown}"
    turns = history(life.room.folder, channel)
    assert named_in(body for kind, body in turns if kind == "user") == questions
    kept = named_in(body for kind, body in turns if kind == "assistant")
    assert kept == [tag for reply in replies if not reply.is_failure for tag in reply.tags]


async def live(folder: Path, seed: int, rounds: int) -> None:
    """One life of `rounds` kills and more."""
    async with (
        FakeDiscord.running(rate_limits=False) as discord,
        FakeModels.running(default=Model()) as models,
    ):
        await live_in(TextRoom(discord=discord, models=models, folder=folder / "data"), seed, rounds)
        discord.assert_no_violations()
        assert models.invalid_requests == []


async def live_in(room: TextRoom, seed: int, rounds: int) -> None:
    """The same in a room whose model answers by name."""
    direct = room.discord.world.dm(room.ada)
    settings = {
        **room.discord.environment,
        "OPENAI_API_BASE_URL": room.models.base_url,
        "OPENAI_MODEL": "fake-model",
        "DATA_DIR": str(room.folder),
    }
    async with WarmStarts.ready(room.folder.parent, settings) as starts:
        life = Life(room=room, starts=starts, chance=random.Random(seed))
        await starts.start()
        await room.discord.bot_connected(within_s=40)
        hello = life.ask(direct)
        await life.until_answered_or_dead([hello])
        for number in range(rounds):
            try:
                await one_round(life, direct)
            except BaseException as error:
                error.add_note(f"seed {seed}, round {number}; {room.discord.recorder.tail(60)}")
                error.add_note(starts.log.read_text()[-8_000:])
                raise
        await starts.stopped()
        log = starts.log.read_text()
    assert "Traceback" not in log, log[-8_000:]
    assert life.kills >= rounds * 0.7


@pytest.mark.timeout(300)
@pytest.mark.parametrize("seed", [1, 2])
async def test_kills_lose_nothing_and_double_nothing(tmp_path: Path, seed: int) -> None:
    """SET-3, SCENE-7, TEXT-11: ten kills and more in a life."""
    await live(tmp_path, seed, 10)


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(100, 120))
async def test_two_hundred_kills_lose_nothing_and_double_nothing(tmp_path: Path, seed: int) -> None:
    """SET-3, SCENE-7, TEXT-11: twenty lives of ten kills and more."""
    await live(tmp_path, seed, 10)

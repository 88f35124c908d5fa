"""People who write, change, take back, react and command all at once, while Discord fails now and then.

Nothing that is left unanswered, answered twice, remembered after it was deleted, or logged as an error. The
seed is in the test's name; the same seed gives the same acts, not the same interleaving.
"""

import asyncio
import json
from collections.abc import Callable
from random import Random

import pytest
from structlog.testing import capture_logs

from bot.wiring.core import Core
from tests.fake_discord.entities import Channel, Message
from tests.fake_models import Answer, Call, Ending, Refusal
from tests.flows.text_room import EDIT, POST, TYPING, TextRoom

SEEDS = [3, 5, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(100, 130))]
ROUTES = (
    POST,
    EDIT,
    TYPING,
    ("GET", "/channels/{channel_id}/messages"),
    ("DELETE", "/channels/{channel_id}/messages/{message_id}"),
)
ERRORS = ((500, 0), (502, 0), (503, 0), (403, 50013), (404, 10008), (400, 50035), (400, 200000))
BROKE_OFF = ("Stopped.", "err_", "blocks the rest", "does not take the rest")
"""Notes under replies after which a second one is right."""


class Crowd:
    """Three people and the owner in two channels and a thread."""

    def __init__(self, room: TextRoom, seed: int) -> None:
        self.room, self.chance = room, Random(seed)
        self.humans, world = room.discord.humans, room.discord.world
        self.people = [room.ada, room.discord.grace, world.owner]
        self.thread = self.humans.create_thread(room.general, "side talk", room.ada)
        self.channels = [room.general, self.thread, world.add_channel(room.discord.guild, "other")]
        self.said: list[Message] = []
        self.acts: list[tuple[Callable[[], object], int]] = [
            (self.ask, 35),
            (self.chat, 10),
            (self.edit, 13),
            (self.preview, 6),
            (self.delete, 11),
            (self.react, 5),
            (self.remove_reply, 3),
            (self.pin, 3),
            (self.archive, 2),
            (self.fail, 7),
            (self.command, 2),
        ]

    def act(self) -> None:
        acts, weights = zip(*self.acts, strict=True)
        self.chance.choices(acts, weights)[0]()

    @property
    def channel(self) -> Channel:
        return self.chance.choice(self.channels)

    def ask(self) -> None:
        who = self.chance.choice(self.people)
        self.said.append(self.humans.mention_bot(self.channel, who, f"question {len(self.said)}"))

    def chat(self) -> None:
        who = self.chance.choice(self.people)
        self.said.append(self.humans.say(self.channel, who, f"by the way {len(self.said)}"))

    def standing(self) -> list[Message]:
        latest = [message for message in self.said[-6:] if not message.deleted]
        return self.chance.sample(latest, min(1, len(latest)))

    def edit(self) -> None:
        for message in self.standing():
            self.humans.edit(message, f"{self.room.discord.bot.mention} {self.chance.random()}")

    def preview(self) -> None:
        for message in self.standing():
            self.humans.embed_links(message, [{"type": "link", "title": "Example"}])

    def delete(self) -> None:
        self.humans.delete(*self.standing())

    def pin(self) -> None:
        for message in self.standing():
            self.humans.pin(message, self.room.ada)

    def replies(self) -> list[Message]:
        return list(self.channel.messages.by(self.room.discord.bot))[-1:]

    def react(self) -> None:
        for message in self.replies():
            self.humans.react(message, self.chance.choice(self.people), self.chance.choice("🛑🔁"))

    def remove_reply(self) -> None:
        self.humans.delete(*self.replies())

    def archive(self) -> None:
        self.humans.archive(self.thread)

    def command(self) -> None:
        name = self.chance.choice(("session reset", "stop", "retry"))
        self.humans.run_command(self.channel, self.room.discord.world.owner, name)

    def fail(self) -> None:
        route, after = self.chance.choice(ROUTES), self.chance.random() < 0.3
        if self.chance.random() < 0.2:
            self.room.discord.failures.drop(*route, after_execution=after)
        else:
            status, code = self.chance.choice(ERRORS)
            self.room.discord.failures.fail(*route, status=status, code=code, after_execution=after)

    def stop_all(self) -> None:
        for channel in self.channels:
            self.humans.run_command(channel, self.room.discord.world.owner, "stop")

    def answers(self) -> list[Answer | Refusal]:
        """Short and long, quick and slow ones; some work, some fail, some never end."""
        sign = Call(name="discord_react", arguments=json.dumps({"emoji": "👍"}))
        made: list[Answer | Refusal] = []
        for number in range(150):
            size = self.chance.choice((1, 3, 20, 400, 1_200))
            text = tuple(f"a{number}w{word} " for word in range(size))
            kinds = (
                Answer(text=text, delay_s=self.chance.choice((0, 0.1, 0.3)), delay_between_s=0.5 / size),
                Answer(calls=(sign,)),
                Answer(text=text[:5], ending=Ending.HANG),
                Refusal(status=self.chance.choice((400, 401, 500))),
            )
            made += self.chance.choices(kinds, (16, 2, 1, 1))
        return made


@pytest.mark.parametrize("seed", SEEDS)
async def test_nothing_is_lost_doubled_or_kept_after_it_was_deleted(room: TextRoom, seed: int) -> None:
    """SCENE-5, SCENE-7, TEXT-6, TEXT-8, TEXT-11."""
    crowd = Crowd(room, seed)
    room.models.script(*crowd.answers())
    with capture_logs() as logs:
        async with room.bot(BURST_WINDOW_MS="100") as core:
            await room.commands_known()
            for _ in range(120):
                crowd.act()
                await asyncio.sleep(crowd.chance.choice((0, 0, 0.01, 0.05, 0.2)))
            room.discord.failures.clear()
            await settle(core, crowd)
            remembered = await turn_ids(core, crowd)
    assert not [m.id for m in crowd.said if m.deleted and f"discord:message:{m.id}" in remembered]
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []
    for channel in crowd.channels:
        replies = list(channel.messages.by(room.discord.bot))
        whole = [one for one in replies if not any(note in one.content for note in BROKE_OFF)]
        asked = [one.referenced.id for one in whole if one.referenced is not None]
        assert len(asked) == len(set(asked))
        assert all(len(text) <= 2_000 for one in replies for text in one.contents)


async def settle(core: Core, crowd: Crowd) -> None:
    """Until every question has its end; what hangs is stopped."""
    async with asyncio.timeout(20):
        while await core.stores.inbox.unfinished() or await core.stores.outbox.unsettled():
            crowd.stop_all()
            await asyncio.sleep(0.3)


async def turn_ids(core: Core, crowd: Crowd) -> set[str]:
    """Everything that is remembered of the channels."""
    windows = [
        await core.stores.history.window(f"discord:channel:{channel.id}", 400) for channel in crowd.channels
    ]
    return {stored.turn.id for window in windows for stored in window.turns}

"""SCENE-6: nothing of a direct message, a private channel or another server reaches another scene."""

import asyncio
from pathlib import Path

import pytest

from tests.fake_discord import Permission
from tests.fake_discord.entities import Channel, User
from tests.fake_models import Answer
from tests.flows.text_room import TextRoom

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\2\0\0\0\3\x08\2\0\0\0"


class Place:
    """A channel with a marker of its own, planted in every way in which words come into a scene."""

    def __init__(self, name: str, channel: Channel, by: User) -> None:
        self.channel, self.by = channel, by
        self.marker = f"marker-{name}"
        self.attached = f"file-{name}"
        self.overheard = f"aside-{name}"
        self.said_by_bot = f"reply-{name}"

    @property
    def planted(self) -> tuple[str, ...]:
        return (self.marker, self.attached, self.overheard, self.said_by_bot)


def places_of(room: TextRoom) -> list[Place]:
    world = room.discord.world
    private = world.add_channel(room.discord.guild, "private")
    private.deny(room.discord.guild.everyone, Permission.VIEW_CHANNEL)
    private.allow(room.discord.bot, Permission.VIEW_CHANNEL)
    other_guild = world.add_guild("Elsewhere", members=[room.ada, room.discord.bot])
    elsewhere = world.add_channel(other_guild, "general")
    thread = world.add_thread(room.general, "side talk", owner=room.ada)
    return [
        Place("dm", world.dm(room.ada), room.ada),
        Place("other-dm", world.dm(room.discord.grace), room.discord.grace),
        Place("private", private, room.ada),
        Place("public", room.general, room.ada),
        Place("thread", thread, room.ada),
        Place("elsewhere", elsewhere, room.ada),
    ]


async def plant(room: TextRoom, place: Place) -> None:
    """Said in a question, in a file of it, beside the talk, and by the bot itself."""
    humans, mention = room.discord.humans, room.discord.bot.mention
    if place.channel.guild is not None:
        humans.say(place.channel, place.by, place.overheard)
    room.models.script(Answer(text=(place.said_by_bot,)))
    humans.say(
        place.channel,
        place.by,
        f"{mention} {place.marker}",
        attachments=[("notes.txt", place.attached.encode()), (f"{place.attached}.png", PNG)],
    )
    await room.answer(place.said_by_bot, channel=place.channel)


async def ask(room: TextRoom, place: Place) -> str:
    """What the model reads for an innocent question there; all of the request."""
    before = len(room.models.requests)
    answer = f"Nothing to tell, {before}."
    room.models.script(Answer(text=(answer,)))
    mention = room.discord.bot.mention
    room.discord.humans.say(place.channel, place.by, f"{mention} what do you know?")
    await room.answer(answer, channel=place.channel)
    return "\n".join(str(request.body) for request in room.models.requests[before:])


async def test_no_scene_reads_what_another_one_heard(room: TextRoom) -> None:
    """SCENE-6: every request of every scene is searched, before and after a restart."""
    places = places_of(room)
    read: dict[str, str] = {}
    async with room.bot() as core:
        for place in places:
            await plant(room, place)
        await room.quiet(core)
        for place in places:
            read[f"{place.marker} at once"] = await ask(room, place)
        await room.quiet(core)
    async with room.bot() as core:
        for place in places:
            read[f"{place.marker} later"] = await ask(room, place)
        await room.quiet(core)
    for place in places:
        for asked, text in read.items():
            here = asked.startswith(f"{place.marker} ")
            for planted in place.planted:
                told = planted in text
                if here and (planted != place.overheard or place.channel.guild is not None):
                    assert told, f"{planted} is missing {asked}"
                elif not here:
                    assert not told, f"{planted} was read {asked}"


@pytest.mark.parametrize("gone", ["channel", "thread", "channel of the thread"])
async def test_a_deleted_channel_leaves_no_files(room: TextRoom, gone: str) -> None:
    """SCENE-2, SCENE-6, TEXT-4: nor does a thread, also when Discord tells of its channel alone."""
    parent = room.discord.world.add_channel(room.discord.guild, "parent")
    doomed = parent
    if gone != "channel":
        doomed = room.discord.humans.create_thread(parent, "doomed", room.ada)
    place = Place("doomed", doomed, room.ada)
    async with room.bot(OPENAI_MODEL="gpt-4o") as core:
        await plant(room, place)
        await room.quiet(core)
        folder = room.folder / "media" / str(doomed.id)
        assert await asyncio.to_thread(files, folder) == 1
        if gone == "channel of the thread":
            room.discord.world.remove_channel(parent)
            room.discord.state.announcements.channel_deleted(parent)
        else:
            room.discord.humans.delete_channel(doomed)
        async with asyncio.timeout(5):
            while await asyncio.to_thread(files, folder):
                await asyncio.sleep(0.01)


def files(folder: Path) -> int:
    return sum(1 for _ in folder.iterdir())

"""SCENE-4: what is answered is chosen per channel, and told by `/why` (CMD-3)."""

from datetime import UTC, datetime

from tests.fake_models import Answer, Call
from tests.flows.recipe_room import owner
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom


async def test_a_manager_chooses_the_mode_of_a_channel_and_of_the_server(room: TextRoom) -> None:
    """SCENE-4, CMD-1, CMD-3: the nearest choice holds, over restarts; threads follow their channel."""
    other = room.discord.world.add_channel(room.discord.guild, "other")
    thread = room.discord.world.add_thread(room.general, "side talk", owner=room.ada)
    humans = room.discord.humans
    async with room.bot():
        assert "`mention` (the default)" in await told_alone(run(room, "session mode"))
        assert "Manage Server" in await told_alone(run(room, "session mode", answer="all"))
        boss = owner(room)
        chosen = await told_alone(run(room, "session mode", by=boss, answer="all"))
        assert "every message" in chosen
        assert "`all` (chosen for this channel)" in chosen
        off = run(room, "session mode", by=boss, channel=other, answer="off", where="server")
        assert "`off` (chosen for this server)" in await told_alone(off)
    async with room.bot() as core:
        room.models.script(Answer(text=("Here.",)), Answer(text=("There.",)))
        humans.say(room.general, room.ada, "anybody?")
        await room.answer("Here.")
        humans.say(thread, room.ada, "and here?")
        await room.answer("There.", channel=thread)
        room.says("hello?", channel=other)
        await room.quiet(core)
        why = await told_alone(run(room, "why", channel=other))
        assert "answers are switched off" in why
        assert "The mode here is `off` (chosen for this server)." in why
        assert "/session mode" in why
        assert "(chosen for the channel of this thread)" in await told_alone(run(room, "why", channel=thread))
        back = run(room, "session mode", by=owner(room), channel=other, answer="default", where="server")
        assert "(the default)" in await told_alone(back)
    assert len(room.models.requests) == 2


async def test_sent_to_sleep_it_answers_nothing_until_it_is_mentioned(room: TextRoom) -> None:
    """TASK-16, CMD-3: in a channel where every message is answered, also after a restart."""
    humans = room.discord.humans
    room.models.script(
        Answer(calls=(Call(name="enter_sleep"),)), Answer(text=("Good night.",)), Answer(text=("I am up.",))
    )
    async with room.bot(TRIGGER_MODE="all"):
        humans.say(room.general, room.ada, "sleep now, please")
        await room.answer("Good night.")
    async with room.bot(TRIGGER_MODE="all") as core:
        humans.say(room.general, room.ada, "is anybody here?")
        await room.quiet(core)
        why = await told_alone(run(room, "why"))
        assert "I sleep here" in why
        assert "Mention me to wake me." in why
        room.says("wake up!")
        await room.answer("I am up.")
        room.models.script(Answer(text=("Always.",)))
        humans.say(room.general, room.ada, "and stay up")
        await room.answer("Always.")
        assert "Manage Server" in await told_alone(run(room, "quiet", hours="22-7"))
        assert "names no hours" in await told_alone(run(room, "quiet", by=owner(room), hours="noon"))
        hour = datetime.now(UTC).hour
        hours = f"{hour:02}:00-{(hour + 3) % 24:02}:00"
        chosen = await told_alone(run(room, "quiet", by=owner(room), hours=hours))
        assert f"From {hours} I answer mentions alone." in chosen
        other = room.discord.world.add_channel(room.discord.guild, "other")
        humans.say(other, room.ada, "anybody in the night?")
        await room.quiet(core)
        assert "I sleep here" in await told_alone(run(room, "why", channel=other))
        assert "no quiet hours" in await told_alone(run(room, "quiet", by=owner(room), hours="none"))


async def test_a_thread_that_the_bot_opened_needs_no_mention(room: TextRoom) -> None:
    """SCENE-4."""
    thread = room.discord.world.add_thread(room.general, "my thread", owner=room.discord.bot)
    room.models.script(Answer(text=("Yes.",)))
    async with room.bot():
        room.discord.humans.say(thread, room.ada, "are you there?")
        await room.answer("Yes.", channel=thread)


async def test_direct_messages_have_no_mode(room: TextRoom) -> None:
    """SCENE-4."""
    async with room.bot():
        direct = room.discord.world.dm(room.ada)
        assert "everything" in await told_alone(run(room, "session mode", channel=direct))

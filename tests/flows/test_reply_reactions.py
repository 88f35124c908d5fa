"""TEXT-6: a reaction stops a running reply and asks again after a broken one, for the right people alone."""

import asyncio

from bot.wiring.core import Core
from tests.fake_discord import Permission
from tests.fake_models import Answer, Ending, Refusal
from tests.flows.text_room import POST, TextRoom, spoken

SLOW = Answer(text=("It began ", "well"), ending=Ending.HANG)
CUT = "It began well\n\n-# Stopped."


async def begun(room: TextRoom, core: Core) -> None:
    """A reply has shown its first words, and the bot knows the message that shows them."""
    room.models.script(SLOW)
    room.says("tell me")
    await room.answer("It began well")
    async with asyncio.timeout(5):
        while not any(piece.message_id for piece in await core.stores.outbox.unsettled()):
            await asyncio.sleep(0.01)


async def test_the_author_stops_a_reply_by_a_reaction_on_it(room: TextRoom) -> None:
    """TEXT-6, CORE-23."""
    async with room.bot() as core:
        await begun(room, core)
        room.discord.humans.react(room.general.messages[-1], room.ada, "🛑")
        await room.answer("Stopped.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley tell me", "cut: It began well"]
    assert room.answers() == [CUT]


async def test_a_reply_that_is_only_being_posted_is_stopped_too(room: TextRoom) -> None:
    """TEXT-6, CORE-23: the model has said everything; what stands stays, with room for the note."""
    room.discord.failures.fail(*POST, status=503, times=50, where=lambda sent: "word700" in str(sent.json))
    async with room.bot() as core:
        room.models.script(Answer(text=("".join(f"word{number} " for number in range(1_200)),)))
        room.says("tell me all")
        second = await room.answer("word500")
        await room.discord.until(lambda: len(room.posts()) > 3)
        room.discord.humans.react(second, room.ada, "🛑")
        await room.answer("Stopped.")
        await room.quiet(core)
        kept = (await spoken(core, room.general))[1]
    assert len(room.answers()) == 2
    assert second.content.endswith("\n\n-# Stopped.")
    assert room.discord.humans.button(second, "Retry")
    assert kept.startswith("cut: word0")
    assert "word500" in kept
    assert "word700" not in kept


async def test_a_reaction_on_the_question_stops_its_reply_too(room: TextRoom) -> None:
    """TEXT-6: before there is a reply to react to."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Late.",), delay_s=5))
        question = room.says("tell me")
        await room.discord.until(lambda: len(room.models.requests) == 1)
        room.discord.humans.react(question, room.ada, "⏹️")
        await room.models.requests[0].wait_until_client_closed()
        await room.quiet(core)
    assert room.answers() == ["-# Stopped."]


async def test_others_stop_nothing_and_managers_do(room: TextRoom) -> None:
    """TEXT-6: nor does another sign, a bot, or a sign on another message."""
    humans = room.discord.humans
    other = room.discord.world.add_user("beeper", bot=True)
    boss = room.discord.world.add_role(room.discord.guild, "boss", permissions=Permission.MANAGE_GUILD)
    room.discord.world.add_member(room.discord.guild, other, roles=[boss])
    aside = humans.say(room.general, room.ada, "by the way")
    async with room.bot() as core:
        await begun(room, core)
        reply = room.general.messages[-1]
        humans.react(reply, room.discord.grace, "🛑")
        humans.react(reply, other, "🛑")
        humans.react(reply, room.ada, "👍")
        humans.react(aside, room.ada, "🛑")
        await asyncio.sleep(0.1)
        assert room.answers() == ["It began well"]
        humans.react(reply, room.discord.world.owner, "🛑")
        await room.answer("Stopped.")
        await room.quiet(core)


async def test_a_broken_reply_is_asked_for_again_after_a_restart(room: TextRoom) -> None:
    """TEXT-6, CORE-23: on it, by its author, not by others; once whole there is nothing to ask again."""
    humans = room.discord.humans
    async with room.bot() as core:
        room.models.script(Refusal(status=401))
        question = room.says("hi")
        await room.discord.until(lambda: bool(room.answers()))
        await room.quiet(core)
    broken = room.general.messages[-1]
    async with room.bot() as core:
        humans.react(question, room.ada, "🔁")
        humans.react(broken, room.discord.grace, "🔁")
        await asyncio.sleep(0.1)
        assert len(room.models.requests) == 1
        room.models.script(Answer(text=("Hello at last.",)))
        humans.react(broken, room.ada, "🔁")
        await room.answer("Hello at last.")
        await room.quiet(core)
        humans.unreact(broken, room.ada, "🔁")
        humans.react(broken, room.ada, "🔁")
        await asyncio.sleep(0.1)
        assert await spoken(core, room.general) == ["user: @Parley hi", "bot: Hello at last."]
    assert len(room.models.requests) == 2

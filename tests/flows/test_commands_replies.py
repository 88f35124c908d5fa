"""`/stop` and `/retry` over the wire (CORE-23)."""

import asyncio

import pytest

from tests.fake_models import Answer, Ending, Refusal
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom, messages_of, rows, spoken

SLOW = Answer(text=("It began ", "well"), ending=Ending.HANG)
BROKEN = Refusal(status=401)


async def begun(room: TextRoom) -> None:
    """A reply that has shown its first words and is not over."""
    room.models.script(SLOW)
    room.says("tell me")
    await room.answer("It began")


async def test_the_author_stops_the_reply_and_what_was_visible_is_kept(room: TextRoom) -> None:
    """CORE-23, CORE-36: the provider's connection closes, the history keeps the part as interrupted."""
    async with room.bot() as core:
        await begun(room)
        assert await told_alone(run(room, "stop")) == "Stopped."
        await room.models.requests[0].wait_until_client_closed()
        await room.answer("Stopped.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley tell me", "cut: It began well"]
    assert room.answers() == ["It began well\n\n-# Stopped."]


async def test_a_manager_stops_what_others_asked_and_nobody_else_does(room: TextRoom) -> None:
    """CORE-23, CMD-2."""
    async with room.bot() as core:
        await begun(room)
        assert "Only the person who asked" in await told_alone(run(room, "stop", by=room.discord.grace))
        assert room.answers() == ["It began well"]
        assert await told_alone(run(room, "stop", by=room.discord.world.owner)) == "Stopped."
        await room.quiet(core)


async def test_stopping_takes_back_what_that_person_has_waiting(room: TextRoom) -> None:
    """CORE-23, SCENE-5: what others said meanwhile is still answered, and nothing of it comes back later."""
    async with room.bot() as core:
        await begun(room)
        room.models.script(Answer(text=("For Grace.",)))
        room.says("and me", by=room.discord.grace)
        room.says("second thought")
        room.says("third thought")
        async with asyncio.timeout(5):
            while len(await core.stores.inbox.unfinished()) < 4:
                await asyncio.sleep(0.01)
        said = await told_alone(run(room, "stop"))
        assert said == "Stopped. Your 2 waiting messages will not be answered."
        await room.answer("For Grace.")
        await room.quiet(core)
        lines = await spoken(core, room.general)
    assert lines[2:] == ["user: @Parley and me", "bot: For Grace."]
    async with room.bot() as core:
        assert await rows(core) == ((), ())
    assert len(room.models.requests) == 2


async def test_somebody_takes_back_their_own_message_while_another_s_reply_goes_on(room: TextRoom) -> None:
    """CORE-23."""
    async with room.bot() as core:
        await begun(room)
        room.says("and me", by=room.discord.grace)
        async with asyncio.timeout(5):
            while len(await core.stores.inbox.unfinished()) < 2:
                await asyncio.sleep(0.01)
        said = await told_alone(run(room, "stop", by=room.discord.grace))
        assert said.startswith("Only the person who asked")
        assert said.endswith("Your waiting message will not be answered.")
        await told_alone(run(room, "stop"))
        await room.quiet(core)
    assert len(room.models.requests) == 1


async def test_where_nothing_runs_it_says_so(room: TextRoom) -> None:
    """CORE-23."""
    async with room.bot() as core:
        assert await told_alone(run(room, "stop")) == "Nothing is being answered here."
        room.says("hi")
        await room.answer("hi")
        await room.quiet(core)
        assert await told_alone(run(room, "stop")) == "Nothing is being answered here."


async def test_a_stopped_question_is_asked_again_and_its_part_replaced(room: TextRoom) -> None:
    """CORE-23: a reply of its own, the question once in history and request, the part gone from both."""
    async with room.bot() as core:
        await begun(room)
        await told_alone(run(room, "stop"))
        await room.quiet(core)
        room.models.script(Answer(text=("All of it.",)))
        assert await told_alone(run(room, "retry")) == "I try again."
        answer = await room.answer("All of it.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley tell me", "bot: All of it."]
    assert answer.referenced is not None
    assert answer.referenced.content.endswith("tell me")
    assert len(messages_of(room.models.requests[-1].body)) == 1
    assert len({post.json["nonce"] for post in room.posts()}) == 2
    assert room.answers() == ["It began well\n\n-# Stopped.", "All of it."]


async def test_a_question_that_failed_without_a_word_is_asked_again_after_a_restart(room: TextRoom) -> None:
    """CORE-23: the history tells, not the memory of a process."""
    room.models.script(BROKEN)
    async with room.bot() as core:
        room.says("hello?")
        await room.answer("err_")
        await room.quiet(core)
    async with room.bot() as core:
        room.models.script(Answer(text=("Here I am.",)))
        assert await told_alone(run(room, "retry", by=room.discord.world.owner)) == "I try again."
        await room.answer("Here I am.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley hello?", "bot: Here I am."]
        assert await rows(core) == ((), ())
    assert len(room.models.requests) == 2


async def test_a_retry_that_fails_loses_nothing_and_may_be_tried_again(room: TextRoom) -> None:
    """CORE-23: the part that was visible first stays until there is something in its place."""
    cut = Answer(text=("Half an ", "answer"), ending=Ending.CLOSE)
    room.models.script(cut, BROKEN, cut, Answer(text=("Whole.",)))
    expected = ["cut: Half an answer", "cut: Half an answer", "cut: Half an answer", "bot: Whole."]
    async with room.bot() as core:
        room.says("well?")
        for number, line in enumerate(expected):
            if number:
                assert await told_alone(run(room, "retry")) == "I try again."
            await room.models.wait_for_request(number + 1)
            await room.quiet(core)
            assert await spoken(core, room.general) == ["user: @Parley well?", line]


async def test_a_retry_that_a_stop_of_the_bot_cuts_off_leaves_the_question_to_be_tried_again(
    room: TextRoom,
) -> None:
    """CORE-23, TEXT-11: nothing of it is left open, and the part that stands in the history stays."""
    cut = Answer(text=("Half an ", "answer"), ending=Ending.CLOSE)
    room.models.script(cut, SLOW, Answer(text=("Whole.",)))
    async with room.bot(grace_s=0.05) as core:
        room.says("well?")
        await room.answer("Half an")
        await room.quiet(core)
        await told_alone(run(room, "retry"))
        await room.answer("It began")
    async with room.bot() as core:
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley well?", "cut: Half an answer"]
        await told_alone(run(room, "retry"))
        await room.answer("Whole.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley well?", "bot: Whole."]


@pytest.mark.parametrize("who", ["somebody else", "nothing to retry", "busy"])
async def test_a_retry_that_may_not_be_changes_nothing(room: TextRoom, who: str) -> None:
    """CORE-23, CMD-2."""
    async with room.bot() as core:
        match who:
            case "somebody else":
                room.models.script(BROKEN)
                room.says("hello?")
                await room.answer("err_")
                await room.quiet(core)
                said = await told_alone(run(room, "retry", by=room.discord.grace))
                assert said.startswith("Only the person who asked")
            case "nothing to retry":
                room.says("hello?")
                await room.answer("hello?")
                await room.quiet(core)
                assert "has its answer" in await told_alone(run(room, "retry"))
            case _:
                await begun(room)
                assert "/stop" in await told_alone(run(room, "retry"))
                await told_alone(run(room, "stop"))
                await room.quiet(core)
    assert len(room.models.requests) == 1


async def test_a_message_after_a_failed_question_is_answered_together_with_it(room: TextRoom) -> None:
    """CORE-23: the retry of an older question never ends on an answer; the conversation keeps its order."""
    room.models.script(BROKEN, BROKEN, Answer(text=("Both.",)))
    async with room.bot() as core:
        for number, question in enumerate(("one?", "two?"), start=1):
            room.says(question)
            await room.models.wait_for_request(number)
            await room.quiet(core)
        await told_alone(run(room, "retry"))
        answer = await room.answer("Both.")
        await room.quiet(core)
        assert await spoken(core, room.general) == [
            "user: @Parley one?",
            "user: @Parley two?",
            "bot: Both.",
        ]
    assert answer.referenced is not None
    assert answer.referenced.content.endswith("two?")

"""TEXT-6: a question is edited or deleted while its answer is on the way, or afterwards."""

import asyncio
import json

from tests.fake_discord.entities import Message
from tests.fake_models import Answer, Call, Ending
from tests.flows.text_room import POST, TextRoom, messages_of, rows, spoken

BEGUN = Answer(text=("It began ", "well"), ending=Ending.HANG)
LONG = Answer(
    text=tuple(f"word{number} " for number in range(600)), delay_between_s=0.002, ending=Ending.HANG
)


WHOLE = Answer(text=("".join(f"word{number} " for number in range(1_200)),))
"""Five messages, all of them known at once."""


async def half_posted(room: TextRoom) -> Message:
    """A question whose answer is written, while Discord does not take the middle of it yet."""
    room.discord.failures.fail(*POST, status=503, times=50, where=lambda sent: "word700" in str(sent.json))
    question = room.says("tell me all")
    await room.answer("word500", within_s=10)
    await room.discord.until(lambda: len(room.posts()) > 3, within_s=10)
    return question


def mentioned(room: TextRoom, words: str) -> str:
    return f"{room.discord.bot.mention} {words}"


async def test_an_edited_question_is_answered_as_it_reads_now(room: TextRoom) -> None:
    """TEXT-6: the run is replaced; the answer comes in the message that stands already."""
    async with room.bot() as core:
        room.models.script(BEGUN, Answer(text=("It rains in Rome.",)))
        question = room.says("weather in Paris?")
        first = await room.answer("It began")
        room.discord.humans.edit(question, mentioned(room, "weather in Rome?"))
        answer = await room.answer("It rains in Rome.")
        await room.models.requests[0].wait_until_client_closed()
        await room.quiet(core)
        assert await spoken(core, room.general) == [
            "user: @Parley weather in Rome?",
            "bot: It rains in Rome.",
        ]
    assert answer is first
    assert room.answers() == ["It rains in Rome."]
    assert len(room.posts()) == 1
    asked = messages_of(room.models.requests[1].body)
    assert [role for role, _ in asked] == ["user"]
    assert "Rome" in asked[0][1]


async def test_an_edit_after_a_tool_began_is_answered_behind_the_reply(room: TextRoom) -> None:
    """TEXT-6: what the tool did is not done again; the edit is a turn of its own."""
    sign = Call(name="discord_react", arguments=json.dumps({"emoji": "👍"}))
    room.models.script(
        Answer(calls=(sign,)),
        Answer(text=("It rains ", "in Paris."), delay_between_s=0.5),
        Answer(text=("It snows in Rome.",)),
    )
    async with room.bot() as core:
        question = room.says("weather in Paris?")
        await room.answer("It rains")
        room.discord.humans.edit(question, mentioned(room, "weather in Rome?"))
        await room.answer("It snows in Rome.")
        await room.quiet(core)
        assert await spoken(core, room.general) == [
            "user: @Parley weather in Paris?",
            "bot: It rains in Paris.",
            "user: @Parley weather in Rome?",
            "bot: It snows in Rome.",
        ]
    assert room.answers() == ["It rains in Paris.", "It snows in Rome."]
    assert len(room.models.requests) == 3


async def test_a_message_that_was_asked_again_is_changed_and_taken_back_as_a_whole(room: TextRoom) -> None:
    """TEXT-6: its next edit and its deletion reach what the first edit became."""
    sign = Call(name="discord_react", arguments=json.dumps({"emoji": "👍"}))
    room.models.script(
        Answer(calls=(sign,)),
        Answer(text=("It rains ", "in Paris."), delay_between_s=0.5),
        BEGUN,
        Answer(text=("It snows in Oslo.",)),
    )
    async with room.bot() as core:
        question = room.says("weather in Paris?")
        await room.answer("It rains")
        room.discord.humans.edit(question, mentioned(room, "weather in Rome?"))
        await room.answer("It began")
        room.discord.humans.edit(question, mentioned(room, "weather in Oslo?"))
        await room.answer("It snows in Oslo.")
        await room.quiet(core)
        assert (await spoken(core, room.general))[2] == "user: @Parley weather in Oslo?"
        assert room.answers() == ["It rains in Paris.", "It snows in Oslo."]
        room.discord.humans.delete(question)
        async with asyncio.timeout(5):
            while any("weather" in line for line in await spoken(core, room.general)):
                await asyncio.sleep(0.01)


async def test_an_edit_before_the_first_word_asks_once(room: TextRoom) -> None:
    """TEXT-6, SCENE-5."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Late.",), delay_s=5), Answer(text=("Fine.",)))
        question = room.says("tpyo")
        await room.discord.until(lambda: len(room.models.requests) == 1)
        room.discord.humans.edit(question, mentioned(room, "typo"))
        await room.answer("Fine.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley typo", "bot: Fine."]
    assert room.answers() == ["Fine."]


async def test_a_longer_first_answer_leaves_nothing_behind(room: TextRoom) -> None:
    """TEXT-6: further messages of the answer that was replaced go."""
    async with room.bot() as core:
        room.models.script(LONG, Answer(text=("Short.",)))
        question = room.says("tell me all")
        await room.discord.until(lambda: len(room.answers()) >= 2, within_s=10)
        room.discord.humans.edit(question, mentioned(room, "tell me little"))
        await room.answer("Short.")
        await room.quiet(core)
    assert room.answers() == ["Short."]


async def test_a_link_preview_changes_nothing(room: TextRoom) -> None:
    """TEXT-6: no edit by a person, also on a message that a person has edited before."""
    async with room.bot() as core:
        room.models.script(BEGUN, Answer(text=("Again.",), delay_s=0.2))
        question = room.says("see https://example.org")
        await room.answer("It began")
        room.discord.humans.embed_links(question, [{"type": "link", "title": "Example"}])
        await asyncio.sleep(0.1)
        assert len(room.models.requests) == 1
        room.discord.humans.edit(question, mentioned(room, "see this"))
        await room.answer("Again.")
        await room.quiet(core)
    assert len(room.models.requests) == 2


async def test_a_link_preview_of_an_edited_question_changes_nothing(room: TextRoom) -> None:
    """TEXT-4, TEXT-6: it carries the time of the edit, and is none; no run begins anew, no turn follows."""
    sign = Call(name="discord_react", arguments=json.dumps({"emoji": "👍"}))
    async with room.bot() as core:
        room.models.script(BEGUN, Answer(calls=(sign,)), Answer(text=("Seen", " it."), delay_between_s=0.4))
        question = room.says("see this")
        await room.answer("It began")
        room.discord.humans.edit(question, mentioned(room, "see https://example.org"))
        await room.answer("Seen")
        room.discord.humans.embed_links(question, [{"type": "link", "title": "Example"}])
        room.discord.humans.pin(question, room.ada)
        await room.answer("Seen it.")
        await room.quiet(core)
    assert room.answers() == ["Seen it."]
    assert len(room.models.requests) == 3


async def test_a_question_deleted_at_once_is_not_answered(room: TextRoom) -> None:
    """TEXT-6: the deletion comes while the message is still decided about."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Yes?",)))
        room.discord.humans.delete(room.says("never mind"))
        room.says("hello", by=room.discord.grace)
        await room.answer("Yes?")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley hello", "bot: Yes?"]
    assert room.answers() == ["Yes?"]


async def test_what_is_deleted_at_once_is_no_context(room: TextRoom) -> None:
    """SCENE-4: neither what was overheard and taken back in the same moment."""
    async with room.bot(BACKFILL_MESSAGES="0"):
        room.models.script(Answer(text=("Yes?",)))
        room.discord.humans.delete(room.discord.humans.say(room.general, room.ada, "it is swordfish"))
        room.says("hello")
        await room.answer("Yes?")
    assert "swordfish" not in str(room.models.requests[0].body)


async def test_a_question_edited_at_once_is_answered_as_it_reads(room: TextRoom) -> None:
    """TEXT-6: the edit comes while the message is still decided about."""
    async with room.bot() as core:
        question = room.says("tpyo")
        room.discord.humans.edit(question, mentioned(room, "typo"))
        await room.discord.until(lambda: bool(room.answers()))
        await room.quiet(core)
        assert (await spoken(core, room.general))[0] == "user: @Parley typo"


async def test_edits_may_be_left_alone(room: TextRoom) -> None:
    """TEXT-6: by setting; the history reads as the message does."""
    async with room.bot(EDITS_REPLACE_REPLY="off") as core:
        room.models.script(Answer(text=("One ", "and ", "two."), delay_between_s=0.15))
        question = room.says("cuont")
        await room.answer("One")
        room.discord.humans.edit(question, mentioned(room, "count"))
        await room.answer("One and two.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley count", "bot: One and two."]
    assert len(room.models.requests) == 1


async def test_a_waiting_question_is_answered_as_it_reads_in_the_end(room: TextRoom) -> None:
    """TEXT-6."""
    async with room.bot() as core:
        room.models.script(Answer(text=("First.",), delay_s=0.4), Answer(text=("Second.",)))
        room.says("one")
        await room.models.wait_for_request()
        second = room.says("tow", by=room.discord.grace)
        async with asyncio.timeout(5):
            while len(await core.stores.inbox.unfinished()) < 2:
                await asyncio.sleep(0.01)
        room.discord.humans.edit(second, mentioned(room, "two"))
        await room.answer("Second.")
        await room.quiet(core)
        assert (await spoken(core, room.general))[2] == "user: @Parley two"


async def test_a_deleted_question_takes_its_reply_with_it(room: TextRoom) -> None:
    """TEXT-6: the run is cancelled, every message of the reply goes, and nothing is remembered or resumed."""
    async with room.bot() as core:
        room.models.script(LONG)
        question = room.says("tell me")
        await room.discord.until(lambda: len(room.answers()) >= 2, within_s=10)
        room.discord.humans.delete(question)
        await room.discord.until(lambda: room.answers() == [], within_s=5)
        await room.models.requests[0].wait_until_client_closed()
        await room.quiet(core)
        assert await spoken(core, room.general) == []
    async with room.bot() as core:
        room.models.script(Answer(text=("Yes?",)))
        room.says("hello")
        await room.answer("Yes?")
        await room.quiet(core)
        assert await rows(core) == ((), ())
    assert room.answers() == ["Yes?"]


async def test_a_reply_that_is_only_being_posted_is_taken_back_with_its_question(room: TextRoom) -> None:
    """TEXT-6: the model has said everything, the room has not got it yet."""
    async with room.bot() as core:
        room.models.script(WHOLE)
        room.discord.humans.delete(await half_posted(room))
        await room.discord.until(lambda: room.answers() == [], within_s=10)
        await room.quiet(core)
        assert await spoken(core, room.general) == []
        assert await rows(core) == ((), ())


async def test_an_edit_while_its_reply_is_being_posted_has_it_answered_anew(room: TextRoom) -> None:
    """TEXT-6: in the messages that stand."""
    async with room.bot() as core:
        room.models.script(WHOLE, Answer(text=("Short.",)))
        room.discord.humans.edit(await half_posted(room), mentioned(room, "tell me little"))
        await room.answer("Short.", within_s=10)
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley tell me little", "bot: Short."]
    assert room.answers() == ["Short."]


async def test_a_question_deleted_before_the_first_word_gets_no_post(room: TextRoom) -> None:
    """TEXT-6."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Late.",), delay_s=5))
        question = room.says("never mind")
        await room.discord.until(lambda: len(room.models.requests) == 1)
        room.discord.humans.delete(question)
        await room.models.requests[0].wait_until_client_closed()
        await room.quiet(core)
        assert await spoken(core, room.general) == []
    assert len(room.discord.recorder.requests(*POST)) == 0


async def test_one_of_several_questions_is_taken_back(room: TextRoom) -> None:
    """TEXT-6, SCENE-5: the others are answered anew, in the message that stands."""
    async with room.bot() as core:
        room.models.script(Answer(text=("First.",), delay_s=0.4), BEGUN, Answer(text=("For two.",)))
        room.says("one")
        await room.models.wait_for_request()
        room.says("two", by=room.discord.grace)
        third = room.says("three", by=room.discord.grace)
        await room.answer("It began")
        room.discord.humans.delete(third)
        await room.answer("For two.")
        await room.quiet(core)
        lines = await spoken(core, room.general)
    assert lines[2:] == ["user: @Parley two", "bot: For two."]
    assert room.answers() == ["First.", "For two."]


async def test_what_was_answered_and_then_deleted_is_forgotten(room: TextRoom) -> None:
    """TEXT-6, SCENE-4: a message that its author takes back is not told to the model again."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Noted.",)), Answer(text=("I do not know.",)))
        secret = room.says("my password is swordfish")
        await room.answer("Noted.")
        await room.quiet(core)
        room.discord.humans.delete(secret)
        async with asyncio.timeout(5):
            while len(await spoken(core, room.general)) > 1:
                await asyncio.sleep(0.01)
        room.says("what is my password?")
        await room.answer("I do not know.")
    assert "swordfish" not in str(room.models.requests[-1].body)


async def test_what_was_answered_and_then_edited_is_remembered_as_it_reads(room: TextRoom) -> None:
    """TEXT-6, SCENE-4: without a new answer."""
    async with room.bot() as core:
        room.models.script(Answer(text=("Noted.",)))
        said = room.says("meet at eight")
        await room.answer("Noted.")
        await room.quiet(core)
        room.discord.humans.edit(said, mentioned(room, "meet at nine"))
        async with asyncio.timeout(5):
            while await spoken(core, room.general) != ["user: @Parley meet at nine", "bot: Noted."]:
                await asyncio.sleep(0.01)
    assert len(room.models.requests) == 1

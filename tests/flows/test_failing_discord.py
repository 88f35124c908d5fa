"""Discord fails in every way it can, and each question is still answered exactly once (TEXT-8, TEXT-11)."""

import pytest
from structlog.testing import capture_logs

from bot.discord_chat import channels, reply_stream
from tests.fake_models import Answer
from tests.flows.text_room import EDIT, POST, TYPING, TextRoom, spoken

LONG = tuple(f"word{number} " for number in range(60))
WHOLE = "".join(LONG).strip()


async def streams_whole(room: TextRoom, *, within_s: float = 20) -> None:
    """One question whose answer streams for a while; afterwards exactly that answer stands there."""
    room.models.script(Answer(text=LONG, delay_between_s=0.02))
    async with room.bot() as core:
        room.says("tell me")
        await room.discord.until(lambda: WHOLE in room.answers(), within_s=within_s)
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley tell me", f"bot: {''.join(LONG)}"]
    assert room.answers() == [WHOLE]
    assert len(room.models.requests) == 1


@pytest.mark.parametrize("after", [True, False], ids=["after execution", "before execution"])
async def test_a_post_whose_connection_breaks_is_never_doubled(room: TextRoom, after: bool) -> None:
    """TEXT-8, TEXT-11: the repeat carries later text under the same nonce; the end is complete."""
    broken = room.discord.failures.drop(*POST, after_execution=after)
    await streams_whole(room)
    assert broken.hits


async def test_a_post_that_nobody_answers_is_given_up_and_never_doubled(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TEXT-8, TEXT-11: Discord took it and fell silent; the room does not wait for minutes."""
    monkeypatch.setattr(channels, "_REQUEST_WITHIN_S", 1.0)
    silent = room.discord.failures.hold(*POST, times=1, after_execution=True)
    await streams_whole(room)
    assert silent.hits
    silent.release()


@pytest.mark.parametrize("status", [500, 502, 503])
@pytest.mark.parametrize("after", [True, False], ids=["after execution", "before execution"])
async def test_a_post_that_fails_on_the_server_is_never_doubled(
    room: TextRoom, status: int, after: bool
) -> None:
    """TEXT-8, TEXT-11."""
    failed = room.discord.failures.fail(*POST, status=status, after_execution=after)
    await streams_whole(room)
    assert failed.hits


async def test_a_short_answer_is_complete_when_its_post_was_repeated(room: TextRoom) -> None:
    """TEXT-11: the answer had ended before the repeat; what the first try posted is still made complete."""
    room.discord.failures.drop(*POST, after_execution=True)
    room.models.script(Answer(text=("Hello", " there, ", "friend."), delay_between_s=0.1))
    async with room.bot() as core:
        room.says("hi")
        await room.discord.until(lambda: room.answers() == ["Hello there, friend."], within_s=10)
        await room.quiet(core)
    assert room.answers() == ["Hello there, friend."]


@pytest.mark.parametrize("status", [500, 503])
async def test_a_failing_edit_is_tried_again(room: TextRoom, status: int) -> None:
    """TEXT-8."""
    failed = room.discord.failures.fail(*EDIT, status=status, times=2)
    await streams_whole(room)
    assert len(failed.hits) == 2


async def test_failures_with_successes_between_them_are_no_outage(
    room: TextRoom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """TEXT-8: each request has all its tries, however many others of the reply needed some."""
    monkeypatch.setattr(reply_stream, "_RETRIES_AFTER_S", (0.01,))
    for first in ("word0 ", "word300 "):
        room.discord.failures.fail(*POST, status=503, where=lambda sent, first=first: first in str(sent.json))
    room.models.script(Answer(text=("".join(f"word{number} " for number in range(400)),)))
    async with room.bot() as core:
        room.says("tell me")
        await room.answer("word399")
        await room.quiet(core)
    assert len(room.answers()) == 2
    assert len(room.posts()) == 4


async def test_a_rate_limit_delays_and_loses_nothing(room: TextRoom) -> None:
    """TEXT-8: a 429 on a post and on an edit, with the headers of Discord."""
    headers = {"Via": "1.1 google", "X-RateLimit-Scope": "shared", "Retry-After": "1"}
    body = {"message": "You are being rate limited.", "retry_after": 0.2, "global": False}
    limited = [
        room.discord.failures.fail(*way, status=429, body=body, headers=headers) for way in (POST, EDIT)
    ]
    await streams_whole(room)
    assert all(one.hits for one in limited)


async def test_a_refused_typing_sign_hinders_nothing(room: TextRoom) -> None:
    """TEXT-8."""
    refused = room.discord.failures.fail(*TYPING, status=403, code=50013, times=10)
    await streams_whole(room)
    assert refused.hits


async def test_a_missing_permission_ends_the_reply_once(room: TextRoom) -> None:
    """TEXT-8: one that the cache does not show: no loop, no crash; the next question is answered."""
    room.discord.failures.fail(*POST, status=403, code=50013)
    with capture_logs() as logs:
        async with room.bot() as core:
            room.says("hello")
            await room.discord.recorder.request(*POST)
            await room.quiet(core)
            assert len(room.posts()) == 1
            assert [entry["event"] for entry in logs if "error_id" in entry] == ["reply failed"]
            room.models.script(Answer(text=("Now I can.",)))
            room.says("and now?")
            await room.answer("Now I can.")


async def test_closed_direct_messages_end_the_reply_once(room: TextRoom) -> None:
    """TEXT-8: 50007."""
    direct = room.discord.world.dm(room.ada)
    room.ada.dms_open = False
    async with room.bot() as core:
        room.discord.humans.say(direct, room.ada, "psst")
        await room.discord.recorder.request(*POST)
        await room.quiet(core)
    assert len(room.posts()) == 1


async def test_a_channel_deleted_during_its_reply_closes_the_scene_quietly(room: TextRoom) -> None:
    """SCENE-2: no error loop, nothing at the level of an error, and other rooms go on."""
    doomed = room.discord.world.add_channel(room.discord.guild, "doomed")
    room.models.script(Answer(text=LONG, delay_between_s=0.05))
    with capture_logs() as logs:
        async with room.bot() as core:
            room.says("tell me", channel=doomed)
            await room.discord.recorder.request(*POST)
            room.says("you too?", channel=doomed)
            room.discord.humans.delete_channel(doomed)
            await room.quiet(core)
            room.says("still there?")
            await room.answer("still there?")
            await room.quiet(core)
    assert len(room.models.requests) == 2
    assert [entry for entry in logs if entry["log_level"] in ("error", "critical")] == []


async def test_a_question_deleted_while_it_waits_is_not_answered(room: TextRoom) -> None:
    """TEXT-6: the one that runs ends, the deleted one is dropped, the next one is answered."""
    room.models.script(Answer(text=("First.",), delay_s=0.4), Answer(text=("Third.",)))
    async with room.bot(BURST_WINDOW_MS="0") as core:
        room.says("one")
        await room.models.wait_for_request()
        second = room.says("two")
        room.says("three")
        await room.discord.until(lambda: len(room.discord.recorder.requests(*TYPING)) == 3)
        room.discord.humans.delete(second)
        await room.answer("Third.")
        await room.quiet(core)
        lines = await spoken(core, room.general)
    assert lines == ["user: @Parley one", "bot: First.", "user: @Parley three", "bot: Third."]


async def test_questions_deleted_in_bulk_are_not_answered(room: TextRoom) -> None:
    """TEXT-6: a moderator's purge is one event for many messages."""
    room.models.script(Answer(text=("First.",), delay_s=0.4))
    async with room.bot(BURST_WINDOW_MS="0") as core:
        room.says("one")
        await room.models.wait_for_request()
        waiting = [room.says("two"), room.says("three")]
        await room.discord.until(lambda: len(room.discord.recorder.requests(*TYPING)) == 3)
        room.discord.humans.delete_many(waiting)
        await room.answer("First.")
        await room.quiet(core)
    assert len(room.models.requests) == 1


async def test_a_reply_deleted_by_a_moderator_is_not_posted_again(room: TextRoom) -> None:
    """TEXT-8, TEXT-11: not in the message that is gone, and not in further messages either."""
    text = tuple(f"word{number} " for number in range(500))
    room.models.script(Answer(text=text, delay_between_s=0.005))
    async with room.bot() as core:
        room.says("tell me")
        message = await room.discord.humans.answer_in(room.general)
        room.discord.humans.delete(message)
        await room.quiet(core)
        room.models.script(Answer(text=("Sorry.",)))
        room.says("be brief")
        await room.answer("Sorry.")
        await room.quiet(core)
    assert room.answers() == ["Sorry."]
    assert len(room.posts()) == 2

"""SCENE-4: other bots are answered only where a setting names them, and never without end."""

from datetime import UTC, datetime

import pytest

from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.trigger_rules import Reason, TriggerMode, TriggerSettings, Verdict, decide
from tests.fake_discord.entities import MessageKind, User
from tests.fake_models import Answer
from tests.flows.text_room import TextRoom

BOT_ID = 5
SETTINGS = TriggerSettings(mode=TriggerMode.ALL, bots=frozenset({BOT_ID}))


def from_bot(bot_id: int = BOT_ID, *, webhook: bool = False) -> IncomingMessage:
    return IncomingMessage(
        id=1,
        channel_id=2,
        guild_id=3,
        author=Author(id=bot_id, name="beeper", is_bot=True),
        at=datetime(2026, 11, 30, tzinfo=UTC),
        text="beep",
        from_webhook=webhook,
    )


@pytest.mark.parametrize(
    ("message", "bot_turns", "reason"),
    [
        (from_bot(), 0, Reason.EVERY_MESSAGE),
        (from_bot(), 2, Reason.EVERY_MESSAGE),
        (from_bot(), 3, Reason.BOTS_AMONG_THEMSELVES),
        (from_bot(6), 0, Reason.FROM_BOT),
        (from_bot(webhook=True), 0, Reason.FROM_WEBHOOK),
    ],
)
def test_which_bots_are_answered(message: IncomingMessage, bot_turns: int, reason: Reason) -> None:
    """SCENE-4: by setting per bot id; a webhook that calls itself one is none."""
    decision = decide(message, SETTINGS, bot_turns=bot_turns)
    assert decision.reason is reason
    assert (decision.verdict is Verdict.ANSWER) is (reason is Reason.EVERY_MESSAGE)


async def beeps(room: TextRoom, beeper: User, number: int) -> None:
    answer = f"Answer {number}."
    room.models.script(Answer(text=(answer,)))
    room.discord.humans.say(room.general, beeper, f"{room.discord.bot.mention} beep {number}")
    await room.answer(answer)


async def test_a_talk_of_bots_is_cut_until_a_person_writes(room: TextRoom) -> None:
    """SCENE-4: after three turns; anything that a person says there begins the count anew, no notice does."""
    beeper = room.discord.world.add_user("beeper", bot=True)
    room.discord.world.add_member(room.discord.guild, beeper)
    async with room.bot(ANSWERED_BOTS=str(beeper.id)) as core:
        for number in range(3):
            await beeps(room, beeper, number)
            await room.quiet(core)
        room.discord.humans.system_message(room.general, room.ada, MessageKind.JOIN)
        room.discord.humans.say(room.general, room.ada, "news", webhook_id=123456)
        for number in range(3):
            room.discord.humans.say(room.general, beeper, f"{room.discord.bot.mention} and {number}")
        room.discord.humans.say(room.general, room.ada, "what are you two talking about")
        await beeps(room, beeper, 9)
        await room.quiet(core)
    assert room.answers() == ["Answer 0.", "Answer 1.", "Answer 2.", "Answer 9."]
    assert len(room.models.requests) == 4

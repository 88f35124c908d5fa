"""TEXT-4, TEXT-6: what is known of the messages that people changed, and how much of it."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from bot.discord_chat.follow_ups import FollowUps
from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.latest_edits import LatestEdits

AT = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)


def edited(number: int, *, after_s: float = 1) -> IncomingMessage:
    return IncomingMessage(
        id=number,
        channel_id=1,
        guild_id=None,
        author=Author(id=2, name="Ada"),
        at=AT,
        text="hi",
        edited_at=AT + timedelta(seconds=after_s),
    )


def test_the_same_edit_is_new_once() -> None:
    """TEXT-4: a link preview carries the time of the edit; the next edit has one of its own."""
    edits = LatestEdits()
    assert edits.is_new(edited(1))
    assert not edits.is_new(replace(edited(1), extras=("[link preview: Example]",)))
    assert edits.is_new(edited(1, after_s=2))
    assert edits.is_new(edited(2))


def test_only_the_latest_are_known() -> None:
    edits = LatestEdits(most=2)
    assert [edits.is_new(edited(number)) for number in (1, 2, 3, 3, 2, 1)] == [True] * 3 + [False] * 2 + [
        True
    ]


def test_a_message_is_known_by_all_its_questions() -> None:
    """TEXT-6: in their order; the one that was asked again longest ago is forgotten first."""
    follow_ups = FollowUps(most=2)
    for message_id, follow_up_id in ((1, 10), (2, 20), (1, 11), (3, 30)):
        follow_ups.add(message_id, follow_up_id)
    assert [follow_ups.of(number) for number in (1, 2, 3)] == [(1, 10, 11), (2,), (3, 30)]

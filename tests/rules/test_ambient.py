"""Ambient context: bounded, in order, following the room."""

from hypothesis import given
from hypothesis import strategies as st

from bot.overheard_data import OverheardData
from core.conversation.turns import Speaker
from sessions.ambient import AmbientContext, AmbientMessage
from tests.scene_values import NOON

ROOM = "discord:channel:1"


def message(message_id: int, text: str = "hm") -> AmbientMessage:
    return AmbientMessage(message_id=message_id, speaker=Speaker(id="7", name="Ada"), at=NOON, text=text)


@given(st.lists(st.integers(1, 60)), st.integers(1, 10))
def test_the_latest_messages_stay_in_order(arrived: list[int], limit: int) -> None:
    """SCENE-4, SCENE-7: bounded; backfill brings old messages late and twice."""
    ambient = AmbientContext(per_session=limit)
    for message_id in arrived:
        ambient.heard(ROOM, message(message_id))
    assert [kept.message_id for kept in ambient.recent(ROOM)] == sorted(set(arrived))[-limit:]


def test_edits_and_deletions_are_followed() -> None:
    """SCENE-4."""
    ambient = AmbientContext()
    ambient.heard(ROOM, message(1, "a"))
    ambient.heard(ROOM, message(2, "b"))
    ambient.edited(ROOM, 1, "c")
    ambient.removed(ROOM, 2)
    ambient.edited(ROOM, 9, "nobody heard this one")
    ambient.removed("discord:channel:9", 1)
    assert ambient.recent(ROOM) == (message(1, "c"),)


def test_a_question_sees_what_came_before_it() -> None:
    """SCENE-4."""
    ambient = AmbientContext()
    for message_id in (1, 2, 3):
        ambient.heard(ROOM, message(message_id))
    assert ambient.recent(ROOM, before=3) == (message(1), message(2))


def test_a_room_hears_nothing_of_another() -> None:
    """SCENE-6."""
    ambient = AmbientContext()
    ambient.heard(ROOM, message(1))
    assert ambient.recent("discord:channel:2") == ()


def test_the_quietest_room_gives_way_and_a_reset_forgets() -> None:
    """SCENE-4: bounded over all rooms too."""
    ambient = AmbientContext(sessions=2)
    for room in ("a", "b", "a", "c"):
        ambient.heard(room, message(1))
    assert [bool(ambient.recent(room)) for room in ("a", "b", "c")] == [True, False, True]
    ambient.forget("a")
    assert ambient.recent("a") == ()


async def test_what_was_overheard_of_a_person_is_theirs_to_read_and_to_remove() -> None:
    """MEM-6: in every room, spoken or typed; what others said stays."""
    ambient = AmbientContext()
    other = AmbientMessage(message_id=2, speaker=Speaker(id="8", name="Grace"), at=NOON, text="mine")
    ambient.heard(ROOM, message(1, "a"))
    ambient.heard(ROOM, other)
    ambient.heard("discord:channel:9", message(3, "b"))
    data = OverheardData(ambient)
    assert await data.export("7") == {
        "overheard": [{"at": NOON.isoformat(), "text": "a"}, {"at": NOON.isoformat(), "text": "b"}]
    }
    assert await data.forget("7") == {"overheard": 2}
    assert ambient.recent(ROOM) == (other,)
    assert ambient.recent("discord:channel:9") == ()

"""A gateway that names ever other users, SSRCs and transitions: what is remembered of them is bounded."""

from voice.transport.gateway_events import ClientConnected, ClientsConnected, Speaking
from voice.transport.roster import Roster
from voice.transport.speaker_log import SpeakerLogs


def test_more_users_than_a_stage_holds_are_not_remembered() -> None:
    """VOX-5: half a million users; those who came first and whose SSRC is told are known."""
    roster = Roster(1)
    for start in range(2, 500_002, 1_000):
        roster.apply(ClientsConnected(tuple(range(start, start + 1_000))))
    assert len(roster.users) < 30_000
    assert {2, 3} <= roster.users
    for number in range(600_000, 602_000):
        roster.apply(Speaking(number, number, 1))
        roster.apply(ClientConnected(number, number + 10_000))
    assert len(roster.users) < 30_000
    assert len(roster._by_ssrc) <= 500
    assert roster.user_of(601_999) == 601_999


def test_logs_of_users_who_were_only_named_give_way() -> None:
    """VOX-5: ten thousand users that speak once."""
    logs = SpeakerLogs()
    for user_id in range(1, 10_000):
        logs.of(user_id).packets += 1
    assert len(logs.by_user) == 500
    assert logs.of(9_999).packets == 1

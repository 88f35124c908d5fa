"""How long packets gather before the receiver works on them (VOX-5)."""

import pytest

from voice.audio.frames import FRAME_S
from voice.transport.receiving_pace_rules import ALONE, CROWD, MANY, Pace, pace_after


def _pace_with(speakers: int, *, rounds: int = 20) -> Pace:
    """The pace that settles while each of them sends a packet every 20 ms, and waking takes 0.1 ms."""
    pace, owed = ALONE, 0.0
    for _ in range(rounds):
        passed_s = pace.apart_s + 0.0001
        owed += speakers * passed_s / FRAME_S
        came = int(owed)
        owed -= came
        pace = pace_after(came, passed_s)
    return pace


@pytest.mark.parametrize(("speakers", "pace"), [(1, ALONE), (3, ALONE), (MANY, CROWD), (25, CROWD)])
def test_two_frames_gather_while_many_talk_at_once_and_one_while_few_do(speakers: int, pace: Pace) -> None:
    """Both paces hold themselves: a longer round brings more packets and is no crowd for that."""
    assert _pace_with(speakers) == pace


def test_a_crowd_that_falls_silent_is_waited_for_as_one_speaker_is() -> None:
    """Two who go on after the others bring four packets in a long round."""
    assert pace_after(2 * 2, CROWD.apart_s) == ALONE
    assert pace_after(0, CROWD.apart_s) == ALONE


def test_the_burst_of_a_lone_speaker_whose_network_stood_still_is_no_crowd() -> None:
    """Five packets at once, a tenth of a second after the last."""
    assert pace_after(5, 0.100) == ALONE


def test_the_first_round_of_a_session_knows_no_round_before_it() -> None:
    """Its time is counted from the start of the machine's clock."""
    assert pace_after(8, 1_000_000.0) == ALONE


def test_rounds_in_quick_succession_are_one_frame_at_least() -> None:
    """A word from the loop may end a wait right after a round; one packet then is no crowd."""
    assert pace_after(1, 0.0) == ALONE
    assert pace_after(MANY, 0.0) == CROWD

"""An SSRC and who speaks with it: given to somebody else, or to somebody who is not to be heard."""

from collections.abc import Callable

import pytest

from tests.rules.dave_pair import SPEAKER
from tests.rules.test_hearing import SOUND, SSRC, Ears
from voice.audio.frames import HeardFrame, TransmissionEnded
from voice.transport.gateway_events import ClientDisconnected, Speaking

OTHER = SPEAKER + 1


def without_dave() -> Ears:
    ears = Ears()
    ears.pair.call.begin(0)
    return ears


def talk(ears: Ears, first: int, count: int) -> None:
    for number in range(first, first + count):
        ears.feed(ears.packet(SOUND[number], sequence=number, timestamp=number * 960), number * 0.02)


@pytest.mark.parametrize("speaks_on", [True, False])
def test_an_ssrc_that_is_given_to_somebody_else(speaks_on: bool) -> None:
    """VOX-3: who had it before is over with it at that moment; nothing of theirs is the other one's."""
    ears = without_dave()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    talk(ears, 0, 10)
    ears.roster.apply(Speaking(OTHER, SSRC, 1))
    ears.hearing.advance(ears.at, all_ears=True)
    if speaks_on:
        talk(ears, 10, 10)
    ears.pass_until(2)
    heard = [event for event in ears.events if isinstance(event, HeardFrame)]
    assert [frame.user_id for frame in heard] == [SPEAKER] * 10 + [OTHER] * 10 * speaks_on
    ends = [event.user_id for event in ears.events if isinstance(event, TransmissionEnded)]
    assert ends == [SPEAKER] + [OTHER] * speaks_on


def test_a_packet_may_be_the_first_to_tell() -> None:
    """VOX-3: as before, when the packet is quicker than the word that something changed."""
    ears = without_dave()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    talk(ears, 0, 10)
    ears.roster.apply(Speaking(OTHER, SSRC, 1))
    talk(ears, 10, 10)
    ears.pass_until(2)
    ends = [event.user_id for event in ears.events if isinstance(event, TransmissionEnded)]
    assert ends == [SPEAKER, OTHER]


def test_the_ssrc_of_who_left_is_nobodys() -> None:
    """VOX-3: a packet that comes after them is not theirs; it waits for who is told to have it now."""
    ears = without_dave()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    talk(ears, 0, 10)
    ears.roster.apply(ClientDisconnected(SPEAKER))
    ears.hearing.user_left(SPEAKER, ears.at)
    talk(ears, 10, 5)
    ears.roster.apply(Speaking(OTHER, SSRC, 1))
    talk(ears, 15, 5)
    assert [frame.user_id for frame in ears.frames()] == [SPEAKER] * 10 + [OTHER] * 10


@pytest.mark.parametrize(
    "end",
    [
        lambda ears: ears.hearing.user_left(SPEAKER, ears.at),
        lambda ears: ears.hearing.close(),
        lambda ears: ears.hearing.advance(ears.at, all_ears=True),
    ],
)
def test_what_waits_of_who_opts_out_becomes_no_sound(end: Callable[[Ears], None]) -> None:
    """VOX-9: also when the person leaves, or the session ends, before their next packet comes."""
    ears = without_dave()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    talk(ears, 0, 10)
    talk(ears, 12, 1)  # waits for the two before it
    ears.roster.ignored = frozenset({SPEAKER})
    before = len(ears.frames())
    end(ears)
    ears.pass_until(2)
    assert len(ears.frames()) == before == 10
    assert ears.hearing.ears == 0
    assert isinstance(ears.events[-1], TransmissionEnded) or ears.events[-2].user_id == SPEAKER


def test_what_waits_for_its_user_is_not_heard_of_who_opted_out() -> None:
    """VOX-9, VOX-3: the SSRC turns out to be theirs: dropped, and no log of theirs is begun."""
    ears = without_dave()
    ears.roster.ignored = frozenset({SPEAKER})
    talk(ears, 0, 10)
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    ears.hearing.close()
    assert ears.events == []
    assert SPEAKER not in ears.logs.by_user

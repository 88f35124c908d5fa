"""DAVE in one call: keys, windows, and whatever a gateway may send."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fake_discord.voice.mls import vector
from tests.rules.dave_pair import BOT, CHANNEL, SPEAKER, DavePair, established
from voice.transport.dave import MOST_FAILURES, PASSTHROUGH_S, DaveCall, KeysChanged, Undecryptable
from voice.transport.gateway_events import (
    CommitAnnounced,
    DaveEvent,
    EpochPrepared,
    ExternalSenderGiven,
    Proposed,
    TransitionExecuted,
    TransitionPrepared,
    Welcomed,
)
from voice.transport.gateway_messages import (
    Opcode,
    SendBinary,
    SendText,
)


class Time:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_nothing_can_be_sent_before_a_key_is_there() -> None:
    """VOX-1: under DAVE no frame leaves in the clear while the group is not ready."""
    pair = DavePair()
    assert not pair.call.can_send
    assert pair.call.encrypt(b"opus") is None
    pair.establish()
    assert pair.call.can_send
    frame = pair.call.encrypt(b"opus opus")
    assert frame is not None
    assert b"opus" not in frame
    assert pair.call.members() == [SPEAKER]


def test_frames_of_a_member_open_once() -> None:
    """VOX-5: a replayed frame does not open again, nor does another member's key open it."""
    pair = established()
    frame = pair.speaker.encrypt_opus(b"hello")
    with pytest.raises(Undecryptable):
        pair.call.decrypt(99, frame)
    assert pair.call.owner_by_trial(frame) == (SPEAKER, b"hello")
    with pytest.raises(Undecryptable):
        pair.call.decrypt(SPEAKER, frame)


def test_a_failed_trial_does_not_spend_the_frame() -> None:
    """VOX-3: the right user's key still opens it afterwards."""
    pair = established()
    proposal = pair.gateway.add(1, pair.third_key_package())
    pair.call.take(Proposed(False, vector(proposal)), [BOT, SPEAKER, 3])
    commit, _ = pair.commit(proposal)
    frame = pair.speaker.encrypt_opus(b"new epoch")
    assert pair.call.owner_by_trial(frame) is None
    outcome = pair.call.take(CommitAnnounced(5, commit), [])
    assert outcome.keys is KeysChanged.YES
    assert [(type(one), one.opcode) for one in outcome.sends] == [(SendText, Opcode.DAVE_TRANSITION_READY)]
    assert pair.call.owner_by_trial(frame) == (SPEAKER, b"new epoch")


def test_old_keys_open_for_their_while() -> None:
    """VOX-2: a frame under the former epoch's key opens right after the commit."""
    pair = established()
    first, old = pair.speaker.encrypt_opus(b"first"), pair.speaker.encrypt_opus(b"old")
    assert pair.call.decrypt(SPEAKER, first) == b"first"
    proposal = pair.gateway.add(1, pair.third_key_package())
    pair.call.take(Proposed(False, vector(proposal)), [BOT, SPEAKER, 3])
    commit, _ = pair.commit(proposal)
    pair.call.take(CommitAnnounced(5, commit), [])
    assert pair.call.decrypt(SPEAKER, old) == b"old"
    assert pair.call.decrypt(SPEAKER, pair.speaker.encrypt_opus(b"new")) == b"new"


def test_plaintext_passes_only_in_its_windows() -> None:
    """VOX-2: version 0, while a downgrade is prepared, and ten seconds after a change; never longer."""
    time = Time()
    pair = established(time)
    call = pair.call

    def plaintext_passes() -> bool:
        try:
            return call.decrypt(SPEAKER, b"plain") == b"plain"
        except Undecryptable:
            return False

    assert not plaintext_passes()
    call.take(TransitionPrepared(9, 0), [])
    assert plaintext_passes()
    assert call.version == 1
    call.take(TransitionExecuted(9), [])
    assert call.version == 0
    time.now += 1000
    assert plaintext_passes()
    assert call.encrypt(b"plain") == b"plain"
    (package,) = call.take(EpochPrepared(1, 1), []).sends
    assert isinstance(package, SendBinary)
    assert not call.can_send
    assert plaintext_passes()
    time.now += PASSTHROUGH_S + 0.1
    assert not plaintext_passes()


def test_a_stranger_is_not_voted_in() -> None:
    """VOX-5: a proposal to add somebody who is not in the call is refused, and the group recovers."""
    pair = established()
    stranger = pair.gateway.add(1, pair.third_key_package(666))
    outcome = pair.call.take(Proposed(False, vector(stranger)), [BOT, SPEAKER])
    assert outcome.problem is not None
    assert not any(one.opcode is Opcode.MLS_COMMIT_WELCOME for one in outcome.sends)
    assert [one.opcode for one in outcome.sends] == [
        Opcode.MLS_INVALID_COMMIT_WELCOME,
        Opcode.MLS_KEY_PACKAGE,
    ]


def test_a_second_external_sender_is_recovered_from() -> None:
    """VOX-2: davey refuses it in an active group; the call asks to be added anew."""
    pair = established()
    outcome = pair.call.take(ExternalSenderGiven(pair.gateway.package), [])
    assert [one.opcode for one in outcome.sends] == [
        Opcode.MLS_INVALID_COMMIT_WELCOME,
        Opcode.MLS_KEY_PACKAGE,
    ]
    assert pair.call.recoveries == 1


def test_a_group_that_never_works_is_not_asked_for_for_ever() -> None:
    """VOX-2, VOX-5: proposals that fail again and again: so many answers and no more, until a new epoch."""
    pair = established()
    wrong = Proposed(False, b"junk")
    answered = [bool(pair.call.take(wrong, []).sends) for _ in range(MOST_FAILURES + 5)]
    assert answered == [True] * MOST_FAILURES + [False] * 5
    assert pair.call.recoveries == MOST_FAILURES
    (package,) = pair.call.take(EpochPrepared(1, 1), []).sends
    assert isinstance(package, SendBinary)
    assert pair.call.take(wrong, []).sends


def test_an_external_sender_that_is_none_is_forgotten() -> None:
    """VOX-2, VOX-5: told before there was a session; the group of the next one begins without it."""
    call = DaveCall(user_id=BOT, channel_id=CHANNEL, clock=lambda: 0.0)
    call.begin(0)
    call.take(ExternalSenderGiven(b"junk"), [])
    sends = call.take(EpochPrepared(1, 1), []).sends
    assert [one.opcode for one in sends] == [Opcode.MLS_KEY_PACKAGE]
    assert call.take(ExternalSenderGiven(DavePair().gateway.package), []).problem is None


def test_an_order_to_the_former_group_is_none_to_the_new_one() -> None:
    """VOX-1, VOX-2, VOX-5: a downgrade that was prepared before the new group began ends with the former.

    The new one's encryption goes on, and what is in the clear passes no longer than after any change.
    """
    time = Time()
    call = established(time).call
    call.take(TransitionPrepared(5, 0), [])
    call.take(EpochPrepared(1, 1), [])
    assert call.take(TransitionExecuted(5), []).problem is not None
    assert call.version == 1
    assert call.encrypt(b"opus") is None
    time.now += PASSTHROUGH_S
    with pytest.raises(Undecryptable):
        call.decrypt(SPEAKER, b"plain")


def test_transitions_that_are_never_executed_do_not_pile_up() -> None:
    """VOX-5: all that a gateway may prepare; the newest is still executed."""
    call = established().call
    for number in range(1, 65_536):
        call.take(TransitionPrepared(number, 1), [])
    assert len(call._pending) <= 100
    assert call.take(TransitionExecuted(65_535), []).problem is None


_BYTES = st.binary(max_size=300)
_NUMBER = st.integers(0, 65_535)
_EVENT = st.one_of(
    st.builds(TransitionPrepared, _NUMBER, st.integers(0, 3)),
    st.builds(TransitionExecuted, _NUMBER),
    st.builds(EpochPrepared, st.integers(0, 3), st.integers(0, 3)),
    st.builds(ExternalSenderGiven, _BYTES),
    st.builds(Proposed, st.booleans(), _BYTES),
    st.builds(CommitAnnounced, _NUMBER, _BYTES),
    st.builds(Welcomed, _NUMBER, _BYTES),
)


@given(events=st.lists(_EVENT, max_size=8), frames=st.lists(_BYTES, max_size=4), active=st.booleans())
@settings(max_examples=150, deadline=None, derandomize=True)
@pytest.mark.timeout(300)
def test_no_gateway_can_break_it(events: list[DaveEvent], frames: list[bytes], active: bool) -> None:
    """VOX-5: any events and frames: nothing raised but `Undecryptable`, never plaintext out under DAVE."""
    if active:
        call = established().call
    else:
        call = DaveCall(user_id=BOT, channel_id=CHANNEL, clock=lambda: 0.0)
        call.begin(1)
    for event in events:
        outcome = call.take(event, [BOT, SPEAKER])
        assert all(isinstance(one, SendText | SendBinary) for one in outcome.sends)
        sent = call.encrypt(b"secret words")
        assert call.version == 0 or sent is None or b"secret" not in sent
    for frame in frames:
        for shown in (frame, frame + b"\xfa\xfa", frame + b"\x0c\xfa\xfa"):
            with contextlib.suppress(Undecryptable):
                call.decrypt(SPEAKER, shown)
            with contextlib.suppress(Undecryptable):
                call.owner_by_trial(shown)


@given(cut=st.integers(0, 400), flip=st.integers(0, 10_000), value=st.integers(1, 255))
@settings(max_examples=300, deadline=None, derandomize=True)
def test_changed_frames_never_open(cut: int, flip: int, value: int) -> None:
    """VOX-5: a frame with any byte changed, or cut short, does not open."""
    pair = _PAIR
    frame = bytearray(pair.speaker.encrypt_opus(bytes(60)))
    frame[flip % len(frame)] ^= value
    for shown in (bytes(frame), bytes(frame[: cut % len(frame)])):
        with pytest.raises(Undecryptable):
            pair.call.decrypt(SPEAKER, shown)


_PAIR = established()

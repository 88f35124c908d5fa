"""DAVE after something went wrong: left, joined anew, told again; nothing of the former group goes on."""

import davey
import pytest

from tests.fake_discord.voice.mls import ExternalSender, commit_references, proposal_reference, vector
from tests.rules.dave_pair import BOT, CHANNEL, SPEAKER, DavePair, established
from voice.transport.dave import MOST_FAILURES, DaveCall, Undecryptable
from voice.transport.gateway_events import (
    CommitAnnounced,
    EpochPrepared,
    ExternalSenderGiven,
    Proposed,
    TransitionExecuted,
    TransitionPrepared,
    Welcomed,
)
from voice.transport.gateway_messages import Opcode, SendBinary


def left(pair: DavePair) -> bytes:
    """The call reports an invalid commit; the key package that it wants back in with."""
    invalid, package = pair.call.take(CommitAnnounced(7, b"junk"), []).sends
    assert invalid.opcode is Opcode.MLS_INVALID_COMMIT_WELCOME
    assert isinstance(package, SendBinary)
    return package.payload


def test_what_the_former_group_still_says_is_not_answered() -> None:
    """VOX-2, VOX-7: a key package for each would miss the welcome to the last one."""
    pair = established()
    package = left(pair)
    proposed = Proposed(False, vector(pair.gateway.add(pair.epoch, pair.third_key_package())))
    commit, _ = pair.commit(pair.gateway.add(pair.epoch, pair.third_key_package()))
    for event in (proposed, CommitAnnounced(8, commit)):
        outcome = pair.call.take(event, [SPEAKER, BOT, 3])
        assert outcome.problem is not None
        assert outcome.sends == ()
    back = pair.gateway.remove(pair.epoch, 1), pair.gateway.add(pair.epoch, package)
    _, welcome = pair.commit(*back)
    assert welcome is not None
    assert pair.call.take(Welcomed(0, welcome), []).problem is None
    assert pair.call.owner_by_trial(pair.speaker.encrypt_opus(b"hello")) == (SPEAKER, b"hello")


def test_the_welcome_to_the_key_package_before_brings_the_last_one_again() -> None:
    """VOX-2, VOX-7: the two crossed; the same one, whose welcome may be on its way already."""
    pair = DavePair()
    package = left(pair)
    _, welcome = pair.commit(pair.gateway.add(0, pair.key_package))
    assert welcome is not None
    told = pair.call.take(Welcomed(0, welcome), []).sends
    assert [one.opcode for one in told] == [Opcode.MLS_INVALID_COMMIT_WELCOME, Opcode.MLS_KEY_PACKAGE]
    assert isinstance(told[1], SendBinary)
    assert told[1].payload == package
    assert pair.call.unanswered() == told
    _, welcome = pair.commit(pair.gateway.remove(1, 1), pair.gateway.add(1, package))
    assert welcome is not None
    assert pair.call.take(Welcomed(0, welcome), []).problem is None
    assert pair.call.unanswered() == ()
    assert pair.call.owner_by_trial(pair.speaker.encrypt_opus(b"hello")) == (SPEAKER, b"hello")


def test_what_is_unanswered_ends_with_its_answer() -> None:
    """VOX-7: the key package with the welcome, the commit with a commit, READY with the execution."""
    pair = DavePair()
    assert [one.opcode for one in pair.call.unanswered()] == [Opcode.MLS_KEY_PACKAGE]
    pair.establish()
    assert pair.call.unanswered() == ()
    (ready,) = pair.call.take(TransitionPrepared(5, 0), []).sends
    proposals = vector(pair.gateway.add(pair.epoch, pair.third_key_package()))
    (commit,) = pair.call.take(Proposed(False, proposals), [SPEAKER, BOT, 3]).sends
    assert pair.call.unanswered() == (commit, ready)
    pair.call.take(TransitionExecuted(5), [])
    assert pair.call.unanswered() == ()


def test_proposals_of_a_round_that_was_given_up_are_in_no_commit() -> None:
    """VOX-2: sent before the gateway knew, they fit the group after; its commit would answer no round."""
    pair = DavePair()
    left(pair)
    stale = pair.gateway.add(0, pair.third_key_package())
    (commit,) = pair.call.take(Proposed(False, vector(stale)), [BOT, 3]).sends
    assert commit.opcode is Opcode.MLS_COMMIT_WELCOME
    proposal = pair.gateway.add(0, pair.third_key_package())
    told = pair.call.take(Proposed(False, vector(proposal)), [BOT, 3]).sends
    assert [one.opcode for one in told] == [Opcode.MLS_INVALID_COMMIT_WELCOME, Opcode.MLS_KEY_PACKAGE]
    (commit,) = pair.call.take(Proposed(False, vector(proposal)), [BOT, 3]).sends
    assert isinstance(commit, SendBinary)
    assert commit_references(commit.payload) == {proposal_reference(proposal)}


def test_a_commit_whose_proposals_were_taken_back_is_not_told_again() -> None:
    """VOX-7, VOX-2."""
    pair = established()
    proposal = pair.gateway.add(pair.epoch, pair.third_key_package())
    pair.call.take(Proposed(False, vector(proposal)), [BOT, SPEAKER, 3])
    taken_back = Proposed(True, vector(vector(proposal_reference(proposal))))
    outcome = pair.call.take(taken_back, [BOT, SPEAKER, 3])
    assert (outcome.problem, outcome.sends) == (None, ())
    assert pair.call.unanswered() == ()


def test_a_downgrade_ends_the_transitions_of_the_group() -> None:
    """VOX-2: executed after it, they would bring back a version that nobody has a key for."""
    pair = established()
    proposal = pair.gateway.add(pair.epoch, pair.third_key_package())
    commit, _ = pair.commit(proposal)
    pair.call.take(Proposed(False, vector(proposal)), [BOT, SPEAKER, 3])
    assert pair.call.take(CommitAnnounced(3, commit), []).problem is None
    pair.call.take(TransitionPrepared(4, 0), [])
    pair.call.take(TransitionExecuted(4), [])
    assert pair.call.unanswered() == ()
    pair.call.take(TransitionExecuted(3), [])
    assert pair.call.version == 0


def welcomed_by(call: DaveCall, package: SendBinary, gateway: ExternalSender) -> str | None:
    """What is wrong with the welcome of a group of that gateway; None: nothing."""
    speaker = davey.DaveSession(1, SPEAKER, CHANNEL)
    speaker.set_external_sender(gateway.package)
    proposals = vector(gateway.add(0, package.payload))
    made = speaker.process_proposals(davey.ProposalsOperationType.append, proposals, [SPEAKER, BOT])
    assert made is not None
    assert made.welcome is not None
    return call.take(Welcomed(0, made.welcome), []).problem


@pytest.mark.parametrize("downgraded", [False, True])
def test_another_external_sender_is_kept_for_the_next_group(downgraded: bool) -> None:
    """VOX-2: told before the epoch that it is for, while the former group does not take it any more."""
    call = established().call
    if downgraded:
        call.take(TransitionPrepared(5, 0), [])
        call.take(TransitionExecuted(5), [])
    gateway = ExternalSender(CHANNEL)
    call.take(ExternalSenderGiven(gateway.package), [])
    (package,) = call.take(EpochPrepared(1, 1), []).sends
    assert isinstance(package, SendBinary)
    assert welcomed_by(call, package, gateway) is None


def test_another_external_sender_in_a_group_leaves_it_for_its_own() -> None:
    """VOX-2: `wire/discord-voice.md`, trap 3."""
    call = established().call
    gateway = ExternalSender(CHANNEL)
    _, package = call.take(ExternalSenderGiven(gateway.package), []).sends
    assert isinstance(package, SendBinary)
    assert welcomed_by(call, package, gateway) is None


def test_a_second_session_description_begins_anew() -> None:
    """VOX-1, VOX-5: no window for what is in the clear stays open, and no failures are counted on."""
    now = [0.0]
    pair = established(lambda: now[0])
    pair.call.take(TransitionPrepared(5, 0), [])
    for _ in range(MOST_FAILURES):
        pair.call.take(Proposed(False, b"junk"), [])
    pair.call.begin(1)
    now[0] += 1_000
    with pytest.raises(Undecryptable):
        pair.call.decrypt(SPEAKER, b"in the clear")
    assert pair.call.take(Proposed(False, b"junk"), []).sends

"""VOX-13: the queue of events, and the house's rules under events in any order, without a clock."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from voice.audio.frames import SpeakerLeft, TransmissionEnded, TransmissionStarted
from voice.policy import commands
from voice.policy.commands import Command, Grant, needed_grant
from voice.policy.events import (
    BotBeganSpeaking,
    BotFellSilent,
    ClockTicked,
    EndCause,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    InputSettled,
    ReadAt,
    RoomChanged,
    SpeechActivity,
    SpeechContinued,
    SpeechLasted,
    SpeechPaused,
    SpeechStarted,
    TalkRequested,
    TranscriptGrew,
    TurnJudged,
    TurnsSubmitted,
    VoiceEvent,
)
from voice.policy.first_party import first_party_rules
from voice.policy.room import Room, VoiceMode
from voice.policy.rule_engine import RuleEngine
from voice.policy.rules import Output, Rule, RuleContext
from voice.policy.settings import TurnTakingSettings
from voice.policy.speculation_rules import speculation_rule
from voice.policy.speech_activity_rules import speech_activity_rule
from voice.turn import TurnRef

SETTINGS = TurnTakingSettings()


def engine_of(*rules: Rule[Any], done: list[Command], failed: list[str] | None = None) -> RuleEngine:
    engine = RuleEngine(
        carry_out=lambda command, at: done.append(command),
        refused=lambda owner, command: None,
        failed=lambda owner, error: None if failed is None else failed.append(owner),
    )
    for rule in rules:
        engine.install(rule)
    return engine


def speaks(at: float, score: float | None, user_id: int = 1) -> SpeechActivity:
    return SpeechActivity(user_id=user_id, at=at, score=score)


def test_what_a_rule_emits_waits_behind_what_was_queued_before() -> None:
    """VOX-13: one order of events for every rule and every watcher."""
    seen = list[str]()

    def echo(state: int, event: VoiceEvent, _context: RuleContext) -> tuple[int, tuple[Output, ...]]:
        if isinstance(event, TalkRequested) and event.user_id < 10:
            more = tuple(TalkRequested(user_id=event.user_id * 10 + extra, at=event.at) for extra in (1, 2))
            return state + 1, more
        return state, ()

    engine = engine_of(Rule(name="echo", initial=0, decide=echo), done=[])

    def watch(event: VoiceEvent) -> None:
        assert isinstance(event, TalkRequested)
        seen.append(str(event.user_id))
        if event.user_id == 1:
            engine.feed(TalkRequested(user_id=7, at=event.at))

    engine.watch(watch)
    engine.feed(TalkRequested(user_id=1, at=0.0))
    assert seen == ["1", "11", "12", "7", "71", "72"]


def test_a_broken_rule_is_left_out_and_told_and_the_others_go_on() -> None:
    """VOX-13."""

    def breaks(state: int, event: VoiceEvent, _context: RuleContext) -> tuple[int, tuple[Output, ...]]:
        raise ZeroDivisionError

    done, failed = list[Command](), list[str]()
    engine = engine_of(speech_activity_rule(SETTINGS, Room()), done=done, failed=failed)
    engine.install(Rule(name="bad", initial=0, decide=breaks), grants=(), owner="bad")
    for tick in range(6):
        engine.feed(speaks(tick * 0.02, 0.9))
    assert failed == ["bad"]
    assert done
    assert all(isinstance(one, commands.BeginInput) for one in done)


def test_every_command_needs_a_grant_and_the_house_has_all() -> None:
    """VOX-12, VOX-35."""
    seal = commands.SealInput(input_id="i", cause=EndCause.ASKED)
    samples: Sequence[tuple[Command, Grant]] = [
        (seal, Grant.INPUT_CONTROL),
        (commands.BeginInput(user_id=1, speech_began_at=0.0), Grant.INPUT_CONTROL),
        (commands.CancelInput(input_id="i", reason="r"), Grant.CANCEL_INPUT),
        (commands.DuckPlayback(user_id=1), Grant.PLAYBACK),
        (commands.StopPlayback(user_id=1), Grant.PLAYBACK),
        (commands.DropInput(input_id="i", reason="r"), Grant.SUBMISSION),
    ]
    assert [needed_grant(command) for command, _ in samples] == [grant for _, grant in samples]


def test_a_judgement_is_current_until_its_input_says_more_or_ends() -> None:
    """VOX-13: `is_current(input_id, read_at)`; the same text in a new word of the provider stays current."""
    engine = engine_of(done=[])
    engine.feed(InputBegan(input_id="i", user_id=1, at=0.0, speech_began_at=0.0))
    grew = TranscriptGrew(input_id="i", user_id=1, at=0.1, text="a", revision=1)
    engine.feed(grew)
    read_at = engine.context.read_at("i")
    assert read_at is not None
    assert read_at == ReadAt(text=1, speech=0)
    engine.feed(grew)
    assert engine.context.is_current("i", read_at)
    engine.feed(SpeechContinued(user_id=1, at=0.2))
    assert not engine.context.is_current("i", read_at)
    assert engine.context.is_current("i", ReadAt(text=1))
    engine.feed(InputSealed(input_id="i", user_id=1, at=0.3, cause=EndCause.ASKED))
    assert not engine.context.is_current("i", ReadAt(text=1))


def test_speech_is_counted_in_frames_and_a_burst_counts_what_it_holds() -> None:
    """VOX-17, VOX-36: minimum speech, silence limit; unscored frames at the start belong to the speech."""
    done, told = list[Command](), list[VoiceEvent]()
    engine = engine_of(speech_activity_rule(SETTINGS, Room()), done=done)
    engine.watch(told.append)
    engine.feed(TransmissionStarted(user_id=1, ssrc=1, at=1.0))
    engine.feed(speaks(1.0, None))
    for _ in range(9):
        engine.feed(speaks(1.0, 0.9))
    kinds = [type(event) for event in told if not isinstance(event, SpeechActivity)]
    assert kinds == [TransmissionStarted, SpeechStarted, SpeechLasted]
    engine.feed(TransmissionEnded(user_id=1, ssrc=1, at=1.1))
    paused = told[-1]
    assert isinstance(paused, SpeechPaused)
    assert (paused.since, paused.speech_ms) == (1.0, 200)
    assert engine.deadline is None


def test_waiting_for_a_lost_packet_is_no_pause() -> None:
    """VOX-15, VOX-36: quiet is heard, or the client stops; nothing at all is the network, for a while."""
    told = list[VoiceEvent]()
    engine = engine_of(speech_activity_rule(SETTINGS, Room()), done=[])
    engine.watch(told.append)
    for tick in range(10):
        engine.feed(speaks(tick * 0.02, 0.9))
    assert engine.deadline == pytest.approx(0.18 + SETTINGS.stalled_ms / 1000)
    engine.feed(ClockTicked(at=0.18 + 0.19))
    engine.feed(speaks(0.38, 0.9))
    assert not any(isinstance(event, SpeechPaused) for event in told)
    for tick in range(6):
        engine.feed(speaks(0.40 + tick * 0.02, 0.1))
    assert isinstance(told[-1], SpeechPaused)


def test_what_was_recognised_before_the_pause_is_not_guessed_on() -> None:
    """VOX-16: a recogniser that looks now and then has not heard the last words yet; its next look has."""
    done = list[Command]()
    engine = engine_of(speculation_rule(SETTINGS, Room(people={1: "Ann"})), done=done)
    engine.feed(InputBegan(input_id="i", user_id=1, at=0.0, speech_began_at=0.0))
    engine.feed(TranscriptGrew(input_id="i", user_id=1, at=1.0, text="What is the capital?", revision=1))
    engine.feed(SpeechPaused(user_id=1, at=1.5, since=1.4, speech_ms=1_400))
    assert done == []
    whole = "What is the capital of France?"
    engine.feed(TranscriptGrew(input_id="i", user_id=1, at=1.7, text=whole, revision=2))
    assert done == [commands.StartSpeculation(input_id="i", text=whole, language=None)]


def test_what_is_not_accepted_begins_nothing() -> None:
    """VOX-36."""
    done = list[Command]()
    engine = engine_of(speech_activity_rule(SETTINGS, Room()), done=done)
    for tick in range(20):
        engine.feed(SpeechActivity(user_id=1, at=tick * 0.02, score=0.9, accepted=False))
    assert done == []


TURN = TurnRef(session_id="s", turn_id="t")
USERS = st.integers(1, 3)
NAMES = st.sampled_from(["a", "b", "c"])
TEXTS = st.sampled_from(["", "yes.", "Parley, stop.", "and", "tree", "uh-huh", "what now?"])
KINDS = st.sampled_from(
    [
        lambda at, user, name, text: SpeechActivity(user_id=user, at=at, score=0.9),
        lambda at, user, name, text: SpeechActivity(user_id=user, at=at, score=0.1),
        lambda at, user, name, text: SpeechActivity(user_id=user, at=at, score=None),
        lambda at, user, name, text: TransmissionStarted(user_id=user, ssrc=user, at=at),
        lambda at, user, name, text: TransmissionEnded(user_id=user, ssrc=user, at=at),
        lambda at, user, name, text: SpeakerLeft(user_id=user, at=at),
        lambda at, user, name, text: ClockTicked(at=at),
        lambda at, user, name, text: RoomChanged(room=Room(mode=VoiceMode.ADDRESSED), at=at),
        lambda at, user, name, text: TalkRequested(user_id=user, at=at),
        lambda at, user, name, text: SpeechLasted(user_id=user, at=at, began_at=at - 0.2),
        lambda at, user, name, text: SpeechPaused(user_id=user, at=at, since=at - 0.1, speech_ms=200),
        lambda at, user, name, text: SpeechContinued(user_id=user, at=at),
        lambda at, user, name, text: InputBegan(input_id=name, user_id=user, at=at, speech_began_at=at),
        lambda at, user, name, text: TranscriptGrew(
            input_id=name, user_id=user, at=at, text=text, revision=1, language="en"
        ),
        lambda at, user, name, text: TurnJudged(
            input_id=name, user_id=user, at=at, completeness=0.9, read_at=ReadAt(speech=0)
        ),
        lambda at, user, name, text: InputSealed(
            input_id=name, user_id=user, at=at, cause=EndCause.END_OF_TURN
        ),
        lambda at, user, name, text: InputCancelled(input_id=name, user_id=user, at=at, reason="r"),
        lambda at, user, name, text: InputDropped(input_id=name, user_id=user, at=at, reason="r"),
        lambda at, user, name, text: InputSettled(
            input_id=name, user_id=user, at=at, text=text, language="en"
        ),
        lambda at, user, name, text: TurnsSubmitted(input_ids=(name,), user_ids=(user,), answer=True, at=at),
        lambda at, user, name, text: BotBeganSpeaking(turn=TURN, answering=frozenset({user}), at=at),
        lambda at, user, name, text: BotFellSilent(turn=TURN, at=at),
    ]
)


@settings(max_examples=150, deadline=None)
@given(steps=st.lists(st.tuples(KINDS, st.integers(0, 600), USERS, NAMES, TEXTS), max_size=60))
def test_the_house_s_rules_stand_any_order_of_events(steps: list[tuple[Any, int, int, str, str]]) -> None:
    """VOX-13: also orders that no controller brings about: none breaks, and nothing waits for ever."""
    failed, done = list[str](), list[Command]()
    engine = engine_of(
        *first_party_rules(SETTINGS, Room(bot_names=("Parley",)), has_model=True, speculates=True),
        done=done,
        failed=failed,
    )
    seen = list[VoiceEvent]()
    engine.watch(seen.append)
    at = 0.0
    for make, passed_ms, user, name, text in steps:
        at += passed_ms / 1000
        engine.feed(make(at, user, name, text))
    for _ in range(200):
        due = engine.deadline
        if due is None:
            break
        at = max(at, due)
        engine.feed(ClockTicked(at=at))
    assert failed == []
    assert engine.deadline is None  # what waits is decided in the end
    ducked = False
    for command in done:
        match command:
            case commands.DuckPlayback():
                ducked = True
            case commands.ResumePlayback():
                assert ducked
                ducked = False
            case _:
                pass
    submitted = Counter(
        name for one in done if isinstance(one, commands.SubmitTurns) for name in one.input_ids
    )
    assert submitted <= Counter(event.input_id for event in seen if isinstance(event, InputSealed))

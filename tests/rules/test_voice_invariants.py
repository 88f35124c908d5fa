"""VOX-13: the invariants of a spoken conversation, under random talk, services and commands (virtual time).

Speech and pauses of three people, transcripts late and early and failing, cancellations and corrections at
any moment, plugins that hang, fail and write too late; mode changes, people who leave, a bot that speaks.
"""

import asyncio
from collections import Counter
from dataclasses import dataclass, field

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.scripted_speech import Mood
from tests.virtual_time import run_virtually
from tests.voice_talk import Talk
from voice.controller import VoiceController
from voice.input.speech_input import InputOver
from voice.input.transcript_document import Edit, Unit
from voice.plugins.plugin import InputScope, PluginScope
from voice.plugins.stages import PatchRejected, StageContext
from voice.policy.events import (
    BotFellSilent,
    HearingFailed,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    InputSettled,
    PlaybackDucked,
    PlaybackResumed,
    PlaybackStopped,
    SpeculationEnded,
    SpeculationStarted,
    TranscriptGrew,
    TurnsSubmitted,
)
from voice.policy.room import VoiceMode

PEOPLE = {1: "Ann", 2: "Ben", 3: "Cem"}


@dataclass(frozen=True)
class Says:
    user_id: int
    at: float
    words: tuple[str, ...]
    word_ms: int


@dataclass(frozen=True)
class Sounds:
    user_id: int
    at: float
    ms: int
    voiced_ms: int


@dataclass(frozen=True)
class Does:
    """Something by hand: `what` to the open input of the person, or to the room."""

    what: str
    user_id: int
    at: float


@dataclass(frozen=True)
class BotSpeaks:
    at: float
    ms: int
    answering: int


WORD = st.sampled_from(
    ["yes.", "and", "Parley,", "tree", "house.", "um", "blue?", "so", "<120>", "<400>", "<900>"]
)
USER = st.sampled_from(sorted(PEOPLE))
AT = st.integers(0, 300).map(lambda tick: tick * 0.04)
SAYS = st.builds(
    Says, USER, AT, st.lists(WORD, min_size=1, max_size=6).map(tuple), st.sampled_from([60, 140, 260])
)
SOUNDS = st.builds(Sounds, USER, AT, st.just(400), st.sampled_from([0, 60, 240]))
DOES = st.builds(
    Does, st.sampled_from(["cancel", "end", "correct", "leaves", "listen", "always", "talk"]), USER, AT
)
BOT = st.builds(BotSpeaks, AT, st.integers(200, 4_000), USER)
MOODS = st.lists(st.sampled_from(list(Mood)), max_size=6)


@dataclass
class Unruly:
    """A plugin whose stages patch, attach, fail, hang and write too late."""

    manners: list[str]
    name: str = "unruly"
    late_writes: int = 0
    tasks: set[str] = field(default_factory=set[str])

    def setup(self, scope: PluginScope) -> None:
        scope.on_speech_input(self.follow)

    def follow(self, scope: InputScope) -> None:
        async def watch(_: object) -> None:
            await asyncio.sleep(0.3)

        scope.watch(watch, debounce_ms=100)
        for manner in self.manners:
            scope.finalize(getattr(self, manner), timeout_ms=200)

    async def patches(self, context: StageContext) -> None:
        first = context.document.raw.split()[0]
        context.patch([Edit(unit=Unit.WORD, first=0, end=1, text=first.upper())])

    async def fails(self, context: StageContext) -> None:
        context.attach("unruly", 1)
        raise RuntimeError("scripted")

    async def hangs(self, context: StageContext) -> None:
        try:
            await asyncio.Event().wait()
        finally:
            try:
                context.attach("late", 1)
            except PatchRejected:
                self.late_writes += 1


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    actions=st.lists(st.one_of(SAYS, SAYS, SAYS, SOUNDS, DOES, BOT), min_size=1, max_size=9),
    moods=MOODS,
    lag_s=st.sampled_from([0.0, 0.1, 0.7, 2.5]),
    completeness=st.sampled_from([None, 0.0, 1.0]),
    vad_fails=st.booleans(),
    manners=st.lists(st.sampled_from(["patches", "fails", "hangs"]), max_size=3),
    speaks_after=st.sampled_from([None, 0.2, 1.5]),
)
def test_no_order_of_events_breaks_a_conversation(
    actions: list[Says | Sounds | Does | BotSpeaks],
    moods: list[Mood],
    lag_s: float,
    completeness: float | None,
    vad_fails: bool,
    manners: list[str],
    speaks_after: float | None,
) -> None:
    """VOX-10, VOX-11, VOX-12, VOX-13, VOX-14, VOX-16, VOX-25."""
    talk = Talk(people=dict(PEOPLE), mode=VoiceMode.ALWAYS, replies_after_s=speaks_after)
    talk.stt.lag_s, talk.stt.moods = lag_s, list(moods)
    talk.turn_model.always, talk.turn_model.fails = completeness, completeness == 0.0
    talk.vad.fails = vad_fails
    talk.plugins = [(Unruly(manners), ())]
    owners = told(talk, actions)
    run_virtually(talk.run())
    ends_are_kept(talk)
    frames_belong_to_their_speaker(talk, owners)
    playback_is_paired(talk)


def told(talk: Talk, actions: list[Says | Sounds | Does | BotSpeaks]) -> dict[str, int]:
    """Puts the actions on the time line, a person's one after another; returns whose word is whose."""
    owners: dict[str, int] = {}
    busy: Counter[int] = Counter()
    free_at = dict.fromkeys(PEOPLE, 0.0)
    for action in sorted(actions, key=lambda one: one.at):
        match action:
            case Says():
                words: list[str] = []
                for word in action.words:
                    busy[action.user_id] += 1
                    mark = f"{PEOPLE[action.user_id]}{busy[action.user_id]}"
                    name = word if word.startswith("<") else mark + word
                    owners[name] = action.user_id
                    words.append(name)
                at = max(action.at, free_at[action.user_id])
                end = talk.timeline.says(action.user_id, at, " ".join(words), word_ms=action.word_ms)
                free_at[action.user_id] = end + 0.2
            case Sounds():
                at = max(action.at, free_at[action.user_id])
                end = talk.timeline.sounds(action.user_id, at, action.ms, voiced_ms=action.voiced_ms)
                free_at[action.user_id] = end + 0.2
            case BotSpeaks():
                talk.bot_speaks(action.at, action.ms / 1000, action.answering)
            case Does(what="leaves"):
                talk.timeline.leaves(action.user_id, action.at)
            case Does():
                talk.at(action.at, lambda voice, action=action: by_hand(voice, talk, action))
    return owners


def by_hand(voice: VoiceController, talk: Talk, action: Does) -> None:
    captures = voice.open_input_of(action.user_id)
    match action.what:
        case "listen" | "always":
            voice.set_room(talk.room(mode=VoiceMode(action.what)))
        case "talk":
            attempt = voice.begin_input(action.user_id)
            asyncio.get_running_loop().call_later(1.0, attempt.cancel, "changed my mind")
        case "cancel" if captures is not None:
            captures.cancel("by hand")
        case "end" if captures is not None:
            captures._ask_end(captures)
        case "correct" if captures is not None:
            captures.correct_input("what I meant")
        case _:
            for _, burst in talk.bursts[-1:]:
                known = voice.input(burst.turns[-1].input_id)
                assert known is None, "submitted, and still there"
    for event in talk.events[-20:]:
        if isinstance(event, InputSealed) and (sealed := voice.input(event.input_id)) is not None:
            try:
                sealed.correct_input("what I meant")
            except InputOver as over:
                raise AssertionError from over


def ends_are_kept(talk: Talk) -> None:
    """Sealed or cancelled, once; submitted or dropped, once; in the order of the seals; for one speaker."""
    began = {event.input_id: event.user_id for event in talk.events if isinstance(event, InputBegan)}
    seals = [event.input_id for event in talk.events if isinstance(event, InputSealed)]
    cancels = [event.input_id for event in talk.events if isinstance(event, InputCancelled)]
    drops = [event.input_id for event in talk.events if isinstance(event, InputDropped)]
    submitted = [
        input_id for event in talk.events if isinstance(event, TurnsSubmitted) for input_id in event.input_ids
    ]
    assert sorted(seals + cancels) == sorted(began)
    assert sorted(submitted + drops) == sorted(seals)
    assert submitted == [input_id for input_id in seals if input_id in submitted]
    assert [turn.input_id for _, burst in talk.bursts for turn in burst.turns] == submitted
    for event in talk.events:
        if isinstance(event, InputSealed | InputCancelled | InputDropped | InputSettled | TranscriptGrew):
            assert began[event.input_id] == event.user_id
    for _, burst in talk.bursts:
        for turn in burst.turns:
            assert turn.user_id == began[turn.input_id] == turn.document.speaker.user_id
            assert "late" not in turn.attachments
    guesses = Counter(event.speculation_id for event in talk.events if isinstance(event, SpeculationStarted))
    ends = Counter(event.speculation_id for event in talk.events if isinstance(event, SpeculationEnded))
    assert guesses == ends
    assert all(times == 1 for times in ends.values())


def frames_belong_to_their_speaker(talk: Talk, owners: dict[str, int]) -> None:
    """No frame went to two inputs, none to another person's; no word that was heard well is lost."""
    refused = {
        event.input_id
        for event in talk.events
        if isinstance(event, HearingFailed) and event.reason == "refused"
    }
    began = [
        event.user_id
        for event in talk.events
        if isinstance(event, InputBegan) and event.input_id not in refused
    ]
    assert len(began) == len(talk.stt.begun)
    given: Counter[int] = Counter()
    for user_id, transcription in zip(began, talk.stt.begun, strict=True):
        values = talk.vocabulary.values_of(transcription.pcm)
        given.update(values)
        assert {owners[word] for value in values if (word := talk.vocabulary.word(value))} <= {user_id}
    spoken = Counter(
        value
        for _, event in talk.timeline.events
        for value in talk.vocabulary.values_of(getattr(event, "pcm", b""))
    )
    assert all(given[value] <= spoken[value] for value in given)


def playback_is_paired(talk: Talk) -> None:
    """Paused, then resumed or stopped, before it is paused again."""
    ducked = False
    for event in talk.events:
        match event:
            case PlaybackDucked():
                assert not ducked
                ducked = True
            case PlaybackResumed():
                assert ducked
                ducked = False
            case PlaybackStopped() | BotFellSilent():
                ducked = False
            case _:
                pass


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(says=st.lists(SAYS, min_size=1, max_size=6), lag_s=st.sampled_from([0.0, 0.1, 0.7]))
def test_every_word_that_was_said_is_handed_over_once_to_its_speaker(says: list[Says], lag_s: float) -> None:
    """VOX-11, VOX-14: with services that work, whatever the pauses and however people overlap."""
    talk = Talk(people=dict(PEOPLE), mode=VoiceMode.LISTEN)
    talk.stt.lag_s = lag_s
    long_words = [Says(one.user_id, one.at, one.words, max(260, one.word_ms)) for one in says]
    told(talk, list(long_words))
    run_virtually(talk.run())
    for user_id, name in PEOPLE.items():
        said = [word for word in talk.vocabulary.words if word.startswith(name)]
        got = [
            word
            for _, burst in talk.bursts
            for turn in burst.turns
            if turn.user_id == user_id
            for word in turn.text.split()
        ]
        assert got == said

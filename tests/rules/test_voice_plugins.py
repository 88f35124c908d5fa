"""Plugins on speech inputs, in virtual time: watchers, finalize stages, grants, windows of sound."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

import pytest

from tests.scripted_speech import frame
from tests.virtual_time import run_virtually
from tests.voice_talk import Talk
from voice.audio.frames import HeardFrame
from voice.input import transcript_document
from voice.input.speech_to_text import Transcript, Word
from voice.input.transcript_document import (
    Edit,
    PatchRejected,
    SpeakerEvidence,
    TranscriptDocument,
    Unit,
)
from voice.plugins.observation import AudioObservation, AudioWindow
from voice.plugins.plugin import InputScope, PluginScope
from voice.plugins.stages import StageContext, StageOver
from voice.policy.commands import Grant, SealInput
from voice.policy.events import (
    EndCause,
    HearingFailed,
    InputCancelled,
    InputSealed,
    PluginSignal,
    ReadAt,
    SpeechPaused,
    VoiceEvent,
)
from voice.policy.rules import Output, Rule, RuleContext


@dataclass
class Follows:
    """A plugin of one function."""

    follow: Callable[[InputScope], Awaitable[None] | None]
    name: str = "follows"

    def setup(self, scope: PluginScope) -> None:
        scope.on_speech_input(self.follow)


def talk_of(says: str = "What is the capital of France?") -> Talk:
    talk = Talk()
    talk.timeline.says(1, 1.0, says)
    return talk


@pytest.mark.parametrize(("works_s", "finished"), [(0.25, 3), (0.45, 0)])
def test_a_watcher_works_on_the_newest_text_alone(works_s: float, finished: int) -> None:
    """VOX-12: a newer key aborts the run, an equal key keeps it, debounce waits for quiet."""
    begun, done = list[str](), list[str]()

    def follow(scope: InputScope) -> None:
        async def search(document: TranscriptDocument) -> None:
            begun.append(document.raw)
            await asyncio.sleep(works_s)
            done.append(document.raw)

        scope.watch(search, debounce_ms=50)

    talk = talk_of()
    talk.plugins = [(Follows(follow), ())]
    run_virtually(talk.run())
    assert begun == ["What is", "What is the capital", "What is the capital of"]
    assert done == begun[:finished]


def test_a_stage_may_wait_for_what_its_watcher_began() -> None:
    """VOX-12: speculative work is reused, so that nobody waits for it after the speaker stopped."""

    def follow(scope: InputScope) -> None:
        found: dict[str, asyncio.Future[int]] = {}

        async def search(document: TranscriptDocument) -> None:
            result = found[document.raw] = asyncio.get_running_loop().create_future()
            await asyncio.sleep(0.3)
            result.set_result(len(document.raw))

        async def attach(context: StageContext) -> None:
            context.attach("matches", await found[context.document.raw])

        scope.watch(search)
        scope.finalize(attach, timeout_ms=3_000)

    talk = talk_of()
    talk.plugins = [(Follows(follow), ())]
    run_virtually(talk.run())
    [(at, burst)] = talk.bursts
    assert burst.turns[0].attachments == {"matches": len("What is the capital of France?")}
    assert at == pytest.approx(2.62 + 0.3, abs=0.02)
    assert burst.speculation_id is None  # what was begun did not know the attachment


def test_stages_run_in_order_and_each_sees_the_corrections_before_it() -> None:
    """VOX-12, VOX-34: patches keep the raw history; a failure or a timeout costs one stage."""
    seen = list[str]()

    def follow(scope: InputScope) -> None:
        async def first(context: StageContext) -> None:
            context.patch([Edit(unit=Unit.WORD, first=5, end=6, text="Spain?")])

        async def fails(context: StageContext) -> None:
            seen.append(context.document.corrected)
            raise RuntimeError("scripted")

        async def hangs(context: StageContext) -> None:
            try:
                await asyncio.sleep(60)
            finally:
                with pytest.raises(StageOver):
                    context.attach("late", 1)

        async def last(context: StageContext) -> None:
            context.patch([Edit(unit=Unit.WORD, first=0, end=2, text="Name")])

        for stage in (first, fails, hangs, last):
            scope.finalize(stage, timeout_ms=500)

    talk = talk_of()
    talk.plugins = [(Follows(follow), ())]
    run_virtually(talk.run())
    [(_, burst)] = talk.bursts
    [turn] = burst.turns
    assert seen == ["What is the capital of Spain?"]
    assert turn.text == "Name the capital of Spain?"
    assert turn.document.raw == "What is the capital of France?"
    assert turn.attachments == {}
    failures = [event for event in talk.events if isinstance(event, HearingFailed)]
    assert [(event.stage, event.reason) for event in failures] == [("finalize", "RuntimeError")]


def test_finalization_waits_for_a_plugin_that_is_still_being_installed() -> None:
    """VOX-34."""

    async def follow(scope: InputScope) -> None:
        await asyncio.sleep(2.5)

        async def attach(context: StageContext) -> None:
            context.attach("ready", True)

        scope.finalize(attach, timeout_ms=100)

    talk = talk_of()
    talk.plugins = [(Follows(follow), ())]
    run_virtually(talk.run())
    assert talk.bursts[0][1].turns[0].attachments == {"ready": True}


def test_a_person_s_correction_counts_at_once_and_is_overruled_by_nobody() -> None:
    """VOX-34: during capture only `correct_input` changes the corrected text."""

    def follow(scope: InputScope) -> None:
        async def patch(context: StageContext) -> None:
            with pytest.raises(PatchRejected):
                context.patch([Edit(unit=Unit.WORD, first=0, end=1, text="No")])

        scope.finalize(patch, timeout_ms=500)

    talk = talk_of()
    talk.plugins = [(Follows(follow), ())]

    def correct(voice: object) -> None:
        captures = talk.voice.open_input_of(1)
        assert captures is not None
        captures.correct_input("What is the capital of Spain?")

    talk.at(2.0, correct)
    run_virtually(talk.run())
    [turn] = talk.bursts[0][1].turns
    assert turn.text == "What is the capital of Spain?"
    assert turn.document.raw == "What is the capital of France?"


@pytest.mark.parametrize(("grants", "ended"), [((), False), ((Grant.INPUT_CONTROL,), True)])
def test_a_command_of_a_plugin_needs_its_grant(*, grants: tuple[Grant, ...], ended: bool) -> None:
    """VOX-12, VOX-13, VOX-35."""

    def follow(scope: InputScope) -> None:
        async def watch(document: TranscriptDocument) -> None:
            scope.control.cancel("never granted")
            if "capital" in document.raw:
                scope.control.end()

        scope.watch(watch)

    talk = talk_of()
    talk.plugins = [(Follows(follow), grants)]
    run_virtually(talk.run())
    seals = [event for event in talk.events if isinstance(event, InputSealed)]
    assert (seals[0].cause is EndCause.ASKED) == ended
    assert not any(isinstance(event, InputCancelled) for event in talk.events)


def test_a_rule_of_a_plugin_ends_inputs_on_a_current_signal_of_its_own() -> None:
    """VOX-13, VOX-36: a signal tells what it had read; one that is out of date seals nothing."""

    @dataclass(frozen=True)
    class Finished:
        input_id: str

    @dataclass
    class Hasty:
        name: str = "hasty"
        heard: list[Finished] = field(default_factory=list[Finished])

        def setup(self, scope: PluginScope) -> None:
            def decide(
                state: tuple[bool, ...], event: VoiceEvent, context: RuleContext
            ) -> tuple[tuple[bool, ...], tuple[Output, ...]]:
                if not isinstance(event, PluginSignal) or not isinstance(event.value, Finished):
                    return state, ()
                input_id = event.value.input_id
                current = context.is_current(input_id, event.read_at[input_id])
                commands = (SealInput(input_id=input_id, cause=EndCause.ASKED),) if current else ()
                return (*state, current), commands

            scope.rule(Rule(name="hasty", initial=(), decide=decide))
            scope.on(Finished, self.heard.append)

            def follow(input_scope: InputScope) -> None:
                async def judge(document: TranscriptDocument) -> None:
                    read_at = input_scope.read_at
                    assert read_at is not None
                    stale = ReadAt(text=(read_at.text or 0) - 1)
                    value = Finished(input_scope.input_id)
                    good = "capital" in document.raw
                    scope.emit(value, read_at={value.input_id: read_at if good else stale})

                input_scope.watch(judge)

            scope.on_speech_input(follow)

    hasty = Hasty()
    talk = talk_of()
    talk.plugins = [(hasty, (Grant.INPUT_CONTROL,))]
    run_virtually(talk.run())
    assert talk.bursts[0][1].turns[0].text.startswith("What is the capital")
    seals = [event for event in talk.events if isinstance(event, InputSealed)]
    assert seals[0].cause is EndCause.ASKED
    assert seals[0].at < 2.0
    assert len(hasty.heard) >= 2


def test_observers_get_windows_with_their_source_in_order() -> None:
    """VOX-35."""
    windows = list[AudioWindow]()

    @dataclass
    class Listens:
        name: str = "listens"

        def setup(self, scope: PluginScope) -> None:
            async def listen(window: AudioWindow) -> None:
                await asyncio.sleep(0.005)
                windows.append(window)

            scope.observe_audio(listen, window_ms=64, hop_ms=32)

    talk = Talk(people={1: "Ann", 2: "Ben"})
    talk.timeline.says(1, 0.5, "one two three")
    talk.timeline.says(2, 0.6, "four five six")
    talk.plugins = [(Listens(), ())]
    run_virtually(talk.run())
    assert {(window.user_id, window.ssrc) for window in windows} == {(1, 101), (2, 102)}
    for user_id in (1, 2):
        positions = [window.position for window in windows if window.user_id == user_id]
        assert positions == [number * 32 * 48 for number in range(len(positions))]
        assert len(positions) == (720 - 64) // 32 + 1
    assert [window.discontinuity for window in windows].count(True) == 2
    assert all(len(window.pcm) == window.samples * 2 == 2_048 for window in windows)


def test_a_gap_or_a_slow_listener_shows_as_a_discontinuity() -> None:
    """VOX-35."""

    async def main() -> list[tuple[int, bool]]:
        heard = list[AudioWindow]()

        async def listen(window: AudioWindow) -> None:
            heard.append(window)

        observation = AudioObservation(listen, window_ms=20, hop_ms=20, failed=lambda error: None)
        for number in range(300):
            skipped = 4_800 if number == 290 else 0
            observation.hear(
                HeardFrame(
                    user_id=1,
                    ssrc=1,
                    pcm=frame(0),
                    position=number * 960 + (4_800 if number >= 290 else 0),
                    at=0.0,
                    skipped=skipped,
                )
            )
        async with asyncio.TaskGroup() as tasks:
            running = tasks.create_task(observation.run())
            await asyncio.sleep(0.1)
            running.cancel()
        assert observation.dropped == 300 - len(heard)
        return [(window.position, window.discontinuity) for window in heard if window.discontinuity]

    gaps = run_virtually(main())
    assert (290 * 960 + 4_800, True) in gaps


def test_a_document_counts_changes_of_content_and_keeps_its_raw_text() -> None:
    """VOX-11: word times where the provider has them; revisions count content changes only."""
    document = TranscriptDocument(speaker=SpeakerEvidence(user_id=1, ssrc=7))
    words = (
        Word(text="One.", start_s=0.1, end_s=0.4),
        Word(text="Two", start_s=0.6, end_s=0.8),
        Word(text="three.", start_s=0.9, end_s=1.2),
    )
    document = transcript_document.heard(document, Transcript(text="One.", final=False))
    again = transcript_document.heard(document, Transcript(text=" One. ", final=False))
    assert again.revision == document.revision == 1
    document = transcript_document.heard(again, Transcript(text="One. Two three.", final=True, words=words))
    assert document.revision == 2
    assert [(one.text, one.start_s, one.end_s) for one in document.segments] == [
        ("One.", 0.1, 0.4),
        ("Two three.", 0.6, 1.2),
    ]
    sentence = Edit(unit=Unit.SENTENCE, first=1, end=2, text="Two, then three.")
    patched = transcript_document.patched(document, [sentence])
    assert (patched.corrected, patched.raw, patched.revision) == ("One. Two, then three.", document.raw, 3)
    over = transcript_document.patched(patched, [Edit(unit=Unit.WORD, first=0, end=3, text="All.")])
    assert over.corrected == "All."
    for bad in (
        [Edit(unit=Unit.WORD, first=1, end=2, text="cuts through")],
        [Edit(unit=Unit.WORD, first=0, end=9, text="too far")],
        [Edit(unit=Unit.WORD, first=0, end=2, text="a"), Edit(unit=Unit.WORD, first=1, end=3, text="b")],
    ):
        with pytest.raises(PatchRejected):
            transcript_document.patched(patched, bad)


def test_pauses_are_told_to_whoever_listens() -> None:
    """VOX-36: the pause rule emits `paused`."""
    talk = talk_of("one two. <400> three four.")
    run_virtually(talk.run())
    pauses = [event for event in talk.events if isinstance(event, SpeechPaused)]
    assert [event.speech_ms for event in pauses] == [480, 480]

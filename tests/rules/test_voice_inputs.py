"""Inputs by hand, interruptions, sound that is replaced, services that fail: through the controller."""

import asyncio
from collections.abc import AsyncIterator, Sequence

import pytest

from tests.scripted_speech import (
    Mood,
    ScriptedSpeechToText,
    ScriptedVoiceActivity,
    Vocabulary,
)
from tests.virtual_time import LoopClock, run_virtually
from tests.voice_talk import ScriptedResponse, Talk, Timeline
from voice.audio.frames import HeardEvent
from voice.controller import Ears, VoiceController
from voice.input.input_work import SLOW_ADVICE
from voice.input.speech_input import BROKEN_ADVICE, InputOver, InputPhase, SpeechInputAttempt
from voice.input.spoken_turns import SpokenBurst
from voice.interruption import InterruptionCause, TurnInterrupted
from voice.latency import Stretch
from voice.output.output_events import FirstSoundReady, Purpose
from voice.plugins.observation import AudioWindow
from voice.plugins.plugin import PluginScope
from voice.policy.events import (
    HearingFailed,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    SpeechActivity,
)
from voice.policy.room import VoiceMode
from voice.turn import TurnRef

QUESTION = "What is the capital of France?"


def failures(talk: Talk) -> list[tuple[str, str]]:
    return [(event.stage, event.reason) for event in talk.events if isinstance(event, HearingFailed)]


def test_an_input_begun_by_hand_waits_for_silence_and_ends_by_hand() -> None:
    """VOX-10, VOX-31: the attempt lasts through the fade until sound comes; pauses do not end it."""
    talk = Talk(mode=VoiceMode.PUSH, people={1: "Ann", 2: "Ben"})
    talk.bot_speaks(0.2, 1.5, 1)
    talk.timeline.says(1, 0.5, "into the bot")
    talk.timeline.says(1, 2.0, "one and two <1500> and three")
    ends = list[tuple[float, InputPhase]]()
    attempts = list[SpeechInputAttempt]()

    def begin(voice: VoiceController) -> None:
        attempts.append(voice.begin_input(1))

    def release(voice: VoiceController) -> None:
        async def end() -> None:
            ends.append((asyncio.get_running_loop().time(), await attempts[0].end()))

        talk.spawn(end())

    talk.at(0.4, begin)
    talk.at(5.0, release)
    run_virtually(talk.run())
    [began] = [event for event in talk.events if isinstance(event, InputBegan)]
    assert began.by_hand
    assert began.at == pytest.approx(2.0)
    [(_, burst)] = talk.bursts
    assert burst.turns[0].text.endswith("one and two and three")
    assert ends[0][1] is InputPhase.SUBMITTED


def test_an_attempt_that_is_cancelled_publishes_nothing() -> None:
    """VOX-32."""
    talk = Talk(mode=VoiceMode.PUSH)
    talk.timeline.says(1, 1.0, QUESTION)

    def begin(voice: VoiceController) -> None:
        attempt = voice.begin_input(1)
        again = voice.begin_input(1)
        assert attempt.reason == "begun anew"
        again.cancel("changed my mind")

    talk.at(0.5, begin)
    run_virtually(talk.run())
    assert talk.bursts == []
    assert talk.stt.begun == []


def test_a_cancelled_input_publishes_nothing_and_the_first_end_wins() -> None:
    """VOX-13, VOX-32."""
    talk = Talk()
    talk.timeline.says(1, 1.0, QUESTION)

    def cancel(voice: VoiceController) -> None:
        captures = voice.open_input_of(1)
        assert captures is not None
        captures.cancel("by hand")
        captures.cancel("again")
        with pytest.raises(InputOver):
            captures.correct_input("too late")

    talk.at(2.4, cancel)
    run_virtually(talk.run())
    assert talk.bursts == []
    reasons = [event.reason for event in talk.events if isinstance(event, InputCancelled)]
    assert reasons == ["by hand"]
    assert talk.stt.begun[0].closed


def test_an_interruption_names_its_turn_and_leaves_one_durable_receipt() -> None:
    """VOX-10, VOX-32: silence apart from delivery; only the named response; deduplicated by event id."""
    talk = Talk()
    talk.bot_speaks(0.5, 4.0, 1)
    told = list[object]()

    def interrupt(voice: VoiceController) -> None:
        async def twice() -> None:
            other = voice.interrupt([TurnRef(session_id="other", turn_id="reply-1")], InterruptionCause.ASKED)
            told.append(other.silenced)
            turn = TurnRef(session_id="session", turn_id="reply-1")
            first = voice.interrupt([turn, turn], InterruptionCause.ASKED, by=1)
            again = voice.interrupt([turn], InterruptionCause.ASKED, by=1)
            told.extend([first.silenced, again.silenced, await first.delivered(), await again.delivered()])

        talk.spawn(twice())

    talk.at(2.0, interrupt)
    run_virtually(talk.run())
    turn = TurnRef(session_id="session", turn_id="reply-1")
    assert told == [(), (turn,), (), True, True]
    assert talk.receipts == [
        TurnInterrupted(
            event_id="session:reply-1",
            turn=turn,
            cause=InterruptionCause.ASKED,
            heard="1.50 s",
            by=1,
            at=2.0,
        )
    ]


def test_a_receipt_that_cannot_be_recorded_is_reported_and_the_bot_is_silent_all_the_same() -> None:
    """VOX-32."""

    async def refuses(event: TurnInterrupted) -> None:
        raise OSError

    talk = Talk()
    talk.record = refuses
    talk.bot_speaks(0.5, 4.0, 1)
    delivered = list[bool]()

    def interrupt(voice: VoiceController) -> None:
        async def once() -> None:
            turn = TurnRef(session_id="session", turn_id="reply-1")
            delivered.append(await voice.interrupt([turn], InterruptionCause.ASKED).delivered())

        talk.spawn(once())

    talk.at(2.0, interrupt)
    run_virtually(talk.run())
    assert delivered == [False]
    assert failures(talk) == [("record interruption", "OSError")]


@pytest.mark.parametrize(
    ("mood", "text", "told"),
    [
        (Mood.FAILS, None, [("transcribe", "scripted")]),
        (Mood.FAILS_AT_END, QUESTION, [("transcribe", "scripted")]),
        (Mood.HANGS, QUESTION, [("transcribe", "no final transcript in time")]),
        (Mood.SILENT, QUESTION, []),
        (Mood.BREAKS, "What is the capital", [("transcribe", "ZeroDivisionError")]),
        (Mood.REFUSES, None, [("transcribe", "refused")]),
    ],
)
def test_a_service_that_fails_costs_one_input_at_most(
    mood: Mood, text: str | None, told: list[tuple[str, str]]
) -> None:
    """VOX-25: a clear event, one sentence for the room, and the call goes on."""
    talk = Talk()
    talk.stt.moods = [mood]
    end = talk.timeline.says(1, 1.0, QUESTION)
    talk.timeline.says(1, end + 12.0, "And of Spain?")
    run_virtually(talk.run())
    texts = [burst.turns[0].text for _, burst in talk.bursts]
    assert texts == ([text] if text else []) + ["And of Spain?"]
    assert failures(talk) == told
    advice = {event.advice for event in talk.events if isinstance(event, HearingFailed)}
    assert advice <= {
        "Speech to text does not answer.",
        "Speech to text is not there.",
        SLOW_ADVICE,
        BROKEN_ADVICE,
    }
    if text is None:
        [ended] = [event for event in talk.events if isinstance(event, InputDropped | InputCancelled)]
        assert ended.reason == "transcription failed"


def test_without_voice_activity_loudness_stands_in_and_nobody_is_deaf() -> None:
    """VOX-25: told once in half a minute, not for each window."""
    talk = Talk()
    talk.vad.fails = True
    talk.turn_model.fails = True
    end = talk.timeline.says(1, 1.0, QUESTION)
    run_virtually(talk.run())
    [(at, burst)] = talk.bursts
    assert burst.turns[0].text == QUESTION
    assert at - end == pytest.approx(0.61, abs=0.03)
    assert failures(talk) == [("voice activity", "RuntimeError"), ("judge", "RuntimeError")]


def test_sound_that_is_replaced_cancels_what_captures_and_the_talk_goes_on() -> None:
    """VOX-33."""

    async def main() -> tuple[list[str], list[str]]:
        words = Vocabulary()
        first, second = Timeline(words), Timeline(words)
        first.says(1, 1.0, "one two three four five six seven eight")
        second.says(1, 3.0, "nine ten.")
        texts, ends = list[str](), list[str]()

        async def submit(burst: SpokenBurst) -> None:
            texts.append(burst.turns[0].text)

        async def forever(line: Timeline) -> AsyncIterator[HeardEvent]:
            async for event in line.heard():
                yield event
            await asyncio.sleep(5.0)

        ears = Ears(speech_to_text=ScriptedSpeechToText(words), voice_activity=ScriptedVoiceActivity())
        async with VoiceController(
            call_id="c", session_id="s", ears=ears, clock=LoopClock(), submit=submit
        ) as voice:
            voice.watch(
                lambda event: ends.append(event.reason) if isinstance(event, InputCancelled) else None
            )
            loop = asyncio.get_running_loop()
            loop.call_later(2.0, lambda: voice.replace_audio(forever(second)))
            await voice.listen(forever(first))
        return texts, ends

    assert run_virtually(main()) == (["nine ten."], ["audio replaced"])


def test_the_bot_can_speak_and_be_interrupted_where_nobody_is_heard() -> None:
    """VOX-30: the controller works with speech alone."""

    async def main() -> tuple[list[TurnRef], list[TurnInterrupted]]:
        receipts = list[TurnInterrupted]()

        async def record(event: TurnInterrupted) -> None:
            receipts.append(event)

        async def submit(burst: SpokenBurst) -> None:
            raise AssertionError

        ears = Ears(speech_to_text=ScriptedSpeechToText(Vocabulary()))
        async with (
            asyncio.TaskGroup() as tasks,
            VoiceController(
                call_id="c",
                session_id="s",
                ears=ears,
                clock=LoopClock(),
                submit=submit,
                record_interruption=record,
            ) as voice,
        ):
            turn = TurnRef(session_id="s", turn_id="t")
            response = ScriptedResponse(turn, 5.0, voice.output_told)
            voice.response_opened(turn, response, answering=())
            tasks.create_task(response.play())
            await asyncio.sleep(1.0)
            interruption = voice.interrupt([turn], InterruptionCause.ASKED)
            assert await interruption.delivered()
            return list(interruption.silenced), receipts

    silenced, receipts = run_virtually(main())
    assert silenced == [TurnRef(session_id="s", turn_id="t")]
    assert [receipt.heard for receipt in receipts] == ["1.00 s"]


def test_an_engine_from_speech_to_speech_fits_behind_the_same_events() -> None:
    """VOX-24: as a plugin it hears what is heard; its speech is a reply as any, and is talked over as any."""

    class Realtime:
        """Answers from sound to sound: no text is submitted, no model asked, no synthesiser used."""

        name = "realtime"

        def __init__(self) -> None:
            self.heard = bytearray()
            self.response: ScriptedResponse | None = None

        def setup(self, scope: PluginScope) -> None:
            scope.observe_audio(self.hear, window_ms=100, hop_ms=100)

        async def hear(self, window: AudioWindow) -> None:
            self.heard += window.pcm
            if self.response is None and len(self.heard) > 32_000:
                turn = TurnRef(session_id="session", turn_id="realtime-1")
                self.response = ScriptedResponse(turn, 5.0, talk.voice.output_told)
                talk.voice.response_opened(turn, self.response, answering=(1,))
                talk.mouth.response = self.response
                talk.spawn(self.response.play())

    engine = Realtime()
    talk = Talk(mode=VoiceMode.LISTEN)
    talk.plugins = [(engine, ())]
    talk.timeline.says(1, 0.5, "tell me a long story please now")
    talk.timeline.says(1, 4.0, "no stop another story please now")
    run_virtually(talk.run())
    assert engine.response is not None
    assert engine.response.is_over
    assert [(receipt.turn.turn_id, receipt.by) for receipt in talk.receipts] == [("realtime-1", 1)]
    assert not any(burst.answer for _, burst in talk.bursts)


def test_nothing_happens_after_the_end() -> None:
    """No event after the close, and what was still on its way is dropped with its reason."""
    talk = Talk()
    talk.timeline.says(1, 1.0, QUESTION)

    async def main() -> Sequence[type[object]]:
        try:
            async with asyncio.timeout(2.0):
                await talk.run()
        except TimeoutError:
            pass
        seen = [type(event) for event in talk.events]
        talk.voice.set_room(talk.room())
        talk.voice.request_talk(1)
        assert len(talk.events) == len(seen)
        return seen

    seen = run_virtually(main())
    assert seen.count(InputCancelled) == 1
    assert all(transcription.closed for transcription in talk.stt.begun)
    assert InputSealed not in seen


def test_with_the_clock_stopped_nothing_happens() -> None:
    """Silence costs nothing: no event between two utterances that are minutes apart."""
    talk = Talk()
    talk.timeline.says(1, 1.0, QUESTION)
    talk.timeline.says(1, 300.0, "And of Spain?")
    run_virtually(talk.run())
    assert [event for event in talk.events if 6.0 < event.at < 299.9] == []
    assert sum(isinstance(event, SpeechActivity) for event in talk.events) == (6 + 3) * 12


def test_every_part_of_a_turn_has_its_time() -> None:
    """VOX-27."""
    talk = Talk(replies_after_s=0.4, reply_s=1.0)
    talk.timeline.says(1, 1.0, QUESTION)

    def opened(voice: VoiceController, response: ScriptedResponse) -> None:
        loop = asyncio.get_running_loop()
        voice.first_token(response.turn.turn_id)
        ready = FirstSoundReady(turn_id=response.turn.turn_id, purpose=Purpose.ANSWER, at=loop.time())
        voice.output_told(ready)

    talk.reply_opened = opened
    run_virtually(talk.run())
    [trace] = talk.latency.recent
    moments = (trace.first_voiced, trace.last_voiced, trace.decided, trace.transcript_final, trace.submitted)
    assert moments == pytest.approx((1.0, 2.42, 2.62, 2.63, 2.63), abs=0.001)
    assert (trace.first_token, trace.first_audio, trace.first_packet, trace.playback_end) == pytest.approx(
        (3.03, 3.03, 3.03, 4.03), abs=0.001
    )
    assert trace.stretches()[Stretch.RESPONSE] == pytest.approx(0.61, abs=0.001)
    assert {stretch: one.count for stretch, one in talk.latency.histograms.items()} == dict.fromkeys(
        Stretch, 1
    )

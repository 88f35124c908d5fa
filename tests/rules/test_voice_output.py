"""Responses as people hear them, in virtual time: order, ducking, interruption, failing synthesisers."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager

import pytest

from tests.scripted_voice import Script, ScriptedTextToSpeech, SpokenLine, gaps_between, spoken_line
from tests.virtual_time import LoopClock, run_virtually
from voice.audio.frames import FRAME_S
from voice.output.output_events import (
    Cause,
    FirstSoundReady,
    Heard,
    OutputEvent,
    Purpose,
    ResponseEnded,
    ResponseInterrupted,
    SegmentLeftOut,
    SpeechBegan,
    SpeechDucked,
    SpeechGaveUp,
    SpeechResumed,
)
from voice.output.text_to_speech import SynthesisChunk, TextToSpeech
from voice.output.voice_output import VoiceOutput
from voice.output.voice_response import VoiceResponse
from voice.providers.fallback import FallbackTextToSpeech

PROSE = "One two three. Four five six seven. Eight nine ten. Eleven twelve. Thirteen fourteen fifteen."


class Room:
    """A line, an output, and everything that it told."""

    def __init__(self, line: SpokenLine, output: VoiceOutput, events: list[OutputEvent]) -> None:
        self.line = line
        self.output = output
        self.events = events

    def open(self, turn_id: str = "turn") -> VoiceResponse:
        return self.output.open_response(turn_id=turn_id, language="en")

    async def sent(self, frames: int) -> None:
        """Waits for so many packets of sound."""
        while len(self.line.sound) < frames:
            await asyncio.sleep(0.001)

    def of(self, kind: type[OutputEvent]) -> list[OutputEvent]:
        return [event for event in self.events if isinstance(event, kind)]


@asynccontextmanager
async def room(service: TextToSpeech | None = None) -> AsyncIterator[Room]:
    events: list[OutputEvent] = []
    async with (
        spoken_line() as line,
        VoiceOutput(
            mouth=line, service=service or ScriptedTextToSpeech(), clock=LoopClock(), tell=events.append
        ) as output,
    ):
        yield Room(line, output, events)


def say(response: VoiceResponse, text: str, purpose: Purpose = Purpose.ANSWER) -> None:
    stream = response.open_speech(purpose)
    stream.write(text)
    stream.end()


def test_an_answer_speaks_after_its_first_sentence_and_without_gaps() -> None:
    """VOX-22, VOX-27: first sound with the first segment, a few ahead, in order; the marks tell when."""

    async def talk() -> None:
        service = ScriptedTextToSpeech()
        async with room(service) as here:
            response = here.open()
            answer = response.open_speech(Purpose.ANSWER)
            answer.write("One two three. Fo")
            await here.sent(1)
            assert service.asked == ["One two three."]
            answer.write(PROSE[17:])
            answer.end()
            assert await response.finish() == Heard(text=PROSE)
            assert here.line.numbers == [1, 2, 3, 4, 5]
            assert gaps_between(here.line.sound) == []
            assert len(here.line.sound) == 15 * 15
            assert service.most_running <= 3
            first, began, ended = here.events
            assert isinstance(first, FirstSoundReady)
            assert first.at == pytest.approx(0.1, abs=0.001)
            assert isinstance(began, SpeechBegan)
            assert began.at == pytest.approx(here.line.sound[0].at)
            assert began.at - first.at < 0.005
            assert isinstance(ended, ResponseEnded)
            assert ended.at == pytest.approx(here.line.sound[-1].at, abs=0.001)

    run_virtually(talk())


def test_synthesis_ahead_is_bounded() -> None:
    """VOX-22: of a long answer only the segment that plays and the next two are made."""

    async def talk() -> None:
        service = ScriptedTextToSpeech()
        async with room(service) as here:
            response = here.open()
            say(response, " ".join(f"Sentence number {number}." for number in range(40)))
            await here.sent(5)
            assert len(service.asked) == 3
            response.interrupt(Cause.STOPPED)

    run_virtually(talk())


def test_speech_is_heard_in_the_order_of_reservation() -> None:
    """VOX-10, VOX-20: the answer is written and ready first, the acknowledgement is heard first."""

    async def talk() -> None:
        slow_first = ScriptedTextToSpeech(lambda text: Script(first_after_s=0.5 if "check" in text else 0.05))
        async with room(slow_first) as here:
            response = here.open()
            first, second = response.open_speech(Purpose.NOTICE), response.open_speech(Purpose.ANSWER)
            second.write("Here it is.")
            second.end()
            await asyncio.sleep(0.2)
            first.write("Let me check.")
            first.end()
            assert await response.finish() == Heard(text="Here it is.")
            assert here.line.numbers == [2, 1]

    run_virtually(talk())


@pytest.mark.parametrize("written", [True, False])
def test_an_acknowledgement_is_cancelled_without_a_trace_when_the_answer_comes_first(written: bool) -> None:
    """VOX-20, SPEECH-9: its place is released, nobody hears of an interruption."""

    async def talk() -> None:
        slow = ScriptedTextToSpeech(lambda text: Script(first_after_s=3.0 if "check" in text else 0.1))
        async with room(slow) as here:
            response = here.open()
            acknowledgement = response.open_speech(Purpose.ACKNOWLEDGEMENT)
            if written:
                acknowledgement.write("Let me check.")
                acknowledgement.end()
            say(response, "Here it is.")
            assert await response.finish() == Heard(text="Here it is.")
            assert here.line.sound[0].at == pytest.approx(0.1, abs=0.01)
            assert not here.of(ResponseInterrupted)
            assert not acknowledgement.write("late")

    run_virtually(talk())


def test_an_acknowledgement_that_is_heard_is_said_to_its_end() -> None:
    """VOX-20: what people hear already does not break off; it is not kept as part of the answer."""

    async def talk() -> None:
        async with room() as here:
            response = here.open()
            acknowledgement = response.open_speech(Purpose.ACKNOWLEDGEMENT)
            acknowledgement.write("Let me check.")
            acknowledgement.flush()
            await here.sent(5)
            assert not acknowledgement.cancel()
            say(response, "Here it is.")
            assert await response.finish() == Heard(text="Here it is.")
            assert [frame.number for frame in here.line.sound] == [1] * 45 + [2] * 45

    run_virtually(talk())


def test_a_pause_marker_is_silence_at_its_place() -> None:
    """SPEECH-9: `<|DELAY 1|>` between two sentences."""

    async def talk() -> None:
        async with room() as here:
            response = here.open()
            answer = response.open_speech(Purpose.ANSWER)
            answer.write("One. ")
            answer.pause(1.0)
            answer.write("Two.")
            assert await response.finish() == Heard(text="One. Two.")
            assert [frame.number for frame in here.line.sent] == [1] * 15 + [0] * 50 + [2] * 15

    run_virtually(talk())


def test_a_response_asks_while_its_last_words_are_a_question_and_are_heard() -> None:
    """VOX-17: whoever says yes into them answers."""

    async def talk() -> None:
        async with room() as here:
            response = here.open()
            answer = response.open_speech(Purpose.ANSWER)
            answer.write("One two three. Four five?")
            answer.flush()
            await here.sent(3 * 15)
            assert not response.asks  # more may come
            response.complete()
            assert response.asks
            await response.over()
            assert not response.asks
            other = here.open("other")
            say(other, "One? Two three.")
            other.complete()
            await here.sent((5 + 2) * 15)
            assert other.is_audible
            assert not other.asks
            await other.over()
            nothing = here.open("nothing")
            nothing.complete()
            assert not nothing.asks

    run_virtually(talk())


def test_a_ducked_response_goes_on_with_the_very_next_frame() -> None:
    """VOX-17: playback pauses within one frame and resumes where it paused."""

    async def talk() -> None:
        async with room() as here:
            response = here.open()
            say(response, PROSE)
            await here.sent(20)
            before = len(here.line.sound)
            assert here.output.duck()
            assert here.output.is_speaking
            await asyncio.sleep(1.5)
            assert len(here.line.sound) == before
            here.output.resume()
            assert await response.finish() == Heard(text=PROSE)
            assert here.line.numbers == [1, 2, 3, 4, 5]
            assert len(here.line.sound) == 15 * 15
            ducked, resumed = here.of(SpeechDucked)[0], here.of(SpeechResumed)[0]
            assert isinstance(ducked, SpeechDucked)
            assert isinstance(resumed, SpeechResumed)
            assert ducked.position_s == resumed.position_s == pytest.approx(before * FRAME_S)
            assert gaps_between(here.line.sound) == [pytest.approx(1.5, abs=0.025)]

    run_virtually(talk())


def test_a_response_that_is_ducked_before_its_first_sound_does_not_begin() -> None:
    """VOX-17: somebody goes on speaking while the answer is made."""

    async def talk() -> None:
        async with room() as here:
            response = here.open()
            assert here.output.duck()
            say(response, "One two.")
            await asyncio.sleep(1)
            assert here.line.sent == []
            here.output.resume()
            assert await response.finish() == Heard(text="One two.")

    run_virtually(talk())


@pytest.mark.parametrize("ducked", [True, False])
def test_an_interruption_ends_everything_of_the_response_and_of_no_other(ducked: bool) -> None:
    """VOX-32: generation, synthesis, queued sound and playback; from the next slot of 20 ms on."""

    async def talk() -> None:
        causes: list[Cause] = []
        service = ScriptedTextToSpeech(lambda _: Script(speed=1.2))
        async with room(service) as here:
            response = here.output.open_response(turn_id="1", language="en", on_interrupt=causes.append)
            say(response, PROSE)
            following = here.open("2")
            say(following, "Next one.")
            await here.sent(64)
            if ducked:
                response.duck()
                await asyncio.sleep(0.4)
            at = LoopClock().monotonic()
            before = len(here.line.sound)
            heard = response.interrupt(Cause.BARGE_IN)
            assert heard == Heard(text="One two three. Four", interrupted=True, cause=Cause.BARGE_IN)
            assert causes == [Cause.BARGE_IN]
            assert await response.finish() == heard
            assert response.interrupt(Cause.STOPPED) == heard
            assert await following.finish() == Heard(text="Next one.")
            later = here.line.sound[before:]
            assert len({frame.number for frame in later}) == 1
            assert service.asked[later[0].number - 1] == "Next one."
            assert at <= later[0].at <= at + 0.1
            assert service.running == 0
            assert len(here.of(ResponseInterrupted)) == 1

    run_virtually(talk())


def test_at_most_one_response_is_audible() -> None:
    """VOX-10: two producers at once are heard one after the other."""

    async def talk() -> None:
        async with room() as here:
            first, second = here.open("1"), here.open("2")
            say(second, "Three four.")
            await asyncio.sleep(0.5)
            assert here.line.sent == []
            say(first, "One two.")
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(second.finish())
                tasks.create_task(first.finish())
            assert here.line.numbers == [2, 1]
            assert not here.output.is_speaking

    run_virtually(talk())


Failing = Callable[[str], Script]


def on(word: str, script: Script) -> Failing:
    return lambda text: script if word in text else Script()


@pytest.mark.parametrize("script", [Script(fails=True), Script(hangs=True)])
def test_a_segment_that_fails_twice_is_left_out(script: Script) -> None:
    """VOX-25: a refusal or a hang ends with a clear event, the rest is said."""

    async def talk() -> None:
        service = ScriptedTextToSpeech(on("Four", script))
        async with room(service) as here:
            response = here.open()
            say(response, PROSE)
            heard = await response.finish()
            assert heard == Heard(
                text="One two three. Eight nine ten. Eleven twelve. Thirteen fourteen fifteen."
            )
            assert service.asked.count("Four five six seven.") == 2
            assert len(here.of(SegmentLeftOut)) == 1
            assert not here.of(SpeechGaveUp)

    run_virtually(talk())


@pytest.mark.parametrize("script", [Script(fails=True), Script(hangs=True)])
def test_without_a_second_service_the_rest_stays_text(script: Script) -> None:
    """VOX-25: one clear event with words for the room; the response ends, the next one is tried again."""

    async def talk() -> None:
        service = ScriptedTextToSpeech(lambda text: Script() if "again" in text else script)
        async with room(service) as here:
            response = here.open()
            answer = response.open_speech(Purpose.ANSWER)
            answer.write(PROSE)
            assert (await response.finish()) == Heard(text="", gave_up=True)
            (event,) = here.of(SpeechGaveUp)
            assert isinstance(event, SpeechGaveUp)
            assert event.advice
            assert event.at < 17
            assert not answer.write("more")
            other = here.open("2")
            say(other, "Hello again.")
            assert await other.finish() == Heard(text="Hello again.")

    run_virtually(talk())


def test_one_short_answer_that_cannot_be_spoken_is_told() -> None:
    """VOX-25: also a response of a single segment does not vanish."""

    async def talk() -> None:
        async with room(ScriptedTextToSpeech(lambda _: Script(fails=True))) as here:
            response = here.open()
            say(response, "Yes.")
            assert await response.finish() == Heard(text="", gave_up=True)
            assert len(here.of(SpeechGaveUp)) == 1

    run_virtually(talk())


@pytest.mark.parametrize("script", [Script(fails=True), Script(hangs=True), Script(breaks_after_s=0.0)])
def test_a_second_service_speaks_the_rest(script: Script) -> None:
    """VOX-25: the fallback takes over with the segment that failed."""

    async def talk() -> None:
        broken, second = ScriptedTextToSpeech(lambda _: script), ScriptedTextToSpeech()
        async with room(FallbackTextToSpeech(broken, second)) as here:
            response = here.open()
            say(response, PROSE)
            assert await response.finish() == Heard(text=PROSE)
            assert len(second.asked) == 5
            assert len(broken.asked) <= 3
            assert not here.of(SegmentLeftOut)

    run_virtually(talk())


def test_a_service_that_failed_is_asked_again_after_a_while() -> None:
    """VOX-25: a hang costs one wait, not one for each response; the first service comes back."""

    async def talk() -> None:
        broken, second = ScriptedTextToSpeech(lambda _: Script(hangs=True)), ScriptedTextToSpeech()
        async with room(FallbackTextToSpeech(broken, second)) as here:
            waits = []
            for wait in (0.0, 10.0, 60.0):
                await asyncio.sleep(wait)
                before = LoopClock().monotonic()
                response = here.open(str(wait))
                say(response, "Yes.")
                await response.finish()
                waits.append(LoopClock().monotonic() - before > 3)
            assert waits == [True, False, True]

    run_virtually(talk())


def test_a_service_that_makes_one_segment_after_another_has_not_failed_those_that_wait() -> None:
    """VOX-22, VOX-25: patience counts from the last sound of the service, not from the request."""

    class OneByOne(ScriptedTextToSpeech):
        def __init__(self) -> None:
            super().__init__(lambda _: Script(speed=0.3))
            self._turn = asyncio.Lock()

        async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
            async with self._turn, aclosing(super().speak(text, language=language)) as chunks:
                async for chunk in chunks:
                    yield chunk

    async def talk() -> None:
        service = OneByOne()
        async with room(service) as here:
            response = here.open()
            say(response, "a b c d e f g h i j k. l m n o p q r s t u v. w x y z.")
            assert not (await response.finish()).gave_up
            assert here.line.numbers == [1, 2, 3]
            assert here.of(SegmentLeftOut) == []
            assert LoopClock().monotonic() > 16

    run_virtually(talk())


def test_a_service_that_does_not_let_go_is_left_behind() -> None:
    """VOX-25: one that swallows its end, or fails at it, costs neither the response nor the next attempt."""

    class Clinging:
        def __init__(self) -> None:
            self.asked = 0

        async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
            self.asked += 1
            try:
                await asyncio.sleep(30)
                yield SynthesisChunk(pcm=b"")
            finally:
                if self.asked == 1:
                    raise OSError("cannot close")
                await asyncio.sleep(0.2)

    async def talk() -> None:
        clinging = Clinging()
        async with room(clinging) as here:
            response = here.open()
            say(response, "Yes.")
            await asyncio.sleep(1)
            response.interrupt(Cause.BARGE_IN)
            await asyncio.sleep(1)
            assert clinging.asked == 1
            other = here.open("2")
            say(other, "Yes.")
            assert (await other.finish()).gave_up
            assert clinging.asked == 3

    run_virtually(talk())


def test_a_synthesiser_that_dies_in_mid_word_ends_its_segment_only() -> None:
    """VOX-25: what was said is not said again."""

    async def talk() -> None:
        service = ScriptedTextToSpeech(on("Four", Script(breaks_after_s=0.5, speed=1.0)))
        async with room(service) as here:
            response = here.open()
            say(response, "Four five six seven. Eight nine ten.")
            await response.finish()
            assert service.asked == ["Four five six seven.", "Eight nine ten."]
            assert [frame.number for frame in here.line.sound] == [1] * 25 + [2] * 45

    run_virtually(talk())


@pytest.mark.parametrize("words", [PROSE, "One two three."])
def test_the_end_of_the_call_ends_the_response(words: str) -> None:
    """VOX-37: leaving voice is no barge-in: the cause says so; also when all waits to be sent already."""

    async def talk() -> None:
        async with room() as here:
            response = here.open()
            say(response, words)
            await here.sent(21)
            here.line.queue.close()
            heard = await response.finish()
            assert (heard.cause, heard.text) == (Cause.CALL_OVER, "One")
            later = here.open("2")
            say(later, "Hello.")
            assert (await later.finish()).cause is Cause.CALL_OVER

    run_virtually(talk())


def test_the_end_of_the_output_interrupts_what_is_said() -> None:
    async def talk() -> None:
        async with spoken_line() as line:
            async with VoiceOutput(mouth=line, service=ScriptedTextToSpeech(), clock=LoopClock()) as output:
                response = output.open_response(turn_id="1", language="en")
                say(response, PROSE)
            assert (await response.finish()).cause is Cause.SHUT_DOWN
            late = output.open_response(turn_id="2", language="en")
            assert not late.open_speech(Purpose.ANSWER).write("x")
            assert (await late.finish()).cause is Cause.CALL_OVER

    run_virtually(talk())

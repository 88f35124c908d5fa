"""The life of Piper's process, with a program that misbehaves as it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest

from tests.speech_sounds import seconds_of, spoken_by
from voice.input.speech_to_text import SpeechFailed
from voice.output.text_to_speech import UnknownVoice
from voice.providers.piper import Piper, PiperSettings, piper
from voice.providers.piper_program import spelled

PROGRAM = Path(__file__).with_name("scripted_piper.py")


def settings(voice: str = "voice.onnx", *, silence_s: float = 0.5) -> PiperSettings:
    return PiperSettings(voice=Path(voice), program=PROGRAM, start_within_s=10, silence_s=silence_s)


@pytest.fixture
async def mouth() -> AsyncIterator[Piper]:
    async with piper(settings()) as running:
        yield running


async def test_sentences_come_one_by_one_and_segments_in_turn(mouth: Piper) -> None:
    """VOX-22: one process for all; segments that are asked for together are queued."""
    async with asyncio.TaskGroup() as tasks:
        speaking = [tasks.create_task(spoken_by(mouth, text)) for text in ("One. Two.", "Three.", "Four.")]
    assert [seconds_of(task.result()) for task in speaking] == pytest.approx([1.0, 0.5, 0.5], abs=0.01)


async def test_voices_are_those_of_the_folder_each_in_a_process_of_its_own(tmp_path: Path) -> None:
    """VOX-22: a voice is chosen by its name; a file without its .json is none."""
    for name in ("joe.onnx", "joe.onnx.json", "amy.onnx", "amy.onnx.json", "half.onnx"):
        (tmp_path / name).touch()
    async with piper(settings(str(tmp_path / "joe.onnx"))) as mouth:
        assert await asyncio.to_thread(lambda: mouth.voice_names) == ("amy", "joe")
        assert mouth.voice_of("joe") is mouth
        amy = await asyncio.to_thread(mouth.voice_of, "amy")
        assert amy is mouth.voice_of("amy") is not mouth
        with pytest.raises(UnknownVoice):
            await asyncio.to_thread(mouth.voice_of, "half")
        assert seconds_of(await spoken_by(amy, "One.")) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("misdeed", ["crash", "hang", "garbage", "refuse"])
async def test_a_misbehaving_process_fails_its_segment_and_the_next_one_is_spoken(
    mouth: Piper, misdeed: str
) -> None:
    """VOX-25: killed in mid-segment, hanging, garbage, refusing; the service goes on."""
    with pytest.raises(SpeechFailed) as caught:
        await spoken_by(mouth, misdeed)
    assert caught.value.advice == "I lost my voice for a moment: ask me again, or read on in the chat."
    assert seconds_of(await spoken_by(mouth, "Again.")) == pytest.approx(0.5, abs=0.01)


async def test_the_death_of_the_process_is_told_to_all_who_wait(mouth: Piper) -> None:
    """VOX-25: also to the segments behind the one that killed it."""
    async with asyncio.TaskGroup() as tasks:
        speaking = [tasks.create_task(_failure_of(mouth, text)) for text in ("crash", "Two.", "Three.")]
    assert all(isinstance(task.result(), SpeechFailed) for task in speaking)


async def test_a_segment_that_nobody_hears_is_withdrawn(mouth: Piper) -> None:
    """VOX-22: closing the iterator leaves the process to the next segment."""
    async with aclosing(mouth.speak("One. Two. Three.", language=None)) as chunks:
        await anext(chunks)
    assert seconds_of(await spoken_by(mouth, "Next.")) == pytest.approx(0.5, abs=0.01)


@pytest.mark.parametrize("voice", ["broken.onnx", "slow.onnx"])
async def test_a_voice_that_cannot_be_loaded_is_one_sentence(voice: str) -> None:
    """VOX-25."""
    asked = PiperSettings(voice=Path(voice), program=PROGRAM, start_within_s=0.5)
    async with piper(asked) as mouth:
        with pytest.raises(SpeechFailed) as caught:
            await mouth.prepare()
    assert caught.value.advice == "I have no voice here: please read on in the chat."


async def test_what_the_block_raises_is_not_wrapped() -> None:
    with pytest.raises(ValueError, match="mine"):
        async with piper(settings()) as mouth:
            await mouth.prepare()
            raise ValueError("mine")


async def test_too_long_a_segment_is_refused_at_once(mouth: Piper) -> None:
    with pytest.raises(SpeechFailed, match="2001 characters"):
        await spoken_by(mouth, "x" * 2_001)


async def _failure_of(mouth: Piper, text: str) -> SpeechFailed | None:
    try:
        await spoken_by(mouth, text)
    except SpeechFailed as failed:
        return failed
    return None


@pytest.mark.parametrize(
    ("said", "to_the_voice"),
    [
        ("C A two plus", "C [[ˈeɪ]] two plus"),
        ("N A C L", "N [[ˈeɪ]] C L"),
        ("A B C", "[[ˈeɪ]] B C"),
        ("A cat has a tail.", "A cat has a tail."),
        ("Vitamin A is good.", "Vitamin A is good."),
        ("a [[trap]] in it", "a [ [trap]] in it"),
    ],
)
def test_a_letter_that_stands_alone_is_no_article(said: str, to_the_voice: str) -> None:
    """SPEECH-7: an English voice says "uh" for the A of a formula unless it is told the sound."""
    assert spelled(said, "en-us") == to_the_voice
    assert "ˈeɪ" not in spelled(said, "de")

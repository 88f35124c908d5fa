"""Text to speech on this machine by Piper (VOX-22), in a process of its own that lives as long as it can.

It is started with the first need and again after a crash. Segments that are asked for at the same time are
spoken one after another, each sentence by sentence.

Limits: a voice speaks its language whatever the text says; about 0.1 s of one core for a second of sound;
2,000 characters a segment; no times of words. Fails with `SpeechFailed` when the process dies, hangs or
cannot load the voice; the next segment finds a new process.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from core.sentences import sentence
from voice.audio.resampling import resampled
from voice.input.speech_to_text import SpeechFailed
from voice.output.text_to_speech import SynthesisChunk, UnknownVoice
from voice.providers.piper_process import PROGRAM, PiperFailed, PiperProcess
from voice.providers.serving_tasks import serving_tasks

_LONGEST_TEXT = 2_000
_LOST = sentence("I lost my voice for a moment: ask me again, or read on in the chat.")
_NO_VOICE = sentence("I have no voice here: please read on in the chat.")
_TOO_LONG = sentence("That is too long for me to say: please read it in the chat.")


@dataclass(frozen=True, slots=True, kw_only=True)
class PiperSettings:
    """`voice` is the .onnx file, with its .onnx.json beside it. `program` is another one in tests."""

    voice: Path
    threads: int = 2
    start_within_s: float = 30.0
    silence_s: float = 15.0
    program: Path = PROGRAM


@asynccontextmanager
async def piper(settings: PiperSettings) -> AsyncGenerator["Piper"]:
    """The service until the block ends; its process does not outlive it."""
    async with serving_tasks() as tasks:
        service = Piper(settings, tasks)
        try:
            yield service
        finally:
            await service.aclose()


class Piper:
    """See the module. A `TextToSpeech`."""

    def __init__(self, settings: PiperSettings, tasks: asyncio.TaskGroup) -> None:
        self._settings = settings
        self._tasks = tasks
        self._process: PiperProcess | None = None
        self._starting = asyncio.Lock()
        self._others: dict[str, Piper] = {}

    @property
    def voice_names(self) -> tuple[str, ...]:
        """The voices that lie in the same folder."""
        return tuple(sorted(_voices_beside(self._settings.voice)))

    def voice_of(self, name: str) -> "Piper":
        """Each voice has a process of its own, from its first segment on. Raises `UnknownVoice`."""
        if name == self._settings.voice.stem:
            return self
        if name not in self._others:
            file = _voices_beside(self._settings.voice).get(name)
            if file is None:
                raise UnknownVoice(name)
            self._others[name] = Piper(replace(self._settings, voice=file), self._tasks)
        return self._others[name]

    async def prepare(self) -> None:
        """Starts the process now, so that the first segment need not wait for it; raises `SpeechFailed`."""
        await self._ready()

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """See the port."""
        if len(text) > _LONGEST_TEXT:
            raise SpeechFailed(_TOO_LONG, reason=f"a segment of {len(text)} characters")
        process, rate_hz = await self._ready()
        try:
            async with (
                aclosing(process.spoken(text, silence_s=self._settings.silence_s)) as sentences,
                aclosing(resampled(sentences, from_rate_hz=rate_hz)) as sound,
            ):
                async for pcm in sound:
                    yield SynthesisChunk(pcm=pcm)
        except PiperFailed as failed:
            raise SpeechFailed(_LOST, reason=f"Piper: {failed}") from failed

    async def aclose(self) -> None:
        """Ends the process, and those of the other voices."""
        for other in self._others.values():
            await other.aclose()
        if self._process is not None:
            await self._process.stop()

    async def _ready(self) -> tuple[PiperProcess, int]:
        async with self._starting:
            if self._process is None or self._process.is_over:
                self._process = await PiperProcess.started(
                    self._settings.voice, threads=self._settings.threads, program=self._settings.program
                )
                self._tasks.create_task(self._process.read())
            process = self._process
        try:
            return process, await process.rate_hz(self._settings.start_within_s)
        except PiperFailed as failed:
            raise SpeechFailed(_NO_VOICE, reason=f"Piper: {failed}") from failed


def _voices_beside(voice: Path) -> dict[str, Path]:
    """Every voice in the folder, by name: an .onnx file with its .onnx.json."""
    return {
        file.stem: file
        for file in voice.parent.glob("*.onnx")
        if file.with_name(f"{file.name}.json").is_file()
    }

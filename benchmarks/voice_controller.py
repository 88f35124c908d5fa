"""What listening costs beside its models: CPU per listened speaker-frame of 20 ms in the controller (VOX-13).

`python -m benchmarks.voice_controller` runs the real `VoiceController` in real time, each speaker with
sentences and pauses of their own, against services that cost nothing. What the event loop needs is counted.
Together with `benchmarks.voice_activity` it is the CPU of one listened speaker-frame.
"""

import argparse
import asyncio
import time
from collections.abc import AsyncIterator, Sequence

import numpy as np

from core.clock import SystemClock
from voice.audio.frames import (
    FRAME_S,
    FRAME_TIMESTAMPS,
    HEARD_FRAME_SAMPLES,
    HeardEvent,
    HeardFrame,
    TransmissionEnded,
    TransmissionStarted,
)
from voice.controller import Ears, VoiceController
from voice.input.judges import VoiceWindow
from voice.input.speech_to_text import Transcript
from voice.input.spoken_turns import SpokenBurst
from voice.policy.room import Room, VoiceMode

SPEAKERS = (1, 4, 16)
_SENTENCE_FRAMES = 120
_PAUSE_FRAMES = 60
_SPEECH = np.full(HEARD_FRAME_SAMPLES, 5_000, "<i2").tobytes()


class _Heard:
    """A transcription that costs nothing."""

    def __init__(self) -> None:
        self._told: asyncio.Queue[Transcript] = asyncio.Queue()

    def write(self, pcm: bytes) -> None: ...

    def tail(self) -> None:
        self._told.put_nowait(Transcript(text="This is a sentence.", final=False, language="en"))

    def finish(self) -> None:
        self._told.put_nowait(Transcript(text="This is a sentence.", final=True, language="en"))

    async def transcripts(self) -> AsyncIterator[Transcript]:
        while True:
            transcript = await self._told.get()
            yield transcript
            if transcript.final:
                return

    async def aclose(self) -> None: ...


class _Free:
    """Speech to text, voice activity and turn model at no cost."""

    def begin(self, *, language: str | None) -> _Heard:
        return _Heard()

    async def speech_scores(self, windows: Sequence[VoiceWindow]) -> list[float]:
        return [0.9] * len(windows)

    def forget(self, speaker: int) -> None: ...

    async def completeness(self, pcm: bytes) -> float:
        return 0.9


async def _talk(speakers: int, seconds: float) -> AsyncIterator[HeardEvent]:
    """Every 20 ms a frame of each who speaks, spread over the slot as clients send them."""
    loop = asyncio.get_running_loop()
    began = loop.time()
    period = _SENTENCE_FRAMES + _PAUSE_FRAMES
    for slot in range(int(seconds / FRAME_S)):
        for speaker in range(speakers):
            due = began + slot * FRAME_S + speaker * FRAME_S / speakers
            place = (slot + speaker * 37) % period
            if place > _SENTENCE_FRAMES:
                continue
            if due > loop.time():
                await asyncio.sleep(due - loop.time())
            at = loop.time()
            if place == 0:
                yield TransmissionStarted(user_id=speaker, ssrc=speaker, at=at)
            elif place == _SENTENCE_FRAMES:
                yield TransmissionEnded(user_id=speaker, ssrc=speaker, at=at)
            else:
                position = slot * FRAME_TIMESTAMPS
                yield HeardFrame(user_id=speaker, ssrc=speaker, pcm=_SPEECH, position=position, at=at)


async def measured(speakers: int, seconds: float) -> tuple[float, float, int]:
    """Microseconds of CPU a frame with and without a controller, and how many bursts were handed over."""
    bursts: list[SpokenBurst] = []

    async def submit(burst: SpokenBurst) -> None:
        bursts.append(burst)

    frames = 0
    before = time.process_time()
    async for event in _talk(speakers, seconds):
        frames += isinstance(event, HeardFrame)
    idle = time.process_time() - before
    free = _Free()
    voice = VoiceController(
        call_id="call",
        session_id="session",
        ears=Ears(speech_to_text=free, voice_activity=free, turn_model=free),
        clock=SystemClock(),
        submit=submit,
        room=Room(people={number: f"P{number}" for number in range(speakers)}, mode=VoiceMode.ALWAYS),
    )
    async with voice:
        before = time.process_time()
        await voice.listen(_talk(speakers, seconds))
        whole = time.process_time() - before
    return 1e6 * whole / frames, 1e6 * idle / frames, len(bursts)


def main() -> None:
    """Prints a row for each number of speakers."""
    parser = argparse.ArgumentParser(description="CPU of listening, beside its models.")
    parser.add_argument("--seconds", type=float, default=10.0)
    asked = parser.parse_args()
    print(f"{'speakers':>8}  {'us CPU a frame':>15}  {'of it the script':>17}  {'bursts':>6}")
    for speakers in SPEAKERS:
        whole, idle, bursts = asyncio.run(measured(speakers, asked.seconds))
        print(f"{speakers:>8}  {whole - idle:>15.0f}  {idle:>17.0f}  {bursts:>6}")


if __name__ == "__main__":
    main()

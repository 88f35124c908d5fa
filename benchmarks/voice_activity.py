"""What it costs to tell speech from noise: CPU per listened speaker-frame of 20 ms, by number of speakers.

`python -m benchmarks.voice_activity` runs Silero as the bot does, beside an event loop, each speaker with a
window of 32 ms in every run. The CPU of the whole process is counted, the loop's part included.
"""

import asyncio
import sys
import time

import numpy as np

from voice.audio.frames import FRAME_MS
from voice.input.judges import VAD_WINDOW_SAMPLES, VoiceWindow
from voice.providers.packaged_files import SILERO, ModelMissing, packaged_file
from voice.providers.silero import SileroVoiceActivity, silero_voice_activity

SPEAKERS = (1, 2, 4, 8, 16)
RUNS = 200
WINDOW_MS = VAD_WINDOW_SAMPLES / 16


async def main() -> None:
    """Prints a row for each number of speakers."""
    try:
        model = packaged_file(*SILERO)
    except ModelMissing as missing:
        sys.exit(f"skipped: {missing}")
    async with silero_voice_activity(model) as judge:
        await judge.prepare()
        print(f"{'speakers':>8}  {'us CPU a window':>16}  {'us CPU a frame':>15}  {'ms a run, p50':>13}")
        for speakers in SPEAKERS:
            cpu_us, run_ms = await measured(judge, speakers)
            print(f"{speakers:>8}  {cpu_us:>16.0f}  {cpu_us * FRAME_MS / WINDOW_MS:>15.0f}  {run_ms:>13.2f}")


async def measured(judge: SileroVoiceActivity, speakers: int) -> tuple[float, float]:
    """Microseconds of CPU a window, and the median of a run in milliseconds."""
    noise = np.random.default_rng(1).standard_normal((RUNS, speakers, VAD_WINDOW_SAMPLES)) * 800
    sound = noise.astype("<i2")
    took: list[float] = []
    before = time.process_time()
    for run in sound:
        windows = [VoiceWindow(speaker=number, pcm=pcm.tobytes()) for number, pcm in enumerate(run)]
        started = time.perf_counter()
        await judge.speech_scores(windows)
        took.append(time.perf_counter() - started)
    cpu_s = time.process_time() - before
    return 1e6 * cpu_s / RUNS / speakers, 1e3 * sorted(took)[RUNS // 2]


if __name__ == "__main__":
    asyncio.run(main())

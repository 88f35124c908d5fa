"""The process ends with its own exit code, whatever its models' threads are doing (SET-3)."""

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT
from voice.providers.packaged_files import ModelMissing
from voice.providers.whisper_weights import WhisperSettings, check_whisper

# A thread that is in native code all the time, and a farewell in whose middle it comes back.
_DECODES_FOR_EVER = """
import asyncio, time
from random import Random
from bot.process_end import end_process
from voice.providers.whisper_decoder import Request, whisper_decoder
from voice.providers.whisper_thread import WhisperThread
from voice.providers.whisper_weights import WhisperSettings

async def main():
    decoding, loop = asyncio.Event(), asyncio.get_running_loop()

    def decode_for_ever():
        decode = whisper_decoder(WhisperSettings())
        noise = Request(pcm=Random(1).randbytes(3_200), language="en", thorough=False)
        decode([noise])  # the first is slower
        loop.call_soon_threadsafe(decoding.set)
        while True:
            decode([noise])

    WhisperThread(decode_for_ever).do(())
    await decoding.wait()
    await asyncio.sleep(0.3)

class SlowToGo:
    def __del__(self):
        until = time.monotonic() + 2
        while time.monotonic() < until:
            sum(range(1_000))

kept = SlowToGo()
asyncio.run(main())
print("the last word")
end_process(7)
"""


@pytest.mark.timeout(120)
def test_a_model_at_work_does_not_turn_a_clean_stop_into_an_abort() -> None:
    """SET-3: the bot was asked to stop a second after it started; the code is its own, and nothing unsaid."""
    try:
        check_whisper(WhisperSettings())
    except ModelMissing as missing:
        pytest.skip(str(missing))
    ended = subprocess.run(
        [sys.executable, "-c", _DECODES_FOR_EVER], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout, ended.stderr) == (7, "the last word\n", "")


def test_without_such_a_thread_the_interpreter_says_its_farewell() -> None:
    """Handlers of its end run as ever."""
    script = (
        "import atexit; from bot.process_end import end_process; "
        "atexit.register(print, 'farewell'); end_process(3)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stdout) == (3, "farewell\n")

"""The real judge of voices, computing on the caller's own thread: in virtual time no other thread exists.

The turn model has no such place: of made-up vowels it says on one processor yes and on another no.
"""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import cache
from typing import Any

from voice.providers.packaged_files import SILERO, packaged_file
from voice.providers.silero import SileroVoiceActivity


class Inline(Executor):
    """Does at once what it is given."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        done: Future[Any] = Future()
        try:
            done.set_result(fn(*args, **kwargs))
        except Exception as error:  # noqa: BLE001 - as an executor does
            done.set_exception(error)
        return done


@cache
def real_voice_activity() -> SileroVoiceActivity:
    """Silero. Raises `ModelMissing`."""
    return SileroVoiceActivity(packaged_file(*SILERO), Inline())

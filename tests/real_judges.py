"""The real judges of sound, computing on the caller's own thread: in virtual time no other thread exists."""

from collections.abc import Callable
from concurrent.futures import Executor, Future
from functools import cache
from typing import Any

from voice.providers.packaged_files import SILERO, SMART_TURN, packaged_file
from voice.providers.silero import SileroVoiceActivity
from voice.providers.smart_turn import SmartTurn


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
def real_judges() -> tuple[SileroVoiceActivity, SmartTurn]:
    """Silero and smart-turn. Raises `ModelMissing`."""
    inline = Inline()
    return (
        SileroVoiceActivity(packaged_file(*SILERO), inline),
        SmartTurn(packaged_file(*SMART_TURN), inline),
    )

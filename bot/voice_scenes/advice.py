"""What went wrong, in the chat of a talk (VOX-25)."""

from typing import Final

from bot.beside import Beside
from bot.voice_scenes.ports import VoiceNotices
from core.clock import Clock

_EVERY_S: Final = 60.0


class Advice:
    """At most once a minute: a service that is down fails every utterance."""

    def __init__(self, *, notices: VoiceNotices, channel_id: int, beside: Beside, clock: Clock) -> None:
        self._notices = notices
        self._channel_id = channel_id
        self._beside = beside
        self._clock = clock
        self._given_at: float | None = None

    def give(self, advice: str) -> None:
        """One sentence that says what to do."""
        now = self._clock.monotonic()
        if self._given_at is not None and now - self._given_at < _EVERY_S:
            return
        self._given_at = now
        self._beside.run(self._notices.tell(self._channel_id, advice), "notice")

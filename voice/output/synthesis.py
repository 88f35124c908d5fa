"""Segments become sound, whatever the synthesiser does (VOX-25): two attempts, each bounded in time.

What broke off after some of it was played is not said again.
"""

from contextlib import aclosing
from typing import Final

import structlog

from voice.input.speech_to_text import SpeechFailed
from voice.output.output_settings import OutputSettings
from voice.output.patience import SILENT_ADVICE, Patience
from voice.output.segment_sound import SegmentSound, SoundState
from voice.output.speech_length_rules import expected_s
from voice.output.text_to_speech import TextToSpeech

_log = structlog.stdlib.get_logger(__name__)
_ATTEMPTS: Final = 2
_LONGEST_FACTOR: Final = 4
_LONGEST_EXTRA_S: Final = 10.0


class Synthesis:
    """The synthesiser of a call."""

    def __init__(self, service: TextToSpeech, *, settings: OutputSettings) -> None:
        self._service = service
        self._patience = Patience(
            first_sound_within_s=settings.first_sound_within_s,
            next_sound_within_s=settings.next_sound_within_s,
            closes_within_s=settings.closes_within_s,
        )

    async def fill(self, sound: SegmentSound) -> None:
        """Makes all of the sound, or ends it with what went wrong; raises nothing."""
        failure: SpeechFailed | None = None
        for _ in range(_ATTEMPTS):
            try:
                await self._attempt(sound)
            except SpeechFailed as error:
                failure = error
            except Exception as error:  # noqa: BLE001 - whatever a service raises costs its segment only
                _log.warning("speech service broke", error=type(error).__name__)
                failure = SpeechFailed(SILENT_ADVICE, reason=type(error).__name__)
            else:
                sound.end(SoundState.WHOLE)
                return
            if sound.state is not SoundState.COMING:
                return  # abandoned, and the service answered its end with a failure
            if sound.is_playing:
                sound.end(SoundState.CUT, failure=failure)
                return
            sound.begin_anew()
        sound.end(SoundState.LEFT_OUT, failure=failure)

    async def _attempt(self, sound: SegmentSound) -> None:
        segment = sound.segment
        longest_s = expected_s(segment.text) * _LONGEST_FACTOR + _LONGEST_EXTRA_S
        made = self._patience.sounds(self._service.speak(segment.text, language=segment.language))
        async with aclosing(made) as chunks:
            async for chunk in chunks:
                await sound.put(chunk)
                if sound.duration_s > longest_s:
                    raise SpeechFailed(SILENT_ADVICE, reason="endless sound")
        if not sound.duration_s:
            raise SpeechFailed(SILENT_ADVICE, reason="no sound")

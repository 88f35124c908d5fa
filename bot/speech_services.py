"""What hears and speaks in this run, as ports; what is missing, in one sentence each (VOX-21 to VOX-25).

`bot.wiring.speech` makes them from the settings.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from voice import (
    SpeechToText,
    TextToSpeech,
    TurnModel,
    VoiceActivity,
    Voices,
    WakeWord,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechServices:
    """None stands for what is switched off or not here; `missing` says why, and what to do.

    Without `speech_to_text` the bot can speak and not hear, without `text_to_speech` it hears and answers in
    the chat. Without `voice_activity` or `turn_model` the ends of transmissions must serve alone.
    """

    speech_to_text: SpeechToText | None
    text_to_speech: TextToSpeech | None
    voice_activity: VoiceActivity | None
    turn_model: TurnModel | None
    language: str | None
    """The language that the settings pin, ISO 639-1."""
    hears_by: str
    """Who hears, for `/status` and the doctor; empty when nobody does."""
    speaks_by: str
    missing: tuple[str, ...]
    warm_up: Callable[[], Awaitable[None]]
    """Loads what runs on this machine, so that the first words need not wait for it. Never raises."""
    voices: Voices | None = None
    """The other voices of who speaks; None where there is one alone."""
    wake_word: WakeWord | None = None
    """Who hears the wake word; None: what is recognised tells whether the bot is called."""

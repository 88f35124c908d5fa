"""Speech to text as a port (VOX-21, VOX-30): continuous PCM in, the text as it grows out.

Sound is int16 little-endian, 16 kHz, mono. An adapter whose service takes whole files collects and converts
by itself; one that streams passes on. Nothing here knows who speaks: the caller does.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Word:
    """One word; times in seconds from the first sample of the transcription."""

    text: str
    start_s: float
    end_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Transcript:
    """All text of the transcription so far, replacing what was told before; empty when there are no words.

    `final`: no other follows. `words` only where the service gives times. `suspect` names why the text was
    probably never said (VOX-19), for a service that can tell; the text is then empty.
    """

    text: str
    final: bool
    language: str | None = None
    words: tuple[Word, ...] = ()
    suspect: str | None = None


class SpeechFailed(Exception):
    """A speech service failed (VOX-25). `reason` is for the log; `advice` is one sentence for the room."""

    def __init__(self, advice: str, *, reason: str) -> None:
        super().__init__(reason)
        self.advice = advice
        self.reason = reason


class Transcription(Protocol):
    """One utterance on its way to text; ends with `finish` or `aclose`."""

    def write(self, pcm: bytes) -> None:
        """More sound, of any length. Never waits; a bound that is passed ends the transcription."""
        ...

    def transcripts(self) -> AsyncIterator[Transcript]:
        """Every change of the text, and the text of each pause, up to the final one.

        For one consumer. Raises `SpeechFailed`.
        """
        ...

    def tail(self) -> None:
        """A pause began: transcribe what is there now, as speculation; more may be written after it.

        Its text is told even where it is the text that was told before: the end of the turn waits for it.
        """
        ...

    def finish(self) -> None:
        """No more sound comes: the final transcript follows."""
        ...

    async def aclose(self) -> None:
        """Gives up at once; safe at any time and more than once."""
        ...


class SpeechToText(Protocol):
    """A speech-to-text service."""

    def begin(self, *, language: str | None) -> Transcription:
        """A new transcription; `language` (ISO 639-1) pins it, None lets the service detect."""
        ...

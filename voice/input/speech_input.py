"""One speech input from its admission to its end (VOX-10, VOX-31, VOX-32).

`SpeechInputAttempt` exists before sound is admitted, `SpeechInput` after. An input is captured, then sealed
or cancelled, whichever comes first; a sealed one is finalized, then submitted or dropped:

    CAPTURING -> SEALED -> FINALIZED -> SUBMITTED | DROPPED
    CAPTURING -> CANCELLED           SEALED -> DROPPED

Frames belong to it while it captures, and to nobody else. Its speaker is fixed by the sound. What its
transcription tells after it was finalized is counted and left.
"""

import asyncio
from collections import deque
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType

from core.sentences import sentence
from voice.audio.frames import HEARD_RATE_HZ
from voice.input import transcript_document
from voice.input.speech_to_text import SpeechFailed, Transcript, Transcription
from voice.input.transcript_document import SpeakerEvidence, TranscriptDocument

RECENT_S = 8.0
"""Sound that is kept for the turn model."""
BROKEN_ADVICE = sentence("I could not make out what you said. Please say it again.")
_RECENT_BYTES = int(RECENT_S * HEARD_RATE_HZ) * 2
EDGE_S = 3.0
"""At each end of an utterance the bot may be called."""
_EDGE_BYTES = int(EDGE_S * HEARD_RATE_HZ) * 2


class InputPhase(Enum):
    """See the module."""

    CAPTURING = "capturing"
    SEALED = "sealed"
    FINALIZED = "finalized"
    """Its text is final, but for a person's correction; it may wait for a free floor."""
    SUBMITTED = "submitted"
    DROPPED = "dropped"
    CANCELLED = "cancelled"


class InputOver(Exception):
    """The input has ended: it takes no correction, no patch, no attachment."""


class SpeechInput:
    """What one person says in one turn. `ask_end` and `ask_cancel` are its owner's."""

    def __init__(
        self,
        *,
        input_id: str,
        session_id: str,
        speaker: SpeakerEvidence,
        began_at: float,
        transcription: Transcription,
        ask_end: Callable[["SpeechInput"], None],
        ask_cancel: Callable[["SpeechInput", str], None],
        corrected: Callable[["SpeechInput"], None],
    ) -> None:
        self.input_id = input_id
        self.session_id = session_id
        self.speaker = speaker
        self.began_at = began_at
        """The first voiced frame, in monotonic seconds."""
        self.voiced_at = began_at
        self.sealed_at: float | None = None
        self.speech_ms = 0
        self.frames = 0
        self.phase = InputPhase.CAPTURING
        self.document = TranscriptDocument(speaker=speaker)
        self.suspect: str | None = None
        """Why the provider believes that the text was never said (VOX-19)."""
        self.failure: SpeechFailed | None = None
        self.failure_is_told = False
        self.language: str | None = None
        """What the speaker is believed to have spoken, once it is finalized."""
        self.called = False
        """The wake word was heard in it (VOX-23)."""
        self.late_transcripts = 0
        self.transcribed = asyncio.Event()
        """No other transcript comes: the final one, a failure, or the end."""
        self._transcription = transcription
        self._attachments: dict[str, object] = {}
        self._recent: deque[bytes] = deque()
        self._recent_bytes = 0
        self._opening = bytearray()
        self._over = asyncio.Event()
        self._ask_end, self._ask_cancel, self._corrected = ask_end, ask_cancel, corrected

    # for whoever holds it

    @property
    def is_open(self) -> bool:
        """Whether frames still belong to it."""
        return self.phase is InputPhase.CAPTURING

    @property
    def attachments(self) -> Mapping[str, object]:
        """What plugins added for the submission."""
        return MappingProxyType(self._attachments)

    async def end(self) -> InputPhase:
        """Completes the capture; returns when the input was submitted, dropped, or cancelled before."""
        self._ask_end(self)
        await self._over.wait()
        return self.phase

    def cancel(self, reason: str) -> None:
        """Nothing of it is published from here on; no effect once it was sealed."""
        self._ask_cancel(self, reason)

    def correct_input(self, text: str) -> None:
        """A person's own correction, until it is submitted.

        Raises:
            InputOver: too late.
        """
        if self.phase not in {InputPhase.CAPTURING, InputPhase.SEALED, InputPhase.FINALIZED}:
            raise InputOver(self.phase.value)
        self.document = transcript_document.corrected_by_person(self.document, text)
        self._corrected(self)

    # for its owner

    def write(self, pcm: bytes) -> None:
        """One more frame of its speaker."""
        self.frames += 1
        if len(self._opening) < _EDGE_BYTES:
            self._opening += pcm
        self._recent.append(pcm)
        self._recent_bytes += len(pcm)
        while self._recent_bytes > _RECENT_BYTES:
            self._recent_bytes -= len(self._recent.popleft())
        self._tell_transcription(lambda transcription: transcription.write(pcm))

    def tail(self) -> None:
        """A pause began."""
        self._tell_transcription(lambda transcription: transcription.tail())

    def recent_pcm(self, *, silence_ms: int = 0) -> bytes:
        """The last seconds, with silence behind them that no packet carried."""
        return b"".join(self._recent) + bytes(HEARD_RATE_HZ * silence_ms // 1000 * 2)

    def taken_edges(self) -> tuple[bytes, ...]:
        """Its first and its last seconds, one piece where they are the same; the sound is forgotten then."""
        recent, opening = b"".join(self._recent), bytes(self._opening)
        self._forget_sound()
        return (recent,) if len(recent) <= _EDGE_BYTES else (opening, recent[-_EDGE_BYTES:])

    def seal(self, at: float) -> bool:
        """Ends the capture; False when it ended before."""
        if self.phase is not InputPhase.CAPTURING:
            return False
        self.phase, self.sealed_at = InputPhase.SEALED, at
        self._tell_transcription(lambda transcription: transcription.finish())
        return True

    def give_up(self) -> bool:
        """Ends it without trace; False when it ended before."""
        if self.phase is not InputPhase.CAPTURING:
            return False
        self._end(InputPhase.CANCELLED)
        return True

    def finalize(self) -> bool:
        """Its text is final; False when it was not sealed, or was finalized before."""
        if self.phase is not InputPhase.SEALED:
            return False
        self.phase = InputPhase.FINALIZED
        self.transcribed.set()
        return True

    def drop(self) -> bool:
        """A sealed or finalized input is not submitted; False when it ended before."""
        if self.phase not in {InputPhase.SEALED, InputPhase.FINALIZED}:
            return False
        self._end(InputPhase.DROPPED)
        return True

    def submit(self) -> bool:
        """A finalized input goes to the session, once."""
        if self.phase is not InputPhase.FINALIZED:
            return False
        self._end(InputPhase.SUBMITTED)
        return True

    def hear(self, transcript: Transcript) -> bool:
        """Takes the transcription's newest word; True where the text changed."""
        if self.phase not in {InputPhase.CAPTURING, InputPhase.SEALED}:
            self.late_transcripts += 1
            return False
        before = self.document.revision
        self.suspect = transcript.suspect
        self.document = transcript_document.heard(self.document, transcript)
        if transcript.final:
            self.transcribed.set()
        return self.document.revision != before

    def fail(self, failure: SpeechFailed) -> None:
        """The transcription broke off; what there is of it counts."""
        self.failure = failure
        self.transcribed.set()

    def attach(self, key: str, value: object) -> None:
        """For the submission; a later value takes the place of an earlier one."""
        self._attachments[key] = value

    async def aclose(self) -> None:
        """Frees the transcription."""
        await self._transcription.aclose()

    @property
    def transcription(self) -> Transcription:
        """Its way to text; read by its owner's task alone."""
        return self._transcription

    def _tell_transcription(self, tell: Callable[[Transcription], None]) -> None:
        if self.failure is not None:
            return
        try:
            tell(self._transcription)
        except SpeechFailed as failure:
            self.fail(failure)
        except Exception as error:  # noqa: BLE001 - a service's defect costs its input, not the room's hearing
            self.fail(SpeechFailed(BROKEN_ADVICE, reason=type(error).__name__))

    def _forget_sound(self) -> None:
        self._recent.clear()
        self._recent_bytes = 0
        self._opening.clear()

    def _end(self, phase: InputPhase) -> None:
        self.phase = phase
        self._forget_sound()
        self._over.set()
        self.transcribed.set()


class AttemptPhase(Enum):
    """Waiting for the bot to fall silent, then for sound; then admitted or cancelled."""

    FADING = "fading"
    WAITING = "waiting"
    ADMITTED = "admitted"
    CANCELLED = "cancelled"


class SpeechInputAttempt:
    """An input that was begun by hand and has no sound yet (VOX-31); its speaker is known already."""

    def __init__(self, *, user_id: int, session_id: str, fading: bool, at: float) -> None:
        self.user_id = user_id
        self.session_id = session_id
        self.at = at
        self.phase = AttemptPhase.FADING if fading else AttemptPhase.WAITING
        self.reason: str | None = None
        self._input: SpeechInput | None = None
        self._decided = asyncio.Event()

    async def admitted(self) -> SpeechInput | None:
        """Waits for the first sound; None when it was cancelled before."""
        await self._decided.wait()
        return self._input

    def cancel(self, reason: str) -> None:
        """Nothing is published from it; cancels the input too while that captures."""
        if self._input is not None:
            self._input.cancel(reason)
        elif self.phase is not AttemptPhase.CANCELLED:
            self.phase, self.reason = AttemptPhase.CANCELLED, reason
            self._decided.set()

    async def end(self) -> InputPhase:
        """The release: ends the input; an attempt without sound is cancelled."""
        if self._input is None:
            self.cancel("ended before any sound")
            return InputPhase.CANCELLED
        return await self._input.end()

    def faded(self) -> None:
        """The bot is silent."""
        if self.phase is AttemptPhase.FADING:
            self.phase = AttemptPhase.WAITING

    def admit(self, speech_input: SpeechInput) -> None:
        """The first sound came."""
        self.phase, self._input = AttemptPhase.ADMITTED, speech_input
        self._decided.set()

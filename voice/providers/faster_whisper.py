"""Speech to text on this machine by faster-whisper (VOX-21), the model shared by all channels and speakers.

While a person speaks the text is guessed anew, at most every 0.8 s (less often on a slow machine) and only
when nobody else needs the model; at a pause it is worked out with care, and that is the final text when
nothing but quiet follows. A long speech is settled piece by piece at its quietest places, so that what is
left at its end stays short.

Limits: one utterance is decoded in 0.2 to 0.6 s on one core; 120 s of sound may wait undecoded; 64 requests
may wait for the model. Fails with `SpeechFailed` when the model cannot be loaded, breaks, or gives no answer
in time; a transcription that failed is over, the next one tries anew. A call of the model that hangs is left
behind after 20 s, and another model takes its place, twice at most.
"""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, replace

import numpy as np

from core.sentences import sentence
from voice.input.speech_to_text import SpeechFailed, Transcript, Transcription, Word
from voice.providers.collected_sound import BYTES_A_SECOND, PAUSE, RATE_HZ, adds_nothing
from voice.providers.packaged_files import ModelMissing
from voice.providers.whisper_decoder import LONGEST_S, Decode, Request
from voice.providers.whisper_engine import EngineOverrun, WhisperEngine, whisper_engine
from voice.providers.whisper_rules import Decoded, suspicion

_PAUSE_HOPS = 10
_REST = 2.0
"""A guess that took long is followed by a pause so much longer: the model must be free for ends of turns."""
_LONGEST_PIECE_S = 20.0
_NO_MODEL = sentence(
    "I cannot hear what you say, since my speech model is missing: please write, and tell my owner."
)
_NOT_UNDERSTOOD = sentence("I could not make out what was said: please say it again, or write it.")
_TOO_MUCH = sentence("I cannot follow so many voices at once: please say it again, or write it.")


@dataclass(frozen=True, slots=True, kw_only=True)
class WhisperPacing:
    """All in seconds."""

    partial_every_s: float = 0.8
    least_new_s: float = 0.4
    """So much new sound is worth a new guess."""
    settles_at_s: float = 14.0
    """So much undecoded sound is cut at its quietest place, and the first part settled."""
    answer_within_s: float = 30.0
    decodes_within_s: float = 20.0
    """A request that takes longer has hung."""
    most_waiting_s: float = 120.0


@asynccontextmanager
async def faster_whisper(
    load: Callable[[], Decode], pacing: WhisperPacing | None = None
) -> AsyncGenerator["FasterWhisper"]:
    """The service until the block ends. `load` is called on its thread with the first need."""
    pacing = pacing or WhisperPacing()
    async with whisper_engine(load, decodes_within_s=pacing.decodes_within_s) as engine:
        yield FasterWhisper(engine, pacing)


class FasterWhisper:
    """See the module. A `SpeechToText`."""

    def __init__(self, engine: WhisperEngine, pacing: WhisperPacing) -> None:
        self._engine = engine
        self._pacing = pacing

    async def prepare(self) -> None:
        """Loads the model now, so that the first words need not wait for it.

        Raises:
            ModelMissing: it is not here, or cannot be loaded.
        """
        await self._engine.prepare()

    def begin(self, *, language: str | None) -> Transcription:
        """A new transcription."""
        return _Utterance(self._engine, self._pacing, language)


class _GivenUp(Exception):
    """`aclose` was called while the engine worked."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Known:
    """What the first `size` bytes of the unsettled sound became."""

    size: int
    decoded: Decoded


class _Utterance:
    """One transcription: everything happens in its consumer's task, so one step follows the other."""

    def __init__(self, engine: WhisperEngine, pacing: WhisperPacing, language: str | None) -> None:
        self._engine = engine
        self._pacing = pacing
        self._language = language
        self._unsettled = bytearray()
        self._settled: list[Decoded] = []
        self._settled_s = 0.0
        self._known: _Known | None = None
        self._paused_at: int | None = None
        self._guessed_size = 0
        self._is_due = False
        """Whether the next text is told in any case: it is that of a pause, or the final one."""
        self._is_finished = False
        self._is_closed = False
        self._overflowed = False
        self._guess_after = asyncio.get_running_loop().time() + pacing.partial_every_s
        self._changed = asyncio.Event()
        self._running: asyncio.Future[Decoded | None] | None = None

    def write(self, pcm: bytes) -> None:
        if self._is_finished or self._is_closed:
            return
        if len(self._unsettled) + len(pcm) > self._pacing.most_waiting_s * BYTES_A_SECOND:
            self._overflowed = True
            self._changed.set()
            return
        self._unsettled += pcm

    def tail(self) -> None:
        self._paused_at = len(self._unsettled)
        self._changed.set()

    def finish(self) -> None:
        self._is_finished = True
        self._changed.set()

    async def aclose(self) -> None:
        self._is_closed = True
        self._changed.set()
        if self._running is not None and not self._running.done():
            self._running.set_exception(_GivenUp())

    async def transcripts(self) -> AsyncGenerator[Transcript]:
        """See the port."""
        told = ""
        try:
            while not self._is_closed:
                if self._overflowed:
                    raise SpeechFailed(_TOO_MUCH, reason="too much sound waits to be decoded")
                transcript = await self._next()
                if transcript is not None and (self._is_due or transcript.text != told):
                    told = transcript.text
                    yield transcript
                if transcript is not None and transcript.final:
                    return
        except _GivenUp:
            return
        finally:
            self._is_closed = True
            self._unsettled.clear()

    async def _next(self) -> Transcript | None:
        """One step: settles a piece, works out the end or a pause, guesses, or waits."""
        self._changed.clear()
        self._is_due = False
        size = len(self._unsettled)
        paused_at = None if self._is_finished else self._paused_at
        if self._is_finished and self._knows(size):
            self._is_due = True
            return self._transcript(self._known, final=True)
        if paused_at is not None and self._knows(paused_at):
            self._is_due, self._paused_at = True, None
            return self._transcript(self._known, final=False)
        if self._must_settle(size):
            cut = _quiet_place(bytes(self._unsettled))
            if cut is not None:
                return await self._settle(cut)
        if self._is_finished or paused_at is not None:
            wanted = size if paused_at is None else paused_at
            self._known = _Known(size=wanted, decoded=await self._decoded(wanted, thorough=True))
            return None
        if self._may_guess(size):
            self._guessed_size = size
            loop = asyncio.get_running_loop()
            began = loop.time()
            guess = _Known(size=size, decoded=await self._decoded(size, thorough=False))
            took_s = loop.time() - began
            self._guess_after = loop.time() + max(self._pacing.partial_every_s, _REST * took_s)
            return None if suspicion(guess.decoded) else self._transcript(guess, final=False)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._pacing.partial_every_s / 4):
                await self._changed.wait()
        return None

    def _must_settle(self, size: int) -> bool:
        """Whether there is so much sound that the first part is worked out by itself, now."""
        is_needed = self._is_finished or self._paused_at is not None or self._engine.is_idle
        return size > self._pacing.settles_at_s * BYTES_A_SECOND and is_needed

    def _may_guess(self, size: int) -> bool:
        is_new = size - self._guessed_size >= self._pacing.least_new_s * BYTES_A_SECOND
        return is_new and asyncio.get_running_loop().time() >= self._guess_after and self._engine.is_idle

    def _knows(self, size: int) -> bool:
        """Whether the text of the first `size` bytes is known."""
        return self._known is not None and adds_nothing(self._unsettled, self._known.size, size)

    async def _settle(self, cut: int) -> Transcript:
        decoded = await self._decoded(cut, thorough=True)
        self._settled.append(_moved(decoded, self._settled_s))
        self._settled_s += cut / BYTES_A_SECOND
        del self._unsettled[:cut]
        self._known, self._guessed_size = None, 0
        if self._paused_at is not None:
            self._paused_at = max(0, self._paused_at - cut)
        return self._transcript(None, final=False)

    async def _decoded(self, size: int, *, thorough: bool) -> Decoded:
        """The text of the first `size` bytes of the unsettled sound; the end goes before a guess."""
        request = Request(pcm=bytes(self._unsettled[:size]), language=self._language, thorough=thorough)
        now = asyncio.get_running_loop().time()
        try:
            async with asyncio.timeout(self._pacing.answer_within_s):
                self._running = self._engine.decoded(
                    request, deadline=now if self._is_finished else now + 0.3
                )
                decoded = await self._running
        except EngineOverrun as error:
            raise SpeechFailed(_TOO_MUCH, reason=str(error)) from error
        except TimeoutError as error:
            raise SpeechFailed(_NOT_UNDERSTOOD, reason="speech to text gave no answer in time") from error
        except ModelMissing as error:
            raise SpeechFailed(_NO_MODEL, reason=str(error)) from error
        except _GivenUp:
            raise
        except Exception as error:
            reason = f"speech to text broke ({type(error).__name__})"
            raise SpeechFailed(_NOT_UNDERSTOOD, reason=reason) from error
        finally:
            self._running = None
        assert decoded is not None  # noqa: S101 - only a request to load has no outcome
        return decoded

    def _transcript(self, known: _Known | None, *, final: bool) -> Transcript:
        pieces = [*self._settled, *([_moved(known.decoded, self._settled_s)] if known else [])]
        doubts = [suspicion(piece) for piece in pieces]
        said = [piece for piece, doubt in zip(pieces, doubts, strict=True) if doubt is None]
        text = " ".join(piece.text for piece in said if piece.text)
        return Transcript(
            text=text,
            final=final,
            language=next((piece.language for piece in reversed(said) if piece.text), None),
            words=tuple(word for piece in said for word in piece.words) if final else (),
            suspect=None if text else next((doubt for doubt in doubts if doubt), None),
        )


def _moved(decoded: Decoded, by_s: float) -> Decoded:
    """The same with word times from the beginning of the transcription."""
    words = tuple(
        Word(text=word.text, start_s=word.start_s + by_s, end_s=word.end_s + by_s) for word in decoded.words
    )
    return replace(decoded, words=words)


def _quiet_place(pcm: bytes) -> int | None:
    """Where a long speech is cut: the middle of its quietest 200 ms, in bytes.

    None where it has no pause and may still be decoded in one.
    """
    hop = RATE_HZ // 50
    samples = np.frombuffer(pcm[: int(_LONGEST_PIECE_S * BYTES_A_SECOND)], "<i2").astype(np.float32)
    energy = np.square(samples[: len(samples) // hop * hop].reshape(-1, hop)).mean(axis=1)
    spans = np.convolve(energy, np.full(_PAUSE_HOPS, 1 / _PAUSE_HOPS), mode="valid")
    first, last = len(spans) // 3, len(spans) - 50
    quietest = first + int(np.argmin(spans[first:last]))
    is_pause = spans[quietest] < PAUSE * PAUSE * energy.mean()
    must_be_cut = len(pcm) > LONGEST_S * BYTES_A_SECOND
    return (quietest + _PAUSE_HOPS // 2) * hop * 2 if is_pause or must_be_cut else None

"""A streamed answer as what a voice does, piece by piece: words, and the markers between them (SPEECH-9).

A marker or a flush keeps its place relative to the text: what stands before it is said before it. Where it
stands inside a formula, code or a link it takes effect after that, so that a formula is still read as one.
The words are the same however the answer was cut into chunks. Notices ("There is code on the screen.") are
said only where the whole answer has nothing else to say.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from core.markers.parser import Marker
from voice.speech_text.preprocessors import SpeechPreprocessor, default_speech_preprocessors
from voice.speech_text.segmenter import MarkdownSegmenter
from voice.speech_text.speech import NOWHERE, Surroundings, to_speech_text

_REMEMBERED: Final = 400
"""Characters of the answer so far that tell the language of what has no words of its own."""
_SILENT_KEPT: Final = 4_000
"""Characters without sound that are kept for a notice at the end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spoken:
    """Words to say, and the Markdown that they were written as."""

    text: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """A marker that takes effect after the words before it."""

    marker: Marker


@dataclass(frozen=True, slots=True, kw_only=True)
class Flushed:
    """Everything before this is complete: a synthesiser that waits for more text need not wait."""


SpeechPiece = Spoken | Placed | Flushed


class SpeechTextStream:
    """One answer: `feed`, `place` and `flush` in order, then `end` once."""

    def __init__(
        self,
        *,
        language: str,
        preprocessors: Iterable[SpeechPreprocessor] | None = None,
        surroundings: Surroundings = NOWHERE,
    ) -> None:
        self._language = language
        self._preprocessors = tuple(
            default_speech_preprocessors() if preprocessors is None else preprocessors
        )
        self._surroundings = surroundings
        self._segmenter = MarkdownSegmenter()
        self._waiting: list[Placed | Flushed] = []
        self._before = ""
        self._silent = ""
        self._has_spoken = False

    def feed(self, chunk: str) -> tuple[SpeechPiece, ...]:
        """The pieces that `chunk` completes."""
        pieces: list[SpeechPiece] = []
        start = 0
        while self._waiting and start < len(chunk):
            pieces += self._spoken(self._segmenter.feed(chunk[start]))
            start += 1
            pieces += self._settled()
        pieces += self._spoken(self._segmenter.feed(chunk[start:]))
        return tuple(pieces)

    def place(self, marker: Marker) -> tuple[SpeechPiece, ...]:
        """What a marker at this place completes, the marker last unless it has to wait."""
        self._waiting.append(Placed(marker=marker))
        return tuple(self._settled())

    def flush(self) -> tuple[SpeechPiece, ...]:
        """What a flush at this place completes."""
        self._waiting.append(Flushed())
        return tuple(self._settled())

    def end(self) -> tuple[SpeechPiece, ...]:
        """The last pieces; where nothing was said, the notice of what is on the screen."""
        pieces: list[SpeechPiece] = [*self._spoken(self._segmenter.end()), *self._waiting]
        self._waiting.clear()
        if not self._has_spoken and self._silent:
            notice = to_speech_text(
                self._silent,
                language=self._language,
                preprocessors=self._preprocessors,
                surroundings=self._surroundings,
            )
            if notice:
                pieces.append(Spoken(text=notice, source=self._silent))
        return tuple(pieces)

    def _settled(self) -> list[SpeechPiece]:
        """The waiting markers after what stands before them, unless something is open that is read as one."""
        if not self._waiting or self._segmenter.is_inside_formula_code_or_link:
            return []
        pieces: list[SpeechPiece] = [*self._spoken(self._segmenter.flush()), *self._waiting]
        self._waiting.clear()
        return pieces

    def _spoken(self, segments: tuple[str, ...]) -> list[SpeechPiece]:
        pieces: list[SpeechPiece] = []
        for segment in segments:
            text = to_speech_text(
                segment,
                language=self._language,
                preprocessors=self._preprocessors,
                surroundings=self._surroundings,
                before=self._before,
                whole=False,
            )
            self._before = (self._before + segment)[-_REMEMBERED:]
            if text:
                self._has_spoken = True
                pieces.append(Spoken(text=text, source=segment))
            elif not self._has_spoken and len(self._silent) + len(segment) <= _SILENT_KEPT:
                self._silent += segment
        return pieces

"""One reserved stretch of speech of a response: text in as it is written, sounds out in their order (VOX-10).

The place is reserved when the stream is opened. Text becomes speech text, segments, and sound ahead of its
time: the segment that plays and a few more. A stream that nothing was played of can be cancelled without a
trace (VOX-20, SPEECH-9).
"""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Final

from core.markers.parser import Delay
from voice.audio.playback_queue import Playback
from voice.output.heard_text_rules import PlayedSegment, asks_now, heard_text
from voice.output.output_events import Purpose
from voice.output.output_settings import OutputSettings
from voice.output.say_and_show_rules import SayAndShow
from voice.output.segment_sound import Segment, SegmentSound
from voice.output.speech_length_rules import in_parts
from voice.speech_text import Placed, SpeechPiece, SpeechTextStream, Spoken
from voice.speech_text.languages import language_of_words

_READ_AT_ONCE: Final = 200
"""Characters; what is only shown need not be read."""


class StreamPhase(Enum):
    """Where a stream stands."""

    WRITING = "writing"
    ENDED = "ended"
    """All text is there."""
    CLOSED = "closed"
    """Cancelled, interrupted or given up: nothing more of it is said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Silence:
    """A pause between segments."""

    seconds: float


class SpeechStream:
    """`write`, `pause` and `flush` in order, then `end`; or `cancel`.

    `synthesise` starts the work on a sound; `first_sound` is told once, when the first sound is there.
    """

    def __init__(
        self,
        *,
        purpose: Purpose,
        language: str,
        reader: SpeechTextStream,
        say_and_show: SayAndShow,
        settings: OutputSettings,
        synthesise: Callable[[SegmentSound], asyncio.Task[None]],
        first_sound: "Callable[[SpeechStream], None]",
    ) -> None:
        self.purpose = purpose
        self.phase = StreamPhase.WRITING
        self.playback: Playback | None = None
        self.has_sound = False
        self._language = language
        self._reader = reader
        self._say_and_show = say_and_show
        self._settings = settings
        self._synthesise = synthesise
        self._first_sound = first_sound
        self._items: list[SegmentSound | Silence] = []
        self._position = 0
        self._works: dict[int, asyncio.Task[None]] = {}
        self._played: list[SegmentSound | Silence] = []
        self._changed = asyncio.Event()

    # the producer

    def write(self, markdown: str) -> bool:
        """The next piece of text, of any length. False: the stream is over, nothing more of it is said."""
        for start in range(0, len(markdown), _READ_AT_ONCE):
            if self.phase is not StreamPhase.WRITING or self._say_and_show.is_cut:
                break
            chunk = markdown[start : start + _READ_AT_ONCE]
            self._say_and_show.wrote(chunk)
            self._take(self._reader.feed(chunk))
        return self.phase is StreamPhase.WRITING

    def pause(self, seconds: float) -> None:
        """A pause at this place."""
        if self.phase is StreamPhase.WRITING:
            self._take(self._reader.place(Delay(seconds=seconds)))

    def flush(self) -> None:
        """What was written so far is complete: it need not wait for more."""
        if self.phase is StreamPhase.WRITING:
            self._take(self._reader.flush())

    def end(self) -> None:
        """No more text comes."""
        if self.phase is StreamPhase.WRITING:
            if not self._say_and_show.is_cut:
                self._take(self._reader.end())
                self._append(self._say_and_show.end())
            self.phase = StreamPhase.ENDED
            self._look_again()

    def cancel(self) -> bool:
        """Releases the place without a trace; False when it is heard already, and then it is said whole."""
        if self.playback is not None and not self.playback.stopped:
            self.end()
            return False
        self.close()
        return True

    # the response

    @property
    def heard(self) -> str:
        """The Markdown of what was played so far."""
        if self.playback is None:
            return ""
        return heard_text([_as_played(item) for item in self._played], played_s=self.playback.played_s)

    @property
    def asks(self) -> bool:
        """Whether its last words are being heard, and ask something."""
        if (
            self.playback is None
            or self.phase is not StreamPhase.ENDED
            or self._position < len(self._items) - 1
        ):
            return False
        return asks_now([_as_played(item) for item in self._played], played_s=self.playback.played_s)

    def close(self) -> None:
        """Nothing more of it is made or played; what was played stays known."""
        if self.phase is StreamPhase.CLOSED:
            return
        self.phase = StreamPhase.CLOSED
        for work in self._works.values():
            work.cancel()
        for item in self._items:
            if isinstance(item, SegmentSound):
                item.abandon()
        self._look_again()

    async def items(self) -> AsyncGenerator[SegmentSound | Silence]:
        """What is to be played, in order, as it is written, until the stream ends or closes."""
        while self.phase is not StreamPhase.CLOSED:
            if self._position < len(self._items):
                self._work_ahead()
                yield self._items[self._position]
                self._position += 1
            elif self.phase is StreamPhase.ENDED:
                return
            else:
                self._changed.clear()
                await self._changed.wait()

    def plays(self, item: SegmentSound | Silence) -> None:
        """The sound of `item` follows in the playback."""
        self._played.append(item)

    # inside

    def _take(self, pieces: Iterable[SpeechPiece]) -> None:
        for piece in pieces:
            self._append(self._say_and_show.take(piece))
        self._look_again()

    def _append(self, pieces: Iterable[SpeechPiece]) -> None:
        for piece in pieces:
            match piece:
                case Spoken():
                    first = None if self._items else self._settings.longest_first_segment
                    parts = in_parts(piece, longest=self._settings.longest_segment, first=first)
                    self._items += map(self._sound_of, parts)
                case Placed(marker=Delay(seconds=seconds)) if seconds > 0:
                    self._items.append(Silence(seconds=seconds))
                case _:
                    pass  # a tone has no port yet, a flush has done its work in the reader

    def _sound_of(self, spoken: Spoken) -> SegmentSound:
        language = language_of_words(spoken.text, voice=self._language) or self._language
        return SegmentSound(
            Segment(text=spoken.text, source=spoken.source, language=language),
            most_waiting_s=self._settings.most_waiting_s,
            first_sound=self._sound_came,
        )

    def _sound_came(self) -> None:
        if not self.has_sound:
            self.has_sound = True
            self._first_sound(self)

    def _work_ahead(self) -> None:
        """Starts the segment that is due and the next few."""
        ahead = 0
        for place in range(self._position, len(self._items)):
            item = self._items[place]
            if isinstance(item, Silence):
                continue
            if ahead > self._settings.segments_ahead:
                return
            ahead += 1
            if place not in self._works:
                self._works[place] = self._synthesise(item)

    def _look_again(self) -> None:
        if self.phase is not StreamPhase.CLOSED:
            self._work_ahead()
        self._changed.set()


def _as_played(item: SegmentSound | Silence) -> PlayedSegment:
    if isinstance(item, Silence):
        return PlayedSegment(text="", source="", duration_s=item.seconds)
    return item.played

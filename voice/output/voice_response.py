"""One response of the bot as people hear it: streams in the order of their reservation (VOX-10, VOX-20).

Producers reserve streams and write at any pace; one player at a time takes the streams in order. An
interruption ends everything of this response and of no other: what is generated for it (by `on_interrupt`),
synthesis, queued sound, and playback from the next slot of 20 ms on (VOX-32). Ducking keeps the place for a
resume (VOX-17).
"""

import asyncio
from collections.abc import Callable
from enum import Enum

from core.clock import Clock
from voice.audio.playback_queue import PlaybackStopped
from voice.input.speech_to_text import SpeechFailed
from voice.output.output_events import (
    Cause,
    FirstSoundReady,
    Heard,
    OutputEvent,
    Purpose,
    ResponseEnded,
    ResponseInterrupted,
    SegmentLeftOut,
    SpeechBegan,
    SpeechDucked,
    SpeechGaveUp,
    SpeechResumed,
)
from voice.output.output_settings import OutputSettings
from voice.output.say_and_show_rules import SayAndShow, SayLimits
from voice.output.segment_sound import SegmentSound
from voice.output.speech_stream import SpeechStream
from voice.output.stream_player import Mouth, StreamPlayer
from voice.output.synthesis import Synthesis
from voice.speech_text import SpeechTextStream
from voice.speech_text.speech import NOWHERE, Surroundings


class ResponsePhase(Enum):
    """Where a response stands."""

    OPEN = "open"
    FINISHED = "finished"
    """All is said."""
    INTERRUPTED = "interrupted"


class VoiceResponse:
    """`open_speech` and write; then `finish`, or `interrupt` at any time. Made by `VoiceOutput`."""

    def __init__(
        self,
        *,
        turn_id: str,
        language: str,
        say_limits: SayLimits | None,
        surroundings: Surroundings = NOWHERE,
        mouth: Mouth,
        synthesis: Synthesis,
        settings: OutputSettings,
        clock: Clock,
        tasks: asyncio.TaskGroup,
        tell: Callable[[OutputEvent], None],
        on_interrupt: Callable[[Cause], None],
    ) -> None:
        self.turn_id = turn_id
        self.phase = ResponsePhase.OPEN
        self._language = language
        self._say_limits = say_limits
        self._surroundings = surroundings
        self._settings = settings
        self._clock = clock
        self._tasks = tasks
        self._tell = tell
        self._on_interrupt = on_interrupt
        self._synthesis = synthesis
        self._player = StreamPlayer(mouth=mouth, tasks=tasks, began=self._began, left_out=self._left_out)
        self._streams: list[SpeechStream] = []
        self._is_complete = False  # no stream follows
        self._cause: Cause | None = None
        self._gave_up = False
        self._failure: SpeechFailed | None = None
        self._changed = asyncio.Event()
        self._over = asyncio.Event()

    # the producer

    def open_speech(self, purpose: Purpose) -> SpeechStream:
        """Reserves the next place; what is written to it is heard after all earlier streams."""
        limits = self._say_limits if purpose is Purpose.ANSWER else None
        stream = SpeechStream(
            purpose=purpose,
            language=self._language,
            reader=SpeechTextStream(language=self._language, surroundings=self._surroundings),
            say_and_show=SayAndShow(limits, language=self._language),
            settings=self._settings,
            synthesise=self._synthesise,
            first_sound=self._first_sound,
        )
        if self.phase is not ResponsePhase.OPEN or self._gave_up or self._is_complete:
            stream.close()
        self._streams.append(stream)
        self._changed.set()
        return stream

    def complete(self) -> None:
        """Ends what is still open; no stream follows."""
        for stream in self._streams:
            stream.end()
        self._is_complete = True
        self._changed.set()

    async def over(self) -> Heard:
        """Waits until all of a complete response is played, or until it was interrupted."""
        await self._over.wait()
        return self.heard

    async def finish(self) -> Heard:
        """`complete`, then `over`."""
        self.complete()
        return await self.over()

    # the floor

    @property
    def is_over(self) -> bool:
        """Nothing more of it is heard."""
        return self.phase is not ResponsePhase.OPEN

    @property
    def is_audible(self) -> bool:
        """Its sound has begun and has not ended; also while it is ducked."""
        return not self.is_over and self._player.position_s > 0

    @property
    def asks(self) -> bool:
        """Whether its last words are being heard, and ask something."""
        return self._is_complete and not self.is_over and any(last.asks for last in self._streams[-1:])

    @property
    def is_ducked(self) -> bool:
        """It stands still."""
        return self._player.ducked and not self.is_over

    @property
    def position_s(self) -> float:
        """Seconds of its sound that were sent."""
        return self._player.position_s

    @property
    def heard(self) -> Heard:
        """What people heard of the answer so far."""
        answer = (stream.heard for stream in self._streams if stream.purpose is Purpose.ANSWER)
        return Heard(
            text="\n\n".join(text for text in answer if text),
            interrupted=self.phase is ResponsePhase.INTERRUPTED,
            cause=self._cause,
            gave_up=self._gave_up,
        )

    def duck(self) -> bool:
        """Stands still from the next slot of 20 ms on; also before its first sound. False when it is over."""
        if self.is_over or self.is_ducked:
            return not self.is_over
        self._player.duck()
        self._tell(SpeechDucked(turn_id=self.turn_id, position_s=self.position_s, at=self._now()))
        return True

    def resume(self) -> None:
        """Goes on with the very next frame."""
        if not self.is_ducked:
            return
        self._player.resume()
        self._tell(SpeechResumed(turn_id=self.turn_id, position_s=self.position_s, at=self._now()))

    def interrupt(self, cause: Cause) -> Heard:
        """Nothing of it leaves from the next slot of 20 ms on; gives what was heard. Once is enough."""
        if self.is_over:
            return self.heard
        self._player.stop()
        self.phase, self._cause = ResponsePhase.INTERRUPTED, cause
        for stream in self._streams:
            stream.close()
        self._end()
        self._tell(ResponseInterrupted(turn_id=self.turn_id, heard=self.heard, at=self._now()))
        self._on_interrupt(cause)
        return self.heard

    # the player

    async def play(self) -> None:
        """Plays the streams in order; returns when all is played or the response was interrupted."""
        place = 0
        try:
            while not self.is_over and not (self._is_complete and place >= len(self._streams)):
                if place < len(self._streams):
                    await self._player.play(self._streams[place])
                    place += 1
                else:
                    self._changed.clear()
                    await self._changed.wait()
        except PlaybackStopped:
            self.interrupt(Cause.CALL_OVER)  # does nothing where an interruption stopped it
        if self.is_over:
            return
        if self._failure is not None and not self._player.has_played:
            self._give_up(self._failure)
        self.phase = ResponsePhase.FINISHED
        self._end()
        self._tell(ResponseEnded(turn_id=self.turn_id, heard=self.heard, at=self._now()))

    # inside

    def _began(self, stream: SpeechStream) -> None:
        self._tell_on(SpeechBegan(turn_id=self.turn_id, purpose=stream.purpose, at=self._now()))

    def _left_out(self, failure: SpeechFailed, in_a_row: int) -> None:
        """A segment is left out; too many in a row end the attempt to speak."""
        self._failure = failure
        self._tell_on(SegmentLeftOut(turn_id=self.turn_id, reason=failure.reason, at=self._now()))
        if in_a_row >= self._settings.gives_up_after:
            self._give_up(failure)

    def _give_up(self, failure: SpeechFailed) -> None:
        if self._gave_up:
            return
        self._gave_up = True
        for stream in self._streams:
            stream.close()
        self._tell_on(
            SpeechGaveUp(turn_id=self.turn_id, advice=failure.advice, reason=failure.reason, at=self._now())
        )

    def _end(self) -> None:
        self._over.set()
        self._changed.set()

    def _synthesise(self, sound: SegmentSound) -> asyncio.Task[None]:
        return self._tasks.create_task(self._synthesis.fill(sound))

    def _first_sound(self, stream: SpeechStream) -> None:
        self._tell_on(FirstSoundReady(turn_id=self.turn_id, purpose=stream.purpose, at=self._now()))
        for earlier in self._streams[: self._streams.index(stream)]:
            if earlier.purpose is Purpose.ACKNOWLEDGEMENT and earlier.playback is None:
                earlier.close()

    def _tell_on(self, event: OutputEvent) -> None:
        """Nothing follows the end of a response."""
        if not self.is_over:
            self._tell(event)

    def _now(self) -> float:
        return self._clock.monotonic()

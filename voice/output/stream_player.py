"""The streams of one response, played one after another (VOX-17): each into a playback of its own.

A playback begins with the first sound of its stream, and ends before the next stream begins. While ducked
nothing leaves and nothing begins.
"""

import asyncio
from collections.abc import Callable
from contextlib import aclosing
from typing import Protocol

from voice.audio.frames import SENT_RATE_HZ
from voice.audio.playback_queue import Playback, PlaybackStopped
from voice.input.speech_to_text import SpeechFailed
from voice.output.segment_sound import SAMPLE_BYTES, SegmentSound, SoundState
from voice.output.speech_stream import Silence, SpeechStream, StreamPhase


class Mouth(Protocol):
    """Where speech is played: a call."""

    def begin_playback(self) -> Playback:
        """A new stretch of speech. Raises `PlaybackStopped` when the call is over."""
        ...


class StreamPlayer:
    """For one response. `tasks` owns the wait for a first packet, which `began` is then told.

    `left_out` learns of each segment without sound, and how many there were in a row.
    """

    def __init__(
        self,
        *,
        mouth: Mouth,
        tasks: asyncio.TaskGroup,
        began: Callable[[SpeechStream], None],
        left_out: Callable[[SpeechFailed, int], None],
    ) -> None:
        self.ducked = False
        self.has_played = False
        self._mouth = mouth
        self._tasks = tasks
        self._tell_began = began
        self._tell_left_out = left_out
        self._left_out = 0
        self._playbacks: list[Playback] = []
        self._may_begin = asyncio.Event()
        self._may_begin.set()

    @property
    def position_s(self) -> float:
        """Seconds of sound that were sent, of all streams."""
        return sum(playback.played_s for playback in self._playbacks)

    def duck(self) -> None:
        """Stands still from the next slot on."""
        self.ducked = True
        self._may_begin.clear()
        for playback in self._playbacks:
            playback.pause()

    def resume(self) -> None:
        """Goes on with the next frame."""
        self.ducked = False
        self._may_begin.set()
        for playback in self._playbacks:
            playback.resume()

    def stop(self) -> None:
        """Nothing leaves from the next slot on; whoever plays gets `PlaybackStopped` or an end."""
        self.ducked = False
        self._may_begin.set()
        for playback in self._playbacks:
            playback.stop()

    async def play(self, stream: SpeechStream) -> None:
        """Returns when the last frame of the stream left, or it closed before. Raises `PlaybackStopped`."""
        async with aclosing(stream.items()) as items:
            async for item in items:
                if isinstance(item, SegmentSound) and not await item.has_sound():
                    self._skip(item)
                elif (playback := await self._playback_of(stream)) is not None:
                    stream.plays(item)
                    await self._play_item(item, playback)
        if stream.playback is not None:
            stream.playback.finish()
            await stream.playback.played()
            if stream.playback.stopped:
                raise PlaybackStopped("the rest was not played")

    async def _play_item(self, item: SegmentSound | Silence, playback: Playback) -> None:
        if isinstance(item, Silence):
            await playback.write_pcm(bytes(round(item.seconds * SENT_RATE_HZ) * SAMPLE_BYTES))
            return
        self.has_played, self._left_out = True, 0
        async with aclosing(item.pieces()) as pieces:
            async for piece in pieces:
                await playback.write_pcm(piece)

    async def _playback_of(self, stream: SpeechStream) -> Playback | None:
        """The stream's playback, begun when its first sound is there; None when the stream was closed."""
        if stream.playback is None:
            await self._may_begin.wait()
            if stream.phase is StreamPhase.CLOSED:
                return None
            stream.playback = self._mouth.begin_playback()
            self._playbacks.append(stream.playback)
            self._tasks.create_task(self._tell_beginning(stream, stream.playback))
        return stream.playback

    async def _tell_beginning(self, stream: SpeechStream, playback: Playback) -> None:
        if await playback.begun():
            self._tell_began(stream)

    def _skip(self, sound: SegmentSound) -> None:
        if sound.state is SoundState.LEFT_OUT and sound.failure is not None:
            self._left_out += 1
            self._tell_left_out(sound.failure, self._left_out)

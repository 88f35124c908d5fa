"""Recordings of calls (VOX-9): told before they begin, posted at their end, else kept for a few days.

At most one per server. A file that was posted is gone here.
"""

import asyncio
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import structlog

from bot.discord_chat.channels import Channels, DeliveryError, Post
from bot.discord_chat.voice_access_rules import VoiceRefused
from bot.discord_chat.voice_words import (
    RECORDED_NOBODY,
    RECORDING_BEGINS,
    RECORDING_ENDED,
    RECORDING_FAILED,
    RECORDING_GOES_ON,
    what_is_kept,
)
from bot.media_folder import MediaFolder
from bot.voice_recording import Recording, Track
from core.sentences import sentence
from voice import (
    Call,
    HeardEvent,
)

_log = structlog.get_logger()
_MOST_SENT = 8_000_000  # bytes; Discord takes 10 MiB with a request


@dataclass(slots=True, kw_only=True)
class InCall:
    """A recording and where it belongs."""

    call: Call
    channel_id: int
    recording: Recording
    delivers: bool = True
    told: set[int] = field(default_factory=set[int])


class VoiceRecorder:
    """Records into a folder of its own for each recording, inside `folder`, which `kept` keeps bounded."""

    def __init__(
        self, *, folder: Path, kept: MediaFolder, kept_days: int, channels: Channels, most_s: float
    ) -> None:
        self._folder = folder
        self._kept = kept
        self._kept_days = kept_days
        self._channels = channels
        self._most_s = most_s
        self._running: dict[int, InCall] = {}
        self._beginning: set[int] = set()
        self._numbers = count(1)

    async def begin(self, call: Call, *, asked_by: int) -> InCall:
        """Tells the channel, and hears from then on; `record` must follow.

        Raises:
            VoiceRefused: it is recorded already, or people cannot be told.
        """
        guild_id = call.guild_id
        if guild_id in self._running or guild_id in self._beginning:
            raise VoiceRefused(sentence("I record this call already; `/voice record stop` ends it."))
        self._beginning.add(guild_id)
        try:
            self._running[guild_id] = running = await self._begun(call, asked_by)
        finally:
            self._beginning.discard(guild_id)
        call.hear_full_band(wanted=True)
        return running

    async def tell(self, guild_id: int, channel_id: int, user_id: int) -> None:
        """Tells somebody who came into the channel that it is recorded, once a recording."""
        running = self._running.get(guild_id)
        if running is None or running.channel_id != channel_id or user_id in running.told:
            return
        running.told.add(user_id)
        try:
            await self._channels.say(channel_id, sentence(RECORDING_GOES_ON, user_id=user_id))
        except DeliveryError as error:
            _log.warning("recording not told", channel=channel_id, error=type(error).__name__)

    async def record(self, running: InCall) -> None:
        """Until it is stopped, or is as long as it may be; then posts it."""
        tracks: tuple[Track, ...] = ()
        said = RECORDING_FAILED
        try:
            tracks = await running.recording.run()
            said = RECORDING_ENDED if tracks else RECORDED_NOBODY
        except OSError as error:
            _log.error("recording failed", error=type(error).__name__)
        finally:
            running.call.hear_full_band(wanted=False)
            self._running.pop(running.call.guild_id, None)
        if running.delivers:
            await self._post(running.channel_id, said, tracks)

    def stop(self, guild_id: int, *, delivers: bool = True) -> bool:
        """Ends it; False when there is none. Without `delivers` the files are kept."""
        running = self._running.get(guild_id)
        if running is None:
            return False
        running.delivers = delivers
        running.recording.stop()
        return True

    def hear(self, guild_id: int, event: HeardEvent) -> None:
        """Every event of every call."""
        if (running := self._running.get(guild_id)) is not None:
            running.recording.hear(event)

    async def _begun(self, call: Call, asked_by: int) -> InCall:
        channel_id = call.channel_id
        try:
            await self._channels.say(channel_id, sentence(RECORDING_BEGINS, user_id=asked_by))
        except DeliveryError as error:
            raise VoiceRefused(
                sentence(
                    "I cannot write in <#{channel_id}>, so nobody would know. Nothing is recorded.",
                    channel_id=channel_id,
                )
            ) from error
        await self._kept.clean()
        path = await asyncio.to_thread(self._new_folder, call.guild_id)
        recording = Recording(path, most_s=self._most_s)
        return InCall(call=call, channel_id=channel_id, recording=recording)

    async def _post(self, channel_id: int, said: str, tracks: tuple[Track, ...]) -> None:
        kept = 0
        try:
            await self._channels.say(channel_id, said)
            for track in tracks:
                kept += not await self._posted(channel_id, track)
            if kept:
                await self._channels.say(channel_id, what_is_kept(kept, self._kept_days))
        except DeliveryError as error:
            _log.warning("recording not posted", channel=channel_id, error=type(error).__name__)

    async def _posted(self, channel_id: int, track: Track) -> bool:
        content = await asyncio.to_thread(_small, track.path)
        if content is None:
            return False
        post = Post(text=f"<@{track.user_id}>", nonce=f"{track.user_id}r{next(self._numbers) % 10_000}")
        try:
            await self._channels.post_file(channel_id, post, name=track.path.name, content=content)
        except DeliveryError as error:
            _log.warning("recording not posted", channel=channel_id, error=type(error).__name__)
            return False
        await asyncio.to_thread(_remove, track.path)
        return True

    def _new_folder(self, guild_id: int) -> Path:
        number = next(number for number in count(1) if not (self._folder / f"{guild_id}-{number}").exists())
        path = self._folder / f"{guild_id}-{number}"
        path.mkdir(mode=0o700)
        return path


def _remove(path: Path) -> None:
    """The file, and its folder when it was the last one."""
    path.unlink(missing_ok=True)
    if not any(path.parent.iterdir()):
        path.parent.rmdir()


def _small(path: Path) -> bytes | None:
    return path.read_bytes() if path.stat().st_size <= _MOST_SENT else None

"""A call in a voice channel, as the rest of the program sees it: hear, speak, look, leave.

Ids are Discord's numbers; no type of discord.py passes this door. `voice/transport/` implements it for
Discord, a test may implement it for itself.
"""

from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from voice.audio.frames import HeardEvent
from voice.audio.playback_queue import Playback


class EndReason(Enum):
    """Why a call ended; the words for the room are the front end's."""

    LEFT = "left"
    """Somebody here asked to leave."""
    DISCONNECTED = "disconnected"
    """Kicked from the channel, or the channel was deleted."""
    CALL_TERMINATED = "call terminated"
    ENCRYPTION_REQUIRED = "end-to-end encryption required"
    NO_COMMON_ENCRYPTION = "no common encryption mode"
    RATE_LIMITED = "rate limited"
    ALONE = "alone"
    """Nobody else was in the channel for the time that the settings name."""
    UNREACHABLE = "voice server unreachable"
    """Every attempt to connect again failed."""
    SHUT_DOWN = "shut down"


@dataclass(frozen=True, slots=True, kw_only=True)
class CallEnded:
    """The end of a call. `code` is the voice gateway's close code where there was one."""

    reason: EndReason
    code: int | None = None


class CannotJoin(Exception):
    """The channel could not be joined; `ended` tells why, None when Discord did not answer in time."""

    def __init__(self, ended: CallEnded | None) -> None:
        super().__init__(ended.reason.value if ended else "no answer in time")
        self.ended = ended


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerStatistics:
    """What was heard of one user since the call began; packets unless the name says otherwise."""

    user_id: int
    ssrc: int | None
    present: bool
    packets: int
    lost: int
    late: int
    duplicates: int
    concealed_frames: int
    decoded_s: float
    undecryptable: int
    undecryptable_reason: str | None
    decode_errors: int
    quiet_for_s: float | None
    """Seconds since the last sound; None when there was none yet."""
    jitter_target_ms: float
    deaf_because: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CallStatistics:
    """How the call stands, for `/voice doctor`."""

    connected: bool
    encryption_mode: str | None
    dave_version: int
    dave_ready: bool
    dave_epoch: int | None
    privacy_code: str | None
    latency_s: float | None
    sessions: int
    """Voice sessions so far: 1 and one for each that replaced another."""
    resumes: int
    dave_recoveries: int
    sent_frames: int
    send_errors: int
    underruns: int
    refused: dict[str, int]
    """Datagrams and messages that were not accepted, by reason."""
    events_dropped: int
    """Heard events that nobody fetched in time."""
    speakers: tuple[SpeakerStatistics, ...]


class Call(Protocol):
    """One voice connection; at most one per guild. It follows the bot when it is moved to another channel."""

    @property
    def guild_id(self) -> int: ...
    @property
    def channel_id(self) -> int: ...

    def heard(self) -> AsyncIterator[HeardEvent]:
        """What people say, in order per speaker, until the call ends.

        For one consumer; when it is too slow the oldest events are dropped and counted.
        """
        ...

    def begin_playback(self) -> Playback:
        """A new stretch of speech. Raises `PlaybackStopped` when the call is over."""
        ...

    def ignore(self, user_ids: Collection[int]) -> None:
        """From now on the packets of just these users are dropped before they are decrypted (VOX-9)."""
        ...

    def listen_to(self, user_id: int, *, wanted: bool) -> None:
        """Hears this user again, or ignores them as well; what holds for the others stays."""
        ...

    def hear_full_band(self, *, wanted: bool) -> None:
        """Whether frames carry their sound at 48 kHz, too; costs as much again as hearing does (VOX-4)."""
        ...

    def stay_when_alone(self, *, stays: bool) -> None:
        """Whether the call goes on without people; until it is told so, it ends after a while."""
        ...

    def statistics(self) -> CallStatistics: ...

    async def leave(self) -> None:
        """Leaves the channel; returns when Discord confirmed it, or a few seconds later."""
        ...

    async def ended(self) -> CallEnded:
        """Waits for the end of the call, whatever its cause."""
        ...


class Calls(Protocol):
    """The door to voice channels."""

    async def join(self, guild_id: int, channel_id: int, *, ignored: Collection[int] = ()) -> Call:
        """Joins, or moves the guild's call to the channel.

        `ignored` as in `Call.ignore`, from the start of a new call.

        Raises:
            CannotJoin: no such channel, no permission, no encryption in common, or no answer in time.
        """
        ...

    def call_in(self, guild_id: int) -> Call | None:
        """The guild's call, if there is one."""
        ...

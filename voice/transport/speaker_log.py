"""What was heard of each user, for `/voice doctor` and the watchdog (VOX-29).

Plain numbers, written by the receiver's thread and read by the loop; a reader may see one that is a
packet old, never a torn one.
"""

from dataclasses import dataclass, field
from enum import Enum

from voice.audio.frames import FRAME_S
from voice.calls import SpeakerStatistics


class Problem(Enum):
    """Why a packet does not become sound."""

    NO_KEY = "no key"
    NO_SSRC = "no user for the SSRC"
    DECODE_ERRORS = "decode errors"
    NO_PACKETS = "no packets"


@dataclass(slots=True)
class SpeakerLog:
    """One user over all sessions and SSRCs of a call. Moments are monotonic seconds."""

    user_id: int
    ssrc: int | None = None
    packets: int = 0
    lost: int = 0
    late: int = 0
    duplicates: int = 0
    concealed: int = 0
    decoded: int = 0
    undecryptable: int = 0
    undecryptable_reason: str | None = None
    decode_errors: int = 0
    jitter_target_s: float = 0.0
    announced_at: float | None = None
    """When SPEAKING was told last."""
    problem: Problem | None = None
    """What kept the last packet from becoming sound."""
    unheard: int = 0
    """Packets that should have become sound since one last did."""
    first_unheard_at: float | None = None
    last_packet_at: float | None = None
    last_sound_at: float | None = None
    deaf_because: str | None = None

    def sound_came(self, at: float) -> None:
        """A packet that should become sound."""
        self.last_packet_at = at
        self.unheard += 1
        if self.first_unheard_at is None:
            self.first_unheard_at = at

    def sound_decoded(self, at: float) -> None:
        """It did."""
        self.decoded += 1
        self.last_sound_at = at
        self.first_unheard_at, self.unheard = None, 0
        self.deaf_because = self.problem = None

    def begin_session(self) -> None:
        """A fresh voice session: what was not heard in the former one is no sign any more."""
        self.first_unheard_at, self.unheard, self.announced_at = None, 0, None
        self.deaf_because = self.problem = None

    def snapshot(self, *, now: float, present: bool) -> SpeakerStatistics:
        """The counts as a value."""
        return SpeakerStatistics(
            user_id=self.user_id,
            ssrc=self.ssrc,
            present=present,
            packets=self.packets,
            lost=self.lost,
            late=self.late,
            duplicates=self.duplicates,
            concealed_frames=self.concealed,
            decoded_s=self.decoded * FRAME_S,
            undecryptable=self.undecryptable,
            undecryptable_reason=self.undecryptable_reason,
            decode_errors=self.decode_errors,
            quiet_for_s=None if self.last_sound_at is None else max(0.0, now - self.last_sound_at),
            jitter_target_ms=self.jitter_target_s * 1000,
            deaf_because=self.deaf_because,
        )


NOBODY = 0


@dataclass(slots=True)
class SpeakerLogs:
    """The logs of a call by user, and what was refused by reason. At most `most_users` users are kept."""

    most_users: int = 500
    by_user: dict[int, SpeakerLog] = field(default_factory=dict[int, SpeakerLog])
    refused: dict[str, int] = field(default_factory=dict[str, int])
    nobody: SpeakerLog = field(default_factory=lambda: SpeakerLog(NOBODY))
    """Packets of SSRCs that are nobody's yet."""
    deafened: bool = False
    """Nothing is sent to the bot, as a moderator wishes: what is not heard then is no fault."""

    def of(self, user_id: int) -> SpeakerLog:
        """The user's log, made when there is none."""
        log = self.by_user.get(user_id)
        if log is not None:
            return log
        while len(self.by_user) >= self.most_users:
            self.by_user.pop(next(iter(self.by_user)), None)
        return self.by_user.setdefault(user_id, SpeakerLog(user_id))  # atomic: both threads come here

    def begin_session(self) -> None:
        """See `SpeakerLog`."""
        for log in (*self.by_user.values(), self.nobody):
            log.begin_session()

    def deafen(self, *, deafened: bool) -> None:
        """A moderator deafened the bot, or no longer does; then hearing begins anew."""
        if deafened != self.deafened:
            self.deafened = deafened
            self.begin_session()

    def refuse(self, reason: str) -> None:
        """Counts something that was not accepted; reasons are few fixed words."""
        self.refused[reason] = self.refused.get(reason, 0) + 1

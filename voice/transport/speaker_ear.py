"""One SSRC from its packets to what is heard (VOX-2 to VOX-5): jitter buffer, key, then its sound.

The jitter buffer comes before DAVE: `davey` refuses duplicates and wants the first frame of an epoch
first. A frame that no key opens yet is held, at most a second, and what follows stays behind it; keys
arrive with the next commit or welcome, users with SPEAKING. As soon as a later frame opens, what still
does not is given up: its key is gone. Belongs to the receiver's thread; memory is bounded by the jitter
buffer and the frames held.
"""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeGuard, assert_never

from voice.audio.frames import HeardEvent, TransmissionEnded, TransmissionStarted
from voice.audio.jitter_buffer import Arrived, Ended, JitterBuffer, Lost, Release, Released, Started
from voice.transport.dave import Undecryptable
from voice.transport.roster import Roster
from voice.transport.speaker_log import Problem, SpeakerLogs
from voice.transport.speaker_sound import SpeakerSound

HELD_S = 1.0
_MOST_HELD = 64
_RETRY_S = 0.020
_TRIALS_PER_S = 200.0
"""Per SSRC that is nobody's: a flood of them must not cost the receiver its time."""


class FrameKeys(Protocol):
    """What opens frames: DAVE, or nothing at all in a call without it."""

    @property
    def version(self) -> int: ...
    def decrypt(self, user_id: int, frame: bytes) -> bytes: ...
    def owner_by_trial(self, frame: bytes) -> tuple[int, bytes] | None: ...


@dataclass(slots=True)
class _Held:
    """What waits for a key, for its user or behind such. `reason`: why it did not open when last tried."""

    since: float
    release: Release
    reason: str | None


class SpeakerEar:
    """`user_id` is None until somebody tells, or a key of the group shows, whose SSRC it is."""

    def __init__(
        self,
        ssrc: int,
        *,
        keys: FrameKeys,
        roster: Roster,
        logs: SpeakerLogs,
        emit: Callable[[HeardEvent], None],
    ) -> None:
        self.ssrc = ssrc
        self.user_id: int | None = None
        self._talks: int | None = None
        """Whose transmission is told to have started and not to have ended."""
        self.last_packet_at = 0.0
        self._keys = keys
        self._logs = logs
        self._emit = emit
        self._roster = roster
        self._log = logs.nobody
        self._jitter = JitterBuffer()
        self._held: deque[_Held] = deque()
        self._speech = SpeakerSound(ssrc, roster=roster, emit=emit)
        self._trials = _TRIALS_PER_S
        self._trials_at = 0.0
        self._unattributed = 0
        self._now = 0.0

    @property
    def deadline(self) -> float | None:
        """When `advance` is due."""
        due = self._jitter.deadline
        if not self._held:
            return due
        retry = self._now + _RETRY_S
        return retry if due is None else min(due, retry)

    def belongs_to(self, user_id: int) -> None:
        """Somebody told whose SSRC this is."""
        if user_id != self.user_id:
            self.user_id = user_id
            self._log = self._logs.of(user_id)
            self._log.ssrc = self.ssrc
            self._log.packets += self._unattributed
            self._logs.nobody.packets -= self._unattributed
            self._logs.nobody.begin_session()
            self._unattributed = 0

    def hear(self, packet: Arrived) -> None:
        """A packet from the network, out of its transport encryption."""
        self._now = self.last_packet_at = packet.at
        if not packet.silent:
            self._log.sound_came(packet.at)
        self._process(self._jitter.push(packet))
        self._count()

    def advance(self, at: float) -> None:
        """Time passed, or keys came: what is due leaves."""
        self._now = max(self._now, at)
        self._process(self._jitter.advance(at))
        self._count_losses()

    def discard(self) -> None:
        """The user is not to be heard: nothing that waits becomes sound."""
        self._held.clear()
        self._ended()
        self._speech.close()

    def close(self) -> None:
        """The SSRC is gone: the rest leaves, the decoder's memory is freed."""
        self._process(self._jitter.flush())
        for held in self._held:
            if _is_sound(held.release):
                self._give_up(held)
        self._held.clear()
        self._ended()
        self._speech.close()

    def _count(self) -> None:
        self._log.packets += 1
        self._unattributed += self.user_id is None
        self._count_losses()

    def _count_losses(self) -> None:
        log, counts = self._log, self._jitter.counts
        log.jitter_target_s = self._jitter.target_s
        if counts.lost or counts.late or counts.duplicates:
            log.lost += counts.lost
            log.late += counts.late
            log.duplicates += counts.duplicates
            counts.lost = counts.late = counts.duplicates = 0

    # order: nothing overtakes a frame that is held

    def _process(self, releases: list[Release]) -> None:
        if self._held:
            self._retry()
        for release in releases:
            if not _is_sound(release):
                if self._held or self.user_id is None:
                    self._hold(release)
                else:
                    self._pass_on(release)
                continue
            try:
                opus = self._open(release.payload)
            except Undecryptable as error:
                self._hold(release, error.reason)
            else:
                while self._held:
                    self._let_go(self._held.popleft())
                self._sound(release, opus)

    def _retry(self) -> None:
        """The first held frame that opens now leaves, what it overtook is given up, and so on.

        All of them are tried before a newer frame is: `davey` refuses what is older than an epoch's first.
        """
        place = 0
        while place < len(self._held):
            held = self._held[place]
            release = held.release
            if not _is_sound(release):
                place += 1
                continue
            try:
                opus = self._open(release.payload)
            except Undecryptable as error:
                held.reason = error.reason
                self._note(error.reason)
                place += 1
                continue
            for _ in range(place):
                self._let_go(self._held.popleft())
            self._held.popleft()
            self._sound(release, opus)
            place = 0
        while self._held and self._now - self._held[0].since >= HELD_S:
            self._let_go(self._held.popleft())
        while self.user_id is not None and self._held and not _is_sound(self._held[0].release):
            self._pass_on(self._held.popleft().release)

    def _let_go(self, held: _Held) -> None:
        if _is_sound(held.release):
            self._give_up(held)
        else:
            self._pass_on(held.release)

    def _hold(self, release: Release, reason: str | None = None) -> None:
        if len(self._held) >= _MOST_HELD:
            self._let_go(self._held.popleft())
        self._held.append(_Held(self._now, release, reason))
        if reason is not None:
            self._note(reason)

    def _give_up(self, held: _Held) -> None:
        """Told to whoever's it is by now, who may have been nobody when it was held."""
        self._speech.to_conceal = 0
        self._log.undecryptable += 1
        self._log.undecryptable_reason = held.reason

    def _note(self, reason: str) -> None:
        self._log.undecryptable_reason = reason
        self._log.problem = Problem.NO_SSRC if self.user_id is None else Problem.NO_KEY

    # keys

    def _open(self, payload: bytes) -> bytes:
        if self.user_id is not None:
            return self._keys.decrypt(self.user_id, payload)
        if self._keys.version == 0:
            raise Undecryptable("no user for this SSRC")
        passed, self._trials_at = self._now - self._trials_at, self._now
        self._trials = min(_TRIALS_PER_S, self._trials + passed * _TRIALS_PER_S)
        if self._trials < 1:
            raise Undecryptable("no user for this SSRC")
        self._trials -= 1
        found = self._keys.owner_by_trial(payload)
        if found is None:
            raise Undecryptable("no user for this SSRC")
        user_id, opus = found
        self.belongs_to(user_id)
        self._roster.learn(self.ssrc, user_id)
        if user_id in self._roster.ignored:
            raise Undecryptable("not to be heard")
        return opus

    # sound

    def _pass_on(self, release: Release) -> None:
        match release:
            case Started():
                self._started()
            case Ended():
                self._ended()
            case Lost():
                self._speech.to_conceal += release.concealable
            case Released():  # of silence
                self._speech.to_conceal = 0
            case _:
                assert_never(release)

    def _started(self) -> None:
        """Told once, to whoever's it is now; who had the SSRC before has ended."""
        if self._talks == self.user_id:
            return
        self._ended()
        if self.user_id is not None:
            self._talks = self.user_id
            self._emit(TransmissionStarted(user_id=self.user_id, ssrc=self.ssrc, at=self._now))

    def _ended(self) -> None:
        if self._talks is not None:
            self._emit(TransmissionEnded(user_id=self._talks, ssrc=self.ssrc, at=self._now))
            self._talks = None

    def _sound(self, release: Released, opus: bytes) -> None:
        assert self.user_id is not None  # noqa: S101 - a frame that opened has its user
        self._started()
        self._speech.hear(opus, release.position, user_id=self.user_id, at=self._now, log=self._log)


def _is_sound(release: Release) -> TypeGuard[Released]:
    return isinstance(release, Released) and not release.silent

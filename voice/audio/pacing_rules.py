"""When which frame is sent (VOX-6): a machine over slots of 20 ms, in virtual time.

    IDLE ──frames ready──> SPEAKING ──none left, stream over, or held──> CLOSING ──5 silence frames──> IDLE
                              │  ^                                          │
                     queue empty, stream open                         new frames ──> SPEAKING
                              v  │
                            STARVED ──too long──> IDLE

Slots stand on a grid from the first frame of a transmission, so that no delay adds up; a slot that is a
little late is sent at once and the next ones catch up, one that is very late moves the grid. Timestamps
follow the grid also over pauses, sequence numbers do not: that is how receivers tell a pause from a loss.
In the starved state up to five silence frames tell receivers that nothing was lost.
"""

import math
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

from voice.audio.frames import FRAME_S, FRAME_TIMESTAMPS, SILENCE_FRAMES


@dataclass(frozen=True, slots=True, kw_only=True)
class PacingSettings:
    """`prebuffer_frames` wait before a start, but no longer than `prebuffer_wait_s`."""

    prebuffer_frames: int = 3
    prebuffer_wait_s: float = 0.100
    starved_at_most_s: float = 1.0
    moves_grid_after_s: float = 0.100
    common_grid_s: float = 0.005
    """Slots of all channels stand on one grid, so that a process wakes for many at once.

    It costs a start nothing: the second frame comes this much earlier at most."""


class Phase(Enum):
    """Where a channel stands."""

    IDLE = "idle"
    SPEAKING = "speaking"
    STARVED = "starved"
    CLOSING = "closing"


class Action(Enum):
    """What goes out in this slot."""

    NOTHING = "nothing"
    FRAME = "frame"
    SILENCE = "silence"


class Slot(NamedTuple):
    """One decision. `speaking` is True or False where the SPEAKING flag changes before this slot's packet."""

    action: Action
    timestamp: int = 0
    marker: bool = False
    speaking: bool | None = None


class Supply(NamedTuple):
    """What the queue holds: `frames` ready, `finished` when no more will come, `held` when none may leave."""

    frames: int
    finished: bool
    held: bool


@dataclass(slots=True)
class PacingCounts:
    """What happened so far."""

    frames: int = 0
    silence: int = 0
    underruns: int = 0
    skipped_slots: int = 0


_NOTHING = Slot(Action.NOTHING)
_ROUNDING = 1e-6


class Pacer:
    """The machine of one channel. Call `step` when `deadline` is due, or at once when the supply changes."""

    def __init__(self, settings: PacingSettings = PacingSettings()) -> None:
        self._settings = settings
        self.phase = Phase.IDLE
        self.deadline: float | None = None
        self._slot = 0
        self._slot_at: float | None = None
        self._first_queued_at: float | None = None
        self._silence_left = 0
        self._starved_since = 0.0
        self.counts = PacingCounts()

    def step(self, at: float, supply: Supply) -> Slot:
        """Decides about the slot that is due at `at`; before it is due nothing happens."""
        if self.phase is Phase.IDLE:
            return self._start(at, supply)
        if self.deadline is not None and at < self.deadline:
            return _NOTHING
        self._skip_missed(at)
        slot = self._due(at, supply)
        self._slot += 1
        self._next_deadline(at)
        return slot

    def _next_deadline(self, at: float) -> None:
        if self.phase is Phase.IDLE or self.deadline is None:
            self._slot_at, self.deadline = at, None
        else:
            self.deadline += FRAME_S

    def _start(self, at: float, supply: Supply) -> Slot:
        settings = self._settings
        if supply.held or not supply.frames:
            self._first_queued_at = self.deadline = None
            return _NOTHING
        if self._first_queued_at is None:
            self._first_queued_at = at
        overdue = self._first_queued_at + settings.prebuffer_wait_s
        if supply.frames < settings.prebuffer_frames and not supply.finished and at < overdue:
            self.deadline = overdue
            return _NOTHING
        if self._slot_at is not None:
            self._slot += max(0, int((at - self._slot_at) / FRAME_S))
        self.phase, self._first_queued_at = Phase.SPEAKING, None
        slot = self._sent(Action.FRAME, marker=True, speaking=True)
        self._slot += 1
        grid_s = settings.common_grid_s
        self.deadline = math.floor((at + FRAME_S) / grid_s + _ROUNDING) * grid_s
        return slot

    def _skip_missed(self, at: float) -> None:
        assert self.deadline is not None  # noqa: S101 - only IDLE has none
        if at - self.deadline > self._settings.moves_grid_after_s:
            missed = int((at - self.deadline) / FRAME_S)
            self._slot += missed
            self.deadline += missed * FRAME_S
            self.counts.skipped_slots += missed

    def _due(self, at: float, supply: Supply) -> Slot:
        if supply.frames and not supply.held:
            marker = self.phase is not Phase.SPEAKING
            self.phase = Phase.SPEAKING
            return self._sent(Action.FRAME, marker=marker)
        if self.phase is Phase.SPEAKING:
            self._silence_left = SILENCE_FRAMES
            if supply.finished or supply.held:
                self.phase = Phase.CLOSING
            else:
                self.phase, self._starved_since = Phase.STARVED, at
                self.counts.underruns += 1
        elif self.phase is Phase.STARVED and (
            supply.finished or supply.held or at - self._starved_since >= self._settings.starved_at_most_s
        ):
            self.phase = Phase.CLOSING
        if self._silence_left:
            self._silence_left -= 1
            return self._sent(Action.SILENCE)
        if self.phase is Phase.CLOSING:
            self.phase = Phase.IDLE
            return Slot(Action.NOTHING, speaking=False)
        return _NOTHING

    def _sent(self, action: Action, *, marker: bool = False, speaking: bool | None = None) -> Slot:
        if action is Action.FRAME:
            self.counts.frames += 1
        else:
            self.counts.silence += 1
        return Slot(action, self._slot * FRAME_TIMESTAMPS, marker, speaking)

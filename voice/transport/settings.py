"""The transport's waits, in one frozen value; the defaults suit Discord, tests shorten them."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TransportSettings:
    """All in seconds, where the name says so."""

    connect_timeout_s: float = 10.0
    """For the websocket, and again from there to the session description."""
    resume_timeout_s: float = 5.0
    server_update_wait_s: float = 2.5
    """How long a repeated join may take to bring a new voice server before leaving and joining again."""
    voice_state_wait_s: float = 5.0
    """After 4014: how long the word may take whether the bot was moved or kicked."""
    leave_wait_s: float = 3.0
    watchdog_every_s: float = 1.0
    leave_when_alone_s: float | None = 300.0
    settled_after_s: float = 30.0
    """A session that stood so long owes nothing to what was tried before it."""
    backoff_factor: float = 1.0
    """Scales the delays between attempts."""
    sender_reports: bool = False
    """Whether RTCP sender reports are sent."""

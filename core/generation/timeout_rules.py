"""How long a generation may take, counted by the provider's events and not by its bytes (CORE-45)."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True, kw_only=True)
class GenerationTimeouts:
    """Seconds. `first_token_s` begins with a model request, `total_s` with the whole generation."""

    connect_s: float = 10.0
    first_token_s: float = 60.0
    idle_s: float = 30.0
    total_s: float = 600.0


class Overdue(StrEnum):
    """Which of the limits was reached."""

    FIRST_TOKEN = "first_token"  # noqa: S105 - a model's token
    IDLE = "idle"
    TOTAL = "total"


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadline:
    """A moment in monotonic seconds, and what has happened when it passes."""

    at: float
    meaning: Overdue


def next_deadline(
    timeouts: GenerationTimeouts,
    *,
    generation_began: float,
    request_began: float,
    waiting_since: float,
    has_output: bool,
) -> Deadline:
    """The limit that comes first. Before any output that is the first token's, whatever events came.

    `waiting_since` is when the wait for the next event began, so a slow reader does not make the model late.
    """
    if has_output:
        at, meaning = waiting_since + timeouts.idle_s, Overdue.IDLE
    else:
        at, meaning = request_began + timeouts.first_token_s, Overdue.FIRST_TOKEN
    total_at = generation_began + timeouts.total_s
    if total_at < at:
        at, meaning = total_at, Overdue.TOTAL
    return Deadline(at=at, meaning=meaning)

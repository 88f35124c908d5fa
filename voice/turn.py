"""The name of one turn of a session, as speech and its interruption refer to it (VOX-10)."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRef:
    """`turn_id` names the reply; the same number in two sessions is two turns."""

    session_id: str
    turn_id: str

"""How speech is made and played, by the settings of the deployment."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSettings:
    """Seconds, unless the name says otherwise.

    `segments_ahead` are synthesised while one is played (VOX-22). A segment whose first sound does not come
    within `first_sound_within_s`, or whose next not within `next_sound_within_s`, has failed (VOX-25), unless
    the service makes sound of another. After `gives_up_after` segments without sound in a row the rest of a
    response stays text.
    """

    segments_ahead: int = 2
    longest_first_segment: int = 120
    longest_segment: int = 300
    """Characters of an alphabet that are synthesised at once; fewer of the first, which is waited for."""
    most_waiting_s: float = 30.0
    """Sound of one segment that waits to be played."""
    first_sound_within_s: float = 8.0
    next_sound_within_s: float = 3.0
    closes_within_s: float = 1.0
    """A synthesiser that was told to stop is left behind after this."""
    gives_up_after: int = 2


DEFAULT_OUTPUT: Final = OutputSettings()

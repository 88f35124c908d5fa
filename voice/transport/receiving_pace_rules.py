"""How long packets gather before the receiver works on them (VOX-5): the more people talk, the longer.

Waking a cold interpreter costs as much as the work on ten packets, and each round wakes the event loop,
too. So a round takes a frame of everybody's, or two frames while many talk at once: then nobody's words
are what one waits for. Counted from the round before, so a lone speaker, whose packets are a frame apart,
does not wait. Pure; time is data.
"""

from typing import NamedTuple

from voice.audio.frames import FRAME_S

MANY = 4
"""People who talk at once are a crowd from here on."""
WORTH_A_SLEEP_S = 0.002
"""A sleep costs as much as a packet: who is this little early begins at once."""
_ROUNDING_S = 0.002


class Pace(NamedTuple):
    """`apart_s` from one round to the next; `asks_first` whether anything came, instead of looking."""

    apart_s: float
    asks_first: bool


ALONE = Pace(FRAME_S, asks_first=True)
CROWD = Pace(2 * FRAME_S, asks_first=False)


def pace_after(came: int, passed_s: float) -> Pace:
    """The pace after a round that found `came` packets, `passed_s` after the one before it."""
    frames = max(1, int((passed_s + _ROUNDING_S) / FRAME_S))
    return CROWD if came >= MANY * frames else ALONE

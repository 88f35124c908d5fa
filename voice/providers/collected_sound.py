"""The sound of one utterance while it grows, and whether what was added to it is worth hearing."""

import numpy as np

RATE_HZ = 16_000
BYTES_A_SECOND = 2 * RATE_HZ
QUIET = 60.0
"""The loudness of a room in which nobody speaks, at least."""
PAUSE = 0.15
"""What is quieter than this part of the speech is a pause."""
_QUIET_END_S = 0.6


def loudness(pcm: bytes | bytearray) -> float:
    """Root mean square of int16, 0 to 32,768."""
    samples = np.frombuffer(bytes(pcm), "<i2").astype(np.float32)
    return float(np.sqrt(np.mean(samples * samples))) if len(samples) else 0.0


def adds_nothing(sound: bytes | bytearray, known: int, size: int) -> bool:
    """Whether the text of the first `known` bytes is that of the first `size` bytes, too.

    So it is when what came in between is short and but quiet: the pause in which somebody was found to be
    finished.
    """
    if not known <= size <= known + _QUIET_END_S * BYTES_A_SECOND:
        return False
    rest = sound[known:size]
    return not rest or loudness(rest) < max(QUIET, PAUSE * loudness(sound[:known]))

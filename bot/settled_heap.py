"""What the start has made stays: the collector need not walk it again.

Half a million objects of modules, schemas and compiled statements live as long as the process. Each full
collection walked them all and held the loop for 0.3 s; without them it takes a few milliseconds (TEXT-10).
"""

import gc


def settle_heap() -> None:
    """Call once, when the process has started and before it serves."""
    gc.freeze()

"""Ids of our own: short, sortable by time, safe in URLs and logs."""

import random
from datetime import datetime
from typing import Protocol

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case
_PAIRS = tuple(high + low for high in _ALPHABET for low in _ALPHABET)
_PAIR = len(_PAIRS)


class NewId(Protocol):
    """Makes a new id; never the same twice in one deployment."""

    def __call__(self, prefix: str, now: datetime) -> str: ...


class RandomIds:
    """`prefix_` + 9 characters of milliseconds + 8 random ones (40 bits); no secret."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or random.Random()

    def __call__(self, prefix: str, now: datetime) -> str:
        moment = _base32(int(now.timestamp() * 1000), 5)[1:]
        return f"{prefix}_{moment}{_base32(self._source.getrandbits(40), 4)}"


def _base32(number: int, pairs: int) -> str:
    digits = ""
    for _ in range(pairs):
        number, pair = divmod(number, _PAIR)
        digits = _PAIRS[pair] + digits
    return digits

"""Ids of our own: short, sortable by time, safe in URLs and logs."""

import random
from datetime import datetime
from typing import Protocol

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"  # Crockford's base 32, lower case


class NewId(Protocol):
    """Makes a new id; never the same twice in one deployment."""

    def __call__(self, prefix: str, now: datetime) -> str: ...


class RandomIds:
    """`prefix_` + 9 characters of milliseconds + 8 random ones (40 bits)."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._source = source or random.SystemRandom()

    def __call__(self, prefix: str, now: datetime) -> str:
        moment = _base32(int(now.timestamp() * 1000), 9)
        return f"{prefix}_{moment}{_base32(self._source.getrandbits(40), 8)}"


def _base32(number: int, width: int) -> str:
    digits: list[str] = []
    for _ in range(width):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))

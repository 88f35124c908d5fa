"""The stored form of a turn: what encoder and decoder agree on (CORE-32).

A record is a kind, a version of the form, and a JSON object as ASCII text. ASCII because the strings of
providers and rooms may hold what a database's text cannot (NUL, lone surrogates) and must come back identical
(CORE-7). Fields at their default are left out. A change of the form raises `VERSION`, and the decoder keeps
reading the older ones.
"""

from dataclasses import dataclass
from enum import StrEnum

VERSION = 1


class TurnKind(StrEnum):
    """The three kinds of turn; a stored word, so it outlives the names of classes."""

    USER = "user"
    SYSTEM = "system"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """A turn as it is stored."""

    kind: TurnKind
    version: int
    body: str

"""Where what is learned belongs, and what a place reads of it (MEM-2).

Reading:  a place reads its own space; a private channel reads its server's as well.
Writing:  a place writes into its own space only, so that a private channel tells nothing to its server.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from recipes.run_scene import Place


class SpaceKind(StrEnum):
    """The kinds of places that keep what they learn to themselves."""

    GUILD = "guild"
    CHANNEL = "channel"
    DIRECT = "direct"
    CONSOLE = "console"


@dataclass(frozen=True, slots=True, kw_only=True)
class Space:
    """A server, one private channel, the direct messages of one person, or the console."""

    kind: SpaceKind
    id: str = ""

    def __str__(self) -> str:
        """The stored word."""
        return f"{self.kind.value}:{self.id}"

    @classmethod
    def stored_as(cls, word: str) -> Self:
        """The space whose stored word this is."""
        kind, _, place_id = word.partition(":")
        return cls(kind=SpaceKind(kind), id=place_id)


def own_space(user_id: str) -> Space:
    """A person's direct messages: what is there is theirs alone."""
    return Space(kind=SpaceKind.DIRECT, id=user_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """What a place may read and write."""

    own: Space
    readable: tuple[Space, ...]


def reach_of(place: Place) -> Reach:
    """The spaces of a place."""
    if place.guild_id is not None:
        guild = Space(kind=SpaceKind.GUILD, id=place.guild_id)
        if not place.is_private:
            return Reach(own=guild, readable=(guild,))
        channel = Space(kind=SpaceKind.CHANNEL, id=place.channel_id or place.session_id)
        return Reach(own=channel, readable=(channel, guild))
    if place.channel_id is None and place.direct_with is None:
        own = Space(kind=SpaceKind.CONSOLE)
    else:
        own = Space(kind=SpaceKind.DIRECT, id=place.direct_with or place.session_id)
    return Reach(own=own, readable=(own,))

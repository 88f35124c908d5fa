"""Who is in the room and how the bot is to behave in it (VOX-18), as a value that every rule reads."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType


class VoiceMode(Enum):
    """When speech is answered."""

    AUTOMATIC = "auto"
    """`ALWAYS` with one human present, `ADDRESSED` with more."""
    ALWAYS = "always"
    ADDRESSED = "addressed"
    """A name at the start or end, or a follow-up soon after the last exchange."""
    PUSH = "push"
    """Only who asked to talk is heard, for one utterance."""
    LISTEN = "listen"
    """Transcribed, never answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Room:
    """`people` are the humans present, by user id, with the names that others call them.

    `bot_names` holds its names and wake words. `language` (ISO 639-1) is pinned by the channel, or None.
    """

    people: Mapping[int, str] = field(default_factory=lambda: MappingProxyType[int, str]({}))
    bot_names: tuple[str, ...] = ()
    mode: VoiceMode = VoiceMode.AUTOMATIC
    language: str | None = None

    @property
    def effective_mode(self) -> VoiceMode:
        """The mode after `AUTOMATIC` was resolved by the number of humans."""
        if self.mode is not VoiceMode.AUTOMATIC:
            return self.mode
        return VoiceMode.ALWAYS if len(self.people) <= 1 else VoiceMode.ADDRESSED

"""What a talk needs of the place it is in, as ports; ids are Discord's numbers."""

from collections.abc import Callable, Mapping
from typing import Protocol, TypeAlias

from core.conversation.turns import InvokedSkill, Speaker
from sessions.ambient import AmbientMessage
from voice import (
    VoiceMode,
)

SaidIn: TypeAlias = Callable[[str, str], str]
"""Gives a sentence of ours in a spoken language (ISO 639-1), and everything else as it is."""


class VoicePeople(Protocol):
    """Knows who is in a voice channel. Asking costs nothing."""

    def names(self, channel_id: int) -> Mapping[int, str]:
        """The humans there, by id, with the names that others see."""
        ...

    def own_name(self, channel_id: int) -> str | None:
        """What the bot is called there, where it has a name of its own."""
        ...


class VoiceNotices(Protocol):
    """Writes into a channel's chat."""

    async def tell(self, channel_id: int, text: str) -> None:
        """Once, pinging nobody; a refusal is logged and costs nothing more."""
        ...

    async def show_said(
        self, channel_id: int, name: str, text: str, *, key: str, message_id: int | None, is_last: bool
    ) -> int | None:
        """What somebody said so far, in plain words; returns the message that shows it, None where none does.

        `message_id` is the one of before, which is edited, or taken away where there is no text. With
        `is_last` it is shown in as many messages as it needs, before that in one. `key` never comes for
        another utterance, neither do its last 25 characters.
        """
        ...


class SpokenSkills(Protocol):
    """What the words of an utterance invoke."""

    async def skills(self, session_id: str, speaker: Speaker, text: str) -> tuple[InvokedSkill, ...]:
        """Raises `Failure` when they cannot be looked up."""
        ...


class Overhearing(Protocol):
    """Keeps what was said and not answered."""

    def heard(self, session_id: str, message: AmbientMessage) -> None: ...


class TalkManners(Protocol):
    """How the bot behaves in a voice channel."""

    async def mode(self, guild_id: int, channel_id: int) -> VoiceMode:
        """When speech is answered there (VOX-18)."""
        ...

    async def voice(self, guild_id: int, channel_id: int) -> str | None:
        """The name of the voice that was chosen there; None: the usual one."""
        ...

    async def language(self, guild_id: int, channel_id: int) -> str | None:
        """The language (ISO 639-1) that is pinned there; None: it is recognised (VOX-19)."""
        ...

    async def bot_names(self, session_id: str) -> tuple[str, ...]:
        """The names by which the scene's persona is called."""
        ...

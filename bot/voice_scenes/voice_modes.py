"""How the bot behaves in a voice channel: what was chosen there, and what the scene's persona is called."""

from contextlib import suppress
from typing import Final, Protocol

from bot.scene_choices import channel_scope, choices
from core.prompts.identity import Persona
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelSettings
from voice import (
    VoiceMode,
)

VOICE_MODE: Final = "voice_mode"
"""The key of the choice among a room's settings."""
VOICE_LANGUAGE: Final = "voice_language"
"""The same, for the language that is spoken there."""
ANY_LANGUAGE: Final = "auto"
VOICE_NAME: Final = "voice_name"
"""The same, for the voice in which the bot speaks."""


class Personas(Protocol):
    """Which persona a scene has."""

    async def of(self, session_id: str) -> Persona: ...


class VoiceModes:
    """The `TalkManners`: a channel's own choice, else its server's, else `default` (VOX-18)."""

    def __init__(
        self,
        settings: ChannelSettings,
        *,
        personas: Personas,
        wake_words: tuple[str, ...],
        default: VoiceMode,
        language: str | None = None,
    ) -> None:
        self._language = language
        self._settings = settings
        self._personas = personas
        self._wake_words = wake_words
        self._default = default

    async def mode(self, guild_id: int, channel_id: int) -> VoiceMode:
        """See `TalkManners`; a stored word that is none is passed over."""
        binding = ChannelBinding(channel_id=channel_id, guild_id=guild_id)
        for choice in await choices(self._settings, binding, VOICE_MODE):
            with suppress(ValueError):
                return VoiceMode(choice.value)
        return self._default

    async def choose(self, guild_id: int, channel_id: int, mode: VoiceMode) -> None:
        """Behave so in that channel from now on."""
        scope = channel_scope(ChannelBinding(channel_id=channel_id, guild_id=guild_id))
        await self._settings.change(scope, VOICE_MODE, mode.value)

    async def voice(self, guild_id: int, channel_id: int) -> str | None:
        """See `TalkManners`."""
        binding = ChannelBinding(channel_id=channel_id, guild_id=guild_id)
        return next((choice.value for choice in await choices(self._settings, binding, VOICE_NAME)), None)

    async def choose_voice(self, guild_id: int, channel_id: int, name: str | None) -> None:
        """Speak so in that channel from now on; None: in the usual voice."""
        scope = channel_scope(ChannelBinding(channel_id=channel_id, guild_id=guild_id))
        await self._settings.change(scope, VOICE_NAME, name)

    async def language(self, guild_id: int, channel_id: int) -> str | None:
        """See `TalkManners`: what was chosen there, else what the settings pin."""
        binding = ChannelBinding(channel_id=channel_id, guild_id=guild_id)
        for choice in await choices(self._settings, binding, VOICE_LANGUAGE):
            return None if choice.value == ANY_LANGUAGE else choice.value
        return self._language

    async def choose_language(self, guild_id: int, channel_id: int, language: str | None) -> None:
        """Understand and speak that language in that channel from now on; None: whichever is spoken."""
        scope = channel_scope(ChannelBinding(channel_id=channel_id, guild_id=guild_id))
        await self._settings.change(scope, VOICE_LANGUAGE, language or ANY_LANGUAGE)

    async def bot_names(self, session_id: str) -> tuple[str, ...]:
        """See `TalkManners`."""
        persona = await self._personas.of(session_id)
        return tuple(dict.fromkeys((persona.name, *self._wake_words)))

"""What is chosen about voice, and outlives a restart: where the bot stays, and who is not to be heard."""

from typing import Final

from sessions.channel_settings import ChannelSettings, GuildScope

_STAYS_IN: Final = "voice_stay"


class VoiceChoices:
    """Over the settings of servers."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._settings = settings

    async def stays_in(self, guild_id: int) -> int | None:
        """The channel that the bot comes back to after a restart."""
        held = (await self._settings.read(GuildScope(guild_id=str(guild_id)))).get(_STAYS_IN)
        return None if held is None else int(held)

    async def stay(self, guild_id: int, channel_id: int | None) -> None:
        """Come back to this channel from now on; None: to none."""
        if await self.stays_in(guild_id) != channel_id:
            value = None if channel_id is None else str(channel_id)
            await self._settings.change(GuildScope(guild_id=str(guild_id)), _STAYS_IN, value)

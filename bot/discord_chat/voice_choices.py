"""What is chosen about voice, and outlives a restart: where the bot stays, and who is not to be heard."""

import asyncio
from typing import Final

from sessions.channel_settings import ChannelSettings, GuildScope, UserScope

_STAYS_IN: Final = "voice_stay"
_OPTED_OUT: Final = "voice_optout"


class VoiceChoices:
    """Over the settings of servers and people."""

    def __init__(self, settings: ChannelSettings) -> None:
        self._settings = settings
        self._opted_out: frozenset[int] | None = None
        self._choosing = asyncio.Lock()

    async def stays_in(self, guild_id: int) -> int | None:
        """The channel that the bot comes back to after a restart."""
        held = (await self._settings.read(GuildScope(guild_id=str(guild_id)))).get(_STAYS_IN)
        return None if held is None else int(held)

    async def staying(self) -> tuple[int, ...]:
        """The servers in which the bot comes back after a restart."""
        scopes = await self._settings.scopes_with(_STAYS_IN)
        return tuple(int(one.guild_id) for one in scopes if isinstance(one, GuildScope))

    async def stay(self, guild_id: int, channel_id: int | None) -> None:
        """Come back to this channel from now on; None: to none."""
        if await self.stays_in(guild_id) != channel_id:
            value = None if channel_id is None else str(channel_id)
            await self._settings.change(GuildScope(guild_id=str(guild_id)), _STAYS_IN, value)

    async def opted_out(self) -> frozenset[int]:
        """Everybody who is not to be heard, in whatever server: as it is when this returns."""
        async with self._choosing:
            if self._opted_out is None:
                scopes = await self._settings.scopes_with(_OPTED_OUT)
                self._opted_out = frozenset(int(one.user_id) for one in scopes if isinstance(one, UserScope))
            return self._opted_out

    async def opt_out(self, user_id: int, *, wanted: bool) -> None:
        """Hear that person no more, or again."""
        async with self._choosing:
            self._opted_out = None
            await self._settings.change(
                UserScope(user_id=str(user_id)), _OPTED_OUT, "yes" if wanted else None
            )

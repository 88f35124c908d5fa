"""What discord.py's cache knows of voice channels: what the bot may do there, and who is there."""

from collections.abc import Mapping
from typing import Final

import discord

from core.sentences import sentence

_SHOWN: Final[Mapping[str, str]] = {
    "view_channel": sentence("View Channel"),
    "connect": sentence("Connect"),
    "speak": sentence("Speak"),
    "send_messages": sentence("Send Messages"),
}
_HINDRANCES: Final[Mapping[str, str]] = {
    "mute": sentence("**A moderator muted me in this server**, so nobody hears me."),
    "deaf": sentence("**A moderator deafened me in this server**, so I hear nobody."),
    "suppress": sentence("I am in the audience of this stage: I am heard once I am invited to speak."),
}


class VoicePlaces:
    """Asking costs nothing."""

    def __init__(self, client: discord.Client) -> None:
        self._client = client

    def exists(self, channel_id: int) -> bool:
        """Whether it is a voice channel that can be seen."""
        return self._channel(channel_id) is not None

    def missing(self, channel_id: int) -> tuple[str, ...]:
        """The permissions that the bot lacks to join, in Discord's words (TEXT-7).

        Send Messages is among them: without its notice the bot does not listen (VOX-9). On a stage it is
        invited to speak, so nothing is lost without Speak.
        """
        channel = self._channel(channel_id)
        if channel is None:
            return (_SHOWN["view_channel"],)
        has = channel.permissions_for(channel.guild.me)
        for first in ("view_channel", "connect"):
            if not getattr(has, first):  # without it Discord takes all others away too
                return (_SHOWN[first],)
        needed = (
            ("send_messages",) if isinstance(channel, discord.StageChannel) else ("speak", "send_messages")
        )
        return tuple(_SHOWN[name] for name in needed if not getattr(has, name))

    def is_full(self, channel_id: int) -> bool:
        """Whether its limit of users keeps the bot out."""
        channel = self._channel(channel_id)
        if channel is None or not channel.user_limit:
            return False
        may_anyway = channel.permissions_for(channel.guild.me).move_members
        return len(channel.voice_states) >= channel.user_limit and not may_anyway

    def has_people(self, channel_id: int) -> bool:
        """Whether somebody is there who is no bot."""
        channel = self._channel(channel_id)
        return channel is not None and any(not member.bot for member in channel.members)

    def hindrances(self, guild_id: int) -> tuple[str, ...]:
        """What keeps the bot from being heard or from hearing where it is, in sentences."""
        guild = self._client.get_guild(guild_id)
        state = guild.me.voice if guild is not None else None
        if state is None:
            return ()
        return tuple(said for name, said in _HINDRANCES.items() if getattr(state, name))

    def sees(self, guild_id: int) -> bool:
        """Whether the server is there now."""
        return self._client.get_guild(guild_id) is not None

    def _channel(self, channel_id: int) -> discord.VoiceChannel | discord.StageChannel | None:
        channel = self._client.get_channel(channel_id)
        return channel if isinstance(channel, discord.VoiceChannel | discord.StageChannel) else None

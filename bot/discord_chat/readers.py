"""Which language people read where the bot writes (CMD-1).

In a server it is the one that the server prefers. Of direct messages Discord says nothing: there it is the
one of the person's own client, as their last command, button or form told it. Only a language that there is a
table of is kept.
"""

from collections import OrderedDict
from contextlib import AbstractContextManager
from typing import Final

import discord

from bot.discord_chat.languages import LOCALES, speaking
from recipes.run_scene import Place
from sessions.channel_settings import ChannelSettings, UserScope

CLIENT_LANGUAGE: Final = "client_language"
"""The key among the settings of a person."""
_MOST_DIRECT: Final = 10_000


class Readers:
    """Knows the people of direct messages since it met them there."""

    def __init__(self, client: discord.Client, settings: ChannelSettings) -> None:
        self._client = client
        self._settings = settings
        self._direct: OrderedDict[int, discord.Locale | None] = OrderedDict()

    def language_of(self, channel_id: int) -> discord.Locale | None:
        """What people of that channel read; None where nobody has told."""
        channel = self._client.get_channel(channel_id)
        if isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return channel.guild.preferred_locale
        return self._direct.get(channel_id)

    def speaking(self, channel_id: int) -> AbstractContextManager[None]:
        """For what is said in a channel."""
        return speaking(self.language_of(channel_id))

    async def language_of_person(self, user_id: int) -> discord.Locale | None:
        """What that person reads."""
        told = (await self._settings.read(UserScope(user_id=str(user_id)))).get(CLIENT_LANGUAGE)
        return None if told is None else discord.Locale(told)

    async def meet(self, channel_id: int, user_id: int) -> None:
        """These are the direct messages of that person."""
        self._direct[channel_id] = await self.language_of_person(user_id)
        self._direct.move_to_end(channel_id)
        while len(self._direct) > _MOST_DIRECT:
            self._direct.popitem(last=False)

    async def meet_in(self, place: Place) -> None:
        """The same of a place where something was asked for; a server needs no meeting."""
        if place.channel_id is not None and place.direct_with is not None:
            await self.meet(int(place.channel_id), int(place.direct_with))

    async def tells(self, interaction: discord.Interaction[discord.Client]) -> None:
        """The person's client says in which language it is."""
        person, channel_id = UserScope(user_id=str(interaction.user.id)), interaction.channel_id
        language = interaction.locale.value if interaction.locale in LOCALES else None
        if (await self._settings.read(person)).get(CLIENT_LANGUAGE) != language:
            await self._settings.change(person, CLIENT_LANGUAGE, language)
        if interaction.guild_id is None and channel_id is not None:
            await self.meet(channel_id, interaction.user.id)

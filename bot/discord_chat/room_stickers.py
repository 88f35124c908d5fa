"""The stickers of a server, as the model may choose from them in its rooms (CORE-29, CORE-37, TEXT-5).

A sticker goes by its name, which people and models can read; two of one name are one to choose from.
"""

from collections.abc import Callable
from typing import Final

import discord

from core.markers.stickers import StickerCatalog, StickerEntry
from core.orchestration.sends import SceneKind, SendOptions
from sessions.bindings import ChannelBinding

_MOST: Final = 40
"""Each costs a line of every prompt; a server has at most 60."""

OptionsOf = Callable[[ChannelBinding], SendOptions]
"""What holds for a send of a scene when it is submitted."""


class RoomStickers:
    """Reads discord.py's cache. `offered` False: no catalog is told to the model."""

    def __init__(self, client: discord.Client, *, offered: bool) -> None:
        self._client = client
        self._offered = offered

    def options(self, binding: ChannelBinding) -> SendOptions:
        """See `OptionsOf`."""
        stickers = self._catalog(binding.guild_id) if self._offered else StickerCatalog()
        return SendOptions(scene=SceneKind.DISCORD, stickers=stickers)

    def _catalog(self, guild_id: int | None) -> StickerCatalog:
        guild = None if guild_id is None else self._client.get_guild(guild_id)
        entries: dict[str, StickerEntry] = {}
        for sticker in () if guild is None else guild.stickers:
            if sticker.available and len(entries) < _MOST:
                try:
                    entry = StickerEntry(id=sticker.name, description=_described(sticker))
                except ValueError:
                    continue  # a name that cannot stand in a marker
                entries.setdefault(entry.id, entry)
        return StickerCatalog(entries=tuple(entries.values()))


def _described(sticker: discord.GuildSticker) -> str:
    return f"{sticker.description or sticker.name} {sticker.emoji}".strip()

"""What commands of recipes, memory and other domains need of an interaction: place, person, persona."""

import asyncio
import json
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Final

import discord

from bot.discord_chat.commands.answering import AnyInteraction, CommandTree, Refused, scene_of
from bot.discord_chat.languages import told
from bot.discord_chat.scene_access import DiscordAccess
from bot.run_extras import PersonaKeys
from core.clock import Clock
from core.conversation.turns import Speaker
from recipes.run_scene import RunScene, Standing

MOST_SENT: Final = 8_000_000
"""Bytes of a file; Discord takes 10 MiB with a request."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandParts:
    """The tree, and what answers who somebody is where."""

    tree: CommandTree
    access: DiscordAccess
    personas: PersonaKeys
    clock: Clock

    async def scene(self, interaction: AnyInteraction) -> RunScene:
        """The scene of an interaction; its own permissions count, which Discord sends along.

        Raises:
            Refused: it came from no channel.
        """
        session_id = scene_of(interaction).session_id
        place = self.access.place_of(interaction.channel, session_id)
        if place.guild_id is None:
            place = replace(place, direct_with=str(interaction.user.id))
        return RunScene(
            place=place,
            persona=await self.personas.key_of(session_id),
            speaker=Speaker(id=str(interaction.user.id), name=interaction.user.display_name),
            standing=self.standing(interaction),
        )

    def standing(self, interaction: AnyInteraction) -> Standing:
        """Who the person is here."""
        if self.access.is_owner(interaction.user.id):
            return Standing.OWNER
        is_manager = interaction.guild_id is not None and interaction.permissions.manage_guild
        return Standing.MANAGER if is_manager else Standing.MEMBER


def require(allowed: bool, otherwise: str) -> None:  # noqa: FBT001 - reads as a sentence: require(may, "Only ...")
    """Go on only when it is allowed.

    Raises:
        Refused: with the sentence for the person.
    """
    if not allowed:
        raise Refused(otherwise)


def text_file(text: str, name: str) -> discord.File:
    """A text as a file of an answer."""
    return discord.File(BytesIO(text.encode()), filename=name)


def json_files(held: object, name: str, *, most_bytes: int = MOST_SENT) -> list[discord.File]:
    """What is held as JSON, whole: in files that follow each other, where one would be too large."""
    content = json.dumps(held, ensure_ascii=False, indent=1).encode()
    pieces = [content[begin : begin + most_bytes] for begin in range(0, len(content), most_bytes)]
    names = [f"{name}.json"] if len(pieces) == 1 else [f"{name}.{n}.json" for n in range(1, len(pieces) + 1)]
    return [discord.File(BytesIO(piece), filename=one) for piece, one in zip(pieces, names, strict=True)]


async def send_json(interaction: AnyInteraction, said: str, held: object, name: str) -> None:
    """Answer a deferred command with what is held as JSON, to the person alone."""
    files = await asyncio.to_thread(json_files, held, name)
    await interaction.followup.send(said, file=files[0], ephemeral=True)
    for number, file in enumerate(files[1:], 2):
        note = told(
            "Part {number} of {count}; put together they are one file.", number=number, count=len(files)
        )
        await interaction.followup.send(note, file=file, ephemeral=True)


def shortened(text: str, limit: int) -> str:
    """`text` cut to `limit` characters."""
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"

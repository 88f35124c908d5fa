"""Buttons that work after a restart: what they need stands in their custom id (CMD-2)."""

import re
from collections.abc import Awaitable, Callable
from typing import Self

import discord

from bot.discord_chat.commands.answering import AnyInteraction, answer_error
from bot.discord_chat.commands.guarded_tree import require_served
from bot.discord_chat.languages import speak, told

Press = Callable[[AnyInteraction, re.Match[str]], Awaitable[None]]
"""Acts on a press; what it raises is told to the person in one sentence."""

Button = discord.ui.Button[discord.ui.View]


def button_row(*buttons: tuple[str, discord.ButtonStyle, str]) -> discord.ui.View:
    """Buttons by label, style and custom id; ended at once: discord.py keeps nothing of them."""
    view = discord.ui.View(timeout=None)
    for label, style, custom_id in buttons:
        view.add_item(Button(label=told(label), style=style, custom_id=custom_id))
    view.stop()
    return view


def answer_presses(client: discord.Client, template: str, press: Press) -> None:
    """Have `press` called for every button whose custom id fits `template`, whichever process posted it."""

    class PersistentButton(discord.ui.DynamicItem[Button], template=template):
        """One press."""

        def __init__(self, found: re.Match[str]) -> None:
            super().__init__(Button(custom_id=found.string))
            self._found = found

        @classmethod
        async def from_custom_id(
            cls,
            _interaction: AnyInteraction,
            _item: discord.ui.Item[discord.ui.View],
            found: re.Match[str],
            /,
        ) -> Self:
            return cls(found)

        async def callback(self, interaction: AnyInteraction) -> None:
            speak(interaction.locale)
            try:
                require_served(interaction)
                await press(interaction, self._found)
            except Exception as error:  # noqa: BLE001 - the person is told, as for every command
                await answer_error(interaction, error)

    client.add_dynamic_items(PersistentButton)

"""`/why`, `/help`, `/about`: what the bot does and why, told from the things themselves (CMD-1, CMD-3)."""

from typing import Any

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import CommandTree, Interaction, scene_of
from bot.discord_chat.decisions import Decisions, RecordedDecision
from bot.discord_chat.trigger_rules import HOW_TO_CHANGE, Verdict

_LONGEST = 2_000
_UNKNOWN = "I know nothing of that message: I have heard none since my last start, or it was too long ago."


def add_explaining_commands(tree: CommandTree, decisions: Decisions, *, version: str) -> None:
    """Add the commands to `tree`; `/help` tells of all that are there when it is asked."""

    @tree.command(description="Tell why I answered your last message here, or why I did not.")
    async def why(interaction: Interaction) -> None:
        channel_id = scene_of(interaction).channel_id
        found = decisions.latest(channel_id, author_id=interaction.user.id)
        await interaction.response.send_message(_explained(found, interaction), ephemeral=True)

    async def why_this(interaction: Interaction, message: discord.Message) -> None:
        found = decisions.of(message.channel.id, message.id)
        await interaction.response.send_message(_explained(found, interaction), ephemeral=True)

    tree.add_command(app_commands.ContextMenu(name="Why?", callback=why_this))

    @tree.command(name="help", description="Show what I can do.")
    async def show_help(interaction: Interaction) -> None:
        await interaction.response.send_message(help_text(tree), ephemeral=True)

    @tree.command(description="Tell what I am.")
    async def about(interaction: Interaction) -> None:
        name = discord.utils.escape_markdown(interaction.client.user.name if interaction.client.user else "I")
        text = (
            f"**{name}** runs on Parley {version}, an open program under the MIT licence that a room can talk"
            " with.\nMention me or reply to me and I answer; `/help` shows the rest, `/status` what I run on."
        )
        await interaction.response.send_message(text, ephemeral=True)


def help_text(tree: CommandTree) -> str:
    """One line for each command and group, as they describe themselves; what finds no room is left out."""
    commands = sorted(tree.get_commands(type=discord.AppCommandType.chat_input), key=lambda one: one.name)
    lines = ["Mention me or reply to me, and I answer; in direct messages just write."]
    lines += ["React with 🛑 to stop my reply, with 🔁 to ask again when it broke off.", ""]
    lines += [_help_line(command) for command in commands]
    menus = [menu.name for menu in tree.get_commands(type=discord.AppCommandType.message)]
    if menus:
        lines += ["", f"On a message, under Apps: {', '.join(menus)}"]
    while len("\n".join(lines)) > _LONGEST:
        lines.pop()
    return "\n".join(lines)


def _help_line(command: app_commands.Command[Any, ..., Any] | app_commands.Group) -> str:
    if isinstance(command, app_commands.Group):
        parts = ", ".join(part.name for part in command.commands)
        return f"`/{command.name}` {parts}: {command.description}"
    return f"`/{command.name}`: {command.description}"


def _explained(found: RecordedDecision | None, interaction: Interaction) -> str:
    if found is None:
        return _UNKNOWN
    place = interaction.guild_id or "@me"
    link = f"https://discord.com/channels/{place}/{interaction.channel_id}/{found.message_id}"
    reason = found.decision.reason
    match found.decision.verdict:
        case Verdict.ANSWER:
            verdict = "I answered"
        case Verdict.AMBIENT:
            verdict = "I did not answer (I may read it as context)"
        case Verdict.IGNORE:
            verdict = "I did not answer"
    return f"{verdict} {link}: {reason.value}.\n{HOW_TO_CHANGE[reason]}"

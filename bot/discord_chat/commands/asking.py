"""`/ask`: a question as a command (CMD-1). It stands in the channel, and is answered there."""

from dataclasses import dataclass

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import AnyInteraction, CommandTree, Interaction, Refused, scene_of
from bot.discord_chat.incoming import role_ids_of
from bot.discord_chat.incoming_message import Author, ForwardedMessage, IncomingMessage, QuotedMessage
from bot.discord_chat.languages import speaking_to_all, told
from bot.discord_chat.text_scenes import TextScenes
from bot.discord_chat.trigger_rules import Verdict, not_answered

_LONGEST = 1_800


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked, and how the channel sees it: `shown` follows the person's name."""

    words: str
    shown: str
    quoted: QuotedMessage | None = None
    forwarded: tuple[ForwardedMessage, ...] = ()


def add_ask_command(tree: CommandTree, scenes: TextScenes) -> None:
    """Add the command to `tree`."""

    @tree.command(description="Ask me something; everybody here reads question and answer.")
    @app_commands.describe(question="What you want to know.")
    async def ask(interaction: Interaction, question: app_commands.Range[str, 1, _LONGEST]) -> None:
        require_member(interaction)
        with speaking_to_all(interaction):
            shown = told("asks: {question}", question=question)
        await ask_here(interaction, scenes, Question(words=question, shown=shown))


def require_member(interaction: AnyInteraction) -> None:
    """Pass where the bot can post: it is no member of every server in which its commands are used.

    Raises:
        Refused: it is none here.
    """
    guild_id = scene_of(interaction).guild_id
    if guild_id is not None and interaction.client.get_guild(guild_id) is None:
        raise Refused(
            told("I am no member of this server, so I cannot answer here; ask me in a direct message.")
        )


async def ask_here(interaction: AnyInteraction, scenes: TextScenes, asked: Question) -> None:
    """Show the question, and have it answered like a message that mentions the bot."""
    binding, user = scene_of(interaction), interaction.user
    name = discord.utils.escape_markdown(user.display_name)
    text, nobody = f"**{name}** {asked.shown}", discord.AllowedMentions.none()
    if interaction.response.is_done():
        shown = await interaction.edit_original_response(content=text, allowed_mentions=nobody)
    else:
        await interaction.response.send_message(text, allowed_mentions=nobody)
        shown = await interaction.original_response()
    channel = interaction.channel
    message = IncomingMessage(
        id=shown.id,
        channel_id=binding.channel_id,
        guild_id=binding.guild_id,
        author=Author(id=user.id, name=user.display_name),
        at=shown.created_at,
        text=asked.words,
        mentions_bot=True,
        quoted=asked.quoted,
        forwarded=asked.forwarded,
        parent_id=channel.parent_id if isinstance(channel, discord.Thread) else None,
        role_ids=role_ids_of(user),
    )
    decision = await scenes.hear(message)
    if decision.verdict is not Verdict.ANSWER:
        await interaction.followup.send(not_answered(decision), ephemeral=True)

"""`/ask`: a question as a command (CMD-1). It stands in the channel, and is answered there."""

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import CommandTree, Interaction, Refused, scene_of
from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.text_scenes import TextScenes
from bot.discord_chat.trigger_rules import HOW_TO_CHANGE, Verdict

_LONGEST = 1_800


def add_ask_command(tree: CommandTree, scenes: TextScenes) -> None:
    """Add the command to `tree`."""

    @tree.command(description="Ask me something; everybody here reads question and answer.")
    @app_commands.describe(question="What you want to know.")
    async def ask(interaction: Interaction, question: app_commands.Range[str, 1, _LONGEST]) -> None:
        binding = scene_of(interaction)
        if binding.guild_id is not None and interaction.client.get_guild(binding.guild_id) is None:
            raise Refused(
                "I am no member of this server, so I cannot answer here; ask me in a direct message."
            )
        name = discord.utils.escape_markdown(interaction.user.display_name)
        await interaction.response.send_message(
            f"**{name}** asks: {question}", allowed_mentions=discord.AllowedMentions.none()
        )
        shown = await interaction.original_response()
        asked = IncomingMessage(
            id=shown.id,
            channel_id=binding.channel_id,
            guild_id=binding.guild_id,
            author=Author(id=interaction.user.id, name=interaction.user.display_name),
            at=shown.created_at,
            text=question,
            mentions_bot=True,
        )
        decision = await scenes.hear(asked)
        if decision.verdict is not Verdict.ANSWER:
            said = f"I do not answer: {decision.reason.value}. {HOW_TO_CHANGE[decision.reason]}"
            await interaction.followup.send(said, ephemeral=True)

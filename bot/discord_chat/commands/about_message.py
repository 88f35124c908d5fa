"""What can be asked of a message, under Apps: "Ask about this" and "Summarise from here" (CMD-1).

The question stands in the channel and is answered there, like `/ask`; what is asked about is data beside it.
"""

from typing import Final

import discord
from discord import app_commands

from bot.discord_chat.channels import Channels, DeliveryError
from bot.discord_chat.commands.answering import (
    AnyInteraction,
    CommandTree,
    Interaction,
    Refused,
    scene_of,
)
from bot.discord_chat.commands.asking import Question, ask_here, require_member
from bot.discord_chat.commands.form import Form
from bot.discord_chat.incoming import read_message
from bot.discord_chat.incoming_message import ForwardedMessage, IncomingMessage, QuotedMessage
from bot.discord_chat.languages import speaking_to_all, told
from bot.discord_chat.message_words import all_words
from bot.discord_chat.text_scenes import TextScenes
from core.conversation.turns import Speaker
from core.prompts.user_messages import minute, speaker_label
from core.sentences import sentence

_LONGEST: Final = 1_500
_MOST_MESSAGES: Final = 100
_MOST_CHARACTERS: Final = 16_000
_SUMMARISE: Final = sentence("Summarise what was said: the points, what was decided, and what is still open.")


def add_message_menus(tree: CommandTree, scenes: TextScenes, channels: Channels, *, most_read: int) -> None:
    """Add both menus to `tree`. `most_read`: how many characters the model can be given at once."""

    async def ask_about(interaction: Interaction, message: discord.Message) -> None:
        require_member(interaction)
        await interaction.response.send_modal(QuestionForm(scenes, _quoted(interaction, message), message))

    async def summarise(interaction: Interaction, message: discord.Message) -> None:
        require_member(interaction)
        await interaction.response.defer()
        said = await _said_since(channels, interaction, message, min(most_read, _MOST_CHARACTERS))
        with speaking_to_all(interaction):
            shown, words = told("asks what was said from {link} on.", link=message.jump_url), told(_SUMMARISE)
        asked = Question(
            words=words,
            shown=shown,
            forwarded=(ForwardedMessage(text=said),),
        )
        await ask_here(interaction, scenes, asked)

    tree.add_command(app_commands.ContextMenu(name="Ask about this", callback=ask_about))
    tree.add_command(app_commands.ContextMenu(name="Summarise from here", callback=summarise))


class QuestionForm(Form):
    """The question about one message."""

    def __init__(self, scenes: TextScenes, quoted: QuotedMessage, message: discord.Message) -> None:
        super().__init__(title=told("Ask about this message"))
        self._scenes = scenes
        self._quoted = quoted
        self._link = message.jump_url
        self._question = discord.ui.TextInput[QuestionForm](
            custom_id="question", style=discord.TextStyle.paragraph, max_length=_LONGEST
        )
        self.add_item(discord.ui.Label(text=told("What do you want to know?"), component=self._question))

    async def on_submit(self, interaction: AnyInteraction) -> None:
        """Ask it in the channel."""
        words = self._question.value
        with speaking_to_all(interaction):
            shown = told("asks about {link}: {words}", link=self._link, words=words)
        asked = Question(words=words, shown=shown, quoted=self._quoted)
        await ask_here(interaction, self._scenes, asked)


def _quoted(interaction: Interaction, message: discord.Message) -> QuotedMessage:
    read = _read(interaction, message)
    if read is None or read.is_empty:
        raise Refused(told("I can read nothing in that message."))
    return QuotedMessage(
        id=read.id,
        author=read.author,
        text=read.text,
        extras=read.extras,
        attachments=read.all_attachments,
    )


def _read(interaction: Interaction, message: discord.Message) -> IncomingMessage | None:
    user = interaction.client.user
    return None if user is None else read_message(message, bot_user_id=user.id)


async def _said_since(
    channels: Channels, interaction: Interaction, message: discord.Message, most: int
) -> str:
    """The messages from there on, one a line; the latest ones where they are too many to read."""
    if not interaction.permissions.read_message_history and interaction.guild_id is not None:
        raise Refused(told("You may not read the history of this channel."))
    channel_id = scene_of(interaction).channel_id
    try:
        found = await channels.messages_from(
            channel_id, message.id, limit=_MOST_MESSAGES, guild_id=interaction.guild_id
        )
    except DeliveryError as error:
        raise Refused(told("I may not read the history of this channel.")) from error
    lines = [_line(one) for one in channels.read(found) if not one.is_empty]
    while lines and sum(len(line) + 1 for line in lines) > most:
        lines.pop(0)
    if not lines:
        raise Refused(told("I can read nothing there."))
    return "\n".join(lines)


def _line(message: IncomingMessage) -> str:
    speaker = Speaker(id=str(message.author.id), name=message.author.name)
    return f"({minute(message.at)}) {speaker_label(speaker)}: {' '.join(all_words(message).split())[:1_000]}"

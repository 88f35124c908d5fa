"""Stop under a reply that is written, Retry under one that broke off; both outlive the process (TEXT-6).

The button names its reply. Who may press is decided when they do, as for the commands.
"""

import re
from functools import partial
from typing import Final

import discord

from bot.discord_chat.cards.persistent_buttons import answer_presses
from bot.discord_chat.commands.answering import AnyInteraction, scene_of
from bot.discord_chat.languages import told
from bot.discord_chat.reply_controls import Asker, ReplyControls, RetryResult, StopResult
from bot.discord_chat.reply_words import RETRIED, STOPPED
from sessions.outbox_rules import reply_id_for

_TEMPLATE: Final = r"reply:(?P<act>stop|retry):(?P<reply>\d{1,20})"


def answer_reply_buttons(client: discord.Client, controls: ReplyControls) -> None:
    """Answer presses, also on messages that an earlier process posted."""
    answer_presses(client, _TEMPLATE, partial(_press, controls))


async def _press(controls: ReplyControls, interaction: AnyInteraction, found: re.Match[str]) -> None:
    binding, reply_id = scene_of(interaction), reply_id_for(found["reply"])
    is_manager = interaction.guild_id is None or interaction.permissions.manage_guild
    asker = Asker(user_id=interaction.user.id, is_manager=is_manager)
    await interaction.response.defer()
    if found["act"] == "stop":
        stopped = controls.stop_reply(binding, asker, reply_id)
        is_settled, said = stopped is StopResult.NOTHING_RUNS, STOPPED[stopped]
        is_done = stopped is StopResult.STOPPED
    else:
        retried = await controls.retry(binding, asker, request_id=interaction.id)
        is_done = retried is RetryResult.ASKED_AGAIN
        is_settled, said = is_done or retried is RetryResult.ALL_ANSWERED, RETRIED[retried]
    if is_settled:
        await interaction.edit_original_response(view=None)
    if not is_done:
        await interaction.followup.send(told(said), ephemeral=True)

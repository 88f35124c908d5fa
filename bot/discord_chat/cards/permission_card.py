"""A request for permission as a card: the exact operation, and three answers (TASK-9).

What the buttons carry is the request's id and nothing more; who may press is decided when they do, by the
same policy as everywhere else.
"""

import re
from typing import Final

import aiohttp
import discord
import structlog
from discord.utils import escape_markdown

from bot.discord_chat.cards.persistent_buttons import answer_presses, button_row
from bot.discord_chat.commands.answering import AnyInteraction, Refused
from bot.discord_chat.commands.parts import CommandParts, require
from bot.discord_chat.languages import speaking_to_all, told, words_of
from bot.discord_chat.readers import Readers
from core.sentences import Sentence, sentence
from recipes.tasks.permission_rules import Decision, NotDecided, PermissionRequest, may_decide
from recipes.tasks.permissions import Permissions
from recipes.tasks.task import Task

_log = structlog.get_logger()
_TEMPLATE: Final = r"permission:(?P<decision>task|always|reject):(?P<id>[0-9a-z]+)"
_BUTTONS: Final = (
    (Decision.TASK, sentence("This task"), discord.ButtonStyle.success),
    (Decision.ALWAYS, sentence("Always here"), discord.ButtonStyle.primary),
    (Decision.REJECT, sentence("Reject"), discord.ButtonStyle.danger),
)
OVER: Final = sentence("This request is over; nothing was authorised.")
NOT_YOURS: Final = sentence("Only the person who asked for the task, and the bot's owner, can decide this.")
SAID: Final = {
    Decision.TASK: sentence("allowed for this task"),
    Decision.ALWAYS: sentence("always allowed here"),
    Decision.REJECT: sentence("rejected"),
}


def permission_embed(request: PermissionRequest, task: Task) -> discord.Embed:
    """What is asked for, word by word as far as it is shown at all."""
    detail = request.detail.replace("```", "'''")
    embed = discord.Embed(
        title=told("May I? {title}", title=request.title)[:250],
        description=f"```\n{detail}\n```" if detail else None,
    )
    embed.add_field(name=told("Task"), value=escape_markdown(task.request.title)[:1_000], inline=False)
    embed.set_footer(
        text=told("task {short_id} · request {request}", short_id=task.short_id, request=request.id)
    )
    return embed


def _view(request: PermissionRequest) -> discord.ui.View:
    return button_row(
        *((label, style, f"permission:{decision.value}:{request.id}") for decision, label, style in _BUTTONS)
    )


class PermissionCards:
    """Shows requests."""

    def __init__(self, client: discord.Client, readers: Readers) -> None:
        self._client = client
        self._readers = readers

    async def show(self, request: PermissionRequest, task: Task) -> None:
        """The card in the channel that asked, for the requester; to them alone where that is gone."""
        channel_id = task.request.place.channel_id
        if channel_id is None:
            return
        requester = discord.Object(int(request.requester_id))
        await self._readers.meet_in(task.request.place)
        try:
            try:
                await self._send(int(channel_id), request, task)
            except discord.HTTPException as error:
                _log.info("permission not asked for in its channel", task=task.id, status=error.status)
                direct = await self._client.create_dm(requester)
                await self._readers.meet(direct.id, requester.id)
                await self._send(direct.id, request, task)
        except (discord.HTTPException, aiohttp.ClientError, OSError) as error:
            _log.warning("permission not asked for", task=task.id, error=type(error).__name__)

    async def _send(self, channel_id: int, request: PermissionRequest, task: Task) -> None:
        with self._readers.speaking(channel_id):
            card, view = permission_embed(request, task), _view(request)
        await self._client.get_partial_messageable(channel_id).send(
            f"<@{request.requester_id}>",
            embed=card,
            view=view,
            allowed_mentions=discord.AllowedMentions(users=[discord.Object(int(request.requester_id))]),
        )


def answer_permission_buttons(client: discord.Client, permissions: Permissions, parts: CommandParts) -> None:
    """Answer presses; those on cards of an earlier process authorise nothing."""

    async def press(interaction: AnyInteraction, found: re.Match[str]) -> None:
        decision = Decision(found["decision"])
        with speaking_to_all(interaction):
            said = told(decide_by_hand(permissions, parts, interaction, found["id"], decision))
        await interaction.response.edit_message(
            content=said, view=None, allowed_mentions=discord.AllowedMentions.none()
        )

    answer_presses(client, _TEMPLATE, press)


def decide_by_hand(
    permissions: Permissions,
    parts: CommandParts,
    interaction: AnyInteraction,
    permission_id: str,
    decision: Decision,
) -> Sentence:
    """A decision by a click or a command; what was decided, in words.

    Raises:
        Refused: nothing was authorised.
    """
    request = permissions.find(permission_id)
    if request is None:
        raise Refused(OVER)
    standing = parts.standing(interaction)
    require(may_decide(request, user_id=str(interaction.user.id), standing=standing), NOT_YOURS)
    try:
        permissions.decide(request.id, decision)
    except NotDecided as refusal:
        raise Refused(words_of(refusal)) from refusal
    return sentence("{mention}: {decided}.", mention=interaction.user.mention, decided=SAID[decision])

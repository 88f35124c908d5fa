"""`/task list|show|stop|result|retry|permit`: tasks without any help of a model (TASK-13)."""

import re
from dataclasses import dataclass
from io import BytesIO
from typing import Final

import discord
from discord import app_commands
from discord.utils import escape_markdown

from bot.discord_chat.cards.permission_card import decide_by_hand
from bot.discord_chat.cards.persistent_buttons import answer_presses
from bot.discord_chat.cards.task_card import TEMPLATE
from bot.discord_chat.commands.answering import AnyInteraction, Interaction, Refused, plain
from bot.discord_chat.commands.parts import CommandParts, require, shortened, text_file
from bot.discord_chat.languages import told, words_of
from bot.discord_chat.task_result_view import files_of
from bot.recipe_members import RecipeMembers
from bot.task_delegates import TaskDelegates
from core.sentences import sentence
from recipes.library import RecipeLibrary
from recipes.matching_rules import scopes_of
from recipes.recipe_permissions import may_use_recipes
from recipes.run_scene import RunScene, Standing
from recipes.tasks.desk import TaskDesk, TaskRefused
from recipes.tasks.permission_rules import Decision
from recipes.tasks.permissions import Permissions
from recipes.tasks.progress_rules import progress_line
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.task_rules import is_open, may_stop, named, shown_state
from recipes.tasks.visible_tasks import VisibleTasks

_NOT_ALLOWED: Final = sentence("Only the bot's owner, and whom they allow, hand work to the backend agent.")
_MOST_CHOICES: Final = 25
_LISTED: Final = 15
_MOST_TEXT: Final = 3_900


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskParts:
    """The desk, and what tells who asks."""

    parts: CommandParts
    desk: TaskDesk
    visible: VisibleTasks
    permissions: Permissions
    delegates: TaskDelegates
    recipes: RecipeLibrary
    members: RecipeMembers

    async def seen(self, interaction: AnyInteraction) -> tuple[RunScene, tuple[Task, ...]]:
        """The scene of an interaction, and the tasks that its person sees there."""
        scene = await self.parts.scene(interaction)
        return scene, await self.visible.of(scene)

    async def named(self, interaction: AnyInteraction, wanted: str) -> Task:
        """A task by its short id.

        Raises:
            Refused: there is none that this person sees.
        """
        _, tasks = await self.seen(interaction)
        found = named(tasks, wanted)
        if found is None:
            raise Refused(
                told("There is no task `{wanted}` of yours; `/task list` shows them.", wanted=plain(wanted))
            )
        return found

    async def stoppable(self, interaction: AnyInteraction, wanted: str) -> Task:
        """A task that this person may stop or have done again.

        Raises:
            Refused: they may not.
        """
        task = await self.named(interaction, wanted)
        scene = await self.parts.scene(interaction)
        allowed = may_stop(task, user_id=str(interaction.user.id), standing=scene.standing, place=scene.place)
        if not allowed:
            raise Refused(told("This task is somebody else's."))
        return task

    async def require_delegate(self, interaction: AnyInteraction) -> None:
        """Pass the owner, and whom they let use the backend (TASK-9).

        Raises:
            Refused: this person may not.
        """
        if self.parts.standing(interaction) is Standing.OWNER:
            return
        guild_id = interaction.guild_id
        allowed = frozenset[str]() if guild_id is None else await self.delegates.allowed(str(guild_id))
        require(str(interaction.user.id) in allowed, _NOT_ALLOWED)

    async def require_recipe(self, interaction: AnyInteraction, task: Task) -> None:
        """Pass while its recipe may still be used by this person where the task was asked for.

        Raises:
            Refused: it may not.
        """
        name, place = task.request.recipe_name, task.request.place
        standing = self.parts.standing(interaction)
        if standing is Standing.MANAGER and place.guild_id != str(interaction.guild_id):
            standing = Standing.MEMBER
        members_may = place.guild_id is not None and await self.members.members_may(place.guild_id)
        may = may_use_recipes(standing, place, members_may=members_may)
        require(
            may,
            told("Recipes are not open to members here; a manager can change that with `/recipe members`."),
        )
        scopes = scopes_of(guild_id=place.guild_id, direct_with=place.direct_with)
        usable = (await self.recipes.scene(scopes)).named(name) is not None
        require(usable, told("The recipe {name} is gone or switched off.", name=plain(name)))

    def line(self, task: Task) -> str:
        """A task in one line."""
        working = self.desk.working(task.id)
        activity = None if working is None else working.activity
        title = escape_markdown(task.request.title)
        began = f"<t:{int(task.created_at.timestamp())}:R>"
        return f"`{task.short_id}` **{title}**: {told(progress_line(task, activity))}, {began}"


def add_task_commands(tasks: TaskParts, client: discord.Client) -> None:
    """Add the group to the tree, and answer the buttons of cards."""
    group = app_commands.Group(name="task", description="Work that goes on beside the conversation.")
    _add_reading(group, tasks)
    _add_acting(group, tasks)
    tasks.parts.tree.add_command(group)

    async def press(interaction: AnyInteraction, found: re.Match[str]) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        said = await _stopped(tasks, interaction, found["task"])
        await interaction.followup.send(said, ephemeral=True)

    answer_presses(client, TEMPLATE, press)


def _add_reading(group: app_commands.Group, tasks: TaskParts) -> None:
    @group.command(name="list", description="Your tasks; a manager sees those of the server.")
    async def list_tasks(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        _, found = await tasks.seen(interaction)
        shown = sorted(found, key=lambda task: not is_open(task))[:_LISTED]
        lines = [tasks.line(task) for task in shown] or [told("There are no tasks.")]
        embed = discord.Embed(title=told("Tasks"), description=shortened("\n".join(lines), _MOST_TEXT))
        await interaction.followup.send(embed=embed, ephemeral=True)

    @group.command(description="Everything about one task.")
    @app_commands.describe(task="Its short id.")
    @app_commands.autocomplete(task=_ids(tasks, only_open=False))
    async def show(interaction: Interaction, task: str) -> None:
        await interaction.response.defer(ephemeral=True)
        found = await tasks.named(interaction, task)
        embed = discord.Embed(
            title=shortened(found.request.title, 250), description=shortened(found.request.message, 1_500)
        )
        embed.add_field(name=told("State"), value=tasks.line(found), inline=False)
        waits = tasks.permissions.of_task(found.id)
        if waits is not None:
            embed.add_field(name=told("Waits for"), value=shortened(waits.title, 1_000), inline=False)
        if found.error is not None:
            embed.add_field(name=told("Why"), value=shortened(told(found.error), 1_000), inline=False)
        await interaction.followup.send(embed=embed, ephemeral=True)

    @group.command(description="The whole result of a task.")
    @app_commands.describe(task="Its short id.")
    @app_commands.autocomplete(task=_ids(tasks, only_open=False))
    async def result(interaction: Interaction, task: str) -> None:
        await interaction.response.defer(ephemeral=True)
        found = await tasks.named(interaction, task)
        if found.result is None:
            raise Refused(
                told(
                    found.error
                    or sentence("There is no result: it is {state}.", state=shown_state(found.state))
                )
            )
        embed = discord.Embed(
            title=shortened(found.request.title, 250), description=shortened(found.result, _MOST_TEXT)
        )
        files = [discord.File(BytesIO(content), filename=name) for name, content in files_of(found)]
        if len(found.result) > _MOST_TEXT:
            files.insert(0, text_file(found.result, "result.md"))
        await interaction.followup.send(embed=embed, files=files, ephemeral=True)


def _add_acting(group: app_commands.Group, tasks: TaskParts) -> None:
    @group.command(description="Stop a task.")
    @app_commands.describe(task="Its short id.")
    @app_commands.autocomplete(task=_ids(tasks, only_open=True))
    async def stop(interaction: Interaction, task: str) -> None:
        await interaction.response.defer(ephemeral=True)
        await interaction.followup.send(await _stopped(tasks, interaction, task), ephemeral=True)

    @group.command(description="Have a task that is over done again.")
    @app_commands.describe(task="Its short id.")
    @app_commands.autocomplete(task=_ids(tasks, only_open=False))
    async def retry(interaction: Interaction, task: str) -> None:
        await interaction.response.defer(ephemeral=True)
        found = await tasks.stoppable(interaction, task)
        if found.kind is TaskKind.DELEGATED:
            await tasks.require_delegate(interaction)
        if found.kind is TaskKind.RECIPE:
            await tasks.require_recipe(interaction, found)
        try:
            again = await tasks.desk.retry(found)
        except TaskRefused as refusal:
            raise Refused(words_of(refusal)) from refusal
        await interaction.followup.send(
            told("Accepted as task `{short_id}`.", short_id=again.short_id), ephemeral=True
        )

    @group.command(description="Decide about a request for permission.")
    @app_commands.describe(decision="For this task, for every task here, or not.", request="Its id.")
    async def permit(interaction: Interaction, decision: Decision, request: str) -> None:
        said = decide_by_hand(
            tasks.permissions, tasks.parts, interaction, request.strip().strip("`"), decision
        )
        await interaction.response.send_message(
            told(said), ephemeral=True, allowed_mentions=discord.AllowedMentions.none()
        )

    @group.command(description="Let somebody of this server use the backend agent, or not any more.")
    @app_commands.describe(member="Who.", use="Whether they may.")
    async def allow(interaction: Interaction, member: discord.User, use: bool) -> None:  # noqa: FBT001 - Discord's option
        await interaction.response.defer(ephemeral=True)
        owner = tasks.parts.standing(interaction) is Standing.OWNER
        require(owner, told("Only the bot's owner can do this."))
        in_server = interaction.guild_id is not None
        require(in_server, told("This is a direct message: there is no server to choose for."))
        await tasks.delegates.let(str(interaction.guild_id), str(member.id), use=use)
        said = (
            told("{mention} may now hand work to the backend agent here.", mention=member.mention)
            if use
            else told("{mention} may no longer hand work to the backend agent here.", mention=member.mention)
        )
        await interaction.followup.send(said, ephemeral=True, allowed_mentions=discord.AllowedMentions.none())


async def _stopped(tasks: TaskParts, interaction: AnyInteraction, wanted: str) -> str:
    task = await tasks.stoppable(interaction, wanted)
    try:
        stopping = await tasks.desk.cancel(task)
    except TaskRefused as refusal:
        raise Refused(words_of(refusal)) from refusal
    return f"{escape_markdown(task.request.title)}: {told(shown_state(stopping.state))}."


def _ids(
    tasks: TaskParts, *, only_open: bool
) -> "app_commands.commands.AutocompleteCallback[app_commands.Group, str]":
    async def ids(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        _, found = await tasks.seen(interaction)
        wanted = current.casefold()
        fitting = [
            task
            for task in found
            if (is_open(task) or not only_open)
            and (wanted in task.short_id or wanted in task.request.title.casefold())
        ]
        return [
            app_commands.Choice(
                name=shortened(f"{task.short_id} {task.request.title}", 100), value=task.short_id
            )
            for task in fitting[:_MOST_CHOICES]
        ]

    return ids

"""`/reminder set|list|cancel|zone` (TASK-14)."""

from dataclasses import dataclass
from typing import Final

import discord
from discord import app_commands
from discord.utils import escape_markdown

from bot.discord_chat.commands.answering import Interaction, Refused, plain, require_manager
from bot.discord_chat.commands.parts import CommandParts, shortened
from bot.discord_chat.languages import told, words_of
from bot.scene_zones import StoredZones
from recipes.reminders.reminders import MOST_ABOUT, Reminders
from recipes.tasks.desk import TaskDesk, TaskRefused
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.task_rules import is_open, named

_MOST_CHOICES: Final = 25
_LISTED: Final = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderParts:
    """What sets reminders, and what tells who asks."""

    parts: CommandParts
    reminders: Reminders
    desk: TaskDesk
    zones: StoredZones

    async def open_of(self, interaction: Interaction) -> list[Task]:
        """The person's own reminders that are not due yet."""
        tasks = await self.desk.open_of(str(interaction.user.id))
        return [task for task in tasks if task.kind is TaskKind.REMINDER and is_open(task)]


def add_reminder_commands(reminders: ReminderParts) -> None:
    """Add the group to the tree."""
    group = app_commands.Group(name="reminder", description="Messages at a time that you choose.")
    _add_setting(group, reminders)
    _add_listing(group, reminders)
    reminders.parts.tree.add_command(group)


def _add_setting(group: app_commands.Group, reminders: ReminderParts) -> None:
    @group.command(name="set", description="Be reminded of something here.")
    @app_commands.describe(when='A time: "in 20 minutes", "tomorrow at 8:00".', about="Of what.")
    async def set_one(
        interaction: Interaction,
        when: app_commands.Range[str, 1, 100],
        about: app_commands.Range[str, 1, MOST_ABOUT],
    ) -> None:
        await interaction.response.defer(ephemeral=True)
        scene = await reminders.parts.scene(interaction)
        try:
            task, due = await reminders.reminders.set(
                scene, when=when, about=about, key=f"command:{interaction.id}", asked_by=None
            )
        except TaskRefused as refusal:
            raise Refused(words_of(refusal)) from refusal
        said = told(
            "Reminder `{short_id}`: {when}.", short_id=task.short_id, when=f"<t:{int(due.timestamp())}:F>"
        )
        await interaction.followup.send(said, ephemeral=True)

    @group.command(description="Choose the time zone of this server; in direct messages, your own.")
    @app_commands.describe(name="Like Europe/Berlin or Asia/Tokyo.")
    async def zone(interaction: Interaction, name: app_commands.Range[str, 1, 60]) -> None:
        require_manager(interaction)
        await interaction.response.defer(ephemeral=True)
        if not await reminders.zones.choose(await reminders.parts.scene(interaction), name):
            raise Refused(told("`{name}` is no time zone; write it like Europe/Berlin.", name=plain(name)))
        await interaction.followup.send(
            told("Times are read in {zone} here.", zone=name.strip()), ephemeral=True
        )


def _add_listing(group: app_commands.Group, reminders: ReminderParts) -> None:
    @group.command(name="list", description="Your reminders.")
    async def list_all(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True)
        lines = [_line(task) for task in (await reminders.open_of(interaction))[:_LISTED]]
        text = "\n".join(lines) or told("There are none. `/reminder set` makes one.")
        embed = discord.Embed(title=told("Reminders"), description=shortened(text, 4_000))
        await interaction.followup.send(embed=embed, ephemeral=True)

    async def ids(interaction: Interaction, current: str) -> list[app_commands.Choice[str]]:
        wanted = current.casefold()
        return [
            app_commands.Choice(
                name=shortened(f"{task.short_id} {task.request.title}", 100), value=task.short_id
            )
            for task in await reminders.open_of(interaction)
            if wanted in task.short_id or wanted in task.request.title.casefold()
        ][:_MOST_CHOICES]

    @group.command(description="Take a reminder back.")
    @app_commands.describe(reminder="Its short id.")
    @app_commands.autocomplete(reminder=ids)
    async def cancel(interaction: Interaction, reminder: str) -> None:
        await interaction.response.defer(ephemeral=True)
        found = named(await reminders.open_of(interaction), reminder)
        if found is None:
            raise Refused(
                told(
                    "There is no reminder `{reminder}` of yours; `/reminder list` shows them.",
                    reminder=plain(reminder),
                )
            )
        try:
            await reminders.desk.cancel(found)
        except TaskRefused as refusal:
            raise Refused(told("It came already.")) from refusal
        said = told("{title}: I will not remind you.", title=escape_markdown(found.request.title))
        await interaction.followup.send(said, ephemeral=True)


def _line(task: Task) -> str:
    due = task.request.due_at
    when = "" if due is None else f" <t:{int(due.timestamp())}:F>"
    return f"`{task.short_id}` **{escape_markdown(task.request.title)}**{when}"

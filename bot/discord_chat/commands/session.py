"""`/session show|reset|export|mode`: what the bot remembers of this channel, and what it answers there."""

from dataclasses import dataclass
from datetime import datetime
from io import BytesIO

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import (
    CommandTree,
    Interaction,
    Refused,
    Where,
    require_manager,
    scene_of,
    scope_of,
)
from bot.discord_chat.commands.parts import MOST_SENT
from bot.discord_chat.languages import speaking_to_all, told
from bot.discord_chat.message_content import MessageContent
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.trigger_modes import ModeChoice, TriggerModes
from bot.discord_chat.trigger_rules import TriggerMode
from bot.language_models.scene_models import SceneModels
from bot.personas.scene_personas import PersonaChoice, ScenePersonas
from bot.scene_choices import Choice
from bot.session_export import ExportFormat, SessionExport, exported_session
from bot.session_overview import SessionOverview, session_overview
from core.clock import Clock
from core.conversation.turns import Usage
from core.orchestration.orchestrator import Orchestrator
from core.sentences import sentence
from sessions.stores import SceneStores

_MOST_ISSUES = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionCommands:
    """What the group needs."""

    stores: SceneStores
    orchestrator: Orchestrator
    personas: ScenePersonas
    models: SceneModels
    modes: TriggerModes
    room: RoomContext
    content: MessageContent
    clock: Clock


def add_session_commands(tree: CommandTree, needs: SessionCommands) -> None:
    """Add the group to `tree`."""
    group = app_commands.Group(name="session", description="What the bot remembers of this channel.")
    stores = needs.stores

    @group.command(description="Show how much is remembered here, and what answers.")
    async def show(interaction: Interaction) -> None:
        binding = scene_of(interaction)
        await interaction.response.defer(ephemeral=True)
        overview = await session_overview(stores, binding.session_id)
        persona = await needs.personas.choice(binding)
        model = await needs.models.choice(binding)
        await interaction.followup.send(_shown(overview, persona, model), ephemeral=True)

    @group.command(description="Get this channel's conversation as a file.")
    @app_commands.describe(form="Markdown for people, JSON for programs.")
    async def export(interaction: Interaction, form: ExportFormat = ExportFormat.MARKDOWN) -> None:
        require_manager(interaction)
        session_id = scene_of(interaction).session_id
        await interaction.response.defer(ephemeral=True)
        turns = stores.export.exported_turns(session_id)
        export = await exported_session(session_id, turns, form, most_bytes=MOST_SENT)
        if not export.turns:
            await interaction.followup.send(told("Nothing is remembered here yet."), ephemeral=True)
            return
        file = discord.File(BytesIO(export.content), filename=export.name)
        await interaction.followup.send(_exported(export), file=file, ephemeral=True)

    @group.command(description="Forget this channel's conversation and begin anew.")
    async def reset(interaction: Interaction) -> None:
        require_manager(interaction)
        binding = scene_of(interaction)
        await interaction.response.defer(ephemeral=False)
        # Discord's clock, as the messages that are forgotten have it.
        asked_at = interaction.created_at
        await stores.sessions.open(binding, asked_at)
        session = await stores.sessions.reset(binding.session_id, asked_at)
        needs.orchestrator.reset(binding.session_id, session.generation)
        needs.room.forget(binding.channel_id)
        await needs.content.forget(binding.channel_id)
        with speaking_to_all(interaction):
            said = told("Done. I begin anew here and remember nothing of before.")
        await interaction.followup.send(said)

    _add_mode(group, needs.modes)
    tree.add_command(group)


def _add_mode(group: app_commands.Group, modes: TriggerModes) -> None:
    @group.command(description="Show or choose which messages I answer here.")
    @app_commands.describe(
        answer="Mentions and replies, every message, or nothing; without it the mode is shown.",
        where="For this channel alone, or for all channels of the server that have no choice of their own.",
    )
    @app_commands.choices(
        answer=[
            app_commands.Choice(name="mentions and replies", value="mention"),
            app_commands.Choice(name="every message", value="all"),
            app_commands.Choice(name="nothing", value="off"),
            app_commands.Choice(name="take the choice back", value="default"),
        ]
    )
    async def mode(interaction: Interaction, answer: str | None = None, where: Where = "channel") -> None:
        await interaction.response.defer(ephemeral=True)
        binding = scene_of(interaction)
        if binding.guild_id is None:
            raise Refused(told("In direct messages I answer everything."))
        if answer is not None:
            require_manager(interaction)
            await modes.choose(scope_of(binding, where), None if answer == "default" else TriggerMode(answer))
        channel = interaction.channel
        parent_id = channel.parent_id if isinstance(channel, discord.Thread) else None
        choice = await modes.choice(binding, parent_id=parent_id)
        await interaction.followup.send(_mode(choice), ephemeral=True)


_ANSWERED = {
    TriggerMode.MENTION: sentence("Here I answer messages that mention me or reply to me"),
    TriggerMode.ALL: sentence("Here I answer every message"),
    TriggerMode.OFF: sentence("Here I answer no message"),
}


def _mode(choice: ModeChoice) -> str:
    return told(
        "{answered}: the mode is `{mode}` ({chosen}).",
        answered=_ANSWERED[choice.mode],
        mode=choice.mode.value,
        chosen=choice.chosen,
    )


def _shown(overview: SessionOverview, persona: PersonaChoice, model: Choice) -> str:
    lines = [
        told("Turns: {records:,}{since}", records=overview.records, since=_since(overview.since)),
        told("Model: {model} ({chosen})", model=model.value, chosen=model.chosen),
        told(
            "Persona: {persona} (`{key}`, {chosen})",
            persona=persona.persona.name,
            key=persona.key,
            chosen=persona.chosen,
        ),
        told(
            "Summary of older turns: {has_summary}",
            has_summary=told("yes") if overview.has_summary else told("none yet"),
        ),
        told("Last reply: {usage}", usage=_tokens(overview.usage)),
    ]
    if overview.issues:
        lines.append(told("What the model could not be told again for the last reply:"))
        lines += [f"- `{issue.item_type}`: {issue.reason}" for issue in overview.issues[:_MOST_ISSUES]]
    return "\n".join(lines)[:2_000]


def _since(moment: datetime | None) -> str:
    return "" if moment is None else told(", since {moment}", moment=discord.utils.format_dt(moment, "f"))


def _tokens(usage: Usage | None) -> str:
    if usage is None:
        return told("tokens unknown")
    about = told("about ") if usage.estimated else ""
    cached = (
        told(" ({cached_tokens:,} cached)", cached_tokens=usage.cached_tokens) if usage.cached_tokens else ""
    )
    return told(
        "{about}{input_tokens:,} tokens read{cached}, {output_tokens:,} written",
        about=about,
        input_tokens=usage.input_tokens,
        cached=cached,
        output_tokens=usage.output_tokens,
    )


def _exported(export: SessionExport) -> str:
    said = told("{turns:,} turns; replies that broke off are left out.", turns=export.turns)
    return (
        told("{said} {left_out:,} older ones found no room.", said=said, left_out=export.left_out)
        if export.left_out
        else said
    )

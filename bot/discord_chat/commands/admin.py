"""`/admin`: what the bot's owner sees and sets, beyond what managers may in their servers (CMD-1, TEXT-9)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import discord
from discord import app_commands

from bot.discord_chat.commands.answering import Interaction, Refused, plain, scene_of, scope_of
from bot.discord_chat.commands.parts import CommandParts, require
from bot.discord_chat.languages import called, told
from bot.discord_chat.usage_limit_rules import LimitKind, Limits
from bot.discord_chat.usage_limits import UNLIMITED, UsageLimits, limit_key
from bot.tool_allowance import ALLOWED_TOOLS, EVERY_TOOL
from core.clock import Clock
from core.sentences import sentence
from recipes.run_scene import Standing
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelScope, ChannelSettings, GuildScope, SettingScope, UserScope
from sessions.usage import UsageCounts, UsageKind, UsageScope

_MICRO: Final = 1_000_000
_OWNER_ALONE: Final = sentence("Only the bot's owner can do this.")
For = Literal["channel", "server", "person"]
Limited = Literal["messages per minute", "tokens per day", "cost per month", "tools"]
_KEYS: Final[Mapping[str, str]] = {
    "messages per minute": limit_key(LimitKind.MESSAGES_PER_MINUTE),
    "tokens per day": limit_key(LimitKind.TOKENS_PER_DAY),
    "cost per month": limit_key(LimitKind.COST_PER_MONTH),
    "tools": ALLOWED_TOOLS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdminCommands:
    """What the group needs."""

    settings: ChannelSettings
    counts: UsageCounts
    limits: UsageLimits
    clock: Clock


def add_admin_commands(parts: CommandParts, needs: AdminCommands) -> None:
    """Add the group to the tree."""
    group = app_commands.Group(name="admin", description="What the bot's owner sees and sets.")

    @group.command(description="Show what was consumed today and this month: here, in this server, in all.")
    async def usage(interaction: Interaction) -> None:
        _require_owner(parts, interaction)
        await interaction.response.defer(ephemeral=True)
        lines = [await _consumed(needs, words, scope) for words, scope in _counted(scene_of(interaction))]
        await interaction.followup.send("\n".join(lines), ephemeral=True)

    @group.command(description="Show which limits hold here, or for a person.")
    @app_commands.describe(person="Whose limits; without a person those of this channel and server.")
    async def limits(interaction: Interaction, person: discord.User | None = None) -> None:
        _require_owner(parts, interaction)
        await interaction.response.defer(ephemeral=True)
        shown = [await _limits(needs, *one) for one in _limited(scene_of(interaction), person)]
        await interaction.followup.send("\n".join(shown), ephemeral=True)

    @group.command(description="Set how much a channel, server or person may have.")
    @app_commands.describe(
        what="What is limited.",
        value="A number (for tools: their names), or none for no limit; without it the choice is taken back.",
        where="Whose limit it is; without it that of this channel, or of the person named.",
        person="The person, where it is one's.",
    )
    async def limit(
        interaction: Interaction,
        what: Limited,
        value: app_commands.Range[str, 1, 500] | None = None,
        where: For | None = None,
        person: discord.User | None = None,
    ) -> None:
        await interaction.response.defer(ephemeral=True)
        _require_owner(parts, interaction)
        where = where or ("channel" if person is None else "person")
        scope = _scope(scene_of(interaction), where, person)
        await needs.settings.change(scope, _KEYS[what], _checked(what, value))
        said = told("taken back") if value is None else told("`{value}` now", value=plain(value))
        await interaction.followup.send(
            told(
                "Limit of {what} for the {where}: {said}.", what=called(what), where=called(where), said=said
            ),
            ephemeral=True,
        )

    @group.command(description="List the servers that I am in.")
    async def servers(interaction: Interaction) -> None:
        _require_owner(parts, interaction)
        guilds = sorted(interaction.client.guilds, key=lambda guild: guild.name.casefold())
        lines = [told("Servers: {count}", count=len(guilds))]
        lines += [f"- {discord.utils.escape_markdown(guild.name)} (`{guild.id}`)" for guild in guilds]
        await interaction.response.send_message(_fitting(lines), ephemeral=True)

    parts.tree.add_command(group)


def _require_owner(parts: CommandParts, interaction: Interaction) -> None:
    require(parts.standing(interaction) is Standing.OWNER, _OWNER_ALONE)


def _counted(binding: ChannelBinding) -> list[tuple[str, UsageScope]]:
    scopes = [(sentence("This channel"), UsageScope(kind=UsageKind.CHANNEL, id=str(binding.channel_id)))]
    if binding.guild_id is not None:
        scopes.append((sentence("This server"), UsageScope(kind=UsageKind.GUILD, id=str(binding.guild_id))))
    return [*scopes, (sentence("In all"), UsageScope(kind=UsageKind.ALL))]


async def _consumed(needs: AdminCommands, words: str, scope: UsageScope) -> str:
    today = needs.clock.now().date()
    day = await needs.counts.consumed(scope, first=today, last=today)
    month = await needs.counts.consumed(scope, first=today.replace(day=1), last=today)
    return told(
        "{words}: {tokens:,} tokens today, {month:,} this month, which cost {cost:.2f}.",
        words=words,
        tokens=day.tokens,
        month=month.tokens,
        cost=month.cost_micros / _MICRO,
    )


def _limited(
    binding: ChannelBinding, person: discord.User | None
) -> list[tuple[str, UsageScope, SettingScope]]:
    if person is not None:
        user = str(person.id)
        name = discord.utils.escape_markdown(person.display_name)
        return [(name, UsageScope(kind=UsageKind.USER, id=user), UserScope(user_id=user))]
    channel, guild = str(binding.channel_id), binding.guild_id
    shown: list[tuple[str, UsageScope, SettingScope]] = [
        (
            sentence("This channel"),
            UsageScope(kind=UsageKind.CHANNEL, id=channel),
            ChannelScope(channel_id=channel),
        )
    ]
    if guild is not None:
        scope = UsageScope(kind=UsageKind.GUILD, id=str(guild))
        shown.append((sentence("This server"), scope, GuildScope(guild_id=str(guild))))
    return shown


async def _limits(needs: AdminCommands, words: str, scope: UsageScope, stored: SettingScope) -> str:
    of_scope = (await needs.limits.limits({scope: stored}))[scope]
    tools = (await needs.settings.read(stored)).get(ALLOWED_TOOLS, EVERY_TOOL)
    return told(
        "{words}: {of_scope}; tools `{tools}`.", words=words, of_scope=_listed(of_scope), tools=plain(tools)
    )


def _listed(limits: Limits) -> str:
    values = ((called(kind.value.replace("_", " ")), limits.of(kind)) for kind in LimitKind)
    return ", ".join(f"{words} {UNLIMITED if value is None else _plain(value)}" for words, value in values)


def _scope(binding: ChannelBinding, where: For, person: discord.User | None) -> SettingScope:
    if where != "person":
        require(person is None, sentence("Name a person only where it is a person's limit."))
        return scope_of(binding, where)
    if person is None:
        raise Refused(sentence("Name the person whose limit it is."))
    return UserScope(user_id=str(person.id))


def _checked(what: str, value: str | None) -> str | None:
    if value is None:
        return None
    if value.strip().casefold() == UNLIMITED:
        return EVERY_TOOL if what == "tools" else UNLIMITED
    if what == "tools":
        return value.strip()
    try:
        number = float(value)
    except ValueError as error:
        raise Refused(sentence("A limit is a number, or `none`.")) from error
    if not 0 <= number < float("inf"):
        raise Refused(sentence("A limit is a number from 0 on, or `none`."))
    return _plain(number)


def _plain(number: float) -> str:
    """As people write it, with every digit."""
    return f"{number:.15g}"


def _fitting(lines: list[str]) -> str:
    while len("\n".join(lines)) > 2_000:
        lines.pop()
    return "\n".join(lines)

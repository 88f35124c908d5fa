"""The limits that hold for a message, and whether they leave room for it (TEXT-9).

The defaults are settings of the deployment; its owner sets others for single people, channels and servers.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final

from bot.discord_chat.incoming_message import IncomingMessage
from bot.discord_chat.usage_limit_rules import (
    Breach,
    LimitKind,
    Limits,
    MessageRates,
    Notices,
    Spent,
    first_breach,
    limit_notice,
)
from core.clock import Clock
from sessions.channel_settings import ChannelScope, ChannelSettings, GuildScope, SettingScope, UserScope
from sessions.usage import UsageCounts, UsageKind, UsageScope

UNLIMITED: Final = "none"
_MICRO: Final = 1_000_000


def limit_key(kind: LimitKind) -> str:
    """The key of a limit among the settings of a person, channel or server."""
    return f"limit_{kind.value}"


@dataclass(frozen=True, slots=True, kw_only=True)
class DefaultLimits:
    """What holds where the owner has set nothing else."""

    user: Limits = field(default_factory=Limits)
    channel: Limits = field(default_factory=Limits)
    guild: Limits = field(default_factory=Limits)


class UsageLimits:
    """Lets messages through, or says which limit does not."""

    def __init__(
        self, *, defaults: DefaultLimits, settings: ChannelSettings, counts: UsageCounts, clock: Clock
    ) -> None:
        self._defaults = defaults
        self._settings = settings
        self._counts = counts
        self._clock = clock
        self._rates = MessageRates()
        self._notices = Notices()

    async def breach(self, message: IncomingMessage) -> Breach | None:
        """The limit that says no to this message, if one does."""
        limits = await self.limits(scopes_of(message))
        spent = {scope: await self._spent(scope, of, message.at) for scope, of in limits.items()}
        return first_breach(limits, spent)

    def let_through(self, message: IncomingMessage) -> None:
        """The message is answered: it counts."""
        self._rates.let_through(scopes_of(message), message.at)

    def notice(self, breach: Breach) -> str:
        """What to tell its author; empty when it was told already."""
        return limit_notice(breach) if self._notices.is_due(breach, self._clock.now()) else ""

    async def limits(self, scopes: Mapping[UsageScope, SettingScope]) -> Mapping[UsageScope, Limits]:
        """What holds for each."""
        return {scope: await self._of(scope, stored) for scope, stored in scopes.items()}

    async def _of(self, scope: UsageScope, stored: SettingScope) -> Limits:
        chosen = await self._settings.read(stored)
        defaults = {
            UsageKind.USER: self._defaults.user,
            UsageKind.CHANNEL: self._defaults.channel,
            UsageKind.GUILD: self._defaults.guild,
        }[scope.kind]
        values = {kind: _read(chosen.get(limit_key(kind)), defaults.of(kind)) for kind in LimitKind}
        return Limits(
            messages_per_minute=values[LimitKind.MESSAGES_PER_MINUTE],
            tokens_per_day=values[LimitKind.TOKENS_PER_DAY],
            cost_per_month=values[LimitKind.COST_PER_MONTH],
        )

    async def _spent(self, scope: UsageScope, limits: Limits, at: datetime) -> Spent:
        messages = self._rates.within_a_minute(scope, at)
        if not limits.look_at_counts:
            return Spent(messages=messages)
        today = self._clock.now().date()
        day = await self._counts.consumed(scope, first=today, last=today)
        month = await self._counts.consumed(scope, first=today.replace(day=1), last=today)
        return Spent(messages=messages, tokens=day.tokens, cost=month.cost_micros / _MICRO)


def scopes_of(message: IncomingMessage) -> Mapping[UsageScope, SettingScope]:
    """Whose limits hold for a message: its author's, its channel's, its server's."""
    user, channel = str(message.author.id), str(message.channel_id)
    scopes: dict[UsageScope, SettingScope] = {
        UsageScope(kind=UsageKind.USER, id=user): UserScope(user_id=user),
        UsageScope(kind=UsageKind.CHANNEL, id=channel): ChannelScope(channel_id=channel),
    }
    if message.guild_id is not None:
        guild = str(message.guild_id)
        scopes[UsageScope(kind=UsageKind.GUILD, id=guild)] = GuildScope(guild_id=guild)
    return scopes


def _read(stored: str | None, default: float | None) -> float | None:
    if stored is None:
        return default
    try:
        return None if stored == UNLIMITED else float(stored)
    except ValueError:
        return default

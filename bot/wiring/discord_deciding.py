"""What decides which messages are answered, put together from settings (SCENE-4, TEXT-9)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.discord_chat.access_list_rules import AccessLists
from bot.discord_chat.decisions import Decisions
from bot.discord_chat.message_decisions import MessageDecisions
from bot.discord_chat.scene_access import DiscordAccess
from bot.discord_chat.sleep import Sleep
from bot.discord_chat.trigger_modes import TriggerModes
from bot.discord_chat.trigger_rules import TriggerMode, TriggerSettings
from bot.discord_chat.usage_limit_rules import Limits
from bot.discord_chat.usage_limits import DefaultLimits, UsageLimits
from bot.limit_settings import LimitSettings
from bot.wiring.core import Core


@dataclass(frozen=True, slots=True, kw_only=True)
class Deciding:
    """The parts of it that others read or change."""

    decisions: Decisions
    messages: MessageDecisions
    modes: TriggerModes
    limits: UsageLimits
    sleep: Sleep


def deciding(
    core: Core, access: DiscordAccess, may_answer: Callable[[int], Awaitable[bool]], *, name: str | None
) -> Deciding:
    """The decisions of this deployment; `name` calls the bot, None: no name does."""
    text, stores = core.settings.text, core.stores
    decisions = Decisions()
    modes = TriggerModes(stores.settings, default=TriggerMode(text.trigger_mode))
    limits = UsageLimits(
        defaults=_default_limits(core.settings.limits),
        settings=stores.settings,
        counts=stores.usage,
        clock=core.clock,
    )
    sleep = Sleep(stores.settings, core.clock)
    messages = MessageDecisions(
        trigger=TriggerSettings(name=name, bots=ids(text.answered_bots)),
        modes=modes,
        lists=access_lists(core.settings.limits),
        limits=limits,
        people=access,
        sleep=sleep,
        may_answer=may_answer,
        decisions=decisions,
    )
    return Deciding(decisions=decisions, messages=messages, modes=modes, limits=limits, sleep=sleep)


def ids(listed: str | None) -> frozenset[int]:
    """The ids of a setting."""
    return frozenset(int(one) for one in (listed or "").split(",") if one)


def _default_limits(settings: LimitSettings) -> DefaultLimits:
    return DefaultLimits(
        user=Limits(
            messages_per_minute=settings.user_messages,
            tokens_per_day=settings.user_tokens,
            cost_per_month=settings.user_cost,
        ),
        channel=Limits(
            messages_per_minute=settings.channel_messages,
            tokens_per_day=settings.channel_tokens,
            cost_per_month=settings.channel_cost,
        ),
        guild=Limits(
            messages_per_minute=settings.guild_messages,
            tokens_per_day=settings.guild_tokens,
            cost_per_month=settings.guild_cost,
        ),
    )


def access_lists(settings: LimitSettings) -> AccessLists:
    """Who is served where."""
    return AccessLists(
        allowed_guilds=ids(settings.allowed_guilds),
        denied_guilds=ids(settings.denied_guilds),
        allowed_channels=ids(settings.allowed_channels),
        denied_channels=ids(settings.denied_channels),
        allowed_roles=ids(settings.allowed_roles),
        denied_roles=ids(settings.denied_roles),
        allowed_users=ids(settings.allowed_users),
        denied_users=ids(settings.denied_users),
    )

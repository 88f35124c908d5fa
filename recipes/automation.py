"""What would start a recipe without a person (AUTO-1, AUTO-2). Values only.

Trigger     something that happens
Condition   what must hold at that moment
"""

from dataclasses import dataclass
from datetime import time, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """Time has passed since the last time; the first time, since the automation began."""

    interval: timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class DailyAt:
    """A time of the day, in the time zone of the moments that are handed in."""

    at: time


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelIdle:
    """Nobody has written in a channel for this long; None: in any channel of the scope."""

    after: timedelta
    channel_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageMatches:
    """A message holds a keyword."""

    keyword: str


@dataclass(frozen=True, slots=True, kw_only=True)
class JoinedVoice:
    """Somebody came into a voice channel; None: into any."""

    channel_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceEmptied:
    """The last person left a voice channel; None: any."""

    channel_id: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ReactionAdded:
    """Somebody reacted with this emoji."""

    emoji: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ScheduledEventStarted:
    """An event of the server's calendar began."""


Trigger = (
    Every
    | DailyAt
    | ChannelIdle
    | MessageMatches
    | JoinedVoice
    | VoiceEmptied
    | ReactionAdded
    | ScheduledEventStarted
)


@dataclass(frozen=True, slots=True, kw_only=True)
class OutsideQuietHours:
    """Not between these times of the day; they may span midnight."""

    begin: time
    end: time


@dataclass(frozen=True, slots=True, kw_only=True)
class InChannel:
    """What happened, happened in this channel."""

    channel_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ByRole:
    """Whoever caused it has this role."""

    role_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MinimumMembers:
    """At least so many people are there."""

    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LastRunOlderThan:
    """The recipe has not run for this long, or never."""

    age: timedelta


Condition = OutsideQuietHours | InChannel | ByRole | MinimumMembers | LastRunOlderThan


@dataclass(frozen=True, slots=True, kw_only=True)
class Automation:
    """When a recipe starts: one of the triggers, all of the conditions, not sooner than after `cooldown`."""

    triggers: tuple[Trigger, ...]
    conditions: tuple[Condition, ...] = ()
    cooldown: timedelta | None = None

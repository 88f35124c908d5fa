"""Which automations start now (AUTO-1). Pure: what happened and what time it is are handed in.

    check_automations(state, events, now) -> the next state, and the runs that begin
    run_ended(state, recipe_id, now)      -> the recipe may run again

Each trigger remembers for itself what it has spent: an event by its number, a time by the moment. So one that
fires never spends what another one waits for, and nothing counts twice. What happens while a recipe runs or
cools down is spent without a run.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType
from typing import assert_never

from recipes.automation import (
    Automation,
    ByRole,
    ChannelIdle,
    Condition,
    DailyAt,
    Every,
    InChannel,
    JoinedVoice,
    LastRunOlderThan,
    MessageMatches,
    MinimumMembers,
    OutsideQuietHours,
    ReactionAdded,
    ScheduledEventStarted,
    Trigger,
    VoiceEmptied,
)
from recipes.matching_rules import has_keyword


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageWritten:
    """Somebody wrote."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceJoined:
    """Somebody came into the voice channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VoiceLeftEmpty:
    """The last one left the voice channel."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reacted:
    """Somebody reacted to a message."""

    emoji: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CalendarEventStarted:
    """A scheduled event began."""


What = MessageWritten | VoiceJoined | VoiceLeftEmpty | Reacted | CalendarEventStarted


@dataclass(frozen=True, slots=True, kw_only=True)
class Happening:
    """One thing that happened. `number` grows from one to the next; `role_ids` are those of who caused it."""

    number: int
    at: datetime
    what: What
    channel_id: str
    role_ids: frozenset[str] = frozenset()


TriggerKey = tuple[str, int]
"""The recipe's id and the place of the trigger in its automation, from 0."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LastMessage:
    """When a channel was last written in; `number` is that of the happening."""

    number: int
    at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationState:
    """What the rules remember.

    Attributes:
        automations: by recipe id, those that may start.
        began: when each automation came; the first interval counts from there.
        spent_events: the number of the latest happening that each trigger has dealt with.
        spent_times: the latest due moment that each trigger has dealt with.
        last_runs, running: of the recipes.
        last_messages: by channel.
        members: how many people are there now.
    """

    automations: Mapping[str, Automation] = field(default_factory=lambda: MappingProxyType({}))
    began: Mapping[str, datetime] = field(default_factory=lambda: MappingProxyType({}))
    spent_events: Mapping[TriggerKey, int] = field(default_factory=lambda: MappingProxyType({}))
    spent_times: Mapping[TriggerKey, datetime] = field(default_factory=lambda: MappingProxyType({}))
    last_runs: Mapping[str, datetime] = field(default_factory=lambda: MappingProxyType({}))
    running: frozenset[str] = frozenset()
    last_messages: Mapping[str, LastMessage] = field(default_factory=lambda: MappingProxyType({}))
    members: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class AutomationRun:
    """A recipe that begins now, and which of its triggers began it; `cause` is None for a time."""

    recipe_id: str
    trigger: int
    cause: Happening | None


def check_automations(
    state: AutomationState, events: Sequence[Happening], now: datetime
) -> tuple[AutomationState, tuple[AutomationRun, ...]]:
    """What begins because of `events`, and because it is `now`."""
    state = replace(state, last_messages=_heard(state.last_messages, events))
    runs: list[AutomationRun] = []
    for recipe_id, automation in state.automations.items():
        for place, trigger in enumerate(automation.triggers):
            key = (recipe_id, place)
            state, fired = _fired(state, key, trigger, events, now)
            beginning = [one for one in fired if _may_run(state, recipe_id, one, now)]
            if beginning:
                runs.append(AutomationRun(recipe_id=recipe_id, trigger=place, cause=beginning[0].cause))
                state = replace(
                    state,
                    running=state.running | {recipe_id},
                    last_runs={**state.last_runs, recipe_id: now},
                )
    return state, tuple(runs)


def run_ended(state: AutomationState, recipe_id: str) -> AutomationState:
    """The recipe does not run any more; its cooldown counts from the beginning of the run."""
    return replace(state, running=state.running - {recipe_id})


@dataclass(frozen=True, slots=True, kw_only=True)
class _Fired:
    cause: Happening | None


def _heard(known: Mapping[str, LastMessage], events: Sequence[Happening]) -> Mapping[str, LastMessage]:
    written = {
        event.channel_id: LastMessage(number=event.number, at=event.at)
        for event in events
        if isinstance(event.what, MessageWritten)
    }
    return {**known, **written} if written else known


def _fired(
    state: AutomationState, key: TriggerKey, trigger: Trigger, events: Sequence[Happening], now: datetime
) -> tuple[AutomationState, tuple[_Fired, ...]]:
    """How often the trigger fires now, and the state in which all of that is spent."""
    if isinstance(trigger, Every | DailyAt):
        due = _due(state, key, trigger, now)
        if due is None:
            return state, ()
        spent = replace(state, spent_times={**state.spent_times, key: due})
        return spent, (_Fired(cause=None),)
    if isinstance(trigger, ChannelIdle):
        return _idle(state, key, trigger, now)
    last = state.spent_events.get(key, 0)
    new = [event for event in events if event.number > last]
    if not new:
        return state, ()
    latest = max(event.number for event in new)
    spent = replace(state, spent_events={**state.spent_events, key: latest})
    return spent, tuple(_Fired(cause=event) for event in new if _matches(trigger, event))


def _due(state: AutomationState, key: TriggerKey, trigger: Every | DailyAt, now: datetime) -> datetime | None:
    """The latest moment up to `now` at which the trigger is due and that it has not dealt with."""
    since = state.spent_times.get(key) or state.began.get(key[0])
    if since is None:
        return None
    match trigger:
        case Every(interval=interval):
            passed = _passed(since, now) // interval if interval > timedelta(0) else 0
            return since.astimezone(UTC) + passed * interval if passed > 0 else None
        case DailyAt(at=at):
            today = now.replace(hour=at.hour, minute=at.minute, second=0, microsecond=0)
            latest = today if today <= now else today - timedelta(days=1)
            return latest if latest > since else None
        case _:
            assert_never(trigger)


def _idle(
    state: AutomationState, key: TriggerKey, trigger: ChannelIdle, now: datetime
) -> tuple[AutomationState, tuple[_Fired, ...]]:
    """A silence is spent by the number of the message before it."""
    watched = [
        message
        for channel_id, message in state.last_messages.items()
        if trigger.channel_id in (None, channel_id)
    ]
    last = state.spent_events.get(key, 0)
    silent = [m.number for m in watched if m.number > last and _passed(m.at, now) >= trigger.after]
    if not silent:
        return state, ()
    spent = replace(state, spent_events={**state.spent_events, key: max(silent)})
    return spent, (_Fired(cause=None),)


def _matches(
    trigger: MessageMatches | JoinedVoice | VoiceEmptied | ReactionAdded | ScheduledEventStarted,
    event: Happening,
) -> bool:
    match trigger, event.what:
        case MessageMatches(keyword=keyword), MessageWritten(text=text):
            return has_keyword(text, keyword)
        case (JoinedVoice(channel_id=channel), VoiceJoined()) | (
            VoiceEmptied(channel_id=channel),
            VoiceLeftEmpty(),
        ):
            return channel in (None, event.channel_id)
        case ReactionAdded(emoji=wanted), Reacted(emoji=emoji):
            return wanted == emoji
        case ScheduledEventStarted(), CalendarEventStarted():
            return True
        case _:
            return False


def _may_run(state: AutomationState, recipe_id: str, fired: _Fired, now: datetime) -> bool:
    automation = state.automations[recipe_id]
    last_run = state.last_runs.get(recipe_id)
    pause = automation.cooldown
    cools = pause is not None and last_run is not None and _passed(last_run, now) < pause
    if recipe_id in state.running or cools:
        return False
    return all(_holds(state, one, fired.cause, last_run, now) for one in automation.conditions)


def _holds(
    state: AutomationState,
    condition: Condition,
    cause: Happening | None,
    last_run: datetime | None,
    now: datetime,
) -> bool:
    """A condition about what happened says nothing about a time or a silence, which nobody caused."""
    match condition:
        case OutsideQuietHours():
            return not _within(condition.begin, condition.end, now.timetz().replace(tzinfo=None))
        case InChannel(channel_id=channel_id):
            return cause is None or cause.channel_id == channel_id
        case ByRole(role_id=role_id):
            return cause is None or role_id in cause.role_ids
        case MinimumMembers(count=count):
            return state.members >= count
        case LastRunOlderThan(age=age):
            return last_run is None or _passed(last_run, now) >= age
        case _:
            assert_never(condition)


def _passed(since: datetime, now: datetime) -> timedelta:
    """How long it has been; moments of one zone would be subtracted as the clock on the wall shows them."""
    return now.astimezone(UTC) - since.astimezone(UTC)


def _within(begin: time, end: time, moment: time) -> bool:
    return begin <= moment < end if begin <= end else moment >= begin or moment < end

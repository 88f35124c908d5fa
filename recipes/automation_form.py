"""Automations as plain JSON and YAML values. Pure; see `recipe_form.py`."""

from datetime import time, timedelta
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
from recipes.form_reading import FormReader

_MINUTE = timedelta(minutes=1)
_MOST_MINUTES = 525_600


def automation_from_form(reader: FormReader) -> Automation:
    """Read an automation.

    Raises:
        FormRefused: a value has a wrong form.
    """
    cooldown = reader.number_or("cooldown_minutes", 0)
    triggers = tuple(_trigger(trigger) for trigger in reader.each("triggers"))
    if not triggers:
        raise reader.refused("triggers", "must name at least one")
    return Automation(
        triggers=triggers,
        conditions=tuple(_condition(condition) for condition in reader.each("conditions")),
        cooldown=timedelta(minutes=cooldown) if cooldown > 0 else None,
    )


def form_of_automation(automation: Automation) -> dict[str, object]:
    """The way out."""
    form: dict[str, object] = {"triggers": [_form_of_trigger(one) for one in automation.triggers]}
    if automation.conditions:
        form["conditions"] = [_form_of_condition(one) for one in automation.conditions]
    if automation.cooldown is not None:
        form["cooldown_minutes"] = automation.cooldown // _MINUTE
    return form


def _trigger(reader: FormReader) -> Trigger:
    channel = reader.text_or("channel", "") or None
    match reader.text("kind"):
        case "every":
            return Every(interval=_minutes(reader, "minutes"))
        case "daily":
            return DailyAt(at=_time(reader, "at"))
        case "idle":
            return ChannelIdle(after=_minutes(reader, "minutes"), channel_id=channel)
        case "message":
            return MessageMatches(keyword=reader.text("keyword"))
        case "joined_voice":
            return JoinedVoice(channel_id=channel)
        case "voice_emptied":
            return VoiceEmptied(channel_id=channel)
        case "reaction":
            return ReactionAdded(emoji=reader.text("emoji"))
        case "event_started":
            return ScheduledEventStarted()
        case _:
            kinds = "every, daily, idle, message, joined_voice, voice_emptied, reaction, event_started"
            raise reader.refused("kind", f"is one of {kinds}")


def _form_of_trigger(trigger: Trigger) -> dict[str, object]:
    match trigger:
        case Every(interval=interval):
            return {"kind": "every", "minutes": interval // _MINUTE}
        case DailyAt(at=at):
            return {"kind": "daily", "at": f"{at:%H:%M}"}
        case ChannelIdle(after=after, channel_id=channel_id):
            return {"kind": "idle", "minutes": after // _MINUTE, **_channel(channel_id)}
        case MessageMatches(keyword=keyword):
            return {"kind": "message", "keyword": keyword}
        case JoinedVoice(channel_id=channel_id):
            return {"kind": "joined_voice", **_channel(channel_id)}
        case VoiceEmptied(channel_id=channel_id):
            return {"kind": "voice_emptied", **_channel(channel_id)}
        case ReactionAdded(emoji=emoji):
            return {"kind": "reaction", "emoji": emoji}
        case ScheduledEventStarted():
            return {"kind": "event_started"}
        case _:
            assert_never(trigger)


def _condition(reader: FormReader) -> Condition:
    match reader.text("kind"):
        case "outside_quiet_hours":
            return OutsideQuietHours(begin=_time(reader, "begin"), end=_time(reader, "end"))
        case "channel":
            return InChannel(channel_id=reader.text("channel"))
        case "role":
            return ByRole(role_id=reader.text("role"))
        case "members":
            return MinimumMembers(count=reader.number_or("count", 1))
        case "last_run_older":
            return LastRunOlderThan(age=_minutes(reader, "minutes"))
        case _:
            raise reader.refused(
                "kind", "is one of outside_quiet_hours, channel, role, members, last_run_older"
            )


def _form_of_condition(condition: Condition) -> dict[str, object]:
    match condition:
        case OutsideQuietHours(begin=begin, end=end):
            return {"kind": "outside_quiet_hours", "begin": f"{begin:%H:%M}", "end": f"{end:%H:%M}"}
        case InChannel(channel_id=channel_id):
            return {"kind": "channel", "channel": channel_id}
        case ByRole(role_id=role_id):
            return {"kind": "role", "role": role_id}
        case MinimumMembers(count=count):
            return {"kind": "members", "count": count}
        case LastRunOlderThan(age=age):
            return {"kind": "last_run_older", "minutes": age // _MINUTE}
        case _:
            assert_never(condition)


def _channel(channel_id: str | None) -> dict[str, object]:
    return {} if channel_id is None else {"channel": channel_id}


def _minutes(reader: FormReader, name: str) -> timedelta:
    minutes = reader.number_or(name, 0)
    if not 1 <= minutes <= _MOST_MINUTES:
        raise reader.refused(name, f"must be 1 to {_MOST_MINUTES} minutes")
    return timedelta(minutes=minutes)


def _time(reader: FormReader, name: str) -> time:
    written = reader.text(name)
    hours, colon, minutes = written.partition(":")
    if colon and hours.isdecimal() and minutes.isdecimal() and int(hours) < 24 and int(minutes) < 60:
        return time(int(hours), int(minutes))
    if written.isdecimal() and int(written) < 1440:
        return time(*divmod(int(written), 60))  # YAML reads an unquoted 18:30 as a number of base 60
    raise reader.refused(name, "must be a time such as '18:30'")

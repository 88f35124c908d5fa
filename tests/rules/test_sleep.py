"""Sleep, quiet hours, and what wakes (TASK-16)."""

from datetime import UTC, datetime, time, timedelta

import pytest

from bot.discord_chat.sleep import Sleep, SleepRuns
from bot.discord_chat.sleep_rules import AWAKE_FOR, QuietHours, is_asleep, quiet_hours_of
from bot.scene_zones import TIME_ZONE
from core.tools.context import ToolContext
from recipes.run_scene import Place, RunScene, Standing
from sessions.bindings import ChannelBinding
from sessions.channel_settings import GuildScope
from sessions.in_memory import scenes_in_memory
from tests.manual_clock import ManualClock
from tests.task_setup import GENERAL, MIA

NIGHT = QuietHours(begins=time(22), ends=time(7, 30))
HERE = ChannelBinding(channel_id=42, guild_id=7)
NEXT_DOOR = ChannelBinding(channel_id=43, guild_id=7)


def at(hour: int, minute: int = 0) -> datetime:
    return datetime(2026, 11, 30, hour, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "hours"),
    [
        ("22:00-07:30", NIGHT),
        ("22 to 7:30", NIGHT),
        (" 22 – 07:30 ", NIGHT),
        ("1:05-2", QuietHours(begins=time(1, 5), ends=time(2))),
        ("", None),
        ("always", None),
        ("25-7", None),
        ("8-8", None),
    ],
)
def test_quiet_hours_as_they_are_written(words: str, hours: QuietHours | None) -> None:
    """TASK-16."""
    assert quiet_hours_of(words) == hours
    if hours is not None:
        assert quiet_hours_of(str(hours)) == hours


def test_quiet_hours_go_over_midnight_and_a_mention_wakes_for_a_while() -> None:
    """TASK-16."""

    def asleep(now: datetime, woken_at: datetime | None = None) -> bool:
        return is_asleep(sent_to_sleep=False, quiet=NIGHT, woken_at=woken_at, local=now)

    assert [asleep(at(hour)) for hour in (21, 22, 23, 0, 7, 8, 12)] == [
        False,
        True,
        True,
        True,
        True,
        False,
        False,
    ]
    assert not asleep(at(7, 30))
    assert not asleep(at(23, 20), woken_at=at(23))
    assert asleep(at(23) + AWAKE_FOR, woken_at=at(23))
    assert is_asleep(sent_to_sleep=True, quiet=None, woken_at=None, local=at(12))


async def test_it_is_kept_for_its_channel_until_a_mention_and_quiet_hours_are_of_the_servers_zone() -> None:
    """TASK-16: the tool is offered to people in servers; another process sleeps on."""
    stores, clock = scenes_in_memory(), ManualClock(at(12))
    sleep = Sleep(stores.settings, clock)
    scene = RunScene(place=GENERAL, persona="p", speaker=MIA, standing=Standing.MEMBER)
    (tool,) = (await SleepRuns(sleep).additions(scene, ())).tools
    direct = RunScene(
        place=Place(session_id="discord:channel:9", channel_id="9"),
        persona="p",
        speaker=MIA,
        standing=Standing.MEMBER,
    )
    assert (await SleepRuns(sleep).additions(direct, ())).tools == ()
    assert not await sleep.holds(HERE)
    context = ToolContext(conversation_id="c", run_id="r", speaker=MIA)
    assert "mentions you" in await tool.handler(tool.arguments(), context)
    assert (await sleep.holds(HERE), await sleep.holds(NEXT_DOOR)) == (True, False)
    sleep = Sleep(stores.settings, clock)
    assert await sleep.holds(HERE)
    await sleep.wake(HERE)
    assert not await sleep.holds(HERE)
    await stores.settings.change(GuildScope(guild_id="7"), TIME_ZONE, "Asia/Tokyo")
    await sleep.choose_quiet_hours(7, quiet_hours_of("21:00-22:00"))
    assert await sleep.quiet_hours(7) == QuietHours(begins=time(21), ends=time(22))
    assert (await sleep.holds(HERE), await sleep.holds(NEXT_DOOR)) == (False, True)  # 21:00 in Tokyo
    clock.pass_time(timedelta(minutes=31).total_seconds())
    assert await sleep.holds(HERE)
    await sleep.choose_quiet_hours(7, None)
    assert not await sleep.holds(HERE)

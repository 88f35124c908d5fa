"""Who is served, and how much (TEXT-9)."""

from datetime import UTC, datetime, timedelta

import pytest

from bot.discord_chat.access_list_rules import AccessLists, admits
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
from bot.tool_allowance import is_allowed
from sessions.usage import UsageKind, UsageScope

ADA = UsageScope(kind=UsageKind.USER, id="1")
ROOM = UsageScope(kind=UsageKind.CHANNEL, id="2")
NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
GUILD, CHANNEL, THREAD, ROLE, USER = 10, 20, 21, 30, 40


@pytest.mark.parametrize(
    ("lists", "in_server", "direct"),
    [
        (AccessLists(), True, True),
        (AccessLists(allowed_guilds=frozenset({GUILD})), True, True),
        (AccessLists(allowed_guilds=frozenset({11})), False, True),
        (AccessLists(denied_guilds=frozenset({GUILD})), False, True),
        (AccessLists(allowed_channels=frozenset({CHANNEL})), True, True),
        (AccessLists(denied_channels=frozenset({CHANNEL})), False, True),
        (AccessLists(allowed_channels=frozenset({99})), False, True),
        (AccessLists(allowed_roles=frozenset({ROLE})), True, False),
        (AccessLists(denied_roles=frozenset({ROLE})), False, True),
        (AccessLists(allowed_roles=frozenset({31})), False, False),
        (AccessLists(allowed_users=frozenset({USER})), True, True),
        (AccessLists(allowed_users=frozenset({USER}), allowed_roles=frozenset({31})), True, True),
        (AccessLists(denied_users=frozenset({USER}), allowed_users=frozenset({USER})), False, False),
    ],
)
def test_lists_admit_and_deny_goes_first(lists: AccessLists, *, in_server: bool, direct: bool) -> None:
    """TEXT-9: a thread belongs to its channel; lists of places do not hold in direct messages."""
    channels = (THREAD, CHANNEL)
    assert admits(lists, guild_id=GUILD, channel_ids=channels, user_id=USER, role_ids=(ROLE,)) is in_server
    assert admits(lists, guild_id=None, channel_ids=channels, user_id=USER, role_ids=()) is direct


def test_a_person_s_own_limit_goes_before_that_of_the_room() -> None:
    """TEXT-9: each kind of limit for each scope; none means as much as one likes."""
    spent = {ADA: Spent(messages=3, tokens=50, cost=1.5), ROOM: Spent(messages=9, tokens=100, cost=3)}
    assert first_breach({ADA: Limits(), ROOM: Limits()}, spent) is None
    tight = Limits(messages_per_minute=3)
    assert first_breach({ADA: tight, ROOM: tight}, spent) == Breach(
        scope=ADA, kind=LimitKind.MESSAGES_PER_MINUTE, limit=3
    )
    room = first_breach({ADA: Limits(tokens_per_day=51), ROOM: Limits(tokens_per_day=100)}, spent)
    assert room == Breach(scope=ROOM, kind=LimitKind.TOKENS_PER_DAY, limit=100)
    cost = first_breach({ADA: Limits(cost_per_month=1.5)}, spent)
    assert cost is not None
    assert cost.kind is LimitKind.COST_PER_MONTH


def test_a_minute_slides() -> None:
    """TEXT-9: by when the messages were written."""
    rates = MessageRates(most=2)
    for second in (0, 20, 40):
        rates.let_through([ADA], NOON + timedelta(seconds=second))
    assert rates.within_a_minute(ADA, NOON + timedelta(seconds=59)) == 3
    assert rates.within_a_minute(ADA, NOON + timedelta(seconds=60)) == 2
    assert rates.within_a_minute(ADA, NOON + timedelta(seconds=200)) == 0
    for number in range(5):
        rates.let_through([UsageScope(kind=UsageKind.USER, id=f"x{number}")], NOON)
    assert rates.within_a_minute(ADA, NOON) == 0


@pytest.mark.parametrize(
    ("kind", "still", "over"),
    [
        (LimitKind.MESSAGES_PER_MINUTE, timedelta(minutes=9), timedelta(minutes=10)),
        (LimitKind.TOKENS_PER_DAY, timedelta(hours=11), timedelta(hours=12)),
        (LimitKind.COST_PER_MONTH, timedelta(hours=11), timedelta(days=1)),
    ],
)
def test_a_limit_is_told_once(kind: LimitKind, still: timedelta, over: timedelta) -> None:
    """TEXT-9: a polite notice once, not per message; each scope on its own."""
    notices = Notices()
    breach = Breach(scope=ADA, kind=kind, limit=3)
    assert notices.is_due(breach, NOON)
    assert not notices.is_due(breach, NOON + still)
    assert notices.is_due(Breach(scope=ROOM, kind=kind, limit=3), NOON)
    assert notices.is_due(breach, NOON + over)
    assert limit_notice(breach).endswith(".")


@pytest.mark.parametrize(
    ("name", "allowances", "expected"),
    [
        ("memory_read", ["*"], True),
        ("memory_read", ["*", "memory_*, recipe"], True),
        ("react", ["*", "memory_*"], False),
        ("react", ["react", ""], False),
    ],
)
def test_every_allowance_must_name_the_tool(name: str, allowances: list[str], *, expected: bool) -> None:
    """TEXT-9: tools allowed per person, channel and server."""
    assert is_allowed(name, allowances) is expected

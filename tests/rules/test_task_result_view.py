"""How a reminder reads that nobody could bring in time (TASK-14)."""

from datetime import timedelta

import pytest

from bot.discord_chat.mention_rules import LinkPolicy
from bot.discord_chat.task_result_view import shown_result
from recipes.tasks.task import TaskKind, TaskState
from tests.task_setup import MIA, NOON, request, task


@pytest.mark.parametrize(("late_s", "tells"), [(0, False), (200, False), (300, True), (86_400, True)])
def test_a_late_reminder_says_so(*, late_s: int, tells: bool) -> None:
    """TASK-14: after a night without the bot nobody takes eight o'clock for now."""
    due = NOON - timedelta(seconds=late_s)
    bell = task(
        "bell",
        kind=TaskKind.REMINDER,
        request=request("tea", due_at=due),
        state=TaskState.COMPLETED,
        result="tea",
    )
    (text,), files = shown_result(bell, LinkPolicy())
    note = f"\n-# It was due <t:{int(due.timestamp())}:R>: I was not here then."
    assert text == f"<@{MIA.id}> ⏰ tea{note if tells else ''}"
    assert files == []

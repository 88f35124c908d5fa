"""What is known of a session, for the people of its room (CORE-8: projection issues are readable there)."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import assert_never

from core.conversation.continuation import ProjectionIssue
from core.conversation.turns import AssistantTurn, SystemTurn, Turn, Usage, UserTurn
from sessions.stores import SceneStores

_LOOKED_AT = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionOverview:
    """`usage` and `issues` are the last reply's; `usage` is None where none was told."""

    records: int
    since: datetime | None
    has_summary: bool
    usage: Usage | None
    issues: tuple[ProjectionIssue, ...]


async def session_overview(stores: SceneStores, session_id: str) -> SessionOverview:
    """Read the overview; it counts the history, so it is for a person who asks."""
    extent = await stores.export.extent(session_id)
    window = await stores.history.window(session_id, _LOOKED_AT)
    replies = (stored.turn for stored in reversed(window.turns) if isinstance(stored.turn, AssistantTurn))
    last = next(replies, None)
    return SessionOverview(
        records=extent.records,
        since=None if extent.first is None else spoken_at(extent.first),
        has_summary=await stores.summaries.latest(session_id) is not None,
        usage=None if last is None else whole_usage(last),
        issues=() if last is None else last.issues,
    )


def spoken_at(turn: Turn) -> datetime | None:
    """When the turn began; None for a turn that nobody spoke."""
    match turn:
        case UserTurn():
            return turn.at
        case AssistantTurn():
            return turn.created_at
        case SystemTurn():
            return None
        case _:
            assert_never(turn)


def whole_usage(turn: AssistantTurn) -> Usage | None:
    """The tokens of all requests of a reply; None where none was told."""
    usages = [round_.usage for round_ in turn.rounds if round_.usage is not None]
    return _sum(usages) if usages else None


def _sum(usages: Iterable[Usage]) -> Usage:
    total = Usage(input_tokens=0, output_tokens=0)
    for usage in usages:
        total = Usage(
            input_tokens=total.input_tokens + usage.input_tokens,
            output_tokens=total.output_tokens + usage.output_tokens,
            cached_tokens=total.cached_tokens + usage.cached_tokens,
            estimated=total.estimated or usage.estimated,
        )
    return total

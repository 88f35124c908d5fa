"""Which part of a history goes into a request (CORE-28).

Turns are offered newest first and taken whole until the budget is used up, so the cost depends on the window
and not on the length of the history. Long tool results of older turns are shortened before any message has to
stay out. The last turn of a person is always in; a call never loses its result: both stand in one round.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from core.context.short_results import shortened
from core.context.token_estimates import TokenEstimate, raw_turn_tokens
from core.context.turn_measures import TurnMeasures
from core.conversation.content import Text
from core.conversation.continuation import ContinuationScope
from core.conversation.turns import SystemTurn, Turn, UserTurn

_ROOM_FOR_ERROR: Final = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryWindow:
    """Turns for a request, oldest first; the summary of what came before stands first, if there is one.

    `tokens` is their estimate and `full_tokens` the one with every tool result at length; `raw_tokens` is the
    guess behind `tokens`, before any correction. `earlier`: older turns did not fit.
    """

    turns: tuple[Turn, ...]
    raw_tokens: int
    tokens: int
    full_tokens: int
    earlier: bool


def history_budget(*, context_window: int, reply_tokens: int, fixed_tokens: int) -> int:
    """Tokens for history, when `fixed_tokens` are taken by the system prompt, tools and context.

    A tenth stays free, because all of these are estimates.
    """
    return max(0, int((context_window - reply_tokens - fixed_tokens) * (1 - _ROOM_FOR_ERROR)))


def choose_window(
    newest_first: Iterable[Turn],
    *,
    budget_tokens: int,
    estimate: TokenEstimate,
    scope: ContinuationScope | None = None,
    summary: SystemTurn | None = None,
    measures: TurnMeasures | None = None,
) -> HistoryWindow:
    """The window of a history that can be read at once; it is read no further than needed.

    `newest_first` holds what came after `summary`. `measures` remembers what turns cost, for the next window.
    """
    builder = WindowBuilder(
        budget_tokens=budget_tokens, estimate=estimate, scope=scope, summary=summary, measures=measures
    )
    for turn in newest_first:
        if not builder.offer(turn):
            break
    return builder.window()


@dataclass(slots=True)
class _Taken:
    turn: Turn
    short: Turn
    tokens: int
    short_tokens: int


class WindowBuilder:
    """For a history read page by page: `offer` turns newest first until it declines, then `window`."""

    def __init__(
        self,
        *,
        budget_tokens: int,
        estimate: TokenEstimate,
        scope: ContinuationScope | None = None,
        summary: SystemTurn | None = None,
        measures: TurnMeasures | None = None,
    ) -> None:
        self._measures = measures or TurnMeasures()
        self._estimate = estimate
        self._scope = scope
        self._summary = summary
        self._summary_tokens = 0 if summary is None else self._cost(summary)
        self._budget = max(0, budget_tokens - self._summary_tokens)
        self._taken: list[_Taken] = []  # newest first
        self._least = 0
        self._has_person = False
        self._earlier = False

    def offer(self, turn: Turn) -> bool:
        """Take the next older turn; False when the window is full and no older turn can come in."""
        offered = self._measured(turn)
        if self._least + offered.short_tokens > self._budget:
            if self._has_person or not isinstance(turn, UserTurn):
                self._earlier = True
                return not self._has_person
            self._taken.clear()  # what came after the last turn of a person gives way to it
            offered = self._measured(self._fitting(turn))
            self._least = 0
        self._taken.append(offered)
        self._least += offered.short_tokens
        self._has_person = self._has_person or isinstance(turn, UserTurn)
        return True

    def window(self) -> HistoryWindow:
        """What was taken; the newest tool results keep their length as far as the budget reaches."""
        spare = self._budget - self._least
        turns: list[Turn] = []
        tokens = full_tokens = self._summary_tokens
        for taken in self._taken:
            extra = taken.tokens - taken.short_tokens
            at_length = extra <= max(spare, 0)
            spare -= extra if at_length else 0
            turns.append(taken.turn if at_length else taken.short)
            tokens += taken.tokens if at_length else taken.short_tokens
            full_tokens += taken.tokens
        if self._summary is not None:
            turns.append(self._summary)
        return HistoryWindow(
            turns=tuple(reversed(turns)),
            raw_tokens=round(tokens / self._estimate.scale),
            tokens=tokens,
            full_tokens=full_tokens,
            earlier=self._earlier,
        )

    def _measured(self, turn: Turn) -> _Taken:
        measure = self._measures.of(turn, self._scope)
        tokens = self._estimate.scaled(measure.raw)
        if measure.short is None:
            return _Taken(turn=turn, short=turn, tokens=tokens, short_tokens=tokens)
        short_tokens = self._estimate.scaled(measure.raw_short)
        return _Taken(turn=turn, short=measure.short, tokens=tokens, short_tokens=short_tokens)

    def _cost(self, turn: Turn) -> int:
        return self._estimate.scaled(raw_turn_tokens(turn, scope=self._scope))

    def _fitting(self, turn: UserTurn) -> UserTurn:
        """The turn with its texts cut as little as the budget demands."""
        if self._cost(turn) <= self._budget:
            return turn
        fits, too_long = (
            0,
            max((len(part.text) for part in turn.content if isinstance(part, Text)), default=0),
        )
        while too_long - fits > 1:
            middle = (fits + too_long) // 2
            if self._cost(_with_texts_of(turn, middle)) <= self._budget:
                fits = middle
            else:
                too_long = middle
        return _with_texts_of(turn, fits)


def _with_texts_of(turn: UserTurn, limit: int) -> UserTurn:
    content = tuple(
        Text(text=shortened(part.text, limit)) if isinstance(part, Text) else part for part in turn.content
    )
    return replace(turn, content=content)


def split_for_compaction(
    turns: Sequence[Turn], *, keep_tokens: int, estimate: TokenEstimate
) -> tuple[tuple[Turn, ...], tuple[Turn, ...]]:
    """Older turns to put into a summary, and the newest ones that stay as they are; both oldest first."""
    kept = 0
    used = 0
    for turn in reversed(turns):
        used += estimate.scaled(raw_turn_tokens(turn))
        if kept and used > keep_tokens:
            break
        kept += 1
    return tuple(turns[: len(turns) - kept]), tuple(turns[len(turns) - kept :])

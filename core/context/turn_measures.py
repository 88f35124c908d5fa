"""What each turn costs in a request, counted once and remembered as long as the turn is (CORE-28).

A busy room composes the same few hundred turns again for every message; only the newest ones are new.
"""

from dataclasses import dataclass
from weakref import ref

from core.context.short_results import with_short_results
from core.context.token_estimates import raw_turn_tokens
from core.conversation.continuation import ContinuationScope
from core.conversation.turns import Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnMeasure:
    """Raw tokens of a turn in one scope; `short` is the turn with short results where some are long."""

    raw: int
    short: Turn | None
    raw_short: int


class _Known(ref[Turn]):
    """A turn that may go, and its measure."""

    __slots__ = ("identity", "measure", "scope")

    identity: int
    measure: TurnMeasure
    scope: ContinuationScope | None


class TurnMeasures:
    """Measures of the turns that are alive, of each in the scope that was asked for last."""

    def __init__(self) -> None:
        self._known: dict[int, _Known] = {}

    def of(self, turn: Turn, scope: ContinuationScope | None) -> TurnMeasure:
        """The measure of `turn` where the rounds of `scope` are replayed."""
        known = self._known.get(id(turn))
        if known is not None and known() is turn and known.scope == scope:
            return known.measure
        known = _Known(turn, self._forget)
        known.identity, known.measure, known.scope = id(turn), _measured(turn, scope), scope
        self._known[known.identity] = known
        return known.measure

    def _forget(self, gone: ref[Turn]) -> None:
        if isinstance(gone, _Known):
            self._known.pop(gone.identity, None)


def _measured(turn: Turn, scope: ContinuationScope | None) -> TurnMeasure:
    raw, short = raw_turn_tokens(turn, scope=scope), with_short_results(turn)
    if short is turn:
        return TurnMeasure(raw=raw, short=None, raw_short=raw)
    return TurnMeasure(raw=raw, short=short, raw_short=raw_turn_tokens(short, scope=scope))

"""The question at the end of a conversation that got no whole answer: what a retry asks again (CORE-23)."""

from collections.abc import Iterable
from dataclasses import dataclass

from core.conversation.turns import AssistantTurn, Turn, UserTurn


@dataclass(frozen=True, slots=True, kw_only=True)
class Unanswered:
    """User turns in order, and the part of a reply that came before it broke off."""

    turns: tuple[UserTurn, ...]
    broken_off: AssistantTurn | None = None

    def is_of(self, speaker_id: str) -> bool:
        """Whether this person asked, alone or with others."""
        return any(turn.speaker is not None and turn.speaker.id == speaker_id for turn in self.turns)


def unanswered(latest: Iterable[Turn]) -> Unanswered | None:
    """Everything that people said since the last whole or broken reply; None when all is answered.

    Args:
        latest: the turns of a conversation from the newest to the oldest, as many as are needed.
    """
    asked: list[UserTurn] = []
    broken_off: AssistantTurn | None = None
    for turn in latest:
        if isinstance(turn, UserTurn):
            asked.append(turn)
        elif isinstance(turn, AssistantTurn):
            if asked or broken_off is not None or not turn.interrupted:
                break
            broken_off = turn
    return Unanswered(turns=tuple(reversed(asked)), broken_off=broken_off) if asked else None

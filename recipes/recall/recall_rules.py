"""Which past turns answer a question, and how they are told (TASK-33). Pure.

A turn answers when words of the question stand in what was said; the more, and the longer, the better, and
the later one of two as good. Scripts without blanks are looked for by pairs of neighbours.
"""

from collections.abc import Iterable
from typing import Final

import regex

from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, ReplyText, SystemTurn, Turn, UserTurn
from core.prompts.plain_line import plain_line
from recipes.matching_rules import folded_text, is_unspaced
from sessions.history import StoredTurn

MOST_WORDS: Final = 16
MOST_TOLD: Final = 8
_MOST_TEXT: Final = 600
_SHORTEST: Final = 2
_RUN: Final = regex.compile(r"[\p{L}\p{N}\p{M}]+")


def words_to_find(question: str) -> tuple[str, ...]:
    """What is looked for, each once."""
    words: dict[str, None] = {}
    for run in _RUN.findall(folded_text(question)):
        if not is_unspaced(run[0]):
            words |= dict.fromkeys([run] if len(run) >= _SHORTEST else [])
        elif len(run) == 1:
            words[run] = None
        else:
            words |= dict.fromkeys(run[place : place + 2] for place in range(len(run) - 1))
    return tuple(words)[:MOST_WORDS]


def best_of(turns: Iterable[StoredTurn], words: Iterable[str]) -> tuple[StoredTurn, ...]:
    """The turns that answer best, oldest first; what answers less than half as well is left out."""
    wanted = tuple(words)
    scored = [(_score(text_of(stored.turn), wanted), stored) for stored in turns]
    least = max((score for score, _ in scored), default=0.0) / 2
    fitting = (one for one in scored if one[0] and one[0] >= least)
    found = sorted(fitting, key=lambda one: (-one[0], -one[1].position))
    return tuple(sorted((stored for _, stored in found[:MOST_TOLD]), key=lambda one: one.position))


def told(turn: Turn) -> str:
    """A turn as one line, with its day and who spoke."""
    text = plain_line(text_of(turn), limit=_MOST_TEXT)
    match turn:
        case UserTurn():
            who = "somebody" if turn.speaker is None else turn.speaker.name
            return f"{turn.at:%Y-%m-%d %H:%M} {who}: {text}"
        case AssistantTurn():
            return f"{turn.completed_at:%Y-%m-%d %H:%M} you: {text}"
        case _:
            return text


def text_of(turn: Turn) -> str:
    """What was said; nothing of a notice, which is nobody's speech (REC-9)."""
    match turn:
        case UserTurn(notice=None):
            return "\n".join(part.text for part in turn.content if isinstance(part, Text))
        case AssistantTurn():
            parts = (part for one in turn.rounds for part in one.content)
            return "".join(part.text for part in parts if isinstance(part, ReplyText))
        case UserTurn() | SystemTurn():
            return ""


def _score(text: str, words: tuple[str, ...]) -> float:
    folded = folded_text(text)
    return sum(min(len(word), 8) / 4 for word in words if word in folded)

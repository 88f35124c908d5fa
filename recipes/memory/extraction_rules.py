"""What a talk leaves behind that nobody asked to remember: what is asked, what of it may stay (MEM-5).

Pure. The model proposes; code decides. Only facts and preferences pass, only of people who spoke in that
talk, only what is new, whole, and not sensitive. Personas and rules are never touched: there is no kind for
them.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, cast

from core.conversation.display import display_turn
from core.conversation.turns import AssistantTurn, Turn, UserTurn
from core.prompts.user_messages import speaker_label
from recipes.memory.entries import MOST_SUMMARY, MOST_TEXT, MOST_TITLE, EntryKind
from recipes.memory.memory_rules import is_secret_like
from recipes.search_rules import words_of

MOST_CANDIDATES: Final = 8
FEWEST_MESSAGES: Final = 2
_MOST_CHARACTERS: Final = 24_000
_KNOWN_SHARE: Final = 0.8
_SENSITIVE: Final = re.compile(
    r"[\w.+-]+@[\w-]+\.\w{2,}|(?<!\d)(?:\+|00)\d[\d ()/-]{7,}\d|\b\d{5}\s+[A-ZÄÖÜ]\w+|"
    r"\b(?:diagnos|hiv|pregnan|suicid|therap|medication|schwanger|krankheit|salary|gehalt|religion|arrested)",
    re.IGNORECASE,
)

_REQUEST: Final = """\
Read this conversation and list what should be remembered of it and is not remembered yet: explicit wishes \
to remember something, how a person wants to be addressed or answered, and facts that will still matter in \
weeks. Nothing that passes, nothing that the bot itself said, nothing private such as health, money, \
addresses or secrets, and nothing about how the bot should be. An empty list is the usual answer.

Answer with JSON alone: a list of objects with "kind" ("fact" or "preference"), "speaker" (the id of the \
person who said it), "title", "summary" (one line) and "text" (the whole fact, understandable by itself)."""


class Outcome(StrEnum):
    """What became of a proposed item."""

    KEPT = "kept"
    DUPLICATE = "duplicate"
    SENSITIVE = "sensitive"
    WRONG_SCOPE = "wrong_scope"
    INCOMPLETE = "incomplete"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """An item as the model proposed it."""

    kind: str
    speaker_id: str
    title: str
    summary: str
    text: str


def extraction_request(turns: Sequence[Turn], known_lines: Sequence[str]) -> str:
    """What to ask a model about a talk: one message, without tools."""
    transcript = "\n".join(line for turn in turns if (line := _line(turn)))[-_MOST_CHARACTERS:]
    known = "\n".join(known_lines) or "(nothing)"
    return (
        f"{_REQUEST}\n\n<remembered>\n{_unclosed(known)}\n</remembered>\n\n"
        f"<conversation>\n{_unclosed(transcript)}\n</conversation>"
    )


def is_worth_asking(turns: Sequence[Turn]) -> bool:
    """Whether people said enough for anything to be left."""
    return sum(1 for turn in turns if isinstance(turn, UserTurn) and turn.speaker) >= FEWEST_MESSAGES


def candidates_from(answer: str) -> tuple[Candidate, ...]:
    """The items of the answer; what is no list of objects is no item."""
    begin, end = answer.find("["), answer.rfind("]")
    if begin < 0 or end < begin:
        return ()
    try:
        found: object = json.loads(answer[begin : end + 1])
    except (ValueError, RecursionError):
        return ()
    items = cast("list[object]", found) if isinstance(found, list) else []
    forms = [cast("Mapping[str, object]", item) for item in items if isinstance(item, dict)]
    return tuple(_candidate(form) for form in forms[:MOST_CANDIDATES])


def judged(candidate: Candidate, *, speakers: Collection[str], known: Sequence[str]) -> Outcome:
    """What becomes of an item. `speakers`: ids of who spoke; `known`: texts that are remembered already."""
    if candidate.kind not in set(EntryKind) or candidate.speaker_id not in speakers:
        return Outcome.WRONG_SCOPE
    parts = (candidate.title, candidate.summary, candidate.text)
    too_long = len(candidate.title) > MOST_TITLE or len(candidate.summary) > MOST_SUMMARY
    if not all(part.strip() for part in parts) or too_long or len(candidate.text) > MOST_TEXT:
        return Outcome.INCOMPLETE
    if any(is_secret_like(part) or _SENSITIVE.search(part) for part in parts):
        return Outcome.SENSITIVE
    words = words_of(candidate.text)
    if any(_share(words, words_of(text)) >= _KNOWN_SHARE for text in known):
        return Outcome.DUPLICATE
    return Outcome.KEPT


def _share(words: frozenset[str], known: frozenset[str]) -> float:
    return len(words & known) / len(words) if words else 1.0


def _candidate(form: Mapping[str, object]) -> Candidate:
    def text(name: str) -> str:
        value = form.get(name, "")
        return " ".join(str(value).split()) if isinstance(value, str | int) else ""

    return Candidate(
        kind=text("kind"),
        speaker_id=text("speaker").strip("()"),
        title=text("title"),
        summary=text("summary"),
        text=text("text"),
    )


def _line(turn: Turn) -> str:
    match turn:
        case UserTurn(speaker=speaker, notice=None) if speaker is not None:
            return f"{speaker_label(speaker)}: {display_turn(turn).text}"
        case AssistantTurn():
            return f"The bot: {display_turn(turn).text}"
        case _:
            return ""


def _unclosed(text: str) -> str:
    return text.replace("</", "< /")

"""Whether a text stops in the middle of a sentence (VOX-15), by its last word and mark.

Recognisers put a full stop where sound stops, so an open word beats the stop behind it.
"""

import re
from enum import Enum

from voice.policy.turn_words import ENDINGS_BY_LETTER, HESITATIONS, OPENERS

_CLOSED = re.compile(r"[.!?。！？][\"'”’」』)]*$")
_CUT = re.compile(r"(?:\.\.+|…|[,;:、，；：—–-])[\"'”’]*$")
_EDGE = " \t\n.,!?;:…—–-\"'“”‘’「」『』()。！？、，；："
_SCRIPTS = (
    ("ja", re.compile(r"[\u3041-\u30fa\u30fc-\u30ff]")),
    ("ko", re.compile(r"[\uac00-\ud7a3]")),
    ("zh", re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")),
)
_JOINED_QUESTION_WORDS = frozenset({"that", "this", "so", "like", "well"})


class Tail(Enum):
    """What the end of a text says about its sentence."""

    EMPTY = "empty"
    COMPLETE = "complete"
    UNCLEAR = "unclear"
    """No mark at the end, and no word that would need another."""
    OPEN = "open"


def tail_of(text: str, language: str | None) -> Tail:
    """`language` is ISO 639-1; None when unknown, then the script decides, and English words are tried."""
    text = text.strip()
    bare = text.strip(_EDGE)
    if not bare:
        return Tail.EMPTY
    if _CUT.search(text):
        return Tail.OPEN
    language = language or language_of_script(text) or "en"
    closed = _CLOSED.search(text) is not None
    if language in ENDINGS_BY_LETTER:
        open_ending = _ends_openly(bare, language)
        if open_ending and not closed:
            return Tail.OPEN
        # a recogniser's stop after a particle is weaker than the particle, its question mark is not
        if open_ending and text[-1] in "。." and bare.endswith(tuple(HESITATIONS[language])):
            return Tail.OPEN
        return Tail.COMPLETE if closed else Tail.UNCLEAR
    last = bare.rsplit(maxsplit=1)[-1].strip(_EDGE).lower().replace("’", "'")
    asks = text.rstrip("\"'”’").endswith(("?", "!"))
    if last in HESITATIONS.get(language, ()) or last in OPENERS.get(language, ()):
        if closed and (asks or last in _JOINED_QUESTION_WORDS):
            return Tail.COMPLETE if asks else Tail.UNCLEAR
        return Tail.OPEN
    return Tail.COMPLETE if closed else Tail.UNCLEAR


def language_of_script(text: str) -> str | None:
    """Japanese, Korean or Chinese by their letters; None for others."""
    return next((language for language, letters in _SCRIPTS if letters.search(text)), None)


def _ends_openly(bare: str, language: str) -> bool:
    words = HESITATIONS.get(language, frozenset()) | OPENERS.get(language, frozenset())
    return bare.endswith(tuple(words))


def word_count(text: str) -> int:
    """Words; two letters count as one where words are not set apart."""
    if language_of_script(text) in {"ja", "zh"}:
        return (len(text.strip(_EDGE)) + 1) // 2
    return len(text.split())

"""Which utterances claim the floor (VOX-17): words that count, as against "uh-huh", laughter and coughs."""

import re

from voice.policy.text_tail_rules import language_of_script
from voice.policy.turn_words import ASSENTS, BACKCHANNELS, ENDINGS_BY_LETTER, HESITATIONS, words_for

_SOUND_NOTE = re.compile(r"\[[^\]]*\]|\([^)]*\)|\*[^*]*\*|[♪♫]+")
"""How recognisers write what is no speech: [laughter], (coughs), *sighs*."""
_WORD = re.compile(r"[\w'’-]+")
_LAUGHTER = re.compile(
    r"(?:[hja]*[ae]?(?:ha|he|ja|hi)+h?|l+o+l+|mh*m+|h+m+|哈+|呵+|ㅋ+|ㅎ+|ふふ+|はは+)", re.IGNORECASE
)
_MOST_WORDS = 4


def words_that_count(text: str, language: str | None, *, over_question: bool = False) -> bool:
    """Whether the text is more than a sign of listening.

    `over_question`: spoken into the bot's question, where "yes" is an answer.
    """
    return bool(bare_words(text)) and not is_backchannel(text, language, over_question=over_question)


def is_backchannel(text: str, language: str | None, *, over_question: bool = False) -> bool:
    """A few words, all of which only nod, hesitate or laugh; False for no words at all.

    "Yeah, yeah, yeah" is one; `over_question` it is an answer, and laughter still is one.
    """
    words = bare_words(text)
    if not words:
        return False
    language = language_of_script(text) or language
    if over_question and not words_for(ASSENTS, language).isdisjoint((*words, "-".join(words))):
        return False
    known = words_for(BACKCHANNELS, language) | words_for(HESITATIONS, language)
    if language in ENDINGS_BY_LETTER:
        return all(word in known or _LAUGHTER.fullmatch(word) for word in words)
    joined = "-".join(words)
    if joined in known:
        return True
    once = [word for place, word in enumerate(words) if place == 0 or word != words[place - 1]]
    return len(once) <= _MOST_WORDS and all(
        word in known or _LAUGHTER.fullmatch(word) or _is_nod(word, known) for word in words
    )


def bare_words(text: str) -> list[str]:
    """The words of a text in lower case, without notes on sounds."""
    spoken = _SOUND_NOTE.sub(" ", text).lower().replace("’", "'")
    return [word for raw in _WORD.findall(spoken) if (word := raw.strip("-'_"))]


def _is_nod(word: str, known: frozenset[str]) -> bool:
    parts = word.split("-")
    return len(parts) > 1 and all(part in known for part in parts)

"""Full text in any script, on any database (MEM-1). Pure: texts become words, words find texts.

Scripts with blanks are cut into words. Chinese, Japanese and Korean are cut into every single letter and
every pair of neighbours, so that a word of two letters is found by its pair, one of one letter by itself, and
a longer one by all its pairs. The words are rows of a plain table: SQLite and PostgreSQL find the same.
"""

from collections.abc import Iterable
from typing import Final

import regex

from recipes.matching_rules import folded_text, is_unspaced

MOST_QUERY_WORDS: Final = 24
_RUN: Final = regex.compile(r"[\p{L}\p{N}\p{M}]+")
_MOST_WORD: Final = 40
_PLURAL_FROM: Final = 4


def words_of(text: str) -> frozenset[str]:
    """The words under which a text is found."""
    return frozenset(word for run in _runs(text) for word in _words(run, singles=True))


def query_words(text: str) -> tuple[str, ...]:
    """The words that a question asks for, each once; single letters only where they stand alone."""
    words = dict.fromkeys(word for run in _runs(text) for word in _words(run, singles=len(run) == 1))
    return tuple(words)[:MOST_QUERY_WORDS]


def score(found: Iterable[str]) -> float:
    """How well a text answers a question of which these words stand in it; long words count more."""
    return sum(1.0 if is_unspaced(word[0]) else min(len(word), 8) / 4 for word in found)


def _runs(text: str) -> list[str]:
    """Words of one kind of script: at the border between two kinds a run ends."""
    runs: list[str] = []
    for found in _RUN.finditer(folded_text(text)):
        run = ""
        for character in found[0]:
            if run and is_unspaced(character) != is_unspaced(run[-1]):
                runs.append(run)
                run = ""
            run += character
        runs.append(run)
    return runs


def _words(run: str, *, singles: bool) -> list[str]:
    if not is_unspaced(run[0]):
        word = run[:_MOST_WORD]
        return [word.removesuffix("s") if len(word) >= _PLURAL_FROM and not word.endswith("ss") else word]
    pairs = [run[place : place + 2] for place in range(len(run) - 1)]
    return [*pairs, *run] if singles else pairs

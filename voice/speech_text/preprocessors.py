"""The plugins of speech text, and those that are always there: money and maths (SPEECH-4).

A plugin may have three hooks: `prepare` rewrites the Markdown, `formula` reads one formula, `prose` rewrites
a run of text. Hooks run in the order of the plugins; the first `formula` that answers is taken. To add a
reading, put your plugin before the defaults: `preprocessors=[mine, *default_speech_preprocessors()]`.
"""

from collections.abc import Callable
from dataclasses import dataclass

from voice.speech_text.islands import Formula
from voice.speech_text.locale_pack import LocalePack
from voice.speech_text.maths.in_prose import read_maths_in_prose
from voice.speech_text.maths.reading import read_formula
from voice.speech_text.maths.tex_parser import parse
from voice.speech_text.money import find_prices, say_price


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechContext:
    """What a hook may know: the language of the words around, and its pack (English where it has none)."""

    language: str
    pack: LocalePack


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechPreprocessor:
    """A plugin; a hook that is missing changes nothing. Hooks are pure and raise nothing."""

    name: str
    prepare: Callable[[str, SpeechContext], str] | None = None
    formula: Callable[[Formula, SpeechContext], str | None] | None = None
    prose: Callable[[str, SpeechContext], str] | None = None


def money_speech_preprocessor() -> SpeechPreprocessor:
    """Reads prices in prose."""
    return SpeechPreprocessor(name="money", prose=_read_prices)


def maths_speech_preprocessor() -> SpeechPreprocessor:
    """Reads formulas, and the maths and chemistry that prose holds without TeX."""
    return SpeechPreprocessor(name="maths", formula=_read_formula, prose=_read_maths)


def default_speech_preprocessors() -> tuple[SpeechPreprocessor, ...]:
    """Money, then maths with chemistry."""
    return (money_speech_preprocessor(), maths_speech_preprocessor())


def _read_prices(text: str, context: SpeechContext) -> str:
    pieces: list[str] = []
    place = 0
    for start, end, price in find_prices(text):
        pieces += [text[place:start], say_price(price, context.pack)]
        place = end
    pieces.append(text[place:])
    return "".join(pieces)


def _read_formula(formula: Formula, context: SpeechContext) -> str:
    return read_formula(parse(formula.tex), context.pack)


def _read_maths(text: str, context: SpeechContext) -> str:
    return read_maths_in_prose(text, context.pack)

"""Running text as words: spans are said by the pack, marks without a sound are dropped (SPEECH-2, SPEECH-8).

The last stage of every reading, so what it lets through is what a voice gets: letters, the punctuation that
gives pauses, and nothing of Markdown, TeX or markup.
"""

import re
from functools import lru_cache
from typing import Final

import regex

from voice.speech_text.locale_pack import LocalePack
from voice.speech_text.prose.common import COMMON
from voice.speech_text.prose.finder import Finder, Finders

_SILENT: Final = re.compile(
    r"[°〜～*_`~#|\\<>{}\[\]^=+$%&@/•◦▪■□●○★☆¶†‡\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff\ufffc\x00-\x08\x0b-\x1f\x7f-\x9f]+"
)
_PICTURES: Final = regex.compile(r"[\p{So}\p{Sk}\p{Sm}\p{Co}\p{Cs}\p{Cf}\p{Cn}]+")
_ADDRESS: Final = re.compile(r"https?:|www\.", re.IGNORECASE)
_REPEATED_SIGN: Final = re.compile(r"([!?！？。，、,;:；：'\"“”‘’()（）-])\1{1,}")
_REPEATED_LETTER: Final = re.compile(r"([^\W\d_])\1{3,}", re.IGNORECASE)
_REPEATED_CHUNK: Final = re.compile(r"(\S{2,6}?)\1{3,}")
_DOTS: Final = re.compile(r"(?:\.{2,}|…+)")
_SPACES: Final = re.compile(r"[ \t\u00a0\u3000]{2,}|\t")
_SPACE_BEFORE: Final = re.compile(r"\s+(?=[,.;:!?，。；：！？、)）])")
_EMPTY_PAIR: Final = re.compile(r"\(\s*\)|（\s*）|\"\s*\"|“\s*”|「\s*」")
_GLUE: Final = re.compile(r"(?<=[A-Za-z])-(?=\d)|(?<=\d)-(?=[A-Za-z])")


@lru_cache(maxsize=32)
def _finders(own: tuple[Finder, ...]) -> Finders:
    return Finders(*own, *COMMON)


def read_prose(text: str, pack: LocalePack) -> str:
    """The words of a run of text, with its own spaces at both ends."""
    pieces: list[str] = []
    place = 0
    plain = _GLUE.sub(" ", text)
    for found in _finders(pack.finders).spans(plain):
        pieces.append(plain[place : found.start])
        said = pack.prose.say(found.span)
        pieces.append(_apart(said, plain, found.start, found.end, pack))
        place = found.end
    pieces.append(plain[place:])
    return "".join(pieces)


def _apart(said: str, text: str, start: int, end: int, pack: LocalePack) -> str:
    """Spaces around what is said where the script writes words apart."""
    if not said:
        return " "
    before, after = text[start - 1 : start], text[end : end + 1]
    left = (
        " "
        if pack.spaces_words and before and not before.isspace() and before not in pack.no_space_after
        else ""
    )
    right = " " if pack.spaces_words and after.isascii() and after.isalnum() else ""
    if not pack.spaces_words:
        left = (
            " " if before.isascii() and before.isalpha() and said[0].isascii() and said[0].isalpha() else ""
        )
        right = (
            " " if after.isascii() and after.isalpha() and said[-1].isascii() and said[-1].isalpha() else ""
        )
    return left + said + right


def tidy(text: str, pack: LocalePack) -> str:
    """What a voice gets: no silent marks, no runs of one sign, single spaces."""
    text = _SILENT.sub(" ", text)
    if not text.isascii():
        text = _PICTURES.sub(" ", text)
    text = _ADDRESS.sub(" ", text)
    text = _REPEATED_LETTER.sub(r"\1\1\1", text)
    text = _REPEATED_CHUNK.sub(r"\1\1\1", text)
    text = _DOTS.sub("…", text)
    text = _EMPTY_PAIR.sub(" ", text)
    text = _REPEATED_SIGN.sub(r"\1", text)
    text = _SPACES.sub(" ", text)
    text = _SPACE_BEFORE.sub("", text)
    return pack.finish(text).strip()

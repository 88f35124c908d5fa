"""Which language the words around a span are in (SPEECH-5, SPEECH-8: the words decide before the voice does).

Scripts decide: kana is Japanese, Hangul Korean, Han alone Chinese unless the voice is Japanese. Latin words
are the voice's language when that is written in Latin script, else English. Where both stand, the script
with more words wins, so that "我有 3 个 apples" stays Chinese.
"""

import re
from typing import Final

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA: Final = re.compile(r"[\u3041-\u30fa\u30fc-\u30ff\uff66-\uff9f]")
_HANGUL: Final = re.compile(r"[\u1100-\u11ff\u3131-\u318e\uac00-\ud7a3]")
_LATIN_WORD: Final = re.compile(r"(?<![A-Za-zÀ-ɏ0-9_])(?:[A-Za-zÀ-ɏ][a-zà-ÿ]+)(?![A-Za-zÀ-ɏ0-9_])")
_NOT_LATIN_VOICES: Final = frozenset({"zh", "ja", "ko", "yue", "ru", "uk", "el", "ar", "he", "hi", "th"})


def base_language(tag: str) -> str:
    """The primary subtag of a BCP 47 tag, lower case: `en-GB` is `en`."""
    return re.split(r"[-_]", tag, maxsplit=1)[0].lower()


def language_of_words(text: str, *, voice: str) -> str | None:
    """The language of the words in `text`, as a BCP 47 tag; nothing when it has no words of its own."""
    kana = len(_KANA.findall(text))
    hangul = len(_HANGUL.findall(text))
    han = len(_HAN.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    east = kana + hangul + han
    if not east and not latin:
        return None
    base = base_language(voice)
    if latin > east:
        return "en" if base in _NOT_LATIN_VOICES else voice
    if hangul and hangul >= kana:
        return _spoken_by(voice, "ko")
    if kana or base == "ja":
        return _spoken_by(voice, "ja")
    return _spoken_by(voice, "zh")


def _spoken_by(voice: str, language: str) -> str:
    return voice if base_language(voice) == language else language

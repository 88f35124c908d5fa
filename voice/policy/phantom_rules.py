"""Texts that a recogniser made up (VOX-19): credits on silence, loops, more words than fit the time.

What a provider itself can tell (log-probability, no-speech probability) is its own to judge; this looks at
the text and at how much speech there was.
"""

import re
import zlib
from typing import Final

from voice.policy.backchannel_rules import bare_words

_NEVER_SAID: Final = (
    "amara.org",
    "amara org",
    "subtitles by",
    "subtitle by",
    "subs by",
    "transcription by castingwords",
    "untertitel im auftrag des zdf",
    "untertitelung des zdf",
    "untertitel von stephanie geiges",
    "sous-titres réalisés",
    "sous-titrage",
    "subtítulos realizados",
    "sottotitoli creati",
    "legendas pela comunidade",
    "ondertiteld door",
    "字幕by",
    "字幕由",
    "请不吝点赞",
    "明镜与点点",
    "ご視聴ありがとうございました",
    "チャンネル登録",
    "시청해주셔서 감사합니다",
    "mbc 뉴스",
)
"""Parts of credits: nobody says them to a bot."""
_ON_SILENCE: Final = frozenset(
    (
        "thank you",
        "thanks",
        "thank you very much",
        "thank you so much",
        "thanks for watching",
        "thank you for watching",
        "thank you for watching this video",
        "please subscribe",
        "see you next time",
        "bye",
        "bye bye",
        "you",
        "the",
        "vielen dank",
        "vielen dank fürs zuschauen",
        "bis zum nächsten mal",
        "merci",
        "merci d'avoir regardé cette vidéo",
        "gracias",
        "gracias por ver el video",
        "grazie",
        "obrigado",
        "谢谢",
        "谢谢观看",
        "谢谢大家",
        "ありがとうございました",
        "감사합니다",
    )
)
"""Believed only with as much speech as it takes to say them."""
_SPEECH_MS_PER_LETTER = 35
_MOST_WORDS_PER_S = 8.0
_MOST_LETTERS_PER_S = 40.0
_SPARE_WORDS = 3
_SPARE_LETTERS = 20
_LONGEST_LOOP = 6
_LOOP_WORDS = 9
_COMPRESSIBLE = 2.4
_CHUNK = 500
_SHORTEST = 120
_SPACES = re.compile(r"\s+")


def phantom_reason(text: str, *, speech_ms: int) -> str | None:
    """Why the text was probably never said; None for an honest one. `speech_ms`: voiced sound in it."""
    words = bare_words(text)
    if not words:
        return "no words"
    plain = _SPACES.sub(" ", text.lower().replace("’", "'")).strip(" .!?,…。！？¡¿")
    if any(phrase in plain for phrase in _NEVER_SAID):
        return "known phantom"
    if plain in _ON_SILENCE and speech_ms < len(plain) * _SPEECH_MS_PER_LETTER:
        return "known phantom"
    speech_s = speech_ms / 1000
    if (
        len(words) > speech_s * _MOST_WORDS_PER_S + _SPARE_WORDS
        or len(plain) > speech_s * _MOST_LETTERS_PER_S + _SPARE_LETTERS
    ):
        return "more words than fit the time"
    if _loops(words):
        return "repeats itself"
    if any(_compresses(plain[start : start + _CHUNK]) for start in range(0, len(plain), _CHUNK)):
        return "repeats itself"
    return None


def _compresses(chunk: str) -> bool:
    encoded = chunk.encode()
    return len(encoded) >= _SHORTEST and len(encoded) / len(zlib.compress(encoded)) > _COMPRESSIBLE


def _loops(words: list[str]) -> bool:
    """Whether the same one to six words come again and again, three times or more and nine words at least."""
    for size in range(1, min(_LONGEST_LOOP, len(words) // 3) + 1):
        run = size
        for place in range(size, len(words)):
            run = run + 1 if words[place] == words[place - size] else size
            if run >= max(3 * size, _LOOP_WORDS):
                return True
    return False

"""Korean particles that depend on the sound before them: `은(는)` in a template becomes 은 or 는.

A final consonant takes 은, 이, 을, 과, 으로; a vowel takes 는, 가, 를, 와, 로; 로 also follows ㄹ. Latin
letters sound by their Korean names (엘, 엠, 엔 and 알 end in a consonant).
"""

import re
from typing import Final

_CHOICES: Final = {
    "은(는)": ("은", "는"),
    "이(가)": ("이", "가"),
    "을(를)": ("을", "를"),
    "과(와)": ("과", "와"),
    "(으)로": ("으로", "로"),
}
_PARTICLE: Final = re.compile(r"(\S?)\s*(은\(는\)|이\(가\)|을\(를\)|과\(와\)|\(으\)로)")
_RIEUL: Final = 8
_LATIN_FINAL: Final = frozenset("LMNRlmnr")
_LATIN_RIEUL: Final = frozenset("LRlr")


def with_particles(text: str) -> str:
    """The text with each open particle settled."""
    return _PARTICLE.sub(_settled, text)


def _settled(match: re.Match[str]) -> str:
    before, particle = match[1], match[2]
    consonant, vowel = _CHOICES[particle]
    final = _final_of(before)
    if particle == "(으)로" and final == _RIEUL:
        return before + vowel
    return before + (consonant if final else vowel)


def _final_of(letter: str) -> int:
    """The number of the final consonant (0 for none), as Unicode counts it."""
    if "가" <= letter <= "힣":
        return (ord(letter) - 0xAC00) % 28
    if letter in _LATIN_RIEUL:
        return _RIEUL
    return int(letter in _LATIN_FINAL)

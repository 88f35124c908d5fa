"""When Whisper's words were probably never said (VOX-19), and how much it may say.

Whisper writes something for every sound. Measured on noise, clicks and real utterances: the average
log-probability of a token lies at -1.33 or below for what nobody said, at -0.64 or above for what somebody
did. Digital silence is the exception (-0.66): there `no_speech` tells. Phrases that nobody says to a bot are
not judged here but where every service's text is (`voice.policy.phantom_rules`).
"""

import zlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from voice.input.speech_to_text import Word

LEAST_LOG_PROBABILITY = -1.0
_MOST_COMPRESSION = 2.4
_LONG_SPEECH_S = 8.0
_WORDS_A_SECOND = 5.5
_WORDS_BESIDE = 3
_LETTERS_A_SECOND = 14
_LETTERS_BESIDE = 10
_TOKENS_A_SECOND = 12
_TOKENS_BESIDE = 16
_MOST_TOKENS = 220
_NO_SPEECH = 0.6
MOST_TOGETHER = 4
"""More in one run would let each of them wait too long on a processor."""
_WINDOW_BESIDE_S = 2.0
_MOST_PADDING = 1.5
_DOUBTFUL_LOG_PROBABILITY = -0.5

_SAID_TO_NOISE = frozenset(("you", "thank you", "bye", "bye bye", "the", "and", "so", "oh", "mm", "hmm"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoded:
    """What Whisper made of `seconds` of sound. Times of words count from the first sample of it."""

    text: str
    seconds: float
    log_probability: float
    """The average over its tokens."""
    no_speech: float
    """The probability that nobody speaks."""
    language: str
    words: tuple[Word, ...] = ()


def suspicion(decoded: Decoded) -> str | None:
    """Why the text was probably never said; None when it was."""
    plain = _plain(decoded.text)
    if not plain:
        return None
    if decoded.log_probability < LEAST_LOG_PROBABILITY:
        return "improbable words"
    if decoded.no_speech > _NO_SPEECH and (
        decoded.log_probability < _DOUBTFUL_LOG_PROBABILITY or plain in _SAID_TO_NOISE
    ):
        return "no speech"
    if _compression(decoded.text) > _MOST_COMPRESSION or _is_too_much(plain, decoded.seconds):
        return "repeats itself"
    return None


def repeats_itself(decoded: Decoded) -> bool:
    """Whether it looks like a loop, which a second look at the sound ends: three words twice, or too many.

    People repeat themselves, too: after the second look the words stand, and in a long speech three words
    must come three times.
    """
    plain = _plain(decoded.text)
    pieces = plain.split() if _has_spaces(plain) else list(plain)
    width = 3 if _has_spaces(plain) else 8
    runs = Counter(tuple(pieces[at : at + width]) for at in range(len(pieces) - width + 1))
    often = 2 if decoded.seconds < _LONG_SPEECH_S else 3
    return (
        any(times >= often for times in runs.values())
        or _compression(decoded.text) > _MOST_COMPRESSION
        or _is_too_much(plain, decoded.seconds)
    )


def said_once(decoded: Decoded) -> Decoded | None:
    """The text without its copies, where it is nothing but copies and too long for its sound.

    None where somebody may have said it more than once.
    """
    spoken = decoded.text.split()
    plain = [_plain(word) for word in spoken]
    if not _is_too_much(_plain(decoded.text), decoded.seconds):
        return None
    for period in range(3, len(plain) // 2 + 1):
        if all(plain[at] == plain[at - period] for at in range(period, len(plain))):
            return replace(decoded, text=" ".join(spoken[:period]), words=decoded.words[:period])
    return None


def most_tokens(seconds: float) -> int:
    """How many tokens so much sound can hold: what ends a loop early."""
    return min(_MOST_TOKENS, int(_TOKENS_A_SECOND * seconds) + _TOKENS_BESIDE)


def share_a_run(seconds: Sequence[float]) -> bool:
    """Whether utterances of these lengths cost less together, where the longest sets the window of all."""
    longest, shortest = max(seconds), min(seconds)
    return len(seconds) <= MOST_TOGETHER and longest + _WINDOW_BESIDE_S <= _MOST_PADDING * (
        shortest + _WINDOW_BESIDE_S
    )


def _plain(text: str) -> str:
    letters = "".join(letter if letter.isalnum() else " " for letter in text.casefold())
    return " ".join(letters.split())


def _has_spaces(plain: str) -> bool:
    """Whether the script parts words: in Chinese and Japanese a word here is a whole clause."""
    words = plain.split()
    return len(plain) < 12 * max(1, len(words))


def _is_too_much(plain: str, seconds: float) -> bool:
    if _has_spaces(plain):
        return len(plain.split()) > _WORDS_A_SECOND * seconds + _WORDS_BESIDE
    return len(plain) > _LETTERS_A_SECOND * seconds + _LETTERS_BESIDE


def _compression(text: str) -> float:
    encoded = text.encode()
    return len(encoded) / len(zlib.compress(encoded)) if encoded else 1.0

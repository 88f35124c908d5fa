"""Ends a reply that goes round in circles, as small models' replies do (CORE-46).

A sentence that was said before is not said again, and neither is anything after it. Text waits only while it
could still become such a sentence. Loops without sentences (`and then and then ...`) end after a few rounds.
"""

from typing import Final

_SENTENCE_ENDS: Final = frozenset(".!?。！？…\n")
_SHORTEST: Final = 16
"""Letters and digits of a sentence that may not return; `Yes.` may."""

_LONGEST_PERIOD: Final = 12
_ROUNDS: Final = 4
_ROUNDS_OF_FEW: Final = 8


class RepeatCutter:
    """One reply's stream: `feed` every chunk in order, then `end` once. After a cut, all is dropped."""

    def __init__(self) -> None:
        self._said: set[str] = set()
        self._sentence = ""  # letters and digits of the sentence that is being written
        self._held = ""
        self._words: list[str] = [""]
        self.cut = False

    def feed(self, chunk: str) -> str:
        """The text that `chunk` settles."""
        return "".join(self._take(character) for character in chunk)

    def end(self) -> str:
        """The text that still waited, unless it is the beginning of a repeated sentence."""
        held, self._held = self._held, ""
        return "" if self.cut or len(self._sentence) >= _SHORTEST else held

    def _take(self, character: str) -> str:
        if self.cut:
            return ""
        self._held += character
        if character.isalnum():
            self._sentence += character.casefold()
        if self._word_loop(character):
            self.cut = True
            return self._release()
        if character in _SENTENCE_ENDS:
            return self._sentence_ended()
        return "" if self._may_be_a_repeat() else self._release()

    def _may_be_a_repeat(self) -> bool:
        return any(said.startswith(self._sentence) for said in self._said)

    def _sentence_ended(self) -> str:
        sentence, self._sentence = self._sentence, ""
        if sentence in self._said:
            self.cut = True
            self._held = ""
            return ""
        if len(sentence) >= _SHORTEST:
            self._said.add(sentence)
        return self._release()

    def _release(self) -> str:
        held, self._held = self._held, ""
        return held

    def _word_loop(self, character: str) -> bool:
        """Whether a blank just closed the last word of a loop."""
        if not character.isspace():
            self._words[-1] += character.casefold()
            return False
        if not self._words[-1]:
            return False
        words = self._words
        looping = any(_loops(words, period) for period in range(1, _LONGEST_PERIOD + 1))
        self._words = [*words[-_LONGEST_PERIOD * _ROUNDS :], ""]
        return looping


def _loops(words: list[str], period: int) -> bool:
    rounds = _ROUNDS if period > 2 else _ROUNDS_OF_FEW
    tail = words[-period * rounds :]
    return len(tail) == period * rounds and tail == tail[:period] * rounds


def without_repeats(text: str) -> str:
    """A whole reply up to its first circle."""
    cutter = RepeatCutter()
    return cutter.feed(text) + cutter.end()

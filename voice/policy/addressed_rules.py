"""Whether an utterance is for the bot (VOX-18): its name at the start or end, a follow-up, or the mode.

Names are compared with what a recogniser may have made of them: a letter or two off, another vowel, a name
in two pieces. A name in the middle of a sentence is talk about the bot, not to it; at the start of the last
sentence it calls.
"""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from voice.policy.events import BotBeganSpeaking, BotFellSilent, ReplyEnded, TurnsSubmitted, VoiceEvent
from voice.policy.room import Room, VoiceMode
from voice.policy.turn_words import GREETINGS, ORDINARY_WORDS

_WORD = re.compile(r"\w+")
_SENTENCE_END = re.compile(r"[.!?。！？]+\s+|[。！？]")
_MOST_GREETINGS = 2
_SHORTEST_FIRST_NAME = 3
_LAST_COURTESIES = frozenset(
    {"please", "bitte", "merci", "danke", "thanks", "now", "svp", "favor", "alsjeblieft"}
)
_KEPT_APART: Final = re.compile(r"[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_CLASSES: Final = str.maketrans("bdgkqvzjx", "ptcccfsss")
_VOWELS: Final = frozenset("aeiouyhw")


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchanges:
    """When each person last spoke with the bot; `audible` are those whom it answers right now."""

    at_by_user: Mapping[int, float] = field(default_factory=dict[int, float])
    audible: frozenset[int] = frozenset()

    def after(self, event: VoiceEvent) -> "Exchanges":
        """The exchanges once `event` has happened."""
        match event:
            case TurnsSubmitted() if event.answer:
                return self._with(event.user_ids, event.at)
            case BotBeganSpeaking():
                return replace(self._with(event.answering, event.at), audible=event.answering)
            case BotFellSilent():
                return replace(self._with(self.audible, event.at), audible=frozenset())
            case ReplyEnded():
                return self._with(event.answering, event.at)
            case _:
                return self

    def is_follow_up(self, user_id: int, began_at: float, within_s: float) -> bool:
        """Whether speech that began then goes on with an exchange."""
        if user_id in self.audible:
            return True
        last = self.at_by_user.get(user_id)
        return last is not None and began_at - last <= within_s

    def _with(self, users: Iterable[int], at: float) -> "Exchanges":
        return replace(self, at_by_user={**self.at_by_user, **dict.fromkeys(users, at)})


def wants_answer(
    text: str,
    *,
    user_id: int,
    began_at: float,
    room: Room,
    exchanges: Exchanges,
    follow_up_s: float,
    began_alone: bool = False,
) -> bool:
    """Whether the utterance is to be answered, by the room's mode.

    `began_alone`: nobody else was there as it began, so it is for the bot although somebody came meanwhile.
    """
    match room.effective_mode:
        case VoiceMode.ALWAYS | VoiceMode.PUSH:
            return True
        case VoiceMode.LISTEN:
            return False
        case VoiceMode.ADDRESSED | VoiceMode.AUTOMATIC:
            if calls_one_of(text, room.bot_names):
                return True
            others = [name for user, name in room.people.items() if user != user_id]
            was_alone = began_alone and room.mode is VoiceMode.AUTOMATIC
            if not was_alone and not exchanges.is_follow_up(user_id, began_at, follow_up_s):
                return False
            return not calls_person(text, others)


def calls_person(text: str, names: Iterable[str]) -> bool:
    """Whether one of these people is called, also by the first of their names.

    Who is called like an ordinary word (Will, Mark, Grace) has to be set apart from the sentence by a mark.
    """
    for name in names:
        words = _words(name)
        first = words[0] if words and len(words[0]) >= _SHORTEST_FIRST_NAME else name
        for called in (name, first):
            if calls_one_of(text, (called,), fuzzy=False) and (
                called.casefold() not in ORDINARY_WORDS or _is_set_apart(text, called)
            ):
                return True
    return False


def _is_set_apart(text: str, name: str) -> bool:
    return re.search(rf"\b{re.escape(name)}\s*(?:[,!?.:…]|$)", text, re.IGNORECASE) is not None


def calls_one_of(text: str, names: Collection[str], *, fuzzy: bool = True) -> bool:
    """Whether one of the names stands at the start or the end of the text, or opens its last sentence."""
    parts = [part for part in _SENTENCE_END.split(text) if part.strip()]
    openings = {text, parts[-1]} if parts else set[str]()
    return any(
        any(_opens(_words(opening), _words(name), fuzzy=fuzzy) for opening in openings)
        or _closes(_words(text), _words(name), fuzzy=fuzzy)
        for name in names
        if name.strip()
    )


def _words(text: str) -> list[str]:
    folded = unicodedata.normalize("NFKD", text.casefold())
    kept = "".join(letter for letter in folded if not unicodedata.combining(letter))
    return _WORD.findall(unicodedata.normalize("NFC", kept))


def _opens(words: list[str], name: list[str], *, fuzzy: bool) -> bool:
    if not words or not name:
        return False
    if _KEPT_APART.search(words[0]):
        return any(
            _same(_after_greeting(words[0])[:length], "".join(name), fuzzy=fuzzy)
            for length in _lengths("".join(name), fuzzy=fuzzy)
        ) or any(word == "".join(name) for word in words[:2])
    for skipped in range(_MOST_GREETINGS + 1):
        if any(word not in GREETINGS for word in words[:skipped]):
            break
        rest = words[skipped:]
        if _is_name(rest[: len(name)], name, fuzzy=fuzzy):
            return True
        if fuzzy and _is_name(rest[: len(name) + 1], name, fuzzy=fuzzy):
            return True
    return False


def _closes(words: list[str], name: list[str], *, fuzzy: bool) -> bool:
    while words and words[-1] in _LAST_COURTESIES:
        words = words[:-1]
    if not words or not name:
        return False
    if _KEPT_APART.search(words[-1]):
        joined = "".join(name)
        return any(
            _same(words[-1][-length:], joined, fuzzy=fuzzy) for length in _lengths(joined, fuzzy=fuzzy)
        )
    if _is_name(words[-len(name) :], name, fuzzy=fuzzy):
        return True
    return fuzzy and len(words) > len(name) + 1 and _is_name(words[-len(name) - 1 :], name, fuzzy=fuzzy)


def _after_greeting(word: str) -> str:
    greeting = next((one for one in GREETINGS if word.startswith(one) and len(one) < len(word)), "")
    return word[len(greeting) :]


def _lengths(name: str, *, fuzzy: bool) -> range:
    return range(max(1, len(name) - 1), len(name) + 2) if fuzzy else range(len(name), len(name) + 1)


def _is_name(words: list[str], name: list[str], *, fuzzy: bool) -> bool:
    return _same("".join(words), "".join(name), fuzzy=fuzzy)


def _same(heard: str, name: str, *, fuzzy: bool) -> bool:
    if heard == name:
        return True
    if not fuzzy or len(name) <= 3 or abs(len(heard) - len(name)) > 3:
        return False
    most = 1 if len(name) <= 6 else 2
    distance = _distance(heard, name, most + 1)
    return distance <= most or (distance == most + 1 and _sound(heard) == _sound(name))


def _sound(word: str) -> str:
    """The consonants of a word, those that sound alike as one; vowels count at the start only."""
    mapped = word.replace("ph", "f").translate(_CLASSES)
    letters = [letter for place, letter in enumerate(mapped) if place == 0 or letter not in _VOWELS]
    return "".join(
        letter for place, letter in enumerate(letters) if place == 0 or letter != letters[place - 1]
    )


def _distance(one: str, other: str, most: int) -> int:
    """Letters to insert, delete, replace or swap with a neighbour; `most + 1` stands for more than that."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, before, row = before, row, [i]
        for j, wanted in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != wanted))
            if i > 1 and j > 1 and letter == other[j - 2] and one[i - 2] == wanted:
                cost = min(cost, older[j - 2] + 1)
            row.append(cost)
        if min(row) > most:
            return most + 1
    return row[-1]

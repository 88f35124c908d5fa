"""What may be remembered, by whom it may be read, and how an entry changes (MEM-2, MEM-3, MEM-4). Pure.

Reading:  a place reads its own space; a private channel reads its server's as well; nothing else crosses
          a space but what the owner made general and public.
Writing:  a place writes into its own space only, so that a private channel tells nothing to its server.
"""

import math
import re
import unicodedata
from dataclasses import replace
from datetime import datetime
from typing import Final

from core.sentences import sentence
from recipes.memory.entries import MOST_SUMMARY, MOST_TEXT, MOST_TITLE, EntryKind, MemoryEntry, NewEntry
from recipes.spaces import Reach

_DAYS_PER_DOUBLING: Final = 3
_MICROSECONDS_A_DAY: Final = 86_400_000_000


class MemoryRefused(Exception):
    """Nothing was changed; the message says why, for the model or the person."""


def may_read(entry: NewEntry, reach: Reach, persona: str) -> bool:
    """Whether the entry exists for a run there with that persona."""
    of_persona = entry.persona in (None, persona)
    return of_persona and (entry.space in reach.readable or (entry.public and entry.persona is None))


def checked(entry: NewEntry) -> None:
    """Hold that the entry is whole and holds no secret.

    Raises:
        MemoryRefused: it is not.
    """
    if not entry.title.strip() or not entry.summary.strip() or not entry.text.strip():
        raise MemoryRefused("A new entry needs a title, a summary of one line, and a text.")
    if len(entry.title) > MOST_TITLE or len(entry.summary) > MOST_SUMMARY:
        raise MemoryRefused(
            sentence(
                "A title has at most {most_title} characters, a summary {most_summary}.",
                most_title=MOST_TITLE,
                most_summary=MOST_SUMMARY,
            )
        )
    if not entry.title.isprintable() or not entry.summary.isprintable():
        raise MemoryRefused("Title and summary are one line each.")
    if len(entry.text) > MOST_TEXT:
        raise MemoryRefused(
            sentence("An entry holds one fact: at most {most_text:,} characters.", most_text=MOST_TEXT)
        )
    if (entry.kind is EntryKind.PREFERENCE) != (entry.about is not None):
        raise MemoryRefused("A preference belongs to the person who speaks; there is nobody.")
    if any(is_secret_like(part) for part in (entry.title, entry.summary, entry.text)):
        raise MemoryRefused("This looks like a password, a key or an account number; those are not kept.")


def appended(entry: MemoryEntry, text: str, now: datetime) -> MemoryEntry:
    """The entry with one more line.

    Raises:
        MemoryRefused: the text is empty, or the entry would not be whole.
    """
    if not text.strip():
        raise MemoryRefused("There is nothing to append.")
    return _changed(entry, f"{entry.text}\n{text.strip()}", now)


def replaced(entry: MemoryEntry, fragment: str, text: str, now: datetime) -> MemoryEntry:
    """The entry with `text` in place of `fragment`, which must stand in it exactly once.

    Raises:
        MemoryRefused: the fragment is missing or stands there more than once; nothing is changed.
    """
    count = _occurrences(entry.text, fragment) if fragment else 0
    if count != 1:
        found = (
            sentence("is not in the entry")
            if not count
            else sentence("stands {count} times in the entry", count=count)
        )
        raise MemoryRefused(
            sentence("The fragment {found}; name a piece of its text that stands there once.", found=found)
        )
    return _changed(entry, entry.text.replace(fragment, text.strip(), 1).strip(), now)


def described_anew(entry: MemoryEntry, *, title: str, summary: str) -> MemoryEntry:
    """The entry with another line in the index, where one is given."""
    anew = replace(entry, title=title.strip() or entry.title, summary=summary.strip() or entry.summary)
    checked(anew)
    return anew


def made_general(entry: MemoryEntry, *, public: bool, now: datetime) -> MemoryEntry:
    """The entry for every persona, and with `public` for every place.

    Raises:
        MemoryRefused: it is somebody's preference, which holds for them where they said it.
    """
    if entry.kind is EntryKind.PREFERENCE:
        raise MemoryRefused("A preference stays with its person and place.")
    return replace(entry, persona=None, public=public, updated_at=now)


def used(entry: MemoryEntry, now: datetime) -> MemoryEntry:
    """The entry after it was read once more."""
    return replace(entry, uses=entry.uses + 1, used_at=now)


def rank(entry: MemoryEntry) -> int:
    """How much an entry is worth to list: how lately it was used, and each doubling of uses like three days.

    It holds as it is until the next use, so that the best of a hundred thousand are found by an index.
    """
    bonus = math.log2(1 + entry.uses) * _DAYS_PER_DOUBLING * _MICROSECONDS_A_DAY
    return int(entry.used_at.timestamp() * 1_000_000 + bonus)


def title_key(title: str) -> str:
    """What two titles have in common that are one."""
    return " ".join(title.split()).casefold()


_IS: Final = r"\s*(?:is|ist|est|es|=|:|：)\s*"
_SECRETS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"-----BEGIN [A-Z ]*PRIVATE KEY",
        r"\b[MNO][A-Za-z\d_-]{23,27}\.[\w-]{6}\.[\w-]{27,40}",
        r"\b(?:sk|pk|rk|xi|ghp|gho|ghs|github_pat|glpat|xox[abp]|hf)[-_][A-Za-z\d_-]{16,}",
        r"\bAIza[\w-]{30,}",
        r"\b[a-z][a-z\d+.-]{0,20}://[^\s/:@]{0,80}:[^\s/@]{1,200}@",
        r"\bAKIA[A-Z\d]{16}\b",
        r"\beyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{5,}",
        r"\bbearer\s+[A-Za-z\d._-]{16,}",
        rf"\b(?:pass(?:word|wort|phrase|code|wd)|pwd|kennwort|contraseña|mot de passe)\b{_IS}\S{{4,}}",
        rf"\b(?:pin|secret|token|api[ _-]?key)\b(?:{_IS}|\s+)(?=\S*\d)\S{{4,}}",
        r"(?:密码|口令|暗証番号|パスワード|비밀번호)\s*(?:是|为|は|는|은|=|:|：)?\s*[A-Za-z\d!-/:-@]{4,}",
        r"\b[A-Z]{2}\d{2}(?: ?[A-Z\d]{4}){3,7}(?: ?[A-Z\d]{1,4})?\b",
    )
)
_UNSEEN: Final = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff]")
_CARD: Final = re.compile(r"(?<!\d)(?:\d[ -]?){12,15}\d(?!\d)")


def is_secret_like(text: str) -> bool:
    """Whether the text looks like a password, a key, a token, or the number of a card or an account."""
    # Wide letters and signs that nobody sees change nothing for whoever reads it.
    plain = _UNSEEN.sub("", unicodedata.normalize("NFKC", text))
    if any(secret.search(plain) for secret in _SECRETS):
        return True
    return any(_passes_luhn(found[0]) for found in _CARD.finditer(plain))


def _passes_luhn(written: str) -> bool:
    digits = [int(digit) for digit in written if digit.isdigit()]
    doubled = [sum(divmod(digit * 2, 10)) if place % 2 else digit for place, digit in enumerate(digits[::-1])]
    return sum(doubled) % 10 == 0


def _changed(entry: MemoryEntry, text: str, now: datetime) -> MemoryEntry:
    changed = replace(entry, text=text, updated_at=now)
    checked(changed)
    return changed


def _occurrences(text: str, fragment: str) -> int:
    """How often it stands there; places that overlap count, since either could be meant."""
    count, start = 0, text.find(fragment)
    while start >= 0:
        count, start = count + 1, text.find(fragment, start + 1)
    return count

"""What was said in one input, as a value (VOX-11): raw text, its corrections, and who said it.

The raw text is the recogniser's and is never rewritten by anybody else. A person's correction replaces the
whole text; a stage's edits replace words or sentences of the raw text, and an edit may take the place of
earlier ones only where it covers them. Revisions count changes of content: the same text again is none.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import pairwise

from voice.input.speech_to_text import Transcript, Word

_WORDS = re.compile(r"\S+")
_SENTENCES = re.compile(r"\S.*?(?:[.!?…]+(?=\s|$)|[。！？]+|$)", re.DOTALL)


class PatchRejected(Exception):
    """The edits do not fit the document; nothing of them was applied."""


class Unit(Enum):
    """What the coordinates of an edit count, in the raw text."""

    WORD = "word"
    SENTENCE = "sentence"


@dataclass(frozen=True, slots=True, kw_only=True)
class Edit:
    """`text` in place of the units from `first` up to, not with, `end`; an empty one takes them out."""

    unit: Unit
    first: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeakerEvidence:
    """Who speaks, by the source of the sound; fixed when the input begins (VOX-11)."""

    user_id: int
    ssrc: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """One sentence of the raw text; times in seconds of the input's sound where the provider has them."""

    text: str
    start_s: float | None
    end_s: float | None


@dataclass(frozen=True, slots=True)
class _Replaced:
    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptDocument:
    """See the module. `words` have times, and are empty where the provider has none."""

    speaker: SpeakerEvidence
    raw: str = ""
    words: tuple[Word, ...] = ()
    language: str | None = None
    revision: int = 0
    by_person: str | None = None
    """A person's own words for it, which no plugin overrules."""
    replaced: tuple[_Replaced, ...] = ()

    @property
    def corrected(self) -> str:
        """The text as it counts."""
        if self.by_person is not None:
            return self.by_person
        text = self.raw
        for one in sorted(self.replaced, key=lambda replaced: replaced.start, reverse=True):
            text = text[: one.start] + one.text + text[one.end :]
        return " ".join(text.split()) if self.replaced else text

    @property
    def segments(self) -> tuple[Segment, ...]:
        """The sentences of the raw text."""
        segments: list[Segment] = []
        place = 0
        timed = len(self.words) == len(_WORDS.findall(self.raw))
        for match in _SENTENCES.finditer(self.raw):
            count = len(_WORDS.findall(match.group()))
            inside = self.words[place : place + count] if timed else ()
            place += count
            segments.append(
                Segment(
                    text=match.group(),
                    start_s=inside[0].start_s if inside else None,
                    end_s=inside[-1].end_s if inside else None,
                )
            )
        return tuple(segments)


def heard(document: TranscriptDocument, transcript: Transcript) -> TranscriptDocument:
    """The provider's newest word; a new revision only where the text is another."""
    text = transcript.text.strip()
    changed = text != document.raw
    return replace(
        document,
        raw=text,
        words=transcript.words,
        language=transcript.language or document.language,
        revision=document.revision + changed,
        replaced=() if changed else document.replaced,
    )


def corrected_by_person(document: TranscriptDocument, text: str) -> TranscriptDocument:
    """A person says what was meant."""
    text = text.strip()
    if text == document.corrected:
        return replace(document, by_person=text)
    return replace(document, by_person=text, revision=document.revision + 1)


def patched(document: TranscriptDocument, edits: Sequence[Edit]) -> TranscriptDocument:
    """The document with a stage's edits, all of them or none.

    Raises:
        PatchRejected: outside the text, overlapping, or against a person's own correction.
    """
    if document.by_person is not None:
        raise PatchRejected("a person has corrected this text")
    new = sorted((_range_of(document.raw, edit) for edit in edits), key=lambda one: one.start)
    if any(later.start < earlier.end for earlier, later in pairwise(new)):
        raise PatchRejected("edits overlap")
    kept = [
        one for one in document.replaced if not any(e.start <= one.start and one.end <= e.end for e in new)
    ]
    if any(one.start < e.end and e.start < one.end for one in kept for e in new):
        raise PatchRejected("an edit cuts through an earlier one")
    after = replace(document, replaced=(*kept, *new))
    changed = after.corrected != document.corrected
    return replace(after, revision=document.revision + changed)


def _range_of(raw: str, edit: Edit) -> _Replaced:
    units = list((_WORDS if edit.unit is Unit.WORD else _SENTENCES).finditer(raw))
    if not 0 <= edit.first < edit.end <= len(units):
        raise PatchRejected(f"no {edit.unit.value}s {edit.first} to {edit.end}")
    return _Replaced(units[edit.first].start(), units[edit.end - 1].end(), edit.text)

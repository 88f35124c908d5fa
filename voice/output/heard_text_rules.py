"""What of an answer was heard, by how much of its sound was played (VOX-17): pure, cut at a word.

The position decides: segments that were played whole count whole; of the one that was playing, the words
that ended before it, by the synthesiser's word times where it gives them, else in proportion to the sound.
The result is Markdown as the model wrote it, so that the history keeps the answer in its own form.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from voice.output.text_to_speech import SpokenWord

_WORD: Final = re.compile(
    r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]"
    r"|[^\W\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)
_WORDS_SKIPPED: Final = 6
"""Words of the source that may have been read otherwise before one that was read as it stands."""
_ROUNDING_S: Final = 0.021
"""Positions are told in frames of 20 ms."""
_QUESTION: Final = re.compile(r"(?:[?？؟]|か[。.]?)[\"'”’」』)）]*\s*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlayedSegment:
    """A segment whose sound began to play.

    `duration_s` is the whole of its sound, or what is expected while more of it comes. A pause has no text.
    """

    text: str
    source: str
    duration_s: float
    words: tuple[SpokenWord, ...] = ()


def heard_text(segments: Sequence[PlayedSegment], *, played_s: float) -> str:
    """The source of what was heard when `played_s` of the segments' sound, in their order, were played."""
    heard: list[str] = []
    left_s = played_s
    for segment in segments:
        if left_s + _ROUNDING_S < segment.duration_s:
            offset = _offset_at(segment, left_s)
            heard.append(segment.source[: source_up_to(segment.text, segment.source, offset)])
            break
        heard.append(segment.source)
        left_s -= segment.duration_s
    return "".join(heard).strip()


def asks_now(segments: Sequence[PlayedSegment], *, played_s: float) -> bool:
    """Whether the last of the segments is a question, and is being heard once `played_s` were played."""
    if not segments or _QUESTION.search(segments[-1].text) is None:
        return False
    return played_s + _ROUNDING_S >= sum(segment.duration_s for segment in segments[:-1])


def source_up_to(text: str, source: str, offset: int) -> int:
    """How many characters of `source` the first `offset` of its speech text say; both end after a word.

    Words that are read as they stand show the place. Where none is (a price, a formula, a table) it is the
    proportion that counts.
    """
    if offset >= len(text):
        return len(source)
    written = [(match.group(), match.end()) for match in _WORD.finditer(source)]
    found = place = 0
    is_read_as_written = False
    for said in _WORD.finditer(text):
        for ahead, (word, end) in enumerate(written[found : found + _WORDS_SKIPPED]):
            if word == said.group():
                is_read_as_written = True
                found += ahead + 1
                place = end if said.end() <= offset else place
                break
        if is_read_as_written and said.end() > offset:
            return place
    if is_read_as_written:
        return place
    share = len(source) * offset // len(text)
    return max((end for _, end in written if end <= share), default=0)


def _offset_at(segment: PlayedSegment, played_s: float) -> int:
    """Characters of the speech text up to the last word that ended by `played_s`."""
    if segment.words:
        following = pairwise(segment.words)
        ended = [word.end_offset for word, next_word in following if next_word.start_s <= played_s]
        return ended[-1] if ended else 0
    share = int(len(segment.text) * max(0.0, played_s) / segment.duration_s)
    return max((match.end() for match in _WORD.finditer(segment.text) if match.end() <= share), default=0)

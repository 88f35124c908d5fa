"""The one choice of splitting: where a stretch of text that is too long for a message ends (TEXT-2).

Best first: paragraph, line, sentence, word; only then between grapheme clusters. A cut that breaks nothing
wins over one inside a code block, that over one inside an emphasis, that over one inside a link or mention,
which happens only to one that no message could hold. Everything is decided from the stretch alone.
"""

import re
from dataclasses import dataclass
from enum import IntEnum

from bot.discord_chat.markdown_spans import (
    FENCE,
    FREE,
    IN_ATOM,
    IN_FENCE,
    IN_OPEN_SPAN,
    IN_SPAN,
    Carry,
    MarkdownSpans,
    line_prefix_at,
)
from bot.discord_chat.message_length import UnitOffsets, cluster_starts, discord_length


class Boundary(IntEnum):
    """What ends at a cut."""

    CODE_POINT = 0
    CLUSTER = 1
    WORD = 2
    SENTENCE = 3
    LINE = 4
    PARAGRAPH = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """The body is `[:end]`; `[end:resume]` is dropped; the next body begins at `resume`.

    What is dropped is white space, and the closing marker of a code block where `closing` took its place.
    """

    end: int
    resume: int
    closing: str
    carry: Carry
    kept: tuple[str, ...]
    """Spans that were open at the beginning and really are: those to open again before the body."""


_GAP = re.compile(r"\s+")
_SENTENCE_END = re.compile(r"[.!?…。！？｡؟۔।][\"')\]»”’」』）】*_~|]*\Z")
_FULL_WIDTH_END = re.compile(r"[。！？｡]+[」』）】”’]*(?=[^\s。！？｡」』）】”’])")
_IDEOGRAPH = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_BETWEEN_IDEOGRAPHS = re.compile(
    f"(?<=[{_IDEOGRAPH}，、；：])(?=[{_IDEOGRAPH}「『（【])(?![ぁぃぅぇぉっゃゅょァィゥェォッャュョー々])"
)
_HEADING = re.compile(r"[ \t]*(?:#{1,3} .*|\*\*[^*\n]+\*\*:?)\Z")

_HALF, _FIFTH, _ANY = 0.5, 0.2, 0.0
_WHOLE, _LINES, _WORDS = Boundary.SENTENCE, Boundary.LINE, Boundary.WORD
_PREFERENCES = (
    # (most it may break, least boundary, least share of the message that is filled)
    (FREE, _WHOLE, _HALF),
    (FREE, _WORDS, _HALF),
    (IN_FENCE, _LINES, _HALF),
    (FREE, _WORDS, _FIFTH),
    (IN_FENCE, _WORDS, _HALF),
    (IN_FENCE, Boundary.CLUSTER, _HALF),
    (IN_OPEN_SPAN, _WORDS, _HALF),
    (IN_FENCE, _WORDS, _ANY),
    (IN_SPAN, _WORDS, _HALF),
    (IN_SPAN, _WORDS, _ANY),
    (IN_SPAN, Boundary.CLUSTER, _HALF),
    (IN_ATOM, Boundary.CLUSTER, _HALF),
    (IN_ATOM, Boundary.CLUSTER, _ANY),
    (IN_ATOM, Boundary.CODE_POINT, _ANY),
)
_DESCENDING = tuple(reversed(Boundary))


def choose_cut(window: str, carry: Carry, limit: int) -> Cut:
    """Cut `window`, which is too long for one message of `limit` UTF-16 code units.

    `window` begins with the first visible character of the body; `carry` is open there.
    """
    return _Chooser(window, carry, limit).choose()


class _Chooser:
    def __init__(self, window: str, carry: Carry, limit: int) -> None:
        self._window = window
        self._carry = carry
        self._limit = limit
        self._opening = discord_length(carry.opening)
        self._offsets = UnitOffsets(window)
        self.spans = MarkdownSpans(window, carry)
        self._starts: frozenset[int] | None = None
        self._candidates: dict[Boundary, list[int]] = {}
        self._resumes: dict[int, int] = {}

    def choose(self) -> Cut:
        for begin, preferences in ((self._limit // 4, _PREFERENCES[:2]), (1, _PREFERENCES)):
            self._find_candidates(begin)
            for broken, least, share in preferences:
                for level in _DESCENDING[: Boundary.PARAGRAPH - least + 1]:
                    found = self._last_fitting(level, broken, share)
                    if found is not None:
                        return self._cut(found)
        raise AssertionError("a message holds at least one character")

    def _last_fitting(self, level: Boundary, broken: int, share: float) -> int | None:
        floor = share * self._limit
        candidates = self._candidates[level]
        if level <= Boundary.CLUSTER and not candidates:
            candidates = self._fine_candidates(level)
        for end in reversed(candidates):
            used = self._opening + self._offsets.at(end)
            if used < floor:
                break
            if used > self._limit or self.spans.broken[end] > broken or not self._fits(end, used):
                continue
            if level is Boundary.CODE_POINT or self._keeps_clusters(end):
                return end
        return None

    def _fine_candidates(self, level: Boundary) -> list[int]:
        window = self._window
        fine = list(range(1, len(window)))
        if level is Boundary.CLUSTER:
            if not window.isascii():
                self._starts = self._starts or cluster_starts(window)
                fine = sorted(self._starts - {0, len(window)})
            fine = [index for index in fine if not window[index - 1].isspace()]
        self._candidates[level] = fine
        return fine

    def _spans_at(self, end: int) -> tuple[str, ...]:
        return self.spans.open_at(end, self._resumes.get(end, end))

    def _keeps_clusters(self, end: int) -> bool:
        """Whether neither side of the cut tears a reader's character."""
        resume = self._resumes.get(end, end)
        if self._window[end - 1 : resume + 1].isascii() and self._window[end - 1] != "\r":
            return True
        if self._starts is None:
            self._starts = cluster_starts(self._window)
        return end in self._starts and resume in self._starts

    def _fits(self, end: int, used: int) -> bool:
        return used + 4 + 3 * 6 <= self._limit or used + discord_length(self._closing(end)) <= self._limit

    def _closing(self, end: int) -> str:
        spans = "".join(reversed(self._spans_at(end)))
        return (f"\n{FENCE}" if self.spans.fence_at(end) else "") + spans

    def _find_candidates(self, begin: int) -> None:
        window = self._window
        begin = min(begin, len(window))
        self._candidates = {level: [] for level in Boundary}
        while begin > 0 and window[begin - 1].isspace():
            begin -= 1
        for gap in _GAP.finditer(window, begin):
            end, resume = gap.span()
            if end == 0:
                continue
            newlines = window.count("\n", end, resume)
            if newlines and self.spans.fence_at(end) is not None:
                resume = window.rfind("\n", end, resume) + 1
            self._candidates[self._gap_level(end, resume, newlines)].append(end)
            self._resumes[end] = resume
        if window.isascii():
            return
        for level, pattern in (
            (Boundary.SENTENCE, _FULL_WIDTH_END),
            (Boundary.WORD, _BETWEEN_IDEOGRAPHS),
        ):
            self._candidates[level] += [match.end() for match in pattern.finditer(window, begin)]
            self._candidates[level].sort()

    def _gap_level(self, end: int, resume: int, newlines: int) -> Boundary:
        window = self._window
        if newlines:
            line = window[window.rfind("\n", 0, end) + 1 : end]
            if self.spans.broken[end] == FREE and _HEADING.match(line):
                return Boundary.WORD
            is_block = newlines > 1 or window.startswith(FENCE, resume)
            return Boundary.PARAGRAPH if is_block else Boundary.LINE
        return Boundary.SENTENCE if _SENTENCE_END.search(window, max(0, end - 4), end) else Boundary.WORD

    def _cut(self, end: int) -> Cut:
        window = self._window
        kept = self.spans.kept(final=False)
        resume = self._resumes.get(end, end)
        closing = self._closing(end)
        fence = self.spans.fence_at(end)
        spans = self._spans_at(end)
        if fence is not None and fence.close is not None and not window[end : fence.close].strip():
            after = fence.close + len(FENCE)
            return Cut(end=end, resume=after, closing=closing, carry=Carry(spans=spans), kept=kept)
        inside_line = "\n" not in window[end:resume]
        prefix = line_prefix_at(window, end, self._carry.line_prefix) if inside_line else ""
        language = None if fence is None else fence.language
        return Cut(
            end=end,
            resume=resume,
            closing=closing,
            carry=Carry(spans=spans, fence=language, line_prefix=prefix),
            kept=kept,
        )

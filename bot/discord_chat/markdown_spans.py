"""Where Discord's Markdown in a stretch of text may be cut, and what is open at each place (TEXT-2).

Follows Discord's client, not CommonMark: three backticks toggle a code block wherever they stand, `~~~`
means nothing, `||` hides text across paragraphs. Reads forwards only and in linear time, so that what it
says of a stretch does not depend on what comes later.
"""

import re
from dataclasses import dataclass

FREE, IN_FENCE, IN_OPEN_SPAN, IN_SPAN, IN_ATOM = range(5)
"""How much a cut at some index breaks, from nothing to a link or a mention."""

MAX_NESTING = 6
FENCE = "```"

_TOKEN = re.compile(
    r"""
      (?P<fence>`{3,})
    | (?P<escape>\\[^\w\s`])
    | (?P<atom>
          <https?://[^<>\s`]+>
        | </[^<>\n`]{1,100}:\d+>
        | <[^<>\s`]{1,100}>
        | !?\[(?:[^\[\]\n`]|`(?!``))*\]\((?:[^()\s`]|\([^()\s`]*\))*(?:[ ]"[^"\n`]*")?\)
        | https?://[^\s<>`]*[^\s<>`*_~|.,:;!?'")\]]
        | :\w{2,32}:
      )
    | (?P<code>`{1,2})
    | (?P<rule>\*{4,}|_{4,}|~{3,}|\|{3,})
    | (?P<mark>\*{1,3}|_{1,3}|~~|\|\|)
    | (?P<newline>\n(?P<block>(?=[ \t]*(?:\n|[-*+][ ]|\d{1,9}[.)][ ]|\#{1,3}[ ]|>)))?)
    """,
    re.VERBOSE,
)
_BACKTICKS = re.compile(r"`+")
_FENCE_RUN = re.compile(r"`{3,}")
_LANGUAGE = re.compile(r"([A-Za-z0-9_+\-.#]{1,32})\n")
_NO_CONTENT_YET = re.compile(r"[A-Za-z0-9_+\-.#]{0,32}\s*`{0,2}")
_UNFINISHED_ATOM = re.compile(
    r"<(?:https?://[^<>\s`]*|/[^<>\n`]{0,100}|[^<>\s`]{0,100})|"
    r"!?\[[^\[\]\n]{0,300}(?:\](?:\((?:[^()\s]|\([^()\s]*\))*(?:\([^()\s]*|[ ]\"[^\"\n]*\"?)?)?)?"
)
_CODE_END = re.compile(r"\n[ \t]*\n|`+")
_RAISE = {kind: bytes(max(kind, value) for value in range(256)) for kind in range(5)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Carry:
    """What is open where a piece begins, to be written again before its body."""

    spans: tuple[str, ...] = ()
    fence: str | None = None
    line_prefix: str = ""

    @property
    def opening(self) -> str:
        """The Markdown that opens it again."""
        fence = "" if self.fence is None else f"{FENCE}{self.fence}\n"
        return self.line_prefix + "".join(self.spans) + fence


@dataclass(slots=True, kw_only=True)
class _Span:
    marker: str
    start: int
    inner: int
    close: int | None = None
    end: int | None = None
    literal: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FenceRange:
    """A code block: its marker, its content, and the index of its closing marker (None while open)."""

    start: int
    content: int
    language: str
    close: int | None


class MarkdownSpans:
    """One reading of `text`, which begins with `carry` open."""

    def __init__(self, text: str, carry: Carry) -> None:
        self.text = text
        self.broken = bytearray(len(text) + 1)
        """For every index, how much a cut there breaks: `FREE` to `IN_ATOM`."""
        self.fences: list[FenceRange] = []
        self._spans = [_Span(marker=marker, start=0, inner=0) for marker in carry.spans]
        self._carried = len(self._spans)
        self._stack = list(self._spans)
        self._fence: tuple[int, int, str] | None = None if carry.fence is None else (0, 0, carry.fence)
        self._no_code_end: dict[int, int] = {}
        self._read()

    def fence_at(self, index: int) -> FenceRange | None:
        """The code block whose content a cut at `index` would break."""
        if self.broken[index] == FREE:
            return None
        for fence in reversed(self.fences):
            if fence.content <= index and (fence.close is None or index <= fence.close):
                return fence
        return None

    def open_at(self, index: int, resume: int) -> tuple[str, ...]:
        """Markers of the inline spans open from `index` to `resume`, outermost first.

        Inline code beside another backtick is left alone: glue there would make a different marker.
        """
        if self.broken[index] == FREE:
            return ()
        beside_backtick = "`" in (self.text[index - 1 : index], self.text[resume : resume + 1])
        return tuple(
            span.marker
            for span in self._spans
            if not span.literal
            and not (beside_backtick and span.marker[0] == "`")
            and (span.inner < index or span.start == span.inner == 0)
            and (span.close is None or index <= span.close)
        )

    def content_end(self) -> int:
        """Where a text that still grows ends to a reader: before a marker that is half written."""
        fence = self.fences[-1] if self.fences else None
        if fence is None or fence.close is not None:
            return len(self.text)
        if _NO_CONTENT_YET.fullmatch(self.text, fence.content):
            return fence.start
        run = len(self.text) - len(self.text.rstrip("`"))
        return len(self.text) - run if run < len(FENCE) else len(self.text)

    def kept(self, *, final: bool) -> tuple[str, ...]:
        """The carried markers to write again: those that close here or may yet.

        One that the text never closes was no span; at the end (`final`) that is certain. Only a spoiler
        stays one: showing what was hidden is the worse mistake.
        """
        return tuple(
            span.marker
            for span in self._spans[: self._carried]
            if not span.literal and not (final and span.close is None and span.marker != "||")
        )

    def unclosed_carried(self) -> tuple[str, ...]:
        """Of the markers `kept` at the end of the text, those that still need closing."""
        return tuple(
            span.marker
            for span in self._spans[: self._carried]
            if not span.literal and span.close is None and span.marker == "||"
        )

    def _raise(self, start: int, end: int, kind: int) -> None:
        if start < end:
            self.broken[start:end] = self.broken[start:end].translate(_RAISE[kind])

    # -- reading ---------------------------------------------------------------------------------

    def _read(self) -> None:
        position, text = 0, self.text
        carried_code = next((span for span in self._stack if span.marker[0] == "`"), None)
        if carried_code is not None and self._fence is None:
            position = self._read_code(carried_code, 0)
        while position < len(text):
            if self._fence is not None:
                position = self._read_fence(position)
                continue
            match = _TOKEN.search(text, position)
            if match is None:
                break
            position = self._token(match)
        self._finish()

    def _token(self, match: re.Match[str]) -> int:
        start, end = match.span()
        match match.lastgroup:
            case "fence":
                self._fence_run(start, end)
            case "escape" | "atom":
                self._raise(start + 1, end, IN_ATOM)
            case "code":
                span = _Span(marker=match.group(), start=start, inner=end)
                self._raise(start + 1, end + 1, IN_ATOM)
                return self._read_code(span, end)
            case "rule":
                pass
            case "mark":
                self._mark(match.group(), start, end)
            case _:
                self._line_end(block=match["block"] is not None)
        return end

    def _fence_run(self, start: int, end: int) -> None:
        """Each three backticks of a run toggle; what is left over is text."""
        self._raise(start + 1, end, IN_ATOM)
        for marker in range(start, end - 2, 3):
            inner = marker + 3
            if end - start > 5 and marker > start:
                self.broken[marker] = IN_SPAN
            if self._fence is None:
                self._end_spans(keep=("||",))
                named = _LANGUAGE.match(self.text, inner) if inner == end else None
                content = named.end() if named else inner
                if inner == end and self.text.startswith("\n", content):
                    content += 1
                self._raise(inner, content + 1, IN_ATOM)
                self._fence = (marker, content, named[1] if named else "")
            else:
                self._close_fence(self._fence, marker)

    def _close_fence(self, opened: tuple[int, int, str], close: int) -> None:
        start, content, language = opened
        self.fences.append(FenceRange(start=start, content=content, language=language, close=close))
        self._raise(start if content == 0 else start + 1, close + 1, IN_FENCE)
        self._fence = None

    def _read_fence(self, position: int) -> int:
        run = _FENCE_RUN.search(self.text, position)
        if run is None:
            return len(self.text)
        self._fence_run(*run.span())
        return run.end()

    def _read_code(self, span: _Span, position: int) -> int:
        """Find the end of inline code; without one it is an open span, and its text is read on."""
        size = len(span.marker)
        is_new = span not in self._stack
        if self._no_code_end.get(size, -1) < position:
            for match in _CODE_END.finditer(self.text, position):
                found = match.group()
                if found == span.marker:
                    span.close, span.end = match.span()
                    self._raise(span.close, span.end, IN_ATOM)
                    self._raise(span.start + (span.inner > 0), span.end, IN_SPAN)
                    if is_new:
                        self._spans.append(span)
                    else:
                        self._stack.remove(span)
                    return match.end()
                if found[0] == "\n" or len(found) >= 3:
                    self._no_code_end[size] = match.start()
                    if not is_new:
                        span.literal = True
                        self._stack.remove(span)
                    return position
            self._no_code_end[size] = len(self.text)
            nested = any(open_span.marker[0] == "`" for open_span in self._stack)
            if is_new and not nested and len(self._stack) < MAX_NESTING:
                self._spans.append(span)
                self._stack.append(span)
        return position

    def _mark(self, run: str, start: int, end: int) -> None:
        before = self.text[start - 1] if start else "\n"
        after = self.text[end] if end < len(self.text) else "\n"
        can_open, can_close = not after.isspace(), not before.isspace()
        if run[0] == "_":
            can_open = can_open and not before.isalnum()
            can_close = can_close and not after.isalnum()
        self._raise(start + 1, end, IN_ATOM)
        position = start
        for marker in self._markers(run):
            self._one_mark(marker, position, can_open=can_open, can_close=can_close)
            position += len(marker)

    def _markers(self, run: str) -> tuple[str, ...]:
        if len(run) < 3:
            return (run,)
        one, two = run[0], run[:2]
        return (one, two) if self._stack and self._stack[-1].marker == one else (two, one)

    def _one_mark(self, marker: str, start: int, *, can_open: bool, can_close: bool) -> None:
        end = start + len(marker)
        if can_close:
            for depth in range(len(self._stack) - 1, -1, -1):
                span = self._stack[depth]
                if span.marker == marker and span.inner < start:
                    for unclosed in self._stack[depth + 1 :]:
                        unclosed.literal = True
                    del self._stack[depth:]
                    span.close, span.end = start, end
                    self._raise(start, end, IN_ATOM)
                    self._raise(span.start + (span.inner > 0), end, IN_SPAN)
                    return
        if can_open and len(self._stack) < MAX_NESTING:
            span = _Span(marker=marker, start=start, inner=end)
            self._raise(end, end + 1, IN_ATOM)
            self._spans.append(span)
            self._stack.append(span)

    def _line_end(self, *, block: bool) -> None:
        self._end_spans(keep=("||",) if block else ("||", "**", "__", "~~", "`", "``"))

    def _end_spans(self, *, keep: tuple[str, ...]) -> None:
        for span in self._stack:
            span.literal = span.literal or span.marker not in keep
        self._stack = [span for span in self._stack if not span.literal]

    def _finish(self) -> None:
        size = len(self.text)
        if self._fence is not None:
            start, content, language = self._fence
            self.fences.append(FenceRange(start=start, content=content, language=language, close=None))
            self._raise(start if content == 0 else start + 1, size + 1, IN_FENCE)
            return
        for span in self._stack:
            self._raise(span.start + (span.inner > 0), size + 1, IN_OPEN_SPAN)
        for start in (self.text.rfind("["), self.text.rfind("<")):
            if start >= 0 and self.broken[start] < IN_SPAN and _UNFINISHED_ATOM.fullmatch(self.text, start):
                self._raise(start + 1, size + 1, IN_ATOM)


def backtick_run_is_open(text: str) -> bool:
    """True when `text` ends in one or two backticks that could still become a fence."""
    return text.endswith("`") and not text.endswith(FENCE)


def line_prefix_at(text: str, index: int, inherited: str) -> str:
    """The quote or subtext mark that a cut inside a line at `index` must repeat."""
    begin = text.rfind("\n", 0, index) + 1
    if begin == 0 and inherited:
        return inherited
    for prefix in ("> ", "-# "):
        if text.startswith(prefix, begin) and index > begin + len(prefix):
            return prefix
    return ""

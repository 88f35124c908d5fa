"""Discord's own marks in words that a model can read and that stay short (TEXT-4)."""

import re
from datetime import UTC, datetime

_CUSTOM_EMOJI = re.compile(r"<a?:(\w{2,32}):\d{15,22}>")
_TIMESTAMP = re.compile(r"<t:(-?\d{1,13})(?::[tTdDfFsSR])?>")
_COMMAND = re.compile(r"<(/[^:<>\n]{1,100}):\d{15,22}>")


def readable(text: str) -> str:
    """`text` with custom emoji as `:name:`, times as `2026-11-30 18:47 UTC`, commands as `/name`."""
    if "<" not in text:
        return text
    text = _CUSTOM_EMOJI.sub(r":\1:", text)
    text = _COMMAND.sub(r"\1", text)
    return _TIMESTAMP.sub(_moment, text)


def _moment(found: re.Match[str]) -> str:
    try:
        return f"{datetime.fromtimestamp(int(found[1]), UTC):%Y-%m-%d %H:%M} UTC"
    except (ValueError, OverflowError, OSError):
        return found[0]

"""Takes away the prefix that a model copies from the messages it read (CORE-22).

Messages reach the model as `[2026-11-30 18:47] Name (id): text`. Some models begin their own reply in the
same shape although they are told not to. At the start of a reply `[time]`, `[time] Name (id):` and the bot's
own `Name:` are removed, repeated ones too; the rest of the reply is never looked at.
"""

import re
from typing import Final

_LONGEST_LABEL: Final = 120
_TIME: Final = re.compile(r"\[[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}\]")
_TIME_SHAPE: Final = "[0000-00-00 00:00]"
_ATTRIBUTED: Final = re.compile(r"[^\[\]\n:()]+ \([^\[\]\n:()]+\):")
_IDENTIFIER: Final = re.compile(r" \([^\n:()]*\)")
_OPEN_IDENTIFIER: Final = re.compile(r" (?:\([^\n:()]*\)?)?")


class SelfPrefixStripper:
    """One reply's stream: `feed` every chunk in order, then `end` once.

    `own_names` are the names by which the model may call itself; comparison ignores case. At most about
    `_LONGEST_LABEL` characters beyond blanks wait for a decision.
    """

    def __init__(self, own_names: tuple[str, ...] = ()) -> None:
        self._own = tuple(name.casefold() for name in own_names if name)
        self._held: str | None = ""  # None once the start of the reply is settled
        self._after_time = False

    def feed(self, chunk: str) -> str:
        """The text that `chunk` settles."""
        if self._held is None:
            return chunk
        self._held += chunk
        return self._settle(ended=False)

    def end(self) -> str:
        """The text that still waited."""
        return "" if self._held is None else self._settle(ended=True)

    @property
    def holds_text(self) -> bool:
        """Whether something waits for a decision."""
        return bool(self._held)

    def _settle(self, *, ended: bool) -> str:
        rest = (self._held or "").lstrip()
        while rest:
            cut = self._prefix_length(rest)
            if cut is None and not ended:
                self._held = rest
                return ""
            if not cut:
                self._held = None
                return rest
            self._after_time = rest.startswith("[")
            rest = rest[cut:].lstrip()
        self._held = None if ended else ""
        return ""

    def _prefix_length(self, text: str) -> int | None:
        """Length of the prefix at the start of `text`; 0 when there is none, None when more text may tell."""
        if text.startswith("["):
            if _TIME.match(text):
                return len(_TIME_SHAPE)
            return None if _TIME.fullmatch(text + _TIME_SHAPE[len(text) :]) else 0
        return self._label_length(text)

    def _label_length(self, text: str) -> int | None:
        colon = text.find(":", 0, _LONGEST_LABEL)
        label = text[:colon] if colon >= 0 else text[:_LONGEST_LABEL]
        if self._after_time and "\n" not in label:
            if colon < 0:
                return None if len(text) < _LONGEST_LABEL else 0
            if _ATTRIBUTED.match(text) or self._is_own(label):
                return colon + 1
            return 0
        if colon >= 0:
            return colon + 1 if self._is_own(label) else 0
        return None if self._may_become_own(label) else 0

    def _is_own(self, label: str) -> bool:
        written = label.casefold()
        return any(
            written == name or (written.startswith(name) and _IDENTIFIER.fullmatch(written, len(name)))
            for name in self._own
        )

    def _may_become_own(self, label: str) -> bool:
        written = label.casefold()
        return len(label) < _LONGEST_LABEL and any(
            name.startswith(written)
            or (written.startswith(name) and _OPEN_IDENTIFIER.fullmatch(written, len(name)))
            for name in self._own
        )

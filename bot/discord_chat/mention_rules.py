"""Whom a reply may ping and which links it may carry (TEXT-3).

What a model writes never pings: not `@everyone`, not a role, not a user. The only ping is Discord's own
notice to the author of the message that is answered, by setting. The door translates `AllowedPings`.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from core.sentences import sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedPings:
    """Everything a message may ping. Users, roles and everyone are not fields: they never are."""

    replied_user: bool = False


NO_PINGS = AllowedPings()


def pings_of(*, message_index: int, ping_replied_user: bool) -> AllowedPings:
    """Pings of the reply's message number `message_index` (0 is the one that refers to the question)."""
    return AllowedPings(replied_user=ping_replied_user and message_index == 0)


class MaskedLinks(StrEnum):
    """What becomes of `[label](address)`."""

    KEEP = "keep"
    SHOW_ADDRESS = "show_address"


class InviteLinks(StrEnum):
    """What becomes of invitations to Discord servers."""

    KEEP = "keep"
    REMOVE = "remove"


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkPolicy:
    """The settings of TEXT-3 about links, and the words that stand where an invite was."""

    masked: MaskedLinks = MaskedLinks.KEEP
    invites: InviteLinks = InviteLinks.REMOVE
    invite_removed: str = sentence("(invite link removed)")


_INVITE = (
    r"(?:https?://)?(?:(?:www|ptb|canary)\.)?(?:discord\.gg|discord(?:app)?\.com/invite)/[A-Za-z0-9\-]{1,100}"
)
_TOKEN = re.compile(
    rf"""
      (?P<fence>`{{3,}})
    | \[(?P<label>[^\[\]\n]{{1,500}})\]
      \(<?(?P<address>https?://(?:[^\s()<>]|\([^\s()<>]*\)){{1,1900}})>?(?:[ ]"[^"\n]{{0,200}}")?\)
    | (?P<invite>{_INVITE})
    """,
    re.VERBOSE | re.IGNORECASE,
)
_INVITE_ONLY = re.compile(_INVITE, re.IGNORECASE)
_UNFINISHED = re.compile(
    r"""
    (?: \[[^\[\]\n]{0,500}
        (?: \] (?: \( <? (?: h(?:t(?:t(?:ps?)?)?)?
                         | https?:/?
                         | https?://(?:[^\s()<>]|\([^\s()<>]*\)){0,1900} (?:\([^\s()<>]*)? >?
                             (?: [ ](?:"[^"\n]{0,200}"?)? )?
                       )? )? )?
      | h(?:t(?:t(?:p(?:s?(?::\S{0,150})?)?)?)?)?
      | w(?:w(?:w\S{0,150})?)?
      | (?:p(?:t(?:b(?:\.\S{0,150})?)?)?|c(?:a(?:n(?:a(?:r(?:y(?:\.\S{0,150})?)?)?)?)?)?)
      | d(?:i(?:s(?:c(?:o(?:r(?:d\S{0,150})?)?)?)?)?)?
      | `{1,2}
    )\Z""",
    re.VERBOSE | re.IGNORECASE,
)
"""What may still become a link, an invite or a code block's marker by what follows."""

_AT_ONCE = 4_096


class LinkGate:
    """Applies a `LinkPolicy` to a growing text; what it has given out stays as it is.

    Code blocks pass unchanged: nothing in them can be clicked. `worded` gives our own words as the reader
    has them.
    """

    def __init__(self, policy: LinkPolicy, *, worded: Callable[[str], str] = str) -> None:
        self._policy = policy
        self._worded = worded
        self._is_open = policy.masked is MaskedLinks.KEEP and policy.invites is InviteLinks.KEEP
        self._held = ""
        self._in_fence = False

    def feed(self, delta: str) -> str:
        """Take the next part; returns what is settled by it."""
        if self._is_open:
            return delta
        settled: list[str] = []
        for start in range(0, len(delta), _AT_ONCE):
            self._held += delta[start : start + _AT_ONCE]
            end = self._settled_end()
            settled.append(self._rewrite(self._held[:end]))
            self._held = self._held[end:]
        return "".join(settled)

    def _settled_end(self) -> int:
        """Up to where no later text can change what is found."""
        held = self._held
        unfinished = _UNFINISHED.search(held)
        for token in _TOKEN.finditer(held):
            if unfinished is not None and unfinished.start() < token.start():
                break
            if token.end() == len(held) and token["label"] is None:
                run = 0 if token["fence"] is None else len(token["fence"])
                return token.start() + 3 * max(0, (run - 1) // 3)
            if unfinished is not None and unfinished.start() < token.end():
                unfinished = _UNFINISHED.search(held, token.end())
        return len(held) if unfinished is None else unfinished.start()

    def finish(self) -> str:
        """The rest of the text, which is complete now."""
        settled, self._held = self._held, ""
        return self._rewrite(settled)

    def _rewrite(self, text: str) -> str:
        return _TOKEN.sub(self._replacement, text)

    def _replacement(self, match: re.Match[str]) -> str:
        found = match.group()
        if match["fence"]:
            self._in_fence ^= bool(len(found) // 3 % 2)
            return found
        if self._in_fence:
            return found
        removes = self._policy.invites is InviteLinks.REMOVE
        if match["invite"]:
            return self._worded(self._policy.invite_removed) if removes else found
        label, address = match["label"], match["address"]
        if removes and _INVITE_ONLY.match(address):
            return f"{label} {self._worded(self._policy.invite_removed)}"
        if self._policy.masked is MaskedLinks.KEEP:
            return found
        return f"<{address}>" if label == address else f"{label} (<{address}>)"

"""TeX and Unicode maths as tokens, with each bar paired to its partner.

A bar opens and closes with the same sign, so its partner is found here: bars of one group pair from the left;
where their number is odd the first one is "such that" or "given".
"""

import re
from typing import Final

_TOKEN: Final = re.compile(
    r"\\[A-Za-z]+\*?|\\.|(?:\d{1,3}(?:(?:,|\{,\})\d{3})+(?![\d,])|\d+)(?:\.\d+)?|\.\d+|\s+|.", re.DOTALL
)
_SPACING: Final = frozenset({"\\,", "\\;", "\\:", "\\!", "\\ ", "\\>", "\\\n", "~", "\\-", "\\/"})
_BARS: Final = frozenset({"|", "\\vert", "\\|", "\\Vert"})
OPEN_BAR: Final = "open bar"
CLOSE_BAR: Final = "close bar"
_OPENING: Final = frozenset({"{", "(", "[", "\\{", "\\left", "\\begin"})
_ENDING: Final = frozenset({"}", ")", "]", "\\}", "\\right", "\\end"})


def tokens_of(tex: str) -> list[str]:
    """Tokens of a formula; white space is kept as one token, spacing commands are white space."""
    tokens = [
        " " if token.isspace() or token in _SPACING else token
        for token in (m.group() for m in _TOKEN.finditer(tex))
    ]
    return _pair_bars(tokens)


def _pair_bars(tokens: list[str]) -> list[str]:
    if not any(token in _BARS for token in tokens):
        return tokens
    groups: list[list[int]] = [[]]
    for place, token in enumerate(tokens):
        if token in _BARS:
            after_size = place and tokens[place - 1] in ("\\left", "\\right", "\\middle")
            if not after_size:
                groups[-1].append(place)
        elif token in _OPENING:
            groups.append([])
        elif token in _ENDING and len(groups) > 1:
            _pair(tokens, groups.pop())
        elif token in ("&", "\\\\"):
            _pair(tokens, groups[-1])
            groups[-1] = []
    for group in groups:
        _pair(tokens, group)
    return tokens


def _pair(tokens: list[str], bars: list[int]) -> None:
    """Rewrites the bars of one group as `open bar |` and `close bar |`."""
    single = [place for place in bars if tokens[place] in ("|", "\\vert")]
    double = [place for place in bars if tokens[place] in ("\\|", "\\Vert")]
    for places in (single, double):
        paired = places[len(places) % 2 :]
        if len(places) % 2:
            tokens[places[0]] = "\\mid" if places is single else "\\parallel"
        for place in paired[::2]:
            tokens[place] = OPEN_BAR + tokens[place]
        for place in paired[1::2]:
            tokens[place] = CLOSE_BAR + tokens[place]

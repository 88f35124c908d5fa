r"""Molecules that are written without `\ce`: `\text{CO}_2`, `C_6H_{12}O_6`."""

import re
from typing import Final

from voice.speech_text.chemistry.elements import is_element

_COUNTED: Final = r"(?:_?(?:\d{1,3}|\{\d{1,3}\}))?"
_ATOMS: Final = re.compile(rf"(?:[A-Z][a-z]?{_COUNTED}|[()]{_COUNTED}){{1,24}}")
_SYMBOL: Final = re.compile(r"[A-Z][a-z]?")
_COMMON: Final = frozenset({"H", "O"})


def is_molecule(text: str, *, follows: bool, sub: bool) -> bool:
    """Whether upright letters in a formula are atoms: counted, followed by a count, or after other atoms."""
    if not _ATOMS.fullmatch(text):
        return False
    symbols = _SYMBOL.findall(text)
    if not symbols or not all(map(is_element, symbols)):
        return False
    return (
        follows
        or sub
        or any(sign.isdigit() for sign in text)
        or (len(symbols) > 1 and len(symbols) < len(text))
    )


def is_formula_of_molecule(tex: str) -> bool:
    """Whether a whole formula is one molecule: `H_2O`, but not `A_1` or `x_2`."""
    text = tex.strip()
    if "_" not in text or not _ATOMS.fullmatch(text):
        return False
    symbols = _SYMBOL.findall(text)
    return len(symbols) > 1 and all(map(is_element, symbols)) and bool(_COMMON.intersection(symbols))

"""Tokens that are a node by themselves: numbers, signs, letters, commands without arguments."""

import re
from typing import Final

from voice.speech_text.maths.tree import Fraction, Function, Identifier, Node, Number, Role, Symbol
from voice.speech_text.maths.vocabulary import (
    DOUBLE_STRUCK,
    FUNCTIONS,
    GREEK,
    GREEK_NAMES,
    OPERATOR_COMMANDS,
    OPERATORS,
    ORDINARY,
    ORDINARY_COMMANDS,
    RELATION_COMMANDS,
    VARIANTS,
    VULGAR,
)
from voice.speech_text.numerals import numeral, whole

NUMBER: Final = re.compile(r"\.?\d")
"""What a token that is a number begins with."""


def sign_leaf(token: str) -> Node | None:
    """The node of a number or a sign; nothing where it is neither, or needs what follows it."""
    if NUMBER.match(token):
        return Number(numeral=numeral("0" + token if token[0] == "." else token.replace("{,}", "")))
    if token in OPERATORS:
        return Symbol(name=OPERATORS[token], role=Role.OPERATOR)
    if token in ",;.\n":
        return Symbol(name="comma" if token == "," else "pause", role=Role.PUNCTUATION)
    plain = token.lstrip("\\")
    if plain in ORDINARY:
        return Symbol(name=ORDINARY[plain], role=Role.ORDINARY)
    if token in VULGAR:
        above, below = (Number(numeral=whole(part)) for part in VULGAR[token])
        return Fraction(numerator=above, denominator=below)
    if token in GREEK:
        return Identifier(name=GREEK[token])
    return Identifier(name=DOUBLE_STRUCK[token], style="bb") if token in DOUBLE_STRUCK else None


def command_leaf(name: str) -> Node | None:
    """The node of a command that takes no argument, by its name without the backslash."""
    if name in GREEK_NAMES:
        return Identifier(name=name)
    if name in VARIANTS:
        return Identifier(name=VARIANTS[name])
    if name in FUNCTIONS:
        return Function(name=name)
    if name in OPERATOR_COMMANDS:
        return Symbol(name=OPERATOR_COMMANDS[name], role=Role.OPERATOR)
    if name in RELATION_COMMANDS:
        return Symbol(name=RELATION_COMMANDS[name], role=Role.RELATION)
    return Symbol(name=ORDINARY_COMMANDS[name], role=Role.ORDINARY) if name in ORDINARY_COMMANDS else None

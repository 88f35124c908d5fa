"""What the look of a formula's parts tells a reader: what is heard as one thing, what is called."""

from typing import Final

from voice.speech_text.maths.context import is_call_fence
from voice.speech_text.maths.tree import (
    Accent,
    Big,
    Chemical,
    Fenced,
    Fraction,
    Function,
    Identifier,
    Node,
    Number,
    Quantity,
    Role,
    Root,
    Row,
    Scripted,
    Symbol,
    Text,
    Unknown,
)

_CALLED: Final = frozenset(
    (
        "f",
        "g",
        "h",
        "F",
        "G",
        "H",
        "P",
        "E",
        "O",
        "u",
        "v",
        "T",
        "L",
        "phi",
        "psi",
        "Gamma",
        "zeta",
        "Theta",
        "Omega",
    )
)


def small_fraction(node: Fraction) -> tuple[int, int] | None:
    """Numerator and denominator when both are small whole numbers."""
    match node:
        case Fraction(numerator=Number(numeral=above), denominator=Number(numeral=below)):
            pass
        case _:
            return None
    if above.value is None or below.value is None or above.value >= 1_000 or not 2 <= below.value <= 1_000:
        return None
    return above.value, below.value


def is_short(node: Node) -> bool:
    """Whether a node is heard as one thing."""
    match node:
        case Number() | Identifier() | Symbol() | Text() | Quantity() | Chemical() | Unknown() | Function():
            return True
        case Scripted(nucleus=nucleus):
            return is_short(nucleus)
        case Accent(body=body):
            return is_short(body)
        case Row(items=items):
            return len(items) <= 3 and all(
                is_short(item) and not (isinstance(item, Symbol) and item.role is not Role.ORDINARY and place)
                for place, item in enumerate(items)
            )
        case Root(radicand=radicand):
            return is_short(radicand)
        case _:
            return False


def starts_operand(before: Node | None) -> bool:
    """Whether a sign after `before` is the sign of a number, not between two."""
    return (
        before is None
        or (isinstance(before, Symbol) and before.role is not Role.ORDINARY and before.name != "factorial")
        or isinstance(before, Big | Function)
    )


def is_operand(before: Node | None) -> bool:
    """Whether a bracket after `before` multiplies it."""
    return isinstance(before, Number | Identifier | Fenced | Scripted | Fraction | Root) and not (
        isinstance(before, Fenced) and before.opening != "("
    )


def is_function(node: Node) -> bool:
    """Whether a node is a named function, with or without scripts."""
    return isinstance(node, Function) or (isinstance(node, Scripted) and isinstance(node.nucleus, Function))


def is_log(node: Node) -> bool:
    """Whether a function takes its subscript as a base."""
    return isinstance(node, Function) and node.name == "log"


def is_minus_one(node: Node) -> bool:
    """Whether a script is -1."""
    match node:
        case Row(items=(Symbol(name="minus"), Number(numeral=number))):
            return number.value == 1
        case _:
            return False


def is_inverse(node: Node) -> bool:
    """Whether a function has the script -1."""
    return isinstance(node, Scripted) and node.sup is not None and is_minus_one(node.sup)


def is_called(node: Node, fence: Fenced) -> bool:
    """Whether `node(fence)` is a function of something rather than a product."""
    nucleus = node.nucleus if isinstance(node, Scripted) else node
    if not isinstance(nucleus, Identifier) or not is_call_fence(fence, nucleus):
        return False
    if fence.opening == "[":
        return True
    if nucleus.name in _CALLED or (
        len(nucleus.name) > 1 and nucleus.name.isascii() and not nucleus.name.islower()
    ):
        return True
    return isinstance(fence.body, Identifier) and fence.body.name in (
        "t",
        "x",
        "n",
        "s",
        "z",
        "omega",
        "theta",
    )


def with_slashes_joined(items: tuple[Node, ...]) -> tuple[Node, ...]:
    """`1/2`, `a/b` and `dy/dx` as fractions."""
    if not any(isinstance(item, Symbol) and item.name == "slash" for item in items):
        return items
    joined: list[Node] = []
    place = 0
    while place < len(items):
        node = items[place]
        is_slash = isinstance(node, Symbol) and node.name == "slash"
        if (
            is_slash
            and joined
            and place + 1 < len(items)
            and is_short(joined[-1])
            and is_short(items[place + 1])
        ):
            below, taken = items[place + 1], 1
            if _is_d(below) and place + 2 < len(items):
                below, taken = Row(items=items[place + 1 : place + 3]), 2
            above = joined.pop()
            if taken == 2 and joined and _is_d(joined[-1]):
                above = Row(items=(joined.pop(), above))
            joined.append(Fraction(numerator=above, denominator=below))
            place += taken + 1
        else:
            joined.append(node)
            place += 1
    return tuple(joined)


def _is_d(node: Node) -> bool:
    return (isinstance(node, Identifier) and node.name in ("d", "Delta")) or (
        isinstance(node, Symbol) and node.name == "partial"
    )

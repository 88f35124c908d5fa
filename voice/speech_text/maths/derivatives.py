r"""Derivatives, told from the look of a fraction: `\frac{dy}{dx}`, `\frac{\partial^2 f}{\partial x^2}`."""

from dataclasses import dataclass

from voice.speech_text.maths.tree import Fraction, Identifier, Node, Number, Row, Scripted, Symbol, items_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Derivative:
    """`of` is nothing where the operand follows the fraction; `order` is 1 for a first derivative."""

    variables: tuple[Node, ...]
    of: Node | None
    order: int
    partial: bool


def derivative_in(fraction: Fraction) -> Derivative | None:
    """The derivative that `fraction` writes, if it does."""
    above, below = items_of(fraction.numerator), items_of(fraction.denominator)
    if not above or not below:
        return None
    top = _differential(above[0])
    if top is None:
        return None
    order, partial = top
    variables: list[Node] = []
    rest = list(below)
    while rest:
        sign = _differential(rest.pop(0))
        if sign is None or sign[1] != partial or sign[0] != 1 or not rest:
            return None
        variable = rest.pop(0)
        if isinstance(variable, Scripted) and isinstance(variable.sup, Number):
            variable = variable.nucleus
        variables.append(variable)
    of = Row(items=above[1:]) if len(above) > 2 else above[1] if len(above) == 2 else None
    return Derivative(variables=tuple(variables), of=of, order=order, partial=partial)


def _differential(node: Node) -> tuple[int, bool] | None:
    """Order and kind of a `d` or `∂`, with its power."""
    order = 1
    if isinstance(node, Scripted) and isinstance(node.sup, Number) and node.sub is None:
        order = node.sup.numeral.value or 1
        node = node.nucleus
    match node:
        case Identifier(name="d"):
            return order, False
        case Symbol(name="partial"):
            return order, True
        case _:
            return None

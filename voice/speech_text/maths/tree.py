"""A formula as it is written, in a closed union of nodes: what the parser makes, what both readers take.

The tree says how the formula looks (a fraction, a script, a fence), not what it means; `x(y+1)` is an
identifier beside a fence. Meaning that the look decides (a derivative, an interval) is found by the readers.
"""

from dataclasses import dataclass
from enum import Enum

from voice.speech_text.numerals import Numeral


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """An unsigned number."""

    numeral: Numeral


@dataclass(frozen=True, slots=True, kw_only=True)
class Identifier:
    """A letter, a Greek letter by its TeX name, or a longer name; `style` is `bb`, `bf`, `cal` or empty."""

    name: str
    style: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function with a name of its own: `sin`, `log`, `max`."""

    name: str


class Role(Enum):
    """What a symbol does between its neighbours."""

    OPERATOR = "operator"
    RELATION = "relation"
    PUNCTUATION = "punctuation"
    ORDINARY = "ordinary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Symbol:
    """A sign by its canonical TeX name: `plus`, `leq`, `infty`."""

    name: str
    role: Role


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    r"""Words inside a formula (`\text{if }`)."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Nodes side by side."""

    items: "tuple[Node, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fraction:
    """One over another."""

    numerator: "Node"
    denominator: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Binomial:
    r"""`\binom{n}{k}`."""

    upper: "Node"
    lower: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Root:
    """A root; without a degree a square root."""

    radicand: "Node"
    degree: "Node | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Scripted:
    """A node with what stands below and above it, and its primes."""

    nucleus: "Node"
    sub: "Node | None" = None
    sup: "Node | None" = None
    primes: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Big:
    """A large operator (`sum`, `int`, `lim`) with its limits; its body are the nodes after it."""

    name: str
    lower: "Node | None" = None
    upper: "Node | None" = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Fenced:
    """Nodes between brackets, `|`, `||`, `lfloor`, `lceil`, `langle`; `closing` may be empty."""

    opening: str
    closing: str
    body: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Accent:
    """A mark over or under a node: `vec`, `hat`, `bar`, `overline`, `boxed`."""

    name: str
    body: "Node"


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Rows of cells between delimiters; `kind` is the name of its environment."""

    kind: str
    rows: "tuple[tuple[Node, ...], ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One unit of a product: its symbol (`km`, `s`), its power, and whether it stands after "per"."""

    symbol: str
    power: int = 1
    per: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantity:
    """A number with units; without a number the units alone."""

    number: "Node | None"
    units: tuple[Unit, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chemical:
    r"""The content of `\ce{...}`, not parsed here."""

    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A token without a meaning known here, as words."""

    words: str


Node = (
    Number
    | Identifier
    | Function
    | Symbol
    | Text
    | Row
    | Fraction
    | Binomial
    | Root
    | Scripted
    | Big
    | Fenced
    | Accent
    | Matrix
    | Quantity
    | Chemical
    | Unknown
)


def items_of(node: Node) -> tuple[Node, ...]:
    """The node's parts when it is a row, else itself alone."""
    return node.items if isinstance(node, Row) else (node,)


def row(items: list[Node]) -> Node:
    """A row, or its only item."""
    return items[0] if len(items) == 1 else Row(items=tuple(items))

r"""A formula as MathJSON, the notation of CortexJS, for tools that inspect formulas (SPEECH-6).

Meaning is given by the usual precedences: relations bind least, then addition, multiplication, signs, powers.
Nothing is simplified: `2 + 3` stays `["Add", 2, 3]`. What cannot be parsed becomes an `["Error", ...]` in its
place, so every text gives an expression. Source: the CortexJS "MathJSON Format" and its standard library.
"""

import re
from collections.abc import Sequence
from typing import Final

from voice.speech_text.maths.derivatives import derivative_in
from voice.speech_text.maths.tex_parser import parse
from voice.speech_text.maths.tree import (
    Accent,
    Big,
    Binomial,
    Chemical,
    Fenced,
    Fraction,
    Function,
    Identifier,
    Matrix,
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
    items_of,
    row,
)
from voice.speech_text.measures import written

MathJson = int | float | str | Sequence["MathJson"]
"""A number, a symbol (a string in apostrophes is text), or a list whose first member is the head."""

_MOST_DIGITS: Final = 15
"""More digits than a float holds stay a string of digits."""

_CONSTANTS: Final = {"pi": "Pi", "e": "ExponentialE", "i": "ImaginaryUnit"}
_SETS: Final = {
    "R": "RealNumbers",
    "N": "NonNegativeIntegers",
    "Z": "Integers",
    "Q": "RationalNumbers",
    "C": "ComplexNumbers",
}
_ORDINARY: Final = {
    "infty": "PositiveInfinity", "emptyset": "EmptySet", "ldots": "ContinuationPlaceholder",
    "cdots": "ContinuationPlaceholder", "nabla": "Nabla", "partial": "PartialD", "hbar": "ReducedPlanck",
    "ell": "ell",
}  # fmt: skip
_RELATIONS: Final = {
    "eq": "Equal", "neq": "NotEqual", "lt": "Less", "gt": "Greater", "leq": "LessEqual",
    "geq": "GreaterEqual",
    "ll": "LessLess", "gg": "GreaterGreater", "approx": "Approx", "simeq": "TildeEqual", "cong": "Congruent",
    "sim": "Tilde", "equiv": "Equivalent", "propto": "Proportional", "in": "Element", "notin": "NotElement",
    "subset": "Subset", "subseteq": "SubsetEqual", "supset": "Superset", "supseteq": "SupersetEqual",
    "to": "To",
    "implies": "Implies", "iff": "Equivalent", "leftrightarrow": "Equivalent", "mapsto": "MapsTo",
    "mid": "Given",
    "parallel": "Parallel", "perp": "Perpendicular", "divides": "Divides", "colon": "Colon",
    "define": "Assign",
    "nsubseteq": "NotSubsetEqual", "nsubset": "NotSubset", "prec": "Precedes", "succ": "Succeeds",
}  # fmt: skip
_OPERATORS: Final = {
    "plus": ("Add", 3), "minus": ("Subtract", 3), "pm": ("PlusMinus", 3), "mp": ("MinusPlus", 3),
    "cup": ("Union", 2),
    "cap": ("Intersection", 2), "setminus": ("SetMinus", 2), "land": ("And", 1), "lor": ("Or", 1),
    "oplus": ("CirclePlus", 3),
    "times": ("Multiply", 4), "cdot": ("Multiply", 4), "div": ("Divide", 4), "slash": ("Divide", 4),
    "mod": ("Mod", 4),
    "otimes": ("CircleTimes", 4), "circ": ("Compose", 4), "ast": ("Multiply", 4), "range": ("Range", 3),
    "odot": ("CircleDot", 4),
}  # fmt: skip
_FLAT: Final = frozenset({"Add", "Multiply", "And", "Or", "Union", "Intersection"})
_FUNCTIONS: Final = {
    "sin": "Sin", "cos": "Cos", "tan": "Tan", "cot": "Cot", "sec": "Sec", "csc": "Csc", "sinh": "Sinh",
    "cosh": "Cosh",
    "tanh": "Tanh", "coth": "Coth", "arcsin": "Arcsin", "arccos": "Arccos", "arctan": "Arctan",
    "arccot": "Arccot",
    "log": "Log", "ln": "Ln", "lg": "Log", "exp": "Exp", "det": "Determinant", "max": "Max", "min": "Min",
    "gcd": "GCD",
    "lcm": "LCM", "sup": "Supremum", "inf": "Infimum", "arg": "Arg", "Re": "Real", "Im": "Imaginary",
    "tr": "Trace",
}  # fmt: skip
_BIG: Final = {"sum": "Sum", "prod": "Product", "bigcup": "Union", "bigcap": "Intersection"}
_ACCENTS: Final = {
    "vec": "OverVector", "hat": "OverHat", "bar": "OverBar", "overline": "OverLine", "underline": "UnderLine",
    "dot": "OverDot", "ddot": "OverDoubleDot", "tilde": "OverTilde",
}  # fmt: skip
_FENCES: Final = {
    "||": "Abs", "||||": "Norm", "lfloorrfloor": "Floor", "lceilrceil": "Ceil",
    "langlerangle": "AngleBrackets",
}  # fmt: skip
_INDEX: Final = re.compile(r"_\{?\s*i\s*(?:=|\\in|\\leq?|\}|,)|_i(?![a-z])")
_NOTHING: Final = "Nothing"


def to_math_json(tex: str) -> MathJson:
    """The MathJSON expression of a formula, which is given without its dollar signs."""
    expression = _expression(parse(tex))
    return _with_index(expression) if _INDEX.search(tex) else expression


def _with_index(expression: MathJson) -> MathJson:
    """The expression of a formula that counts with `i`, where `i` is no imaginary unit."""
    if isinstance(expression, Sequence) and not isinstance(expression, str):
        return [_with_index(part) for part in expression]
    return "i" if expression == "ImaginaryUnit" else expression


def _expression(node: Node) -> MathJson:  # noqa: C901, PLR0912 - one case for each kind of node
    match node:
        case Number():
            return _number(node)
        case Identifier(name=name, style=style):
            return _SETS.get(name, name) if style == "bb" else _CONSTANTS.get(name, name)
        case Function(name=name):
            return _FUNCTIONS.get(name, name)
        case Symbol(name=name):
            return _ORDINARY.get(name) or _RELATIONS.get(name) or _OPERATORS.get(name, (name,))[0]
        case Text(text=text):
            return _string(text.strip())
        case Row(items=items):
            return _Reader(items).sequence()
        case Fraction():
            return _fraction(node)
        case Binomial(upper=upper, lower=lower):
            return ["Choose", _expression(upper), _expression(lower)]
        case Root(radicand=radicand, degree=None):
            return ["Sqrt", _expression(radicand)]
        case Root(radicand=radicand, degree=degree):
            return ["Root", _expression(radicand), _expression(degree or Row(items=()))]
        case Scripted():
            return _scripted(node)
        case Big():
            return _Reader((node,)).sequence()
        case Fenced():
            return _fenced(node)
        case Accent(name=name, body=body):
            return [_ACCENTS[name], _expression(body)]
        case Matrix():
            return _matrix(node)
        case Quantity():
            return _quantity(node)
        case Chemical(source=source):
            return ["Chemical", _string(source)]
        case Unknown(words=words):
            return ["Error", "'unexpected-token'", ["LatexString", _string(words)]]


def _string(text: str) -> str:
    return "'" + text.replace("'", "’") + "'"


def _number(node: Number) -> MathJson:
    number = node.numeral
    if len(number.whole) + len(number.fraction) > _MOST_DIGITS:
        return number.whole + ("." + number.fraction if number.fraction else "")
    return float(f"{number.whole}.{number.fraction}") if number.fraction else int(number.whole)


def _fraction(node: Fraction) -> MathJson:
    found = derivative_in(node)
    if found is not None and found.of is not None:
        variables: list[MathJson] = [_expression(variable) for variable in found.variables]
        repeated = variables * found.order if len(variables) == 1 else variables
        return ["D", _expression(found.of), *repeated]
    above, below = _expression(node.numerator), _expression(node.denominator)
    is_rational = isinstance(above, int) and isinstance(below, int)
    return ["Rational" if is_rational else "Divide", above, below]


def _scripted(node: Scripted) -> MathJson:
    nucleus = _expression(node.nucleus)
    if node.primes:
        nucleus = ["Derivative", nucleus, node.primes]
    if node.sub is not None:
        sub = _expression(node.sub)
        is_name = isinstance(nucleus, str) and isinstance(sub, int | str) and str(sub).isalnum()
        nucleus = f"{nucleus}_{sub}" if is_name else ["Subscript", nucleus, sub]
    match node.sup:
        case None:
            return nucleus
        case Symbol(name="plus" | "minus" | "times" | "ast" | "dagger" | "star" as name):
            return ["Superscript", nucleus, _string(name)]
        case Identifier(name="T"):
            return ["Transpose", nucleus]
        case sup:
            return ["Power", nucleus, _expression(sup)]


def _fenced(node: Fenced) -> MathJson:
    name = _FENCES.get(node.opening + node.closing)
    if isinstance(node.body, Matrix):
        return ["Determinant", _matrix(node.body)] if name == "Abs" else _matrix(node.body)
    body = _expression(node.body)
    if name is not None:
        return [name, body]
    parts = body[1:] if isinstance(body, list) and body[:1] == ["Sequence"] else [body]
    if node.opening == "{":
        return ["Set", *parts] if node.closing else body
    if len(parts) == 2 and (node.opening + node.closing) in ("[]", "[)", "(]"):
        low: MathJson = ["Open", parts[0]] if node.opening == "(" else parts[0]
        high: MathJson = ["Open", parts[1]] if node.closing == ")" else parts[1]
        return ["Interval", low, high]
    if len(parts) > 1:
        return ["Tuple" if node.opening == "(" else "List", *parts]
    return ["Delimiter", body]


def _matrix(node: Matrix) -> MathJson:
    rows: list[list[MathJson]] = [[_expression(cell) for cell in line] for line in node.rows]
    if node.kind == "cases":
        which: list[MathJson] = ["Which"]
        for line in rows:
            which += [line[1] if len(line) > 1 else "True", line[0]]
        return which
    if node.kind == "aligned":
        return ["List", *(_Reader(tuple(line)).sequence() for line in node.rows)]
    matrix: MathJson = ["Matrix", ["List", *(["List", *line] for line in rows)]]
    return ["Determinant", matrix] if node.kind == "vmatrix" else matrix


def _quantity(node: Quantity) -> MathJson:
    number = _expression(node.number) if node.number is not None else 1
    match written(node.units):
        case "%":
            return ["Percent", number]
        case "°":
            return ["Degrees", number]
        case units:
            return ["Quantity", number, _string(units)]


class _Reader:
    """Precedence climbing over the nodes of one row."""

    def __init__(self, items: tuple[Node, ...]) -> None:
        self._items = items
        self._place = 0

    def sequence(self) -> MathJson:
        """Expressions between commas; one alone stands for itself."""
        parts: list[MathJson] = [self._relations()]
        while self._place < len(self._items):
            node = self._items[self._place]
            if isinstance(node, Symbol) and node.role is Role.PUNCTUATION:
                self._place += 1
                if self._place < len(self._items):
                    parts.append(self._relations())
            else:
                self._place += 1
                parts.append(["Error", "'unexpected-operator'", _expression(node)])
        return parts[0] if len(parts) == 1 else ["Sequence", *parts]

    def _peek(self) -> Node | None:
        return self._items[self._place] if self._place < len(self._items) else None

    def _relations(self) -> MathJson:
        left = self._binary(1)
        while isinstance(node := self._peek(), Symbol) and node.role is Role.RELATION:
            self._place += 1
            name = _RELATIONS.get(node.name, node.name)
            right = self._binary(1)
            is_chain = isinstance(left, list) and left[:1] == [name]
            left = [*left, right] if is_chain and isinstance(left, list) else [name, left, right]
        return left

    def _binary(self, level: int) -> MathJson:
        left = self._unary() if level > 4 else self._binary(level + 1)
        while isinstance(node := self._peek(), Symbol) and _OPERATORS.get(node.name, ("", 0))[1] == level:
            name = _OPERATORS[node.name][0]
            self._place += 1
            right = self._unary() if level >= 4 else self._binary(level + 1)
            if name in _FLAT and isinstance(left, list) and left[:1] == [name]:
                left = [*left, right]
            else:
                left = [name, left, right]
        return left

    def _unary(self) -> MathJson:
        signs: list[str] = []
        while isinstance(node := self._peek(), Symbol) and node.name in ("minus", "plus", "pm", "mp", "lnot"):
            signs.append(node.name)
            self._place += 1
        value = self._product()
        for sign in reversed(signs):
            head = {"minus": "Negate", "lnot": "Not", "pm": "PlusMinus", "mp": "MinusPlus"}.get(sign)
            if head == "Negate" and isinstance(value, int | float):
                value = -value
            elif head is not None:
                value = [head, value]
        return value

    def _product(self) -> MathJson:
        """Factors side by side."""
        factors: list[MathJson] = []
        while (node := self._peek()) is not None and _is_factor(node):
            factors.append(self._factor(node))
        if not factors:
            return ["Error", "'missing'"] if self._items else _NOTHING
        return factors[0] if len(factors) == 1 else ["Multiply", *factors]

    def _factor(self, node: Node) -> MathJson:
        self._place += 1
        nucleus = node.nucleus if isinstance(node, Scripted) else node
        if isinstance(node, Big):
            return self._big(node)
        if isinstance(node, Symbol) and node.name in ("forall", "exists", "nexists"):
            head = {"forall": "ForAll", "exists": "Exists", "nexists": "NotExists"}[node.name]
            return [head, self._relations()]
        if isinstance(nucleus, Function):
            return self._function(node, nucleus)
        if isinstance(node, Fraction):
            found = derivative_in(node)
            if found is not None and found.of is None and self._peek() is not None:
                variables: list[MathJson] = [_expression(variable) for variable in found.variables]
                return [
                    "D",
                    self._product(),
                    *(variables * found.order if len(variables) == 1 else variables),
                ]
        return self._postfix(self._called(node))

    def _called(self, node: Node) -> MathJson:
        following = self._peek()
        value = _expression(node)
        names = ("f", "g", "h", "F", "G", "H", "P", "E", "u", "v")
        nucleus = node.nucleus if isinstance(node, Scripted) and node.sup is None else node
        is_name = isinstance(nucleus, Identifier) and nucleus.name in names
        if is_name and isinstance(following, Fenced) and following.opening == "(":
            self._place += 1
            body = _expression(following.body)
            arguments = body[1:] if isinstance(body, list) and body[:1] == ["Sequence"] else [body]
            return [value, *arguments]
        return value

    def _postfix(self, value: MathJson) -> MathJson:
        while isinstance(node := self._peek(), Symbol) and node.name in ("factorial", "percent", "degree"):
            self._place += 1
            value = [{"factorial": "Factorial", "percent": "Percent", "degree": "Degrees"}[node.name], value]
        return value

    def _function(self, node: Node, function: Function) -> MathJson:
        head = _FUNCTIONS.get(function.name, function.name)
        following = self._peek()
        argument: MathJson | None = None
        if following is not None and _is_factor(following):
            self._place += 1
            inside = (
                following.body if isinstance(following, Fenced) and following.opening == "(" else following
            )
            argument = _expression(inside)
        value: MathJson = head if argument is None else [head, argument]
        if not isinstance(node, Scripted):
            return value
        if node.sub is not None and isinstance(value, list):
            value = [*value, _expression(node.sub)]
        if node.sup is None:
            return value
        power = _expression(node.sup)
        if power == -1 and isinstance(value, list):
            return [["InverseFunction", head], *value[1:]]
        return ["Power", value, power]

    def _big(self, node: Big) -> MathJson:
        lower = items_of(node.lower) if node.lower is not None else ()
        joints = [
            place
            for place, item in enumerate(lower)
            if isinstance(item, Symbol) and item.name in ("eq", "to")
        ]
        first = (
            _expression(row(list(lower[: joints[0]])))
            if joints
            else (_expression(node.lower) if node.lower else _NOTHING)
        )
        start = _expression(row(list(lower[joints[0] + 1 :]))) if joints else _NOTHING
        upper = _expression(node.upper) if node.upper is not None else _NOTHING
        body, variable = self._body(node.name)
        match node.name:
            case "lim" | "limsup" | "liminf":
                return ["Limit", ["Function", body, first], start]
            case "int" | "iint" | "iiint" | "oint":
                limits: MathJson = ["Tuple", variable, first, upper] if node.lower or node.upper else variable
                return ["Integrate", body, limits]
            case _:
                return [_BIG.get(node.name, node.name), body, ["Tuple", first, start, upper]]

    def _body(self, name: str) -> tuple[MathJson, MathJson]:
        """What stands under a large operator; of an integral also its variable."""
        if "int" not in name:
            return self._binary(4), _NOTHING
        rest = self._items[self._place :]
        for place in range(len(rest) - 1):
            node, after = rest[place], rest[place + 1]
            if isinstance(node, Identifier) and node.name == "d" and isinstance(after, Identifier):
                self._place += place + 2
                body = _Reader(rest[:place]).sequence() if place else 1
                return body, _expression(after)
        return self._binary(4), _NOTHING


def _is_factor(node: Node) -> bool:
    return not (
        isinstance(node, Symbol)
        and (
            node.role in (Role.OPERATOR, Role.RELATION, Role.PUNCTUATION)
            or node.name in ("factorial", "percent", "lnot")
        )
    )

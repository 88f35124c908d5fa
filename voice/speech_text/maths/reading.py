"""A formula's tree as words of one language (SPEECH-6): structure here, words in the pack.

Long operands are told apart from short ones, as a teacher does: "x over y", but "the fraction with numerator
x plus one and denominator y". Every node is read; what has no words of its own is said by its name.
"""

from dataclasses import dataclass
from typing import Final, assert_never

from voice.speech_text.chemistry.reading import read_chemistry
from voice.speech_text.locale_pack import LocalePack, MathsWords
from voice.speech_text.maths.context import in_context, is_call_fence, under_operator
from voice.speech_text.maths.derivatives import Derivative, derivative_in
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
from voice.speech_text.measures import say_measure
from voice.speech_text.numerals import Numeral

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
_COUNTED: Final = frozenset({2, 3})
_CONNECTIVES: Final = frozenset(
    {"implies", "impliedby", "iff", "land", "lor", "mid", "therefore", "because", "forall", "exists"}
)
_SIGNS: Final = frozenset({"plus", "minus", "pm", "mp"})


def read_formula(node: Node, pack: LocalePack) -> str:
    """The words of a formula."""
    return pack.join([_Reader(pack, pack.maths).say(node)])


@dataclass(frozen=True, slots=True)
class _Reader:
    pack: LocalePack
    words: MathsWords

    def say(self, node: Node) -> str:  # noqa: C901, PLR0912 - one case for each kind of node
        match node:
            case Number(numeral=number):
                return self.pack.numbers.number(number)
            case Identifier():
                return self._identifier(node)
            case Function(name=name):
                return self.words.functions.get(name, name)
            case Symbol(name=name, role=role):
                return self._symbol(name, role)
            case Text(text=text):
                return " ".join(text.replace("~", " ").split())
            case Row(items=items):
                return self._row(items)
            case Fraction():
                return self._fraction(node)
            case Binomial(upper=upper, lower=lower):
                return self.words.binomial.format(n=self.say(upper), k=self.say(lower))
            case Root():
                return self._root(node)
            case Scripted():
                return self._scripted(node)
            case Big():
                return self._big(node)
            case Fenced():
                return self._fenced(node)
            case Accent(name=name, body=body):
                return self.words.accents[name].format(body=self.say(body))
            case Matrix():
                return self._matrix(node)
            case Quantity():
                return self._quantity(node)
            case Chemical(source=source):
                return read_chemistry(source, self.pack)
            case Unknown(words=words):
                return words
            case _:
                assert_never(node)

    def _identifier(self, node: Identifier) -> str:
        if node.style == "bb" and node.name in self.words.sets:
            return self.words.sets[node.name]
        greek = self.words.greek.get(node.name) or self.words.greek.get(node.name.lower())
        if greek is None:
            return node.name
        if node.name in self.words.greek:
            return greek
        return self.words.capital.format(letter=greek) if node.name[0].isupper() else greek

    def _symbol(self, name: str, role: Role) -> str:
        if role is Role.PUNCTUATION:
            return self.words.pause if name in ("pause", "newline") else self.words.list_joint
        return self.words.symbols.get(name, "")

    # ---- rows ----

    def _row(self, items: tuple[Node, ...], fence: str = "") -> str:
        nodes = in_context(_with_slashes_joined(items), fence=fence)
        if not self.words.relations:
            return self._side_by_side(nodes)
        pieces: list[str] = []
        clause: list[Node] = []
        for node in nodes:
            if isinstance(node, Symbol) and (node.role is Role.PUNCTUATION or node.name in _CONNECTIVES):
                pieces += [self._clause(tuple(clause)), self._symbol(node.name, node.role)]
                clause = []
            else:
                clause.append(node)
        pieces.append(self._clause(tuple(clause)))
        return self.pack.join([piece for piece in pieces if piece])

    def _clause(self, nodes: tuple[Node, ...]) -> str:
        """A clause with one relation, in the order of words that the language has for it."""
        places = [
            place
            for place, node in enumerate(nodes)
            if isinstance(node, Symbol) and node.role is Role.RELATION
        ]
        if len(places) == 1 and 0 < places[0] < len(nodes) - 1:
            relation = nodes[places[0]]
            template = self.words.relations.get(relation.name) if isinstance(relation, Symbol) else None
            if template is not None:
                left, right = (
                    self._side_by_side(nodes[: places[0]]),
                    self._side_by_side(nodes[places[0] + 1 :]),
                )
                return template.format(left=left, right=right)
        return self._side_by_side(nodes)

    def _side_by_side(self, nodes: tuple[Node, ...]) -> str:
        pieces: list[str] = []
        place = 0
        while place < len(nodes):
            said, place = self._item(nodes, place)
            pieces.append(said)
        return self.pack.join([piece for piece in pieces if piece])

    def _item(self, nodes: tuple[Node, ...], place: int) -> tuple[str, int]:
        """What is said of the node at `place` with what belongs to it, and the place after that."""
        node = nodes[place]
        before = nodes[place - 1] if place else None
        after = nodes[place + 1] if place + 1 < len(nodes) else None
        if isinstance(node, Symbol) and node.name in _SIGNS and _starts_operand(before):
            return self.words.unary.get(node.name, ""), place + 1
        if isinstance(node, Number) and isinstance(after, Fraction) and _small(after):
            return self.words.mixed.format(whole=self.say(node), fraction=self.say(after)), place + 2
        if _is_function(node) and after is not None:
            return self._applied(node, after), place + 2
        if isinstance(node, Fraction):
            found = derivative_in(node)
            if found and found.of is None and after is not None:
                rest = nodes[place + 1 :]
                of, taken = self._item(rest, 0)
                return self._derivative(found, of), place + 1 + taken
        if isinstance(after, Fenced) and _is_called(node, after):
            return self._called(node, after), place + 2
        said = self.say(node)
        fence = node.nucleus if isinstance(node, Scripted) else node
        if isinstance(fence, Fenced) and fence.opening == "(" and _is_operand(before):
            said = self.words.product_of_fences.format(right=said)
        return said, place + 1

    def _called(self, node: Node, fence: Fenced) -> str:
        name = self.words.functions["Pr"] if node == Identifier(name="P", style="bb") else self.say(node)
        return self.words.call.format(f=name, x=self._inside(fence))

    def _inside(self, fence: Fenced) -> str:
        return self._row(items_of(fence.body), fence.opening)

    def _applied(self, node: Node, argument: Node) -> str:
        """A named function with its argument."""
        if isinstance(argument, Symbol) and argument.role is not Role.ORDINARY:
            return self.pack.join([self.say(node), self._symbol(argument.name, argument.role)])
        is_fenced = isinstance(argument, Fenced) and argument.opening == "("
        body = self._inside(argument) if isinstance(argument, Fenced) and is_fenced else self.say(argument)
        if isinstance(node, Scripted) and _is_log(node.nucleus) and node.sub is not None and node.sup is None:
            base = self.say(node.sub)
            return self.words.log_base_call.format(f=self.say(node.nucleus), base=base, x=body)
        template = self.words.function_of if is_fenced or _is_inverse(node) else self.words.function_bare
        return template.format(f=self.say(node), x=body)

    # ---- structures ----

    def _fraction(self, node: Fraction) -> str:
        found = derivative_in(node)
        if found is not None and found.of is not None:
            return self._derivative(found, self.say(found.of))
        if found is not None:
            return self._derivative(found, "").strip()
        small = _small(node)
        if small is not None:
            return self.words.numeric_fraction(*small)
        template = self.words.fraction
        if not (_is_short(node.numerator) and _is_short(node.denominator)):
            template = self.words.fraction_long
        return template.format(num=self.say(node.numerator), den=self.say(node.denominator))

    def _derivative(self, found: Derivative, of: str) -> str:
        words = self.words
        variables = self.pack.join([self.say(variable) for variable in found.variables])
        name = (
            ("partial" if found.partial else "derivative")
            + ("_n" if found.order > 1 else "")
            + ("_of" if of else "")
        )
        template: str = getattr(words, name)
        return template.format(
            x=variables,
            of=of,
            n=self.pack.numbers.ordinal(found.order),
            count=self.pack.numbers.number(_numeral(found.order)),
        )

    def _root(self, node: Root) -> str:
        body = self.say(node.radicand)
        if node.degree is None:
            template = self.words.square_root if _is_short(node.radicand) else self.words.square_root_long
            return template.format(body=body)
        value = node.degree.numeral.value if isinstance(node.degree, Number) else None
        if value == 3:
            return self.words.cube_root.format(body=body)
        if value is not None:
            ordinal = self.pack.numbers.ordinal(value)
            return self.words.root_ordinal.format(degree=ordinal, n=self.say(node.degree), body=body)
        return self.words.root.format(degree=self.say(node.degree), body=body)

    def _scripted(self, node: Scripted) -> str:
        if _is_function(node.nucleus):
            return self._scripted_function(node)
        said = self.say(node.nucleus)
        if node.primes:
            said = self.words.primes[min(node.primes, 3) - 1].format(base=said)
        if node.sub is not None:
            said = self.words.sub.format(base=said, sub=self.say(node.sub))
        return said if node.sup is None else self._power(node.nucleus, said, node.sup)

    def _scripted_function(self, node: Scripted) -> str:
        said = self.say(node.nucleus)
        if node.sub is not None:
            template = self.words.log_base if _is_log(node.nucleus) else self.words.sub
            said = template.format(
                f=said, base=self.say(node.sub) if _is_log(node.nucleus) else said, sub=self.say(node.sub)
            )
        if _is_inverse(node):
            return self.words.inverse_function.format(f=said)
        if node.sup is None:
            return said
        if isinstance(node.sup, Number) and node.sup.numeral.value == 2:
            return self.words.function_power_2.format(f=said)
        if isinstance(node.sup, Number) and node.sup.numeral.value is not None:
            exp = self.pack.numbers.ordinal(node.sup.numeral.value)
            return self.words.function_power.format(f=said, exp=exp, n=self.say(node.sup))
        return self._power(node.nucleus, said, node.sup)

    def _power(self, nucleus: Node, said: str, sup: Node) -> str:
        words = self.words
        match sup:
            case Identifier(name="T" | "top") | Symbol(name="top"):
                return words.transpose.format(base=said)
            case Symbol(name="times" | "ast" | "star"):
                return words.starred.format(base=said)
            case Symbol(name="dagger"):
                return words.dagger.format(base=said)
            case Identifier(name="c" | "C") if isinstance(nucleus, Identifier) and nucleus.name.isupper():
                return words.complement.format(base=said)
            case Symbol(name="plus" | "minus" | "infty") | Text() | Fenced():
                return self.pack.join([said, self.say(sup)])
            case _:
                pass
        if (
            isinstance(nucleus, Identifier)
            and nucleus.name in ("f", "g", "h", "F", "G")
            and _is_minus_one(sup)
        ):
            return words.inverse.format(base=said)
        value = sup.numeral.value if isinstance(sup, Number) else None
        if isinstance(nucleus, Fenced | Fraction) or (isinstance(nucleus, Row) and len(nucleus.items) > 1):
            said += words.open_fence
        if value in _COUNTED:
            return (words.power_2 if value == 2 else words.power_3).format(base=said)
        if value is not None:
            ordinal = self.pack.numbers.ordinal(value)
            return words.power_ordinal.format(base=said, exp=ordinal, n=self.say(sup))
        template = words.power if _is_short(sup) else words.power_long
        return template.format(base=said, exp=self.say(sup))

    def _big(self, node: Big) -> str:
        big = self.words.big[node.name]
        if node.lower is None and node.upper is None:
            return big.bare
        index, start = self._split(node.lower) if node.lower is not None else ("", "")
        lower = self.say(under_operator(node.lower)) if node.lower is not None else ""
        template = big.lower if node.upper is None or node.lower is None else big.both
        upper = self.say(node.upper) if node.upper is not None else ""
        if node.lower is None:
            return self.pack.join([big.bare, upper])
        if node.name in ("lim", "limsup", "liminf") and not start:
            return self.pack.join([big.bare, lower])
        if not start and "{index}" in template:
            template = template.replace("{start}", "").replace("{index}", "{lower}")
            if node.upper is None:
                template = self.words.big[node.name].lower
        return template.format(lower=lower, upper=upper, index=index, start=start)

    def _split(self, lower: Node) -> tuple[str, str]:
        r"""Index and first value of `i=1`, variable and target of `x \to 0`."""
        items = items_of(lower)
        for place, item in enumerate(items):
            if isinstance(item, Symbol) and item.name in ("eq", "to") and 0 < place < len(items) - 1:
                return self.say(row(list(items[:place]))), self.say(row(list(items[place + 1 :])))
        return "", ""

    def _fenced(self, node: Fenced) -> str:
        words = self.words
        body = self._inside(node)
        if not node.closing:
            return self._cases_or_open(node, body)
        match node.opening + node.closing:
            case "()" | "[]" | "(]" | "[)" | "][":
                return self._parentheses(node, body)
            case "||":
                return (
                    words.determinant.format(body=body)
                    if isinstance(node.body, Matrix)
                    else words.absolute.format(body=body)
                )
            case "||||":
                return words.norm.format(body=body)
            case "lfloorrfloor":
                return words.floor.format(body=body)
            case "lceilrceil":
                return words.ceiling.format(body=body)
            case "langlerangle":
                return words.inner.format(body=body)
            case "{}":
                return words.set_of.format(body=body) if body else words.symbols["emptyset"]
            case _:
                return body

    def _cases_or_open(self, node: Fenced, body: str) -> str:
        return body if node.opening == "{" else self.pack.join([self.words.quantity.format(body=body)])

    def _parentheses(self, node: Fenced, body: str) -> str:
        words = self.words
        items = items_of(node.body)
        if isinstance(node.body, Matrix):
            return body
        commas = [
            place for place, item in enumerate(items) if item == Symbol(name="comma", role=Role.PUNCTUATION)
        ]
        if len(commas) == 1 and (node.opening, node.closing) != ("(", ")"):
            template = {
                "[]": words.interval_closed,
                "(]": words.interval_left_open,
                "[)": words.interval_right_open,
            }.get(node.opening + node.closing, words.interval_open)
            low, high = row(list(items[: commas[0]])), row(list(items[commas[0] + 1 :]))
            return template.format(low=self.say(low), high=self.say(high))
        if node.opening == "[":
            return words.brackets.format(body=body)
        return (
            body if commas or (len(items) == 1 and _is_short(items[0])) else words.quantity.format(body=body)
        )

    def _matrix(self, node: Matrix) -> str:
        words = self.words
        if node.kind == "aligned":
            return words.pause.join(self.pack.join([self.say(cell) for cell in line]) for line in node.rows)
        if node.kind == "cases":
            lines = [self._case(line) for line in node.rows]
            return words.cases.format(body=words.pause.join(lines))
        number = self.pack.numbers.number
        columns = max((len(line) for line in node.rows), default=0)
        sizes = {"rows": number(_numeral(len(node.rows))), "columns": number(_numeral(columns))}
        if columns == 1 and len(node.rows) > 1:
            cells = words.list_joint.join(self.say(line[0]) for line in node.rows)
            return words.column_vector.format(body=cells)
        if len(node.rows) == 1:
            return words.row_vector.format(
                body=words.list_joint.join(self.say(cell) for cell in node.rows[0])
            )
        rows = [
            words.matrix_row.format(
                n=number(_numeral(place)), body=words.list_joint.join(self.say(cell) for cell in line)
            )
            for place, line in enumerate(node.rows, 1)
        ]
        template = words.determinant if node.kind == "vmatrix" else words.matrix
        return template.format(body=words.pause.join(rows), **sizes)

    def _case(self, line: tuple[Node, ...]) -> str:
        value, *conditions = (self.say(cell) for cell in line)
        value = value.rstrip(" ,，、")
        if not conditions:
            return value
        return self.words.case.format(value=value, condition=self.pack.join(conditions))

    def _quantity(self, node: Quantity) -> str:
        number = node.number
        is_one = isinstance(number, Number) and number.numeral.is_one
        return say_measure(
            self.say(number) if number is not None else "", node.units, self.pack.units, is_one=is_one
        )


def _numeral(value: int) -> Numeral:
    return Numeral(whole=str(value))


def _small(node: Fraction) -> tuple[int, int] | None:
    """Numerator and denominator when both are small whole numbers."""
    match node:
        case Fraction(numerator=Number(numeral=above), denominator=Number(numeral=below)):
            pass
        case _:
            return None
    if above.value is None or below.value is None or above.value >= 1_000 or not 2 <= below.value <= 1_000:
        return None
    return above.value, below.value


def _is_short(node: Node) -> bool:
    """Whether a node is heard as one thing."""
    match node:
        case Number() | Identifier() | Symbol() | Text() | Quantity() | Chemical() | Unknown() | Function():
            return True
        case Scripted(nucleus=nucleus):
            return _is_short(nucleus)
        case Accent(body=body):
            return _is_short(body)
        case Row(items=items):
            return len(items) <= 3 and all(
                _is_short(item)
                and not (isinstance(item, Symbol) and item.role is not Role.ORDINARY and place)
                for place, item in enumerate(items)
            )
        case Root(radicand=radicand):
            return _is_short(radicand)
        case _:
            return False


def _starts_operand(before: Node | None) -> bool:
    """Whether a sign after `before` is the sign of a number, not between two."""
    return (
        before is None
        or (isinstance(before, Symbol) and before.role is not Role.ORDINARY and before.name != "factorial")
        or isinstance(before, Big | Function)
    )


def _is_operand(before: Node | None) -> bool:
    return isinstance(before, Number | Identifier | Fenced | Scripted | Fraction | Root) and not (
        isinstance(before, Fenced) and before.opening != "("
    )


def _is_function(node: Node) -> bool:
    return isinstance(node, Function) or (isinstance(node, Scripted) and isinstance(node.nucleus, Function))


def _is_log(node: Node) -> bool:
    return isinstance(node, Function) and node.name == "log"


def _is_minus_one(node: Node) -> bool:
    match node:
        case Row(items=(Symbol(name="minus"), Number(numeral=number))):
            return number.value == 1
        case _:
            return False


def _is_inverse(node: Node) -> bool:
    return isinstance(node, Scripted) and node.sup is not None and _is_minus_one(node.sup)


def _is_called(node: Node, fence: Fenced) -> bool:
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


def _with_slashes_joined(items: tuple[Node, ...]) -> tuple[Node, ...]:
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
            and _is_short(joined[-1])
            and _is_short(items[place + 1])
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

"""A formula's tree as words of one language (SPEECH-6): structure here, words in the pack.

Long operands are told apart from short ones, as a teacher does: "x over y", but "the fraction with numerator
x plus one and denominator y". Every node is read; what has no words of its own is said by its name.
"""

from dataclasses import dataclass
from typing import Final, assert_never

from voice.speech_text.chemistry.reading import read_chemistry
from voice.speech_text.locale_pack import LocalePack, MathsWords
from voice.speech_text.maths.context import in_context, under_operator
from voice.speech_text.maths.derivatives import Derivative, derivative_in
from voice.speech_text.maths.fences import say_fenced, say_matrix
from voice.speech_text.maths.shapes import (
    is_called,
    is_function,
    is_inverse,
    is_log,
    is_minus_one,
    is_operand,
    is_short,
    small_fraction,
    starts_operand,
    with_slashes_joined,
)
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
from voice.speech_text.numerals import whole

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
                return say_fenced(self, node)
            case Accent(name=name, body=body):
                return self.words.accents[name].format(body=self.say(body))
            case Matrix():
                return say_matrix(self, node)
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
        nodes = in_context(with_slashes_joined(items), fence=fence)
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
        if isinstance(node, Symbol) and node.name in _SIGNS and starts_operand(before):
            return self.words.unary.get(node.name, ""), place + 1
        if isinstance(node, Number) and isinstance(after, Fraction) and small_fraction(after):
            return self.words.mixed.format(whole=self.say(node), fraction=self.say(after)), place + 2
        if is_function(node) and after is not None:
            return self._applied(node, after), place + 2
        if isinstance(node, Fraction):
            found = derivative_in(node)
            if found and found.of is None and after is not None:
                rest = nodes[place + 1 :]
                of, taken = self._item(rest, 0)
                return self._derivative(found, of), place + 1 + taken
        if isinstance(after, Fenced) and is_called(node, after):
            return self._called(node, after), place + 2
        said = self.say(node)
        fence = node.nucleus if isinstance(node, Scripted) else node
        if isinstance(fence, Fenced) and fence.opening == "(" and is_operand(before):
            said = self.words.product_of_fences.format(right=said)
        return said, place + 1

    def _called(self, node: Node, fence: Fenced) -> str:
        name = self.words.functions["Pr"] if node == Identifier(name="P", style="bb") else self.say(node)
        return self.words.call.format(f=name, x=self.inside(fence))

    def inside(self, fence: Fenced) -> str:
        """What stands between brackets, whose kind tells what a bar or a colon means."""
        return self._row(items_of(fence.body), fence.opening)

    def _applied(self, node: Node, argument: Node) -> str:
        """A named function with its argument."""
        if isinstance(argument, Symbol) and argument.role is not Role.ORDINARY:
            return self.pack.join([self.say(node), self._symbol(argument.name, argument.role)])
        is_fenced = isinstance(argument, Fenced) and argument.opening == "("
        body = self.inside(argument) if isinstance(argument, Fenced) and is_fenced else self.say(argument)
        if isinstance(node, Scripted) and is_log(node.nucleus) and node.sub is not None and node.sup is None:
            base = self.say(node.sub)
            return self.words.log_base_call.format(f=self.say(node.nucleus), base=base, x=body)
        template = self.words.function_of if is_fenced or is_inverse(node) else self.words.function_bare
        return template.format(f=self.say(node), x=body)

    # ---- structures ----

    def _fraction(self, node: Fraction) -> str:
        found = derivative_in(node)
        if found is not None and found.of is not None:
            return self._derivative(found, self.say(found.of))
        if found is not None:
            return self._derivative(found, "").strip()
        small = small_fraction(node)
        if small is not None:
            return self.words.numeric_fraction(*small)
        template = self.words.fraction
        if not (is_short(node.numerator) and is_short(node.denominator)):
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
            count=self.pack.numbers.number(whole(found.order)),
        )

    def _root(self, node: Root) -> str:
        body = self.say(node.radicand)
        if node.degree is None:
            template = self.words.square_root if is_short(node.radicand) else self.words.square_root_long
            return template.format(body=body)
        value = node.degree.numeral.value if isinstance(node.degree, Number) else None
        if value == 3:
            return self.words.cube_root.format(body=body)
        if value is not None:
            ordinal = self.pack.numbers.ordinal(value)
            return self.words.root_ordinal.format(degree=ordinal, n=self.say(node.degree), body=body)
        return self.words.root.format(degree=self.say(node.degree), body=body)

    def _scripted(self, node: Scripted) -> str:
        if is_function(node.nucleus):
            return self._scripted_function(node)
        if _is_combination(node) and node.sub is not None and node.sup is not None:
            return self.pack.join([self.say(node.nucleus), self.say(node.sub), self.say(node.sup)])
        said = self.say(node.nucleus)
        if node.primes:
            said = self.words.primes[min(node.primes, 3) - 1].format(base=said)
        if node.sub is not None:
            said = self.words.sub.format(base=said, sub=self.say(node.sub))
        return said if node.sup is None else self._power(node.nucleus, said, node.sup)

    def _scripted_function(self, node: Scripted) -> str:
        said = self.say(node.nucleus)
        if node.sub is not None:
            template = self.words.log_base if is_log(node.nucleus) else self.words.sub
            said = template.format(
                f=said, base=self.say(node.sub) if is_log(node.nucleus) else said, sub=self.say(node.sub)
            )
        if is_inverse(node):
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
            and is_minus_one(sup)
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
        template = words.power if is_short(sup) else words.power_long
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

    def _quantity(self, node: Quantity) -> str:
        number = node.number
        is_one = isinstance(number, Number) and number.numeral.is_one
        return say_measure(
            self.say(number) if number is not None else "", node.units, self.pack.units, is_one=is_one
        )


def _is_combination(node: Scripted) -> bool:
    """`C_n^k` and `A_n^k` count choices; neither is a power."""
    match node:
        case Scripted(
            nucleus=Identifier(name="C" | "A" | "P"), sub=Identifier() | Number(), sup=Identifier() | Number()
        ):
            return True
        case _:
            return False

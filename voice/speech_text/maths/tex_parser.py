"""TeX (and Unicode) maths to a tree; total: any text gives a tree, an unknown token a node of its own.

One pass without going back, so the cost is linear. Groups deeper than `DEEPEST` are read flat. A closer that
nothing opened is skipped; a group that nothing closes ends with its surroundings.
"""

from typing import Final

from voice.speech_text.chemistry.molecules import is_formula_of_molecule, is_molecule
from voice.speech_text.maths.siunitx import SIUNITX, siunitx_node, units_of_text
from voice.speech_text.maths.tex_cursor import TokenCursor
from voice.speech_text.maths.tex_leaves import NUMBER, command_leaf, sign_leaf
from voice.speech_text.maths.tex_tokens import CLOSE_BAR, OPEN_BAR, tokens_of
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
    Unit,
    Unknown,
    row,
)
from voice.speech_text.maths.vocabulary import (
    ACCENTS,
    ALIGNMENTS,
    ARGUMENT_DROPPED,
    BIG,
    BIG_SIGNS,
    CLOSING,
    FENCE_NAMES,
    FENCES,
    FUNCTIONS,
    GREEK,
    IGNORED,
    MATRICES,
    NEGATED,
    OPERATORS,
    RELATIONS,
    STYLES,
    SUBSCRIPTS,
    SUPERSCRIPTS,
    TEXT_COMMANDS,
)
from voice.speech_text.numerals import Numeral, numeral

DEEPEST: Final = 60
_FRACTIONS: Final = frozenset({"\\frac", "\\dfrac", "\\tfrac", "\\cfrac", "\\nicefrac", "\\sfrac"})
_BINOMIALS: Final = frozenset({"\\binom", "\\dbinom", "\\tbinom"})
_ENDS: Final = frozenset({"}", "\\right", "\\end", "&", "\\\\", "\\cr"}) | CLOSING
_LONGEST_FUNCTION: Final = max(map(len, FUNCTIONS))


def parse(tex: str) -> Node:
    """The tree of a formula without its dollar signs."""
    if is_formula_of_molecule(tex):
        return Chemical(source=tex.strip().replace("_", ""))
    parser = _Parser(tokens_of(tex))
    items: list[Node] = []
    while parser.place < len(parser.tokens):
        before = parser.place
        items += parser.row()
        if parser.place < len(parser.tokens) and parser.tokens[parser.place] in ("\\\\", "\\cr"):
            items.append(Symbol(name="newline", role=Role.PUNCTUATION))
        parser.place = max(parser.place, before) + 1
    return row(items)


class _Parser(TokenCursor):
    def row(self) -> list[Node]:
        """Nodes up to a closer, which stays."""
        items: list[Node] = []
        upper: tuple[str, list[Node]] | None = None
        self.depth += 1
        while (token := self.peek()) and token not in _ENDS and not token.startswith(CLOSE_BAR):
            self.place += 1
            if token in ("\\over", "\\choose", "\\atop"):
                upper, items = (token, items), []
            else:
                self._add(token, items)
        self.depth -= 1
        if upper is None:
            return items
        above, below = row(upper[1]), row(items)
        if upper[0] == "\\choose":
            return [Binomial(upper=above, lower=below)]
        return [Fraction(numerator=above, denominator=below)]

    # ---- one node ----

    def _add(self, token: str, items: list[Node]) -> None:
        """The node that `token` begins, joined to `items`."""
        if token in ("^", "_"):
            self._script(token, self._script_argument(), items)
        elif token in ("'", "′", "\\prime"):
            self._prime(1, items)
        elif token in ("″", "’"):
            self._prime(2 if token == "″" else 1, items)
        elif token in SUPERSCRIPTS or token in SUBSCRIPTS:
            self._unicode_script(token, items)
        elif token in ("%", "\\%") and items and isinstance(items[-1], Number):
            items[-1] = Quantity(number=items[-1], units=(Unit(symbol="%"),))
        elif (
            token in ("°", "\\degree", "\\degreeCelsius", "℃", "℉")
            and items
            and not isinstance(items[-1], Quantity)
        ):
            self._degree(token, items)
        elif token[0] == "\\" and token[1:] in TEXT_COMMANDS | {
            "mathrm",
            "operatorname",
            "operatorname*",
            "rm",
        }:
            self._words(token[1:], items)
        else:
            node = self._node(token)
            if token == "\\pmod" and isinstance(node, Row):
                items += node.items
            elif node is not None:
                items.append(node)

    def _node(self, token: str) -> Node | None:
        if self.depth > DEEPEST:
            return (
                None
                if token in FENCES
                else sign_leaf(token) or (Identifier(name=token) if token.isalpha() else None)
            )
        self.depth += 1
        node = self._any_node(token)
        self.depth -= 1
        return node

    def _any_node(self, token: str) -> Node | None:
        if token.startswith(OPEN_BAR):
            return self._bars(token)
        if token == "{":
            return self._braces()
        if token in FENCES and token != "‖":
            return self._fence(token)
        if token[0] == "\\" and len(token) > 1 and token[1].isalpha():
            return self._command(token[1:].rstrip("*"))
        return self._sign(token)

    def _sign(self, token: str) -> Node | None:
        if token in RELATIONS:
            return self._relation(token)
        if token in BIG_SIGNS:
            return self._limits(BIG_SIGNS[token])
        if token in "√∛∜":
            degree = {"∛": "3", "∜": "4"}.get(token)
            radicand = self.argument()
            return Root(radicand=radicand, degree=Number(numeral=Numeral(whole=degree)) if degree else None)
        known = sign_leaf(token)
        if known is not None:
            return known
        if token.isalpha():
            return self._letters(token)
        return None if token in "\\$&#_{}|" or token[0] == "\\" else Unknown(words=token)

    def _relation(self, token: str) -> Node:
        """A relation sign, with the signs that ASCII writes in two characters."""
        pair = token + (self.tokens[self.place] if self.place < len(self.tokens) else "")
        name = {"<=": "leq", ">=": "geq", "~=": "approx", "=>": "implies", ":=": "define", "==": "eq"}.get(
            pair
        )
        self.place += name is not None
        return Symbol(name=name or RELATIONS[token], role=Role.RELATION)

    def _letters(self, token: str) -> Node:
        """A function written as plain letters, words of a script without letters of maths, or one letter."""
        if not token.isascii():
            start = self.place
            while self.place < len(self.tokens) and _is_wordlike(self.tokens[self.place]):
                self.place += 1
            return Text(text=token + "".join(self.tokens[start : self.place]))
        for length in range(min(_LONGEST_FUNCTION, len(self.tokens) - self.place + 1), 1, -1):
            name = token + "".join(self.tokens[self.place : self.place + length - 1])
            if name in FUNCTIONS:
                self.place += length - 1
                return Function(name=name)
        return Identifier(name=token)

    # ---- commands ----

    def _command(self, name: str) -> Node | None:
        if name in BIG:
            return self._limits(name)
        if name == "xrightarrow":
            self.argument()
        return command_leaf(name) or self._structure(name)

    def _structure(self, name: str) -> Node | None:  # noqa: C901 - one case for each command
        if "\\" + name in _FRACTIONS:
            return Fraction(numerator=self.argument(), denominator=self.argument())
        if "\\" + name in _BINOMIALS:
            return Binomial(upper=self.argument(), lower=self.argument())
        if name == "sqrt":
            degree = self._optional()
            return Root(radicand=self.argument(), degree=degree)
        if name in ACCENTS:
            if name == "overset":
                self.argument()
            body = self.argument()
            return body if ACCENTS[name] == "boxed" else Accent(name=ACCENTS[name], body=body)
        if name in STYLES:
            return _styled(self.argument(), STYLES[name])
        if name == "left":
            return self._left()
        if name == "begin":
            return self._environment()
        if name in ("ce", "cf"):
            return Chemical(source=self.raw())
        if name in SIUNITX:
            return siunitx_node(name, [self.raw() for _ in range(SIUNITX[name])])
        return self._rest(name)

    def _rest(self, name: str) -> Node | None:
        if name == "pmod":
            return Row(items=(Symbol(name="mod", role=Role.OPERATOR), self.argument()))
        if name == "not":
            following = self._node(self.next())
            if isinstance(following, Symbol) and following.name in NEGATED:
                return Symbol(name=NEGATED[following.name], role=following.role)
            return following
        if name in ARGUMENT_DROPPED:
            self.raw()
            return None
        if name in IGNORED or name in ("lbrace", "rbrace"):
            return None
        if name in ("stackrel", "underset", "substack"):
            return self.argument() if name == "substack" else self._under()
        return Unknown(words=name)

    def _under(self) -> Node:
        lower = self.argument()
        return Scripted(nucleus=self.argument(), sub=lower)

    # ---- parts ----

    def argument(self) -> Node:
        """A group, or the next node alone."""
        token = self.peek()
        if not token or (token in _ENDS and token != "{") or token.startswith(CLOSE_BAR):
            return Row(items=())
        self.place += 1
        if token == "{":
            return self._braces()
        if (
            token[0].isdecimal()
            and len(token) > 1
            and self.place >= 2
            and "√" not in self.tokens[self.place - 2]
        ):
            digit, self.tokens[self.place - 1] = token[0], token[1:]
            self.place -= 1
            return Number(numeral=numeral(digit))
        items: list[Node] = []
        self._add(token, items)
        return row(items)

    def _script_argument(self) -> Node:
        """Like `argument`, but `10^-23` and `x^12`, which people write without braces, are read as meant."""
        token = self.peek()
        if NUMBER.match(token):
            self.place += 1
            return Number(numeral=numeral("0" + token if token[0] == "." else token))
        if token in ("-", "−", "+") and self.place + 1 < len(self.tokens):
            sign = Symbol(name=OPERATORS[token], role=Role.OPERATOR)
            following = self.tokens[self.place + 1]
            if NUMBER.match(following) or following.isalpha():
                self.place += 1
                return Row(items=(sign, self._script_argument()))
        return self.argument()

    def _optional(self) -> Node | None:
        if self.peek() != "[":
            return None
        self.place += 1
        items = self.row()
        if self.peek() == "]":
            self.place += 1
        return row(items)

    def _braces(self) -> Node:
        if self.depth > DEEPEST:
            return Row(items=())
        items = self.row()
        while self.peek() and self.peek() != "}" and self.peek() in CLOSING:
            self.place += 1
            items += self.row()
        if self.peek() == "}":
            self.place += 1
        return row(items)

    def _fence(self, token: str) -> Node | None:
        if self.depth > DEEPEST:
            return None
        body = row(self.row())
        closing = self.peek()
        expected = (FENCES[token], ")", "]") if token in "([" else (FENCES[token],)
        if closing not in expected:
            return Fenced(opening=FENCE_NAMES[token], closing="", body=body)
        self.place += 1
        return Fenced(opening=FENCE_NAMES[token], closing=FENCE_NAMES[closing], body=body)

    def _bars(self, token: str) -> Node:
        name = FENCE_NAMES[token.removeprefix(OPEN_BAR)]
        if self.depth > DEEPEST:
            return Row(items=())
        body = row(self.row())
        closed = self.peek().startswith(CLOSE_BAR)
        self.place += closed
        return Fenced(opening=name, closing=name if closed else "", body=body)

    def _left(self) -> Node:
        opening = FENCE_NAMES.get(self._delimiter(), "")
        items: list[Node] = []
        if self.depth <= DEEPEST:
            items = self.row()
            while self.peek() in CLOSING or self.peek().startswith(CLOSE_BAR):
                self.place += 1
                items += self.row()
        closing = ""
        if self.peek() == "\\right":
            self.place += 1
            closing = FENCE_NAMES.get(self._delimiter(), "")
        if not opening and not closing:
            return row(items)
        return Fenced(opening=opening, closing=closing, body=row(items))

    def _delimiter(self) -> str:
        return self.next().removeprefix(OPEN_BAR).removeprefix(CLOSE_BAR)

    def _environment(self) -> Node:
        name = self.raw()
        if name in ("array", "alignedat", "alignat", "alignat*"):
            self.raw()
        rows: list[tuple[Node, ...]] = []
        cells: list[Node] = []
        while self.depth <= DEEPEST:
            cells.append(row(self.row()))
            token = self.next()
            if token == "&":
                continue
            if token in CLOSING or token.startswith(CLOSE_BAR):
                continue
            rows.append(tuple(cells))
            cells = []
            if token not in ("\\\\", "\\cr"):
                if token == "\\end":
                    self.raw()
                break
        filled = tuple(line for line in rows if any(cell != Row(items=()) for cell in line))
        kind = "cases" if name.rstrip("*") in ("cases", "dcases", "rcases") else "aligned"
        if name in ALIGNMENTS and len(filled) == 1:
            return row([cell for cell in filled[0] if cell != Row(items=())])
        return Matrix(kind=name if name in MATRICES else kind, rows=filled)

    # ---- what joins the node before it ----

    def _limits(self, name: str) -> Node:
        lower: Node | None = None
        upper: Node | None = None
        while (token := self.peek()) in ("_", "^", "\\limits", "\\nolimits"):
            self.place += 1
            if token == "_":
                lower = self.argument()
            elif token == "^":
                upper = self.argument()
        return Big(name=name, lower=lower, upper=upper)

    def _script(self, token: str, script: Node, items: list[Node]) -> None:
        if (
            token == "^"
            and script == Symbol(name="circ", role=Role.OPERATOR)
            and items
            and not isinstance(items[-1], Quantity)
        ):
            self._degree("°", items)
            return
        nucleus = items.pop() if items else Row(items=())
        if token == "_" and isinstance(nucleus, Chemical) and isinstance(script, Number):
            items.append(Chemical(source=nucleus.source + script.numeral.whole))
            return
        known = nucleus if isinstance(nucleus, Scripted) else Scripted(nucleus=nucleus)
        taken = known.sub if token == "_" else known.sup
        if taken is not None:
            items.append(known)
            known = Scripted(nucleus=Row(items=()))
        items.append(
            Scripted(
                nucleus=known.nucleus,
                sub=script if token == "_" else known.sub,
                sup=script if token == "^" else known.sup,
                primes=known.primes,
            )
        )

    def _prime(self, count: int, items: list[Node]) -> None:
        nucleus = items.pop() if items else Row(items=())
        known = nucleus if isinstance(nucleus, Scripted) else Scripted(nucleus=nucleus)
        items.append(
            Scripted(nucleus=known.nucleus, sub=known.sub, sup=known.sup, primes=known.primes + count)
        )

    def _unicode_script(self, token: str, items: list[Node]) -> None:
        table = SUPERSCRIPTS if token in SUPERSCRIPTS else SUBSCRIPTS
        start = self.place - 1
        while self.place < len(self.tokens) and self.tokens[self.place] in table:
            self.place += 1
        plain = "".join(table[sign] for sign in self.tokens[start : self.place])
        self._script("^" if table is SUPERSCRIPTS else "_", parse(plain), items)

    def _degree(self, token: str, items: list[Node]) -> None:
        number = items.pop()
        symbol = {"℃": "°C", "\\degreeCelsius": "°C", "℉": "°F"}.get(token, "°")
        if symbol == "°":
            following = self.tokens[self.place : self.place + 4]
            bare = "".join(following).replace(" ", "")
            for letter in "CF":
                if bare.startswith((letter, "\\mathrm{" + letter + "}")):
                    symbol += letter
                    self.peek()
                    self.place += 1 if self.peek() == letter else 4
                    break
        items.append(Quantity(number=number, units=(Unit(symbol=symbol),)))

    def _words(self, command: str, items: list[Node]) -> None:
        """Upright words: a unit after a number, a name, or text."""
        text = self.raw()
        stripped = text.replace("~", " ").strip()
        if is_molecule(
            stripped, follows=bool(items) and isinstance(items[-1], Chemical), sub=self.peek() == "_"
        ):
            items.append(Chemical(source=stripped.replace("_", "")))
            return
        units = units_of_text(stripped)
        if units and items and isinstance(items[-1], Number | Scripted | Fraction):
            items[-1] = Quantity(number=items[-1], units=units)
        elif stripped in FUNCTIONS:
            items.append(Function(name=stripped))
        elif command in TEXT_COMMANDS:
            items.append(Text(text=text))
        elif stripped:
            items.append(Identifier(name=stripped))


def _is_wordlike(token: str) -> bool:
    return token == " " or (token.isalpha() and not token.isascii() and token not in GREEK)


def _styled(node: Node, style: str) -> Node:
    return Identifier(name=node.name, style=style) if isinstance(node, Identifier) else node

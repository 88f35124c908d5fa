"""mhchem's input syntax as parts (the manual of the LaTeX package mhchem, version 4); total and linear."""

import re
from typing import Final

from voice.speech_text.chemistry.elements import is_element
from voice.speech_text.chemistry.tree import (
    Arrow,
    Charge,
    Coefficient,
    Count,
    Element,
    Group,
    Isotope,
    Mark,
    Part,
    State,
    Words,
)
from voice.speech_text.maths.vocabulary import SUBSCRIPTS, SUPERSCRIPTS
from voice.speech_text.numerals import numeral

ARROWS: Final = ("<=>>", "<<=>", "<-->", "<->", "<=>", "->", "<-", "=>", "→", "⇌", "⇄", "↔", "⟶")
_ARROW_NAMES: Final = {
    "→": "->", "⟶": "->", "⇌": "<=>", "⇄": "<=>", "↔": "<->", "<=>>": "<=>", "<<=>": "<=>", "<-->": "<->",
    "=>": "->",
}  # fmt: skip
_SCRIPT: Final = r"(?:\{([^{}]*)\}|([0-9]*[+-]|[0-9A-Za-z]+))"
_TOKEN: Final = re.compile(
    r"(?P<space>\s+)"
    "|(?P<arrow>"
    + "|".join(map(re.escape, ARROWS))
    + r")(?:\[(?P<above>[^\[\]]*)\])?(?:\[(?P<below>[^\[\]]*)\])?"
    r"|(?P<state>\((?:s|l|g|aq|cr|am)\))"
    r"|(?P<isotope>\^\{?(?P<mass>\d+)\}?_\{?(?P<atomic>-?\d+)\}?(?P<nuclide>[A-Z][a-z]?)?|\^\{?(?P<mass2>\d+)\}?(?P<nuclide2>[A-Z][a-z]?))"
    rf"|(?P<up>\^)(?:{_SCRIPT})?"
    rf"|(?P<down>_){_SCRIPT}"
    r"|(?P<electron>e(?=\^?\{?-))"
    r"|(?P<fraction>(?P<over>\d+)/(?P<under>\d+))"
    r"|(?P<number>\d+(?:\.\d+)?)"
    r"|(?P<element>[A-Z][a-z]?)"
    r"|(?P<command>\\[A-Za-z]+)"
    r"|(?P<word>[^\W\d_]+)"
    r"|(?P<other>.)",
    re.DOTALL,
)
_OPENS: Final = frozenset("([{")
_CLOSES: Final = frozenset(")]}")


def parse_chemistry(source: str) -> tuple[Part, ...]:
    r"""The parts of the content of `\ce{...}`."""
    return tuple(_Parser(_plain(source)).parts())


def _plain(source: str) -> str:
    """Unicode scripts as mhchem writes them."""
    out: list[str] = []
    for sign in source:
        if sign in SUBSCRIPTS:
            out.append(SUBSCRIPTS[sign])
        elif sign in SUPERSCRIPTS:
            following = SUPERSCRIPTS[sign]
            out.append(
                following
                if (out and out[-1][:1] == "^") or (len(out) > 1 and out[-2] == "^")
                else "^" + following
            )
        else:
            out.append(sign)
    return "".join(out).replace("\u2212", "-").replace("·", "*").replace("⋅", "*").replace("\\cdot", "*")


class _Parser:
    def __init__(self, source: str) -> None:
        self.source = source
        self.made: list[Part] = []
        self.fresh = True  # nothing of the present molecule was read yet

    def parts(self) -> list[Part]:
        """All parts, in order."""
        for match in _TOKEN.finditer(self.source):
            self._take(match)
        return self.made

    def _take(self, match: re.Match[str]) -> None:
        kind = match.lastgroup or ""
        if match["arrow"]:
            self._arrow(match)
        elif match["isotope"]:
            self._isotope(match)
        elif match["up"]:
            self._above(match)
        elif match["down"]:
            self.made.append(Count(text=(match[13] or match[14] or "").strip("$")))
        elif match["fraction"]:
            self.made.append(Coefficient(numeral=numeral(match["over"]), denominator=numeral(match["under"])))
        elif match["state"]:
            self.made.append(State(name=match["state"].strip("()")))
        elif match["electron"]:
            self.made.append(Mark(name="electron"))
        elif match["element"]:
            self._element(match["element"])
        elif kind:
            self._plain_token(kind, match.group(), match)
        self.fresh = bool(match["space"] or match["arrow"] or (match["other"] or "") in _OPENS | {"*", "."})

    def _plain_token(self, kind: str, text: str, match: re.Match[str]) -> None:
        if kind == "number":
            is_count = (
                not self.fresh and bool(self.made) and isinstance(self.made[-1], Element | Group | Isotope)
            )
            self.made.append(Count(text=text) if is_count else Coefficient(numeral=numeral(text)))
        elif kind == "command":
            self.made.append(Words(text=text[1:]))
        elif kind == "word":
            self._word(text, match)
        elif kind == "other":
            self._other(text, match)

    def _arrow(self, match: re.Match[str]) -> None:
        kind = _ARROW_NAMES.get(match["arrow"], match["arrow"])
        self.made.append(
            Arrow(kind=kind, above=(match["above"] or "").strip(), below=(match["below"] or "").strip())
        )

    def _isotope(self, match: re.Match[str]) -> None:
        mass, atomic = match["mass"] or match["mass2"], match["atomic"] or ""
        symbol = match["nuclide"] or match["nuclide2"] or ""
        if self.fresh or not self.made or symbol:
            self.made.append(Isotope(mass=mass, atomic=atomic, symbol=symbol))
        else:
            self.made.append(Count(text=mass))

    def _above(self, match: re.Match[str]) -> None:
        script = match.group()[1:].strip("{}")
        if not script:
            self.made.append(Mark(name="gas"))
        elif script.endswith(("+", "-")):
            if self.made and self.made[-1] == Mark(name="electron") and script == "-":
                return
            self.made.append(Charge(amount=script[:-1], negative=script.endswith("-")))
        elif script.startswith(("+", "-")):
            self.made.append(Charge(amount=script[1:], negative=script.startswith("-")))
        else:
            self.made.append(Charge(amount=script, negative=None))

    def _element(self, symbol: str) -> None:
        if len(symbol) == 2 and not is_element(symbol):
            self.made += [Element(symbol=symbol[0]), Words(text=symbol[1])]
        else:
            self.made.append(Element(symbol=symbol))

    def _word(self, text: str, match: re.Match[str]) -> None:
        if text == "v" and self._is_apart(match):
            self.made.append(Mark(name="precipitate"))
        elif len(text) == 1 and self.made and not self.fresh:
            self.made.append(Count(text=text))
        elif len(text) == 1:
            self.made.append(Coefficient(letter=text))
        else:
            self.made.append(Words(text=text))

    def _other(self, sign: str, match: re.Match[str]) -> None:
        if sign in _OPENS or sign in _CLOSES:
            if sign not in "{}":
                self.made.append(Group(opens=sign in _OPENS))
        elif sign == "+" and (self.fresh or self._is_apart(match)):
            self.made.append(Mark(name="plus"))
        elif sign in "+-" and self._ends_molecule(match):
            if sign == "-" and self.made and self.made[-1] == Mark(name="electron"):
                return
            self.made.append(Charge(amount="", negative=sign == "-"))
        elif sign == "+":
            self.made.append(Mark(name="plus"))
        elif sign in "*.":
            self.made.append(Mark(name="hydrate"))
        elif sign in "-=#≡":
            self.made.append(Mark(name="#" if sign == "≡" else sign))
        elif sign in "↑↓":
            self.made.append(Mark(name="gas" if sign == "↑" else "precipitate"))

    def _is_apart(self, match: re.Match[str]) -> bool:
        before = self.source[match.start() - 1 : match.start()]
        after = self.source[match.end() : match.end() + 1]
        return (not before or before.isspace()) and (not after or after.isspace())

    def _ends_molecule(self, match: re.Match[str]) -> bool:
        after = self.source[match.end() : match.end() + 1]
        return not self.fresh and (not after or after.isspace() or after in ")]([")

"""What stands in a chemical formula, in the order of writing: a closed union of parts."""

from dataclasses import dataclass

from voice.speech_text.numerals import Numeral


@dataclass(frozen=True, slots=True, kw_only=True)
class Coefficient:
    """The number of molecules; `denominator` for a half molecule, `letter` for an unknown number."""

    numeral: Numeral | None = None
    denominator: Numeral | None = None
    letter: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Element:
    """One element by its symbol, or another word of letters."""

    symbol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Count:
    """How many atoms or groups; digits, or letters (`n`)."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """An opening or closing bracket."""

    opens: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Charge:
    """`2+`, `-`; also an oxidation state in Roman numbers (`III`), then without a sign."""

    amount: str
    negative: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Isotope:
    """Mass number and atomic number before an element; either may be missing."""

    mass: str
    atomic: str
    symbol: str


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """`s`, `l`, `g` or `aq`."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrow:
    """A reaction arrow by its mhchem name, with what stands above and below it, as source."""

    kind: str
    above: str = ""
    below: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """`gas`, `precipitate`, `plus`, `hydrate`, `electron`, or a bond (`-`, `=`, `#`)."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Anything else, as words."""

    text: str


Part = Coefficient | Element | Count | Group | Charge | Isotope | State | Arrow | Mark | Words

"""What a language is to speech text: one pack of words, templates and number rules, kept as data (SPEECH-8).

A template is a string with named places (`{base} squared`). Places hold words that are already spoken, so a
pack decides word order and never looks at a tree. `join` puts spoken pieces together as the script wants it;
`finish` may mend the whole (Korean particles). A language is added or changed by registering a pack.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from voice.speech_text.languages import base_language
from voice.speech_text.numerals import Numeral
from voice.speech_text.prose.finder import Finder
from voice.speech_text.prose.spans import ProseSpan

FALLBACK = "en"


class NumberWords(Protocol):
    """The numbers of a language."""

    def number(self, value: Numeral) -> str:
        """A number as words."""
        ...

    def counted(self, value: Numeral) -> str:
        """A number before a unit or a currency, where that has a form of its own."""
        ...

    def digits(self, digits: str) -> str:
        """ASCII digits, one by one."""
        ...

    def ordinal(self, value: int) -> str:
        """The place in a row (`third`)."""
        ...

    def scaled(self, value: Numeral, scale: str) -> str:
        """A number of thousands (`K`), millions, billions or trillions, or of an eastern unit as written."""
        ...

    @property
    def needs_scale_twice(self) -> bool:
        """Whether "5 to 10 million" must name the million twice."""
        ...


class ProseWords(Protocol):
    """What a language says of the spans found in its prose."""

    def say(self, span: ProseSpan) -> str:
        """The words of one span."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BigWords:
    """A large operator: bare, with a lower limit, with both; `{lower}`, `{index}`, `{start}`, `{upper}`."""

    bare: str
    lower: str
    both: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MathsWords:
    """Words and templates of formulas; names as in `maths.vocabulary`."""

    symbols: Mapping[str, str]
    unary: Mapping[str, str]
    relations: Mapping[str, str]
    greek: Mapping[str, str]
    functions: Mapping[str, str]
    sets: Mapping[str, str]
    accents: Mapping[str, str]
    big: Mapping[str, BigWords]
    capital: str
    numeric_fraction: Callable[[int, int], str]
    fraction: str
    fraction_long: str
    mixed: str
    binomial: str
    square_root: str
    square_root_long: str
    cube_root: str
    root: str
    root_ordinal: str
    power_2: str
    power_3: str
    power_ordinal: str
    power: str
    power_long: str
    sub: str
    inverse: str
    transpose: str
    starred: str
    dagger: str
    complement: str
    primes: tuple[str, str, str]
    log_base: str
    log_base_call: str
    function_of: str
    function_bare: str
    function_power_2: str
    function_power: str
    inverse_function: str
    call: str
    product_of_fences: str
    quantity: str
    absolute: str
    norm: str
    floor: str
    ceiling: str
    inner: str
    set_of: str
    brackets: str
    open_fence: str
    interval_closed: str
    interval_open: str
    interval_left_open: str
    interval_right_open: str
    list_joint: str
    pause: str
    derivative: str
    derivative_of: str
    derivative_n: str
    derivative_n_of: str
    partial: str
    partial_of: str
    partial_n: str
    partial_n_of: str
    matrix: str
    determinant: str
    column_vector: str
    row_vector: str
    matrix_row: str
    cases: str
    system: str
    case: str


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitWords:
    """Units: `names` holds two forms (after one, after any other number), `below` what is said after "per".

    `below` needs only what differs from `names`. `quantity` has templates of whole quantities by their units
    as `m/s^2` writes them.
    """

    names: Mapping[str, tuple[str, str]]
    below: Mapping[str, str]
    quantity: Mapping[str, str]
    default: str
    power_2: str
    power_3: str
    per: str
    product: str
    inverse: str
    squared_below: str
    cubed_below: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CurrencyWords:
    """A currency's unit and its hundredth, each after one and after any other number; no hundredth: empty."""

    unit: tuple[str, str]
    cent: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MoneyWords:
    """Prices; `{number}`, `{unit}`, `{cents}`, `{cent}`, `{low}`, `{high}`, `{price}`, `{per}`."""

    currencies: Mapping[str, CurrencyWords]
    amount: str
    with_cents: str
    cents_alone: str
    range: str
    negative: str
    per: str
    pers: Mapping[str, str]
    more_than: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ChemistryWords:
    """Chemical formulas; elements and counts are said in the order that they are written."""

    charge_plus: str
    charge_minus: str
    charge_n_plus: str
    charge_n_minus: str
    isotope: str
    isotope_atomic: str
    states: Mapping[str, str]
    arrows: Mapping[str, str]
    arrow_with: str
    heat: str
    marks: Mapping[str, str]
    open_group: str
    close_group: str
    counts: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """What is said in place of what has no sound."""

    link: str
    code: str
    table: str
    spoiler: str
    image: str
    file: str
    header_cell: str
    command: str
    someone: str
    some_role: str
    some_channel: str
    sentence_end: str
    clause_end: str
    list_number: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MomentWords:
    """Moments: names of week days from Monday, templates, and periods (after one, after any other number)."""

    weekdays: tuple[str, str, str, str, str, str, str]
    weekday_date: str
    date_time: str
    ago: str
    ahead: str
    now: str
    periods: Mapping[str, tuple[str, str]]
    period: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalePack:
    """One language, by its primary BCP 47 subtag."""

    tag: str
    numbers: NumberWords
    prose: ProseWords
    maths: MathsWords
    units: UnitWords
    money: MoneyWords
    chemistry: ChemistryWords
    notices: Notices
    moments: MomentWords
    finders: tuple[Finder, ...]
    spaces_words: bool
    no_space_after: str
    join: Callable[[list[str]], str]
    finish: Callable[[str], str]


class LocalePacks:
    """The languages that can be read; a language without a pack reads in English."""

    def __init__(self, *packs: LocalePack) -> None:
        self._packs = {pack.tag: pack for pack in packs}

    def register(self, pack: LocalePack) -> None:
        """Adds a language, or changes one, for every later reading."""
        self._packs[pack.tag] = pack

    def pack(self, language: str) -> LocalePack:
        """The pack of a BCP 47 tag: the whole tag first, then its primary subtag, then English."""
        return self._packs.get(language) or self._packs.get(base_language(language)) or self._packs[FALLBACK]

    def speaks(self, language: str) -> bool:
        """Whether a pack of its own reads this language."""
        return language in self._packs or base_language(language) in self._packs

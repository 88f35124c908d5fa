"""What is found in running text that is not said as it is written: a closed union of values."""

from dataclasses import dataclass

from voice.speech_text.maths.tree import Unit
from voice.speech_text.numerals import Numeral


@dataclass(frozen=True, slots=True, kw_only=True)
class Cardinal:
    """A number; `before` and `after` are the words around it, which may decide its form (counters, sizes)."""

    numeral: Numeral
    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Digits to be said one by one, in groups: a telephone number, a code with leading zeros."""

    groups: tuple[str, ...]
    plus: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Ordinal:
    """A place in a row (`3rd`)."""

    value: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Year:
    """A year of the common era; `decade` is `1990s`."""

    value: int
    decade: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Date:
    """A day or month of the calendar."""

    month: int
    year: int | None = None
    day: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeOfDay:
    """A time of the clock; `half` is `am`, `pm` or empty for the 24-hour clock."""

    hour: int
    minute: int = 0
    second: int | None = None
    half: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """A fraction written with a slash or as one sign, with a whole number before it where there is one."""

    numerator: int
    denominator: int
    whole: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Proportion:
    """`3:1`, or a score."""

    left: Numeral
    right: Numeral


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """A number, or a range of them, with units; without a number the units alone."""

    low: Numeral | None
    units: tuple[Unit, ...]
    high: Numeral | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """`3-5`; `years` where both are years."""

    low: Numeral
    high: Numeral
    years: bool = False
    after: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """`v1.2.3`: numbers with points between them."""

    parts: tuple[str, ...]
    marked: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Roman:
    """A Roman number; `ordinal` after a ruler's name."""

    value: int
    ordinal: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Scaled:
    """`3.5M`, `10k`: a number with a letter for thousands, millions or billions."""

    numeral: Numeral
    scale: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    """A sign that stands for a word, by its canonical name (`percent`, `and`, `number`, `plus`)."""

    name: str


ProseSpan = (
    Cardinal
    | Digits
    | Ordinal
    | Year
    | Date
    | TimeOfDay
    | Ratio
    | Proportion
    | Measure
    | Range
    | Version
    | Roman
    | Scaled
    | Sign
)

"""English numbers in American usage: no "and" after the hundreds."""

from typing import Final

from voice.speech_text.numerals import SCALE_ZEROS, Numeral

_SMALL_WORDS: Final = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_SMALL: Final = _SMALL_WORDS.split()
_TENS: Final = ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_SCALES: Final = (
    "",
    "thousand",
    "million",
    "billion",
    "trillion",
    "quadrillion",
    "quintillion",
    "sextillion",
)
_ORDINALS: Final = {
    "one": "first", "two": "second", "three": "third", "five": "fifth", "eight": "eighth", "nine": "ninth",
    "twelve": "twelfth",
}  # fmt: skip
_LETTERS: Final = {"K": "thousand", "M": "million", "B": "billion", "T": "trillion", "x": "times"}


def cardinal(value: int) -> str:
    """A whole number as words."""
    if value < 0:
        return "minus " + cardinal(-value)
    if value < 20:
        return _SMALL[value]
    if value < 100:
        tens, one = divmod(value, 10)
        return _TENS[tens] + (f"-{_SMALL[one]}" if one else "")
    if value < 1000:
        hundreds, rest = divmod(value, 100)
        return f"{_SMALL[hundreds]} hundred" + (f" {cardinal(rest)}" if rest else "")
    groups: list[str] = []
    scale = 0
    while value:
        value, group = divmod(value, 1000)
        if group:
            groups.append(f"{cardinal(group)} {_SCALES[scale]}".strip())
        scale += 1
    return " ".join(reversed(groups))


def year(value: int) -> str:
    """A year as it is said: "nineteen oh five", "two thousand nine", "twenty twenty-six"."""
    hundreds, rest = divmod(value, 100)
    if value < 1000 or 2000 <= value <= 2009 or (not rest and not hundreds % 10):
        return cardinal(value)
    if not rest:
        return f"{cardinal(hundreds)} hundred"
    return f"{cardinal(hundreds)} {'oh ' if rest < 10 else ''}{cardinal(rest)}"


class EnglishNumbers:
    """`NumberWords` of English."""

    needs_scale_twice = False

    def number(self, value: Numeral) -> str:
        whole = value.value
        if whole is not None:
            return cardinal(whole)
        sign = "minus " if value.negative else ""
        head = Numeral(whole=value.whole).value
        said = cardinal(head) if head is not None else self.digits(value.whole)
        return sign + said + (f" point {self.digits(value.fraction)}" if value.fraction else "")

    def counted(self, value: Numeral) -> str:
        return self.number(value)

    def digits(self, digits: str) -> str:
        return " ".join(_SMALL[int(digit)] for digit in digits)

    def ordinal(self, value: int) -> str:
        said = cardinal(value)
        head, joint, last = said.rpartition("-") if "-" in said.split(" ")[-1] else said.rpartition(" ")
        if last in _ORDINALS:
            last = _ORDINALS[last]
        elif last.endswith("y"):
            last = last[:-1] + "ieth"
        else:
            last += "th"
        return head + joint + last

    def scaled(self, value: Numeral, scale: str) -> str:
        if scale in _LETTERS:
            return f"{self.number(value)} {_LETTERS[scale]}"
        zeros = SCALE_ZEROS.get(scale, 0) - len(value.fraction)
        if zeros < 0:
            return self.number(value)
        return self.number(Numeral(whole=(value.whole + value.fraction + "0" * zeros).lstrip("0") or "0"))


def fraction(above: int, below: int) -> str:
    """A fraction of two small whole numbers: "three quarters", "five sixteenths"."""
    numbers = EnglishNumbers()
    if below > 100 or (below > 20 and below % 10 and above > 1):
        return f"{cardinal(above)} over {cardinal(below)}"
    name = {2: "half", 4: "quarter"}.get(below) or numbers.ordinal(below)
    if above != 1:
        name = "halves" if below == 2 else name + "s"
    return f"{cardinal(above)} {name}"

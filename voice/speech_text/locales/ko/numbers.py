"""Korean numbers: Sino-Korean for amounts, native numbers before their counters."""

from typing import Final

from voice.speech_text.numerals import SCALE_ZEROS, Numeral

DIGITS: Final = "영일이삼사오육칠팔구"
_PLACES: Final = ("", "십", "백", "천")
_GROUPS: Final = ("", "만", "억", "조", "경", "해")
_ONES: Final = ("", "한", "두", "세", "네", "다섯", "여섯", "일곱", "여덟", "아홉")
_TENS: Final = ("", "열", "스물", "서른", "마흔", "쉰", "예순", "일흔", "여든", "아흔")


def _group(value: int) -> str:
    said = ""
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if digit:
            said += ("" if digit == 1 and place else DIGITS[digit]) + _PLACES[place]
    return said


def cardinal(value: int) -> str:
    """A whole number in Sino-Korean, with a space after 만 and the higher groups."""
    if value < 0:
        return "마이너스 " + cardinal(-value)
    if not value:
        return "영"
    parts: list[str] = []
    place = 0
    while value:
        value, group = divmod(value, 10_000)
        if group:
            bare = group == 1 and place == 1 and not value
            parts.append(("" if bare else _group(group)) + _GROUPS[place])
        place += 1
    return " ".join(reversed(parts))


def native(value: int) -> str:
    """A number before a counter, 1 to 99 in native words: 한, 스무, 스물한."""
    if not 1 <= value <= 99:
        return cardinal(value)
    if value == 20:
        return "스무"
    tens, one = divmod(value, 10)
    return _TENS[tens] + _ONES[one]


class KoreanNumbers:
    """`NumberWords` of Korean."""

    needs_scale_twice = True

    def number(self, value: Numeral) -> str:
        whole = value.value
        if whole is not None:
            return cardinal(whole)
        head = Numeral(whole=value.whole).value
        said = cardinal(head) if head is not None else self.digits(value.whole)
        fraction = "".join(DIGITS[int(digit)] for digit in value.fraction)
        return ("마이너스 " if value.negative else "") + said + (f" 점 {fraction}" if fraction else "")

    def counted(self, value: Numeral) -> str:
        return self.number(value)

    def digits(self, digits: str) -> str:
        return "".join("공" if digit == "0" else DIGITS[int(digit)] for digit in digits)

    def ordinal(self, value: int) -> str:
        return ("첫" if value == 1 else native(value)) + " 번째"

    def scaled(self, value: Numeral, scale: str) -> str:
        if scale == "x":
            whole = value.value
            return (native(whole) if whole is not None else self.number(value)) + " 배"
        zeros = SCALE_ZEROS.get(scale, 0) - len(value.fraction)
        if zeros < 0:
            return self.number(value) + scale
        digits = (value.whole + value.fraction + "0" * zeros).lstrip("0") or "0"
        return self.number(Numeral(whole=digits, negative=value.negative))


def fraction(above: int, below: int) -> str:
    """이분의 일."""
    return f"{cardinal(below)}분의 {cardinal(above)}"

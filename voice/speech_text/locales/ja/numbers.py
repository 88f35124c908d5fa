"""Japanese numbers in kanji: no 一 before 十, 百 and 千 but before 万; 零点五 for 0.5."""

from typing import Final

from voice.speech_text.numerals import SCALE_ZEROS, Numeral

DIGITS: Final = "零一二三四五六七八九"
_SPOKEN: Final = ["ゼロ", "一", "二", "三", "四", "五", "六", "七", "八", "九"]
_PLACES: Final = ("", "十", "百", "千")
_GROUPS: Final = ("", "万", "億", "兆", "京", "垓")


def _group(value: int, *, higher: bool) -> str:
    """1 to 9999; before 万 and above a thousand is 一千."""
    said = ""
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if not digit:
            continue
        bare = digit == 1 and place and not (higher and place == 3 and value < 2000)
        said += ("" if bare else DIGITS[digit]) + _PLACES[place]
    return said


def cardinal(value: int) -> str:
    """A whole number as words."""
    if value < 0:
        return "マイナス" + cardinal(-value)
    if not value:
        return "ゼロ"
    said = ""
    place = 0
    while value:
        value, group = divmod(value, 10_000)
        if group:
            said = _group(group, higher=place > 0) + _GROUPS[place] + said
        place += 1
    return said


class JapaneseNumbers:
    """`NumberWords` of Japanese."""

    needs_scale_twice = True

    def number(self, value: Numeral) -> str:
        whole = value.value
        if whole is not None:
            return cardinal(whole)
        head = Numeral(whole=value.whole).value
        said = (
            "零"
            if head == 0 and value.fraction
            else cardinal(head)
            if head is not None
            else self.digits(value.whole)
        )
        fraction = "".join(DIGITS[int(digit)] for digit in value.fraction)
        return ("マイナス" if value.negative else "") + said + (f"点{fraction}" if fraction else "")

    def counted(self, value: Numeral) -> str:
        return self.number(value)

    def digits(self, digits: str) -> str:
        return "".join(_SPOKEN[int(digit)] for digit in digits)

    def ordinal(self, value: int) -> str:
        return cardinal(value) + "番目"

    def scaled(self, value: Numeral, scale: str) -> str:
        if scale == "x":
            return self.number(value) + "倍"
        zeros = SCALE_ZEROS.get(scale, 0) - len(value.fraction)
        if zeros < 0:
            return self.number(value) + scale
        whole = (value.whole + value.fraction + "0" * zeros).lstrip("0") or "0"
        return self.number(Numeral(whole=whole, negative=value.negative))


def fraction(above: int, below: int) -> str:
    """二分の一."""
    return f"{cardinal(below)}分の{cardinal(above)}"

"""Chinese numbers: groups of four digits, "两" before 千, 万, 亿 and measure words."""

from typing import Final

from voice.speech_text.numerals import SCALE_ZEROS, Numeral

DIGITS: Final = "零一二三四五六七八九"
_PLACES: Final = ("", "十", "百", "千")
_GROUPS: Final = ("", "万", "亿", "万亿", "亿亿", "万亿亿")


def _group(value: int) -> str:
    """1 to 9999; an empty place between digits is one 零."""
    said, gap = "", False
    for place in (3, 2, 1, 0):
        digit = value // 10**place % 10
        if not digit:
            gap = bool(said)
            continue
        name = "两" if digit == 2 and place == 3 else DIGITS[digit]
        said += ("零" if gap else "") + name + _PLACES[place]
        gap = False
    return said


def cardinal(value: int) -> str:
    """A whole number as words."""
    if value < 0:
        return "负" + cardinal(-value)
    if not value:
        return "零"
    parts: list[tuple[int, int]] = []
    scale = 0
    while value:
        value, group = divmod(value, 10_000)
        parts.append((group, scale))
        scale += 1
    said, gap = "", False
    for group, place in reversed(parts):
        if not group:
            gap = bool(said)
            continue
        name = "两" if group == 2 and place else _group(group)
        said += (
            ("零" if said and (gap or group < 1000) else "") + name + _GROUPS[min(place, len(_GROUPS) - 1)]
        )
        gap = False
    return said.removeprefix("一") if said.startswith("一十") else said


def one_by_one(digits: str) -> str:
    """Digits as they stand: a year, a code."""
    return "".join(DIGITS[int(digit)] for digit in digits)


class ChineseNumbers:
    """`NumberWords` of Chinese."""

    needs_scale_twice = True

    def number(self, value: Numeral) -> str:
        whole = value.value
        if whole is not None:
            return cardinal(whole)
        head = Numeral(whole=value.whole).value
        said = cardinal(head) if head is not None else one_by_one(value.whole)
        return (
            ("负" if value.negative else "")
            + said
            + (f"点{one_by_one(value.fraction)}" if value.fraction else "")
        )

    def counted(self, value: Numeral) -> str:
        if value.whole == "2" and not value.fraction:
            return "负两" if value.negative else "两"
        return self.number(value)

    def digits(self, digits: str) -> str:
        return one_by_one(digits)

    def ordinal(self, value: int) -> str:
        return "第" + cardinal(value)

    def scaled(self, value: Numeral, scale: str) -> str:
        if scale == "x":
            return self.counted(value) + "倍"
        zeros = SCALE_ZEROS.get(scale, 0) - len(value.fraction)
        if zeros < 0:
            return self.number(value) + scale
        whole = (value.whole + value.fraction + "0" * zeros).lstrip("0") or "0"
        return self.number(Numeral(whole=whole, negative=value.negative))


def fraction(above: int, below: int) -> str:
    """二分之一."""
    return f"{cardinal(below)}分之{cardinal(above)}"

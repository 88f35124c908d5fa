"""A number with units as words: the order of words is the pack's, shared by formulas and prose."""

from typing import Final

from voice.speech_text.locale_pack import UnitWords
from voice.speech_text.maths.tree import Unit

_TIMES: Final = frozenset({"s", "ms", "min", "h"})


def say_measure(number: str, units: tuple[Unit, ...], words: UnitWords, *, is_one: bool) -> str:
    """`number` is spoken already; it is empty where units stand alone, which are then said as of many."""
    whole = words.quantity.get(written(units))
    if whole is not None and number:
        return whole.format(number=number)
    above = [unit for unit in units if not unit.per]
    below = [unit for unit in units if unit.per]
    said = ""
    for place, unit in enumerate(above):
        name = _above(unit, words, singular=is_one or place < len(above) - 1)
        said = words.product.format(left=said, right=name) if said else name
    for unit in below:
        said = (words.per if said else words.inverse).format(left=said, right=_below(unit, words))
    return words.default.format(number=number, unit=said).strip()


def written(units: tuple[Unit, ...]) -> str:
    """Units as plain text: `kg·m/s^2`."""
    out = ""
    for unit in units:
        joint = "/" if unit.per else "·" if out else ""
        out += f"{joint}{unit.symbol}" + (f"^{unit.power}" if unit.power > 1 else "")
    return out


def _above(unit: Unit, words: UnitWords, *, singular: bool) -> str:
    names = words.names.get(unit.symbol, (unit.symbol, unit.symbol))
    name = names[0] if singular else names[1]
    if unit.power == 1:
        return name
    return (words.power_2 if unit.power == 2 else words.power_3).format(unit=name)


def _below(unit: Unit, words: UnitWords) -> str:
    name = words.below.get(unit.symbol) or words.names.get(unit.symbol, (unit.symbol,))[0]
    if unit.power == 1:
        return name
    if unit.symbol in _TIMES:
        return (words.squared_below if unit.power == 2 else words.cubed_below).format(unit=name)
    return (words.power_2 if unit.power == 2 else words.power_3).format(unit=name)

"""A number with units as words: the order of words is the pack's, shared by formulas and prose."""

from voice.speech_text.locale_pack import UnitWords
from voice.speech_text.maths.tree import Unit


def say_measure(number: str, units: tuple[Unit, ...], words: UnitWords, *, is_one: bool) -> str:
    """`number` is spoken already; it is empty where units stand alone, which are then said as of many."""
    if len(units) == 1 and units[0].symbol in words.quantity and units[0].power == 1 and not units[0].per:
        return words.quantity[units[0].symbol].format(number=number, s="" if is_one else "s").strip()
    above = [unit for unit in units if not unit.per]
    below = [unit for unit in units if unit.per]
    said = ""
    for place, unit in enumerate(above):
        name = _name(unit, words, singular=is_one or place < len(above) - 1)
        said = words.product.format(left=said, right=name) if said else name
    for unit in below:
        name = _name(unit, words, singular=True)
        said = (words.per if said else words.inverse).format(left=said, right=name)
    return words.default.format(number=number, unit=said).strip()


def _name(unit: Unit, words: UnitWords, *, singular: bool) -> str:
    names = words.names.get(unit.symbol, (unit.symbol, unit.symbol))
    name = names[0] if singular else names[1]
    if unit.power == 1:
        return name
    if unit.per and unit.symbol in ("s", "min", "h"):
        return (words.squared_below if unit.power == 2 else words.cubed_below).format(unit=name)
    return (words.power_2 if unit.power == 2 else words.power_3).format(unit=name)

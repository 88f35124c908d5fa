"""The commands of the LaTeX package siunitx: numbers, units, angles and ranges."""

import re
from typing import Final

from voice.speech_text.maths.tree import Node, Number, Quantity, Role, Row, Scripted, Symbol, Unit
from voice.speech_text.numerals import NUMERAL, Numeral, numeral
from voice.speech_text.units import parse_units

SIUNITX: Final = {
    "SI": 2, "qty": 2, "si": 1, "unit": 1, "num": 1, "ang": 1, "SIrange": 3, "qtyrange": 3, "numrange": 2,
}  # fmt: skip
"""Number of arguments of each command."""

_NAMED: Final = {
    "meter": "m", "metre": "m", "gram": "g", "second": "s", "ampere": "A", "kelvin": "K", "mole": "mol",
    "candela": "cd", "hertz": "Hz", "newton": "N", "pascal": "Pa", "joule": "J", "watt": "W", "coulomb": "C",
    "volt": "V", "farad": "F", "ohm": "Ω", "tesla": "T", "weber": "Wb", "henry": "H", "liter": "L",
    "litre": "L",
    "minute": "min", "hour": "h", "day": "d", "degreeCelsius": "°C", "celsius": "°C", "degree": "°",
    "percent": "%",
    "electronvolt": "eV", "bar": "bar", "tonne": "t", "hectare": "ha", "decibel": "dB", "becquerel": "Bq",
    "lumen": "lm", "lux": "lx", "radian": "rad", "bit": "bit", "byte": "B", "kilogram": "kg", "siemens": "S",
    "arcminute": "′", "arcsecond": "″",
}  # fmt: skip
_NAMED_PREFIXES: Final = {
    "kilo": "k", "mega": "M", "giga": "G", "tera": "T", "milli": "m", "micro": "µ", "nano": "n", "pico": "p",
    "centi": "c", "deci": "d", "hecto": "h", "deca": "da", "femto": "f", "peta": "P",
}  # fmt: skip
_TOKEN: Final = re.compile(r"\\([A-Za-z]+)|\^\{?(-?\d)\}?|([^\\^]+)")
_SCIENTIFIC: Final = re.compile(rf"\s*([+-]?{NUMERAL})\s*(?:[eE]\s*([+-]?\d+))?\s*$")


def units_of_text(text: str) -> tuple[Unit, ...]:
    """The units that upright letters in a formula write, or nothing."""
    return parse_units(re.sub(r"\^\{(-?\d)\}", r"^\1", text).replace("\\,", " ").replace("\\cdot", "·"))


def siunitx_node(command: str, arguments: list[str]) -> Node:
    """What one siunitx command writes."""
    match command:
        case "si" | "unit":
            return Quantity(number=None, units=_units(arguments[0]))
        case "num":
            return _number(arguments[0])
        case "ang":
            return _angle(arguments[0])
        case "SIrange" | "qtyrange" | "numrange":
            units = _units(arguments[2]) if len(arguments) > 2 else ()
            through = Symbol(name="range", role=Role.OPERATOR)
            parts = (_number(arguments[0]), through, _number(arguments[1]))
            return Quantity(number=Row(items=parts), units=units)
        case _:
            return Quantity(number=_number(arguments[0]), units=_units(arguments[1]))


def _number(text: str) -> Node:
    match = _SCIENTIFIC.match(text.replace("\u2212", "-"))
    if match is None:
        from_digits = re.search(NUMERAL, text)
        return Number(numeral=numeral(from_digits.group())) if from_digits else Row(items=())
    mantissa = _signed(match.group(1))
    if match.group(2) is None:
        return mantissa
    power = Scripted(nucleus=Number(numeral=Numeral(whole="10")), sup=_signed(match.group(2)))
    return Row(items=(mantissa, Symbol(name="times", role=Role.OPERATOR), power))


def _signed(text: str) -> Node:
    number = Number(numeral=numeral(text.lstrip("+-")))
    return Row(items=(Symbol(name="minus", role=Role.OPERATOR), number)) if text.startswith("-") else number


def _angle(text: str) -> Node:
    signs = ("°", "′", "″")
    parts = [part.strip() for part in text.split(";")[:3]]
    made = [
        Quantity(number=_number(part), units=(Unit(symbol=sign),))
        for part, sign in zip(parts, signs, strict=False)
        if part
    ]
    return made[0] if len(made) == 1 else Row(items=tuple(made))


def _units(text: str) -> tuple[Unit, ...]:
    r"""Units by siunitx's names (`\kilo\meter\per\second`) or by symbols (`km/s`, `m.s^{-1}`)."""
    if "\\" not in text:
        return units_of_text(text.replace(".", "·").replace("~", " "))
    units: list[Unit] = []
    prefix, per, power = "", False, 1
    for name, exponent, rest in _TOKEN.findall(text):
        if exponent and units:
            last = units[-1]
            count = int(exponent)
            units[-1] = Unit(symbol=last.symbol, power=abs(count), per=last.per != (count < 0))
        elif name == "per":
            per = True
        elif name in ("squared", "cubed") and units:
            last = units[-1]
            units[-1] = Unit(symbol=last.symbol, power=2 if name == "squared" else 3, per=last.per)
        elif name in ("square", "cubic"):
            power = 2 if name == "square" else 3
        elif name in _NAMED_PREFIXES:
            prefix = _NAMED_PREFIXES[name]
        elif name in _NAMED:
            units.append(Unit(symbol=prefix + _NAMED[name], power=power, per=per))
            prefix, per, power = "", False, 1
        elif not name:
            units += units_of_text(rest.strip(" .~{}"))
    return tuple(units)

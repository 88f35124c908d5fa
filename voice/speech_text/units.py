"""Units of measure by their symbols: `km/h`, `m/s²`, `GB`; finding alone, the packs say them.

Sources: the SI brochure (BIPM, 9th edition), IEC 80000-13 for bytes, and the customary units of everyday
prose. A unit is a prefix and a base; which prefixes a base takes is its set below, so that `Tb` or `kft` is
no unit.
"""

import re
from functools import lru_cache
from typing import Final

from voice.speech_text.maths.tree import Unit

PREFIXES: Final = (
    "da",
    "Ki",
    "Mi",
    "Gi",
    "Ti",
    "k",
    "M",
    "G",
    "T",
    "P",
    "m",
    "µ",
    "n",
    "p",
    "f",
    "c",
    "d",
    "h",
)

_TAKES: Final = {
    "m": "k m µ n p f c d",
    "g": "k m µ n",
    "s": "m µ n p f",
    "A": "k m µ n",
    "K": "m µ",
    "mol": "m µ n k",
    "Hz": "k M G T",
    "N": "k M m",
    "Pa": "k M G h",
    "J": "k M G m",
    "W": "k M G T m µ",
    "V": "k M m µ",
    "F": "m µ n p",
    "Ω": "k M m",
    "T": "m µ",
    "C": "m µ n",
    "L": "m µ c d",
    "l": "m c d",
    "eV": "k M G T m",
    "B": "k M G T P Ki Mi Gi Ti",
    "b": "k M G T",
    "bit": "k M G",
    "cal": "k",
    "Wh": "k M G T",
    "Ah": "m k",
    "bar": "m",
    "Bq": "k M G",
    "Sv": "m µ",
    "bps": "k M G T",
    "t": "",
    "H": "m µ",
    "S": "m µ",
}
_ALONE_WORDS: Final = (
    "min h d cd Wb lm lx rad sr ha dB mph kph fps dpi ppi ppm rpm psi atm ft in mi yd lb lbs oz gal "
    "mmHg px pt em °C °F ° % ‰ sq pH hr hrs sec mins secs yr"
)
_ALONE: Final = _ALONE_WORDS.split()
_ALIASES: Final = {
    "μ": "µ", "ohm": "Ω", "Ohm": "Ω", "l": "L", "lbs": "lb", "hr": "h", "hrs": "h", "sec": "s", "secs": "s",
    "mins": "min",
    "KB": "kB", "Kb": "kb", "K": "K", "℃": "°C", "℉": "°F", "Mbps": "Mbps", "kph": "km/h", "ml": "mL",
    "dl": "dL",
    "cl": "cL", "bit": "b", "㎏": "kg", "㎞": "km", "㎝": "cm", "㎜": "mm", "㎡": "m²",
}  # fmt: skip

UNIT_SYMBOLS: Final = frozenset(
    list(_TAKES)
    + [prefix + base for base, prefixes in _TAKES.items() for prefix in prefixes.split()]
    + _ALONE
    + list(_ALIASES)
)
_POWERS: Final = {
    "²": 2,
    "³": 3,
    "^2": 2,
    "^3": 3,
    "⁻¹": -1,
    "⁻²": -2,
    "⁻³": -3,
    "^-1": -1,
    "^-2": -2,
    "^-3": -3,
    "": 1,
}
_POWER: Final = r"(?:\^-?[123]|⁻?[¹²³])?"
_SYMBOL: Final = (
    "(?:" + "|".join(re.escape(symbol) for symbol in sorted(UNIT_SYMBOLS, key=len, reverse=True)) + ")"
)
_JOINT: Final = r"(?:[/·⋅*]|(?<=[A-Za-z]) (?=[A-Za-z]{1,3}(?:⁻|\^-)))"
UNIT: Final = rf"{_SYMBOL}{_POWER}(?:{_JOINT}{_SYMBOL}{_POWER})*(?![A-Za-z0-9]|[²³^])"
"""Pattern of a product or quotient of units."""

_FACTOR: Final = re.compile(rf"([/·⋅* ]?)({_SYMBOL})({_POWER})")
_WHOLE: Final = re.compile(UNIT + r"$")


@lru_cache(maxsize=512)
def parse_units(text: str) -> tuple[Unit, ...]:
    """The units of a match of `UNIT`; nothing for any other text."""
    if len(text) > 40 or not _WHOLE.match(text):
        return ()
    units: list[Unit] = []
    below = False
    for joint, written, power in _FACTOR.findall(text):
        below = below or joint == "/"
        count = _POWERS.get(power.replace("¹", "¹"), 1)
        symbol = str(_ALIASES.get(written, written.replace("μ", "µ")))
        if symbol == "km/h":
            units += [Unit(symbol="km"), Unit(symbol="h", per=True)]
        elif symbol == "m²":
            units.append(Unit(symbol="m", power=2))
        else:
            units.append(Unit(symbol=symbol, power=abs(count), per=below != (count < 0)))
    return tuple(units)

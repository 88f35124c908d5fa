"""English names of units."""

from typing import Final

from voice.speech_text.locale_pack import UnitWords

_PREFIXES: Final = {
    "k": "kilo", "M": "mega", "G": "giga", "T": "tera", "P": "peta", "m": "milli", "µ": "micro", "n": "nano",
    "p": "pico", "f": "femto", "c": "centi", "d": "deci", "h": "hecto", "da": "deca", "Ki": "kibi",
    "Mi": "mebi",
    "Gi": "gibi", "Ti": "tebi",
}  # fmt: skip
_BASES: Final = {
    "m": "meter", "g": "gram", "s": "second", "A": "ampere", "K": "kelvin", "mol": "mole", "Hz": "hertz",
    "N": "newton",
    "Pa": "pascal", "J": "joule", "W": "watt", "V": "volt", "F": "farad", "Ω": "ohm", "T": "tesla",
    "C": "coulomb",
    "L": "liter", "eV": "electronvolt", "B": "byte", "b": "bit", "cal": "calorie", "Wh": "watt-hour",
    "Ah": "ampere-hour",
    "bar": "bar", "Bq": "becquerel", "Sv": "sievert", "t": "tonne", "H": "henry", "S": "siemens",
}  # fmt: skip
_SAME: Final = frozenset({"hertz", "siemens", "lux"})
_ALONE: Final = {
    "min": ("minute", "minutes"), "h": ("hour", "hours"), "d": ("day", "days"), "cd": ("candela", "candelas"),
    "Wb": ("weber", "webers"), "lm": ("lumen", "lumens"), "lx": ("lux", "lux"), "rad": ("radian", "radians"),
    "sr": ("steradian", "steradians"), "ha": ("hectare", "hectares"), "dB": ("decibel", "decibels"),
    "mmHg": ("millimeter of mercury", "millimeters of mercury"),
    "fps": ("frame per second", "frames per second"),
    "dpi": ("dot per inch", "dots per inch"), "ppi": ("pixel per inch", "pixels per inch"),
    "ppm": ("part per million", "parts per million"),
    "rpm": ("revolution per minute", "revolutions per minute"),
    "psi": ("pound per square inch", "pounds per square inch"), "atm": ("atmosphere", "atmospheres"),
    "ft": ("foot", "feet"), "in": ("inch", "inches"), "mi": ("mile", "miles"), "yd": ("yard", "yards"),
    "lb": ("pound", "pounds"), "oz": ("ounce", "ounces"), "gal": ("gallon", "gallons"),
    "px": ("pixel", "pixels"),
    "mph": ("mile per hour", "miles per hour"), "pt": ("point", "points"), "em": ("em", "ems"),
    "yr": ("year", "years"),
    "°C": ("degree Celsius", "degrees Celsius"), "°F": ("degree Fahrenheit", "degrees Fahrenheit"),
    "°": ("degree", "degrees"), "′": ("minute", "minutes"), "″": ("second", "seconds"),
    "%": ("percent", "percent"),
    "‰": ("per mille", "per mille"), "pH": ("pH", "pH"), "hPa": ("hecto pascal", "hecto pascals"),
    "kbps": ("kilobit per second", "kilobits per second"),
    "Mbps": ("megabit per second", "megabits per second"),
    "Gbps": ("gigabit per second", "gigabits per second"),
    "Tbps": ("terabit per second", "terabits per second"), "bps": ("bit per second", "bits per second"),
}  # fmt: skip


def _names() -> dict[str, tuple[str, str]]:
    names: dict[str, tuple[str, str]] = {}
    for base, name in _BASES.items():
        for prefix, before in {"": "", **_PREFIXES}.items():
            one = before + name
            names[prefix + base] = (one, one if name in _SAME else one + "s")
    return names | _ALONE


UNITS: Final = UnitWords(
    names=_names(),
    below={},
    quantity={},
    default="{number} {unit}",
    power_2="square {unit}",
    power_3="cubic {unit}",
    per="{left} per {right}",
    product="{left} {right}",
    inverse="per {right}",
    squared_below="{unit} squared",
    cubed_below="{unit} cubed",
)

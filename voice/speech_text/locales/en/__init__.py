"""English.

Conventions: numbers, dates and times in American usage (The Chicago Manual of Style, chapter 9); formulas
after ClearSpeak (ETS) and Chang's "Handbook for Spoken Mathematics"; chemistry as it is read out in class,
symbols by their letters and "yields" for the arrow (IUPAC Red Book, 2005, for the notation).
"""

import re
from typing import Final

from voice.speech_text.locale_pack import (
    ChemistryWords,
    CurrencyWords,
    LocalePack,
    MomentWords,
    MoneyWords,
    Notices,
)
from voice.speech_text.locales.en.maths import MATHS
from voice.speech_text.locales.en.numbers import EnglishNumbers
from voice.speech_text.locales.en.prose import FINDERS, EnglishProse
from voice.speech_text.locales.en.units import UNITS

_CENT: Final = ("cent", "cents")


def _dollars(country: str) -> CurrencyWords:
    return CurrencyWords(unit=(f"{country} dollar", f"{country} dollars"), cent=_CENT)


_CURRENCIES: Final = {
    "USD": CurrencyWords(unit=("dollar", "dollars"), cent=_CENT),
    "EUR": CurrencyWords(unit=("euro", "euros"), cent=_CENT),
    "GBP": CurrencyWords(unit=("pound", "pounds"), cent=("penny", "pence")),
    "¥": CurrencyWords(unit=("yen", "yen")),
    "JPY": CurrencyWords(unit=("yen", "yen")),
    "CNY": CurrencyWords(unit=("yuan", "yuan")),
    "KRW": CurrencyWords(unit=("won", "won")),
    "INR": CurrencyWords(unit=("rupee", "rupees"), cent=("paisa", "paise")),
    "RUB": CurrencyWords(unit=("ruble", "rubles"), cent=("kopeck", "kopecks")),
    "THB": CurrencyWords(unit=("baht", "baht")),
    "VND": CurrencyWords(unit=("dong", "dong")),
    "PHP": CurrencyWords(unit=("Philippine peso", "Philippine pesos")),
    "BTC": CurrencyWords(unit=("bitcoin", "bitcoins")),
    "ETH": CurrencyWords(unit=("ether", "ether")),
    "TRY": CurrencyWords(unit=("lira", "lira")),
    "UAH": CurrencyWords(unit=("hryvnia", "hryvnias")),
    "CHF": CurrencyWords(unit=("Swiss franc", "Swiss francs")),
    "SEK": CurrencyWords(unit=("Swedish krona", "Swedish kronor")),
    "NOK": CurrencyWords(unit=("Norwegian krone", "Norwegian kroner")),
    "DKK": CurrencyWords(unit=("Danish krone", "Danish kroner")),
    "PLN": CurrencyWords(unit=("zloty", "zlotys")),
    "BRL": CurrencyWords(unit=("real", "reais")),
    "MXN": CurrencyWords(unit=("Mexican peso", "Mexican pesos")),
    "CAD": _dollars("Canadian"),
    "AUD": _dollars("Australian"),
    "NZD": _dollars("New Zealand"),
    "HKD": _dollars("Hong Kong"),
    "TWD": _dollars("New Taiwan"),
    "SGD": _dollars("Singapore"),
}

_MONEY: Final = MoneyWords(
    currencies=_CURRENCIES,
    amount="{number} {unit}",
    with_cents="{number} {unit} and {cents} {cent}",
    cents_alone="{cents} {cent}",
    range="{low} to {high}",
    negative="minus {price}",
    per="{price} per {per}",
    pers={"each": "item", "lb": "pound", "gal": "gallon", "kg": "kilogram", "oz": "ounce", "GB": "gigabyte",
          "TB": "terabyte", "kWh": "kilowatt-hour", "页": "page"},
    more_than="{price} or more",
)  # fmt: skip

_CHEMISTRY: Final = ChemistryWords(
    charge_plus="plus",
    charge_minus="minus",
    charge_n_plus="{n} plus",
    charge_n_minus="{n} minus",
    isotope="{element} {mass}",
    isotope_atomic="{element} {mass}, atomic number {atomic},",
    states={"s": "solid", "l": "liquid", "g": "gas", "aq": "aqueous", "cr": "crystalline", "am": "amorphous"},
    arrows={
        "->": "yields", "<-": "is formed from", "<->": "is in resonance with",
        "<=>": "is in equilibrium with",
    },
    arrow_with="{arrow}, with {condition},",
    heat="heat",
    marks={
        "gas": "gas", "precipitate": "precipitate", "plus": "plus", "hydrate": "dot",
        "electron": "an electron",
        "-": "single bond", "=": "double bond", "#": "triple bond",
    },
    open_group="open",
    close_group="close",
    counts={},
)  # fmt: skip

_NOTICES: Final = Notices(
    link="link",
    code="There is code on the screen.",
    table="There is a table on the screen.",
    spoiler="There is a spoiler on the screen.",
    image="image",
    file="file",
    header_cell="{header}: {cell}",
    command="slash {name}",
    someone="someone",
    some_role="a role",
    some_channel="a channel",
    sentence_end=".",
    clause_end=",",
    list_number="{n}, {text}",
)

_MOMENTS: Final = MomentWords(
    weekdays=("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    weekday_date="{weekday}, {date}",
    date_time="{date}, at {time}",
    ago="{period} ago",
    ahead="in {period}",
    now="now",
    periods={
        name: (name, name + "s") for name in ("year", "month", "week", "day", "hour", "minute", "second")
    },
    period="{number} {unit}",
)


_NTH: Final = re.compile(r"(?<![A-Za-z])([A-Za-z])(?: |-| -)th(?![A-Za-z])")


def _join(pieces: list[str]) -> str:
    return " ".join(pieces).replace(" ,", ",").replace(" ;", ";")


def _finish(text: str) -> str:
    return (
        _NTH.sub(r"\1-th", text)
        .replace(";;", ";")
        .replace("; ;", ";")
        .replace(";,", ",")
        .replace(",,", ",")
        .replace(",.", ".")
        .replace(";.", ".")
    )


PACK: Final = LocalePack(
    tag="en",
    numbers=EnglishNumbers(),
    prose=EnglishProse(),
    maths=MATHS,
    units=UNITS,
    money=_MONEY,
    chemistry=_CHEMISTRY,
    notices=_NOTICES,
    moments=_MOMENTS,
    finders=FINDERS,
    no_space_after="([{\"'“‘（「『-",
    spaces_words=True,
    join=_join,
    finish=_finish,
)

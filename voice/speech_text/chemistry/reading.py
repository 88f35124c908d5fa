"""Chemical parts as words: symbols by their letters, as they are read out in class (SPEECH-7)."""

import re
from typing import TYPE_CHECKING, Final, assert_never

from voice.speech_text.chemistry.elements import is_element
from voice.speech_text.chemistry.mhchem import parse_chemistry
from voice.speech_text.chemistry.tree import (
    Arrow,
    Charge,
    Coefficient,
    Count,
    Element,
    Group,
    Isotope,
    Mark,
    Part,
    State,
    Words,
)
from voice.speech_text.numerals import Numeral

if TYPE_CHECKING:
    from voice.speech_text.locale_pack import LocalePack

_PLAIN: Final = re.compile(r"[A-Za-z0-9()\[\]\s+\-=]+")


def read_chemistry(source: str, pack: "LocalePack") -> str:
    r"""The words of the content of `\ce{...}`."""
    pieces = [_say(part, pack) for part in parse_chemistry(source)]
    return pack.join([piece for piece in pieces if piece])


def _say(part: Part, pack: "LocalePack") -> str:  # noqa: C901 - one case for each kind of part
    words = pack.chemistry
    match part:
        case Coefficient():
            return _coefficient(part, pack)
        case Element(symbol=symbol):
            return _letters(symbol)
        case Count(text=text):
            return words.counts.get(text) or (_number(text, pack) if text.isdigit() else text)
        case Group(opens=opens):
            return words.open_group if opens else words.close_group
        case Charge(amount=amount, negative=negative):
            return _charge(amount, negative, pack)
        case Isotope(mass=mass, atomic=atomic, symbol=symbol):
            template = words.isotope_atomic if atomic else words.isotope
            number = "-" in atomic and _number(atomic.strip("-"), pack, negative=True)
            atomic_said = number or (_number(atomic, pack) if atomic else "")
            return template.format(
                element=_letters(symbol), mass=_number(mass, pack), atomic=atomic_said
            ).strip()
        case State(name=name):
            return words.states.get(name, "")
        case Arrow():
            return _arrow(part, pack)
        case Mark(name=name):
            return words.marks.get(name, "")
        case Words(text=text):
            return pack.maths.greek.get(text, text)
        case _:
            assert_never(part)


def _coefficient(part: Coefficient, pack: "LocalePack") -> str:
    if part.numeral is None:
        return part.letter
    if part.denominator is not None:
        above, below = part.numeral.value, part.denominator.value
        return pack.maths.numeric_fraction(above, below) if above is not None and below else ""
    return pack.chemistry.counts.get(part.numeral.whole) or pack.numbers.number(part.numeral)


def _charge(amount: str, negative: bool | None, pack: "LocalePack") -> str:  # noqa: FBT001 - a sign, or none
    words = pack.chemistry
    said = words.counts.get(amount) or (_number(amount, pack) if amount.isdigit() else " ".join(amount))
    if negative is None:
        return said
    template = words.charge_minus if negative else words.charge_plus
    if amount:
        template = words.charge_n_minus if negative else words.charge_n_plus
    return template.format(n=said)


def _arrow(part: Arrow, pack: "LocalePack") -> str:
    words = pack.chemistry
    arrow = words.arrows.get(part.kind, words.arrows["->"])
    conditions = [_condition(text, pack) for text in (part.above, part.below) if text]
    if not conditions:
        return arrow
    return words.arrow_with.format(arrow=arrow, condition=pack.maths.list_joint.join(conditions))


def _condition(text: str, pack: "LocalePack") -> str:
    plain = text.strip("${} ").replace("\\text", "").strip("{}")
    if plain in ("\\Delta", "Δ", "\\triangle", "△"):
        return pack.chemistry.heat
    if _PLAIN.fullmatch(plain) and is_element(re.sub(r"[^A-Za-z].*", "", plain)[:2]):
        return read_chemistry(plain, pack)
    return plain.replace("\\", "")


def _letters(symbol: str) -> str:
    """A symbol as capitals, one by one: written `Na`, a voice would say a word."""
    return " ".join(symbol.upper())


def _number(digits: str, pack: "LocalePack", *, negative: bool = False) -> str:
    return pack.numbers.number(Numeral(whole=digits, negative=negative))

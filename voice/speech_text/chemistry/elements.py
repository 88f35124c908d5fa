"""The chemical elements by their symbols."""

from typing import Final

_ELEMENTS_WORDS: Final = (
    "H He Li Be B C N O F Ne Na Mg Al Si P S Cl Ar K Ca Sc Ti V Cr Mn Fe Co Ni Cu Zn Ga Ge As Se Br "
    "Kr Rb Sr Y Zr Nb Mo Tc Ru Rh Pd Ag Cd In Sn Sb Te I Xe Cs Ba La Ce Pr Nd Pm Sm Eu Gd Tb Dy Ho Er "
    "Tm Yb Lu Hf Ta W Re Os Ir Pt Au Hg Tl Pb Bi Po At Rn Fr Ra Ac Th Pa U Np Pu Am Cm Bk Cf Es Fm Md "
    "No Lr D T X R"
)
_ELEMENTS: Final = frozenset(_ELEMENTS_WORDS.split())


def is_element(symbol: str) -> bool:
    """Whether a symbol names a chemical element (or `D`, `T`, and the placeholders `R` and `X`)."""
    return symbol in _ELEMENTS

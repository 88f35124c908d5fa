"""Which list and which item is meant, and whether somebody really wants something gone (MEM-7). Pure.

Resolution: the exact name, then the only one that holds what was said, else the candidates go back. To empty
a list or to drop it, the person's own words of this turn must say so: what the model concludes is not enough.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from recipes.matching_rules import folded_text, has_keyword, is_unspaced

_T = TypeVar("_T")
_MOST_CANDIDATES: Final = 8

_DESTRUCTIVE: Final = (
    *("clear", "empty", "delete", "remove", "drop", "erase", "wipe", "discard", "throw away", "get rid of"),
    *("leere", "leeren", "lösche", "löschen", "entferne", "entfernen", "wegwerfen"),
    *("efface", "effacer", "supprime", "supprimer", "vide", "vider"),
    *("borra", "borrar", "elimina", "eliminar", "vacía", "vaciar"),
    *("清空", "删除", "删掉", "删了", "刪除", "清除", "去掉", "丢掉", "扔掉"),
    *("消して", "消す", "削除", "クリア", "空に", "捨て"),
    *("지워", "지우", "비워", "비우", "삭제", "없애"),
)
_NEGATIONS: Final = (
    *("don't", "don’t", "do not", "never", "not", "without"),
    *("nicht", "nie", "kein"),
    *("不要", "别", "別", "不用", "勿"),
    *("ないで", "しない", "지 마", "지마", "말고"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Found(Generic[_T]):
    """The one that is meant."""

    one: _T


@dataclass(frozen=True, slots=True, kw_only=True)
class Unclear:
    """Several could be meant: at most eight names to ask about."""

    candidates: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    """Nothing of that name: at most eight names that there are."""

    candidates: tuple[str, ...]


def resolve(said: str, among: Sequence[_T], name_of: Callable[[_T], str]) -> Found[_T] | Unclear | Missing:
    """The one of that name; else the only one whose name holds it."""
    wanted = folded_text(said)
    names = [(folded_text(name_of(one)), one) for one in among]
    exact = [one for name, one in names if name == wanted]
    if len(exact) == 1:
        return Found(one=exact[0])
    holding = exact or [one for name, one in names if wanted and wanted in name]
    if len(holding) == 1:
        return Found(one=holding[0])
    if holding:
        return Unclear(candidates=tuple(name_of(one) for one in holding[:_MOST_CANDIDATES]))
    return Missing(candidates=tuple(name_of(one) for one in among[:_MOST_CANDIDATES]))


def wants_destruction(text: str) -> bool:
    """Whether the person's words ask for something to be emptied or removed, and do not forbid it."""
    if not any(_says(text, word) for word in _DESTRUCTIVE):
        return False
    return not any(_says(text, word) for word in _NEGATIONS)


def _says(text: str, word: str) -> bool:
    return folded_text(word) in folded_text(text) if is_unspaced(word[0]) else has_keyword(text, word)

"""Korean endings after a formula: `x > 0이면` is said "x는 영보다 크면", not "크다이면".

A relation is read as a clause that ends in its plain form; what the writer put after the formula is a form of
이다, which the two join into one ending.
"""

import re
from typing import Final

_COPULAS: Final = ("이면", "일 때", "입니다", "이고", "이므로", "이라면", "인")
_FORMS: Final = {
    "크다": ("크면", "클 때", "큽니다", "크고", "크므로", "크다면", "큰"),
    "작다": ("작으면", "작을 때", "작습니다", "작고", "작으므로", "작다면", "작은"),
    "같다": ("같으면", "같을 때", "같습니다", "같고", "같으므로", "같다면", "같은"),
    "않다": ("않으면", "않을 때", "않습니다", "않고", "않으므로", "않다면", "않은"),
    "이다": ("이면", "일 때", "입니다", "이고", "이므로", "이라면", "인"),
    "아니다": ("아니면", "아닐 때", "아닙니다", "아니고", "아니므로", "아니라면", "아닌"),
    "한다": ("하면", "할 때", "합니다", "하고", "하므로", "한다면", "하는"),
    "하다": ("하면", "할 때", "합니다", "하고", "하므로", "하다면", "한"),
    "간다": ("가면", "갈 때", "갑니다", "가고", "가므로", "간다면", "가는"),
    "나눈다": ("나누면", "나눌 때", "나눕니다", "나누고", "나누므로", "나눈다면", "나누는"),
}
_ENDING: Final = re.compile(
    f"({'|'.join(sorted(_FORMS, key=len, reverse=True))})({'|'.join(_COPULAS[:-1])}|인(?= ))"
)
_JOINED: Final = {
    (verb, copula): form
    for verb, forms in _FORMS.items()
    for copula, form in zip(_COPULAS, forms, strict=True)
}


def with_endings(text: str) -> str:
    """The text with each clause and the copula after it joined."""
    return _ENDING.sub(lambda match: _JOINED[match[1], match[2]], text)

"""Which recipes a scene may use, and which of them a message invokes (REC-2). Pure.

A keyword is found as whole words, in any case and any width of letters. Chinese, Japanese and Korean put no
blanks between words: at an edge of such a keyword, and beside such a letter, no boundary is asked for.

`KeywordIndex` finds all keywords in one walk over the message, so that ten thousand recipes cost what ten do.
"""

import unicodedata
from collections.abc import Iterable
from typing import Final

from recipes.recipe import Everywhere, InDirectMessages, InGuild, Recipe, Scope

MODEL_DECIDES_STEPS: Final = """\
This recipe has no fixed steps. Decide from its purpose what this run does: choose one useful thing that \
fits now, do it, and say briefly what you did. If nothing fits now, do nothing and say so."""
"""The steps of a recipe whose runs the model shapes itself (REC-12)."""

_PREFIX = 2
_UNSPACED = (
    "CJK UNIFIED",
    "CJK COMPATIBILITY IDEOGRAPH",
    "HIRAGANA",
    "KATAKANA",
    "HANGUL",
    "BOPOMOFO",
    "IDEOGRAPHIC ITERATION",
)


def usable_recipes(recipes: Iterable[Recipe], scopes: Iterable[Scope]) -> tuple[Recipe, ...]:
    """The recipes that are enabled, approved, and of one of the scopes that hold in a scene."""
    holding = tuple(scopes)
    return tuple(
        recipe for recipe in recipes if recipe.enabled and recipe.approved and recipe.scope in holding
    )


def scopes_of(*, guild_id: str | None, direct_with: str | None) -> tuple[Scope, ...]:
    """The scopes that hold in a scene, the nearest first."""
    near: tuple[Scope, ...] = ()
    if guild_id is not None:
        near = (InGuild(guild_id=guild_id),)
    elif direct_with is not None:
        near = (InDirectMessages(user_id=direct_with),)
    return (*near, Everywhere())


def match_keyword_recipes(recipes: Iterable[Recipe], text: str) -> tuple[Recipe, ...]:
    """The recipes whose keyword stands in `text`, in the order in which their keywords stand there."""
    return KeywordIndex(recipes).match(text)


def is_background_recipe(recipe: Recipe) -> bool:
    """Whether it runs in a session of its own."""
    return recipe.background and recipe.decision is None


def is_auto_run_recipe(recipe: Recipe) -> bool:
    """Whether it is meant to start without a person (REC-12)."""
    return recipe.automation is not None or recipe.model_timed


def steps_of(recipe: Recipe) -> str:
    """The instructions of one run."""
    return recipe.steps.strip() or MODEL_DECIDES_STEPS


class KeywordIndex:
    """The keywords of recipes by their first letters. The earlier recipe wins where two share a keyword."""

    def __init__(self, recipes: Iterable[Recipe]) -> None:
        self._recipes: dict[str, list[Recipe]] = {}
        lengths: dict[str, set[int]] = {}
        for recipe in recipes:
            for keyword in recipe.keywords:
                folded = folded_text(keyword.strip())
                if not folded:
                    continue
                self._recipes.setdefault(folded, []).append(recipe)
                lengths.setdefault(folded[:_PREFIX], set()).add(len(folded))
        self._lengths = {prefix: sorted(found) for prefix, found in lengths.items()}

    def match(self, text: str) -> tuple[Recipe, ...]:
        """Each recipe once, by the place of its first keyword in `text`."""
        return tuple(recipe for _, recipe in self.find(folded_text(text)))

    def find(self, folded: str) -> list[tuple[int, Recipe]]:
        """The same with the places, in a text that is folded already."""
        found: dict[str, tuple[int, Recipe]] = {}
        if not self._lengths:
            return []
        for start in range(len(folded)):
            for size in (1, _PREFIX):
                prefix = folded[start : start + size]
                if len(prefix) < size:
                    continue
                for length in self._lengths.get(prefix, ()):
                    keyword = folded[start : start + length]
                    here = self._recipes.get(keyword)
                    if here is not None and _stands_alone(folded, start, start + length):
                        for recipe in here:
                            found.setdefault(recipe.id, (start, recipe))
        return list(found.values())


def folded_text(text: str) -> str:
    """`text` as it is compared: one form per letter, no case, blanks as single spaces."""
    compatible = unicodedata.normalize("NFKC", text)
    return " ".join(unicodedata.normalize("NFKC", compatible.casefold()).split())


def is_unspaced(character: str) -> bool:
    """Whether the character belongs to a script that is written without blanks, or glues endings to words."""
    if character < "\u1100":
        return False
    return unicodedata.name(character, "").startswith(_UNSPACED)


def _stands_alone(text: str, start: int, end: int) -> bool:
    return _is_boundary(text, start - 1, start) and _is_boundary(text, end, end - 1)


def _is_boundary(text: str, outside: int, edge: int) -> bool:
    """Whether a word can end between the keyword's letter at `edge` and its neighbour at `outside`."""
    if not 0 <= outside < len(text):
        return True
    neighbour, own = text[outside], text[edge]
    if not (_is_word(neighbour) and _is_word(own)):
        return True
    return is_unspaced(neighbour) or is_unspaced(own)


def _is_word(character: str) -> bool:
    return character.isalnum() or character == "_" or unicodedata.category(character).startswith("M")


def has_keyword(text: str, keyword: str) -> bool:
    """Whether `keyword` stands in `text`, by the same rules."""
    folded, wanted = folded_text(text), folded_text(keyword)
    start = folded.find(wanted) if wanted else -1
    while start >= 0:
        if _stands_alone(folded, start, start + len(wanted)):
            return True
        start = folded.find(wanted, start + 1)
    return False

"""The folder of recipe files (REC-6): `*.md`, and folders that hold a `SKILL.md`.

Files belong to the deployment's owner, so they are approved and hold everywhere. A file that cannot be read
is told of with its line and left out; the others are loaded.
"""

import asyncio
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from core.sentences import sentence
from recipes.recipe import Everywhere, Recipe, RecipeOrigin, name_key, recipe_problem
from recipes.recipe_files import FileProblem, LoadedFiles
from recipes.recipe_form import recipe_of_draft
from recipes.recipe_text import RecipeTextRefused, draft_from_text

_SKILL: Final = "SKILL.md"
_MOST_FILES: Final = 10_000
_MOST_BYTES: Final = 200_000


class RecipeFolder:
    """Reads the folder whole, in a thread. A folder that is not there holds nothing."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def load(self) -> LoadedFiles:
        """Every recipe of the folder, by the names of the files."""
        return await asyncio.to_thread(_load, self._folder)


def _load(folder: Path) -> LoadedFiles:
    recipes: dict[str, Recipe] = {}
    problems: list[FileProblem] = []
    for path in _files(folder):
        name = path.relative_to(folder).as_posix()
        try:
            recipe = _recipe(path, name)
        except RecipeTextRefused as refused:
            problems.append(FileProblem(file=name, problem=refused.problem, line=refused.line))
        except (OSError, UnicodeDecodeError) as error:
            is_text = not isinstance(error, UnicodeDecodeError)
            problem = sentence("it cannot be read.") if is_text else sentence("it is not in UTF-8.")
            problems.append(FileProblem(file=name, problem=problem))
        else:
            other = recipes.setdefault(name_key(recipe.name), recipe)
            if other is not recipe:
                problem = sentence(
                    'the name "{recipe}" is taken by {file}.',
                    recipe=recipe.name,
                    file=other.id.removeprefix("file:"),
                )
                problems.append(FileProblem(file=name, problem=problem))
    return LoadedFiles(recipes=tuple(recipes.values()), problems=tuple(problems))


def _files(folder: Path) -> list[Path]:
    if not folder.is_dir():
        return []
    found = [path for path in folder.glob("*.md") if not path.name.startswith(".")]
    found += folder.glob(f"*/{_SKILL}")
    return sorted(found)[:_MOST_FILES]


def _recipe(path: Path, name: str) -> Recipe:
    with path.open("rb") as file:
        content = file.read(_MOST_BYTES)
    own_name = path.parent.name if path.name == _SKILL else path.stem
    # What is cut off in the middle of a character is too long by far, and is to be told so.
    text = content.decode(errors="ignore" if len(content) == _MOST_BYTES else "strict")
    draft = draft_from_text(text, file_name=own_name)
    written_at = datetime.fromtimestamp(path.stat().st_mtime, UTC)
    recipe = recipe_of_draft(
        draft,
        recipe_id=f"file:{name}",
        scope=Everywhere(),
        origin=RecipeOrigin.FILE,
        author=None,
        now=written_at,
    )
    problem = recipe_problem(recipe)
    if problem is not None:
        raise RecipeTextRefused(problem, line=2)
    return recipe

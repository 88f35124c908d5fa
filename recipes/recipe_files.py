"""The port to recipes that stand in files, and what comes of reading them (REC-6)."""

from dataclasses import dataclass
from typing import Protocol

from core.sentences import Sentence, sentence
from recipes.recipe import Recipe


@dataclass(frozen=True, slots=True, kw_only=True)
class FileProblem:
    """A file that was left out, and why; `line` is None where no line is to blame."""

    file: str
    problem: str
    line: int | None = None

    def __str__(self) -> str:
        """As one line for whoever wrote the file."""
        return self.sentence

    @property
    def sentence(self) -> Sentence:
        """The same line, to be told in any language."""
        if self.line:
            return sentence(
                "{file}, line {line}: {problem}", file=self.file, line=self.line, problem=self.problem
            )
        return sentence("{file}: {problem}", file=self.file, problem=self.problem)


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadedFiles:
    """What the folder holds."""

    recipes: tuple[Recipe, ...] = ()
    problems: tuple[FileProblem, ...] = ()


class RecipeFiles(Protocol):
    """Reads the files of a deployment."""

    async def load(self) -> LoadedFiles:
        """All of them, as they are now. A broken one is a problem and never a failure."""
        ...

"""The project's own files, as git sees them: tracked, or new and not ignored."""

import ast
import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PRODUCT = ("bot", "core", "sessions", "recipes", "voice")


@cache
def project_files() -> tuple[Path, ...]:
    """Every file that is or would be committed, in order, as absolute paths."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = (ROOT / name for name in listed.stdout.split("\0") if name)
    return tuple(sorted(file for file in files if file.is_file()))


def python_files(*folders: str) -> list[Path]:
    """Python files below the given top-level folders; all of them when none is given."""
    return [
        file
        for file in project_files()
        if file.suffix == ".py" and (not folders or file.relative_to(ROOT).parts[0] in folders)
    ]


def syntax_tree(file: Path) -> ast.Module:
    """The file's syntax tree."""
    return ast.parse(file.read_text("utf-8"), filename=str(file))


def place(file: Path, line: int) -> str:
    """`path:line`, from the project's root."""
    return f"{file.relative_to(ROOT)}:{line}"

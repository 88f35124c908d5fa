"""Rules take time, chance and the reader's language as data.

No asyncio, time or random where decisions are made, and no tables of a language, which are read from files.
"""

import ast
from pathlib import Path

from tests.architecture.sources import PRODUCT, ROOT, place, python_files, syntax_tree

IMPURE = {"asyncio", "time", "random", "secrets", "bot.discord_chat.languages"}
PURE_FOLDERS = (Path("core/conversation"), Path("voice/speech_text"))


def must_be_pure(file: Path) -> bool:
    """Whether the file holds rules."""
    inside = file.relative_to(ROOT)
    return file.name.endswith("_rules.py") or any(inside.is_relative_to(folder) for folder in PURE_FOLDERS)


def impure_imports(tree: ast.Module) -> list[tuple[int, str]]:
    """Line and module of each import of an impure module, wherever in the file it stands."""
    found: list[tuple[int, str]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        found += [(node.lineno, name) for name in names if {name, name.split(".")[0]} & IMPURE]
    return found


def test_rules_import_neither_time_nor_chance_nor_the_loop() -> None:
    wrong = [
        f"{place(file, line)} imports {name}"
        for file in python_files(*PRODUCT)
        if must_be_pure(file)
        for line, name in impure_imports(syntax_tree(file))
    ]
    assert not wrong, "\n".join(wrong)


def test_an_impure_import_is_found_in_any_form() -> None:
    source = (
        "import time as t\ndef f():\n    from asyncio.queues import Queue\nimport random, os\nimport timeit\n"
        "from bot.discord_chat.languages import told\nfrom bot.discord_chat.cards import cards\n"
    )
    assert set(impure_imports(ast.parse(source))) == {
        (1, "time"),
        (3, "asyncio.queues"),
        (4, "random"),
        (6, "bot.discord_chat.languages"),
    }


def test_the_rule_binds_files_that_exist() -> None:
    assert any(must_be_pure(file) for file in python_files(*PRODUCT))

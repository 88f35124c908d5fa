"""Every task lives in an owner's TaskGroup: nothing is started on the loop itself."""

import ast

from tests.architecture.sources import PRODUCT, place, python_files, syntax_tree

STARTERS = {"create_task", "ensure_future", "run_coroutine_threadsafe"}


def ownerless_starts(tree: ast.Module) -> list[int]:
    """Lines that start a task on asyncio or on a loop, whatever name either goes by."""
    modules = {"asyncio"}
    functions: set[str] = set()
    lines: list[int] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            modules |= {alias.asname for alias in node.names if alias.name == "asyncio" and alias.asname}
        elif isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "asyncio":
            functions |= {alias.asname or alias.name for alias in node.names if alias.name in STARTERS}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        called = node.func
        if isinstance(called, ast.Name) and called.id in functions:
            lines.append(node.lineno)
        elif isinstance(called, ast.Attribute) and called.attr in STARTERS:
            owner = ast.unparse(called.value)
            if owner in modules or "loop" in owner.lower():
                lines.append(node.lineno)
    return lines


def test_no_task_without_an_owner() -> None:
    wrong = [
        place(file, line) for file in python_files(*PRODUCT) for line in ownerless_starts(syntax_tree(file))
    ]
    assert not wrong, "\n".join(wrong)


def test_an_ownerless_task_is_found_under_any_name() -> None:
    source = """
import asyncio as aio
from asyncio import create_task as go
go(x())
aio.create_task(x())
asyncio.get_running_loop().create_task(x())
self._loop.create_task(x())
async with asyncio.TaskGroup() as tasks:
    tasks.create_task(x())
"""
    assert ownerless_starts(ast.parse(source)) == [4, 5, 6, 7]

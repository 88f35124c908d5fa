"""What the product imports is installed by `make run`, also where no test's package happens to bring it."""

import ast
import re
import sys
from importlib.metadata import packages_distributions

from tests.architecture.sources import PRODUCT, ROOT, python_files, syntax_tree


def imported_packages(tree: ast.Module) -> set[str]:
    """The top-level names that a file imports, wherever in it."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module)
    return {name.partition(".")[0] for name in names}


def normalised(distribution: str) -> str:
    """A distribution's name as indexes compare it."""
    return re.sub(r"[-_.]+", "-", distribution).lower()


def test_every_import_of_the_product_is_in_the_lock_file_of_make_run() -> None:
    """SET-5: the environment of the tests holds more than that of a user, and hides what theirs lacks."""
    locked = {
        normalised(name)
        for name in re.findall(
            r"(?m)^([\w.-]+)(?:\[[^]]*\])?==", (ROOT / "requirements/base.txt").read_text()
        )
    }
    brought_by = packages_distributions()
    missing = {
        f"{name} ({file.relative_to(ROOT)})"
        for file in python_files(*PRODUCT)
        for name in imported_packages(syntax_tree(file)) - set(PRODUCT) - sys.stdlib_module_names
        if not {normalised(one) for one in brought_by.get(name, ())} & locked
    }
    assert missing == set()

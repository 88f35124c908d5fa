"""The root of `voice` is its only public API (VOX-30)."""

import ast
from collections.abc import Iterator

import pytest

import voice
from tests.architecture.sources import PRODUCT, ROOT, python_files, syntax_tree

ADAPTERS = ("voice.providers", "voice.transport")
OTHERS = [package for package in PRODUCT if package != "voice"]


def imported(package: str) -> Iterator[tuple[str, str, list[str]]]:
    """File, module and names of every import from `voice` in a package."""
    for file in python_files(package):
        for node in ast.walk(syntax_tree(file)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "voice":
                yield str(file.relative_to(ROOT)), node.module or "", [alias.name for alias in node.names]
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name.split(".")[0] == "voice":
                        yield str(file.relative_to(ROOT)), alias.name, []


@pytest.mark.parametrize("package", OTHERS)
def test_others_use_the_root_of_voice_alone(package: str) -> None:
    """VOX-30: but for adapters, which the composition root wires."""
    inside = [
        (file, module)
        for file, module, _ in imported(package)
        if module != "voice" and not module.startswith(ADAPTERS)
    ]
    assert inside == []


def test_the_root_offers_what_is_used_and_nothing_else() -> None:
    """VOX-30: what is typed is what is loaded; a name that nobody uses leaves the API."""
    tree = syntax_tree(ROOT / "voice" / "__init__.py")
    typed = {
        alias.name: node.module
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("voice.")
        for alias in node.names
    }
    assert typed == voice._HOMES
    used = {
        name
        for package in OTHERS
        for _, module, names in imported(package)
        for name in names
        if module == "voice"
    }
    assert used == set(typed)
    assert all(getattr(voice, name) is not None for name in typed)

"""Memory and knowledge are domains that can be taken out: a folder and one line each (MEM-9)."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("bot", "core", "recipes", "sessions", "voice", "tests")


def copied(folder: Path) -> Path:
    """The project without its caches."""
    for package in PACKAGES:
        ignored = shutil.ignore_patterns("__pycache__", "node_modules", "data" if package != "tests" else "")
        shutil.copytree(ROOT / package, folder / package, ignore=ignored)
    return folder


def taken_out(project: Path, name: str) -> None:
    """The copy loses a domain's folder and its line."""
    shutil.rmtree(project / "recipes" / name)
    domains = project / "bot" / "domains" / "__init__.py"
    line = re.compile(rf'^    "bot\.domains\.{name}",.*\n', re.MULTILINE)
    text, removed = line.subn("", domains.read_text("utf-8"))
    assert removed == 1
    domains.write_text(text, "utf-8")


def brought_back(project: Path, name: str) -> None:
    """The copy has the domain again."""
    shutil.copytree(ROOT / "recipes" / name, project / "recipes" / name)
    domains = project / "bot" / "domains" / "__init__.py"
    text = domains.read_text("utf-8")
    domains.write_text(
        text.replace("_OPTIONAL: Final = (\n", f'_OPTIONAL: Final = (\n    "bot.domains.{name}",\n'), "utf-8"
    )


def talked(project: Path, data: Path) -> dict[str, Any]:
    """What a talk with the bot of that copy left; the module is the copy's own."""
    command = [sys.executable, "-m", "tests.flows.without_memory", str(data)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.timeout(150)
def test_without_its_folder_and_its_line_the_bot_works(tmp_path: Path) -> None:
    """MEM-9, MEM-8, CORE-42: no tools, prompts, tables or commands of either or both; the rest as before."""
    project = copied(tmp_path / "project")
    taken_out(project, "knowledge")
    with_memory = talked(project, tmp_path / "with memory")
    taken_out(project, "memory")
    after = talked(project, tmp_path / "with neither")
    brought_back(project, "knowledge")
    with_knowledge = talked(project, tmp_path / "with knowledge")

    assert "# What you remember" in with_memory["prompt"]
    gone = set(with_memory["tools"]) - set(after["tools"])
    assert gone == {
        *("memory_read", "memory_write", "memory_forget"),
        *("notes_add", "notes_show", "notes_remove", "notes_clear", "notes_drop"),
    }
    for left in (with_knowledge, after):
        assert "# What you remember" not in left["prompt"]
        assert {"builtIn_useRecipe", "builtIn_proposeRecipe"} <= set(left["tools"])
        assert not [name for name in left["tools"] if name.startswith(("memory_", "notes_"))]
        assert {"recipe", "privacy"} <= set(left["commands"])
        assert '[The owner used the skill "brief".' in left["said"]
        assert left["privacy"] == with_memory["privacy"]
    assert set(with_memory["commands"]) - set(after["commands"]) == {"memory", "notes", "Remember this"}
    assert set(with_knowledge["commands"]) - set(after["commands"]) == {"knowledge"}
    assert set(with_memory["tables"]) - set(after["tables"]) == {
        *("memory_entries", "memory_words", "memory_extractions", "memory_version"),
        *("note_lists", "note_items"),
    }
    assert set(with_knowledge["tables"]) - set(after["tables"]) == {
        *("knowledge_documents", "knowledge_pieces", "knowledge_words", "knowledge_version"),
    }

"""Memory is a domain that can be taken out: its folder and one line (MEM-9)."""

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


def talked(project: Path, data: Path) -> dict[str, Any]:
    """What a talk with the bot of that copy left; the module is the copy's own."""
    command = [sys.executable, "-m", "tests.flows.without_memory", str(data)]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False, timeout=50)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.timeout(120)
def test_without_its_folder_and_its_line_the_bot_works(tmp_path: Path) -> None:
    """MEM-9, CORE-42: no tools, prompts, tables or commands of it; everything else as before."""
    project = copied(tmp_path / "project")
    before = talked(project, tmp_path / "with")
    shutil.rmtree(project / "recipes" / "memory")
    domains = project / "bot" / "domains" / "__init__.py"
    line = re.compile(r'^    "bot\.domains\.memory",.*\n', re.MULTILINE)
    text, removed = line.subn("", domains.read_text("utf-8"))
    assert removed == 1
    domains.write_text(text, "utf-8")
    after = talked(project, tmp_path / "without")

    assert "# What you remember" in before["prompt"]
    assert "# What you remember" not in after["prompt"]
    gone = set(before["tools"]) - set(after["tools"])
    assert {"builtIn_useRecipe", "builtIn_proposeRecipe"} <= set(after["tools"])
    assert not [name for name in after["tools"] if name.startswith(("memory_", "notes_"))]
    assert gone == {
        *("memory_read", "memory_write", "memory_forget"),
        *("notes_add", "notes_show", "notes_remove", "notes_clear", "notes_drop"),
    }
    assert set(before["commands"]) - set(after["commands"]) == {"memory", "notes", "Remember this"}
    assert {"recipe", "privacy"} <= set(after["commands"])
    left = set(before["tables"]) - set(after["tables"])
    assert left == {
        *("memory_entries", "memory_words", "memory_extractions", "memory_version"),
        *("note_lists", "note_items"),
    }
    assert '[The owner used the skill "brief".' in after["said"]
    assert after["privacy"] == before["privacy"]

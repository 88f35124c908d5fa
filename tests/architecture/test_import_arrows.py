"""The import-linter contracts bind: each one passes on a lawful tree and is broken by one import.

`make lint` runs the contracts on the project itself; here the same configuration judges small trees.
"""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tests.architecture.sources import PRODUCT, ROOT

LAWFUL = {
    "bot/wiring/core.py": "import sessions.storage.database, core.generation.protocols.chat",
    "bot/domains/memory.py": "import recipes.memory.storage.tables",
    "bot/discord_chat/client.py": "import discord.ext.commands\nimport sessions.scene",
    "sessions/scene.py": "import core.clock",
    "sessions/storage/database.py": "import sqlalchemy.ext.asyncio\nimport alembic\nimport sessions.scene",
    "core/clock.py": "",
    "core/generation/protocols/chat.py": "import core.clock",
    "voice/transport/link.py": "import discord\nimport core.clock",
    "voice/providers/openai_speech.py": "import core.clock",
    "voice/controller.py": "import core.clock",
    "voice/__init__.py": "import voice.controller",
    "recipes/recipe.py": "import sessions.scene",
    "recipes/storage/tables.py": "import sqlalchemy\nimport sessions.storage.database",
    "recipes/memory/storage/tables.py": "import sqlalchemy\nimport sessions.storage.database",
}
UNLAWFUL = [
    ("core/clock.py", "import sessions.scene", "layers"),
    ("sessions/scene.py", "import bot.wiring.core", "layers"),
    ("sessions/scene.py", "import recipes.recipe", "layers"),
    ("voice/ears.py", "import recipes.recipe", "layers"),
    ("recipes/recipe.py", "import voice.transport.link", "layers"),
    ("voice/ears.py", "import sessions.scene", "voice-knows-only-core"),
    ("bot/console/scene.py", "import discord", "discord-doors"),
    ("core/clock.py", "def late():\n    from discord.ext import commands", "discord-doors"),
    ("sessions/scene.py", "from sqlalchemy.orm import Session", "sqlalchemy-doors"),
    ("bot/doctor.py", "import alembic.config", "sqlalchemy-doors"),
    ("bot/doctor.py", "import sessions.storage.database", "adapters-by-wiring-alone"),
    ("bot/cli.py", "import core.generation.protocols.chat", "adapters-by-wiring-alone"),
    ("sessions/scene.py", "import sessions.storage.database", "adapters-by-wiring-alone"),
    ("recipes/recipe.py", "import recipes.memory.storage.tables", "adapters-by-wiring-alone"),
    ("voice/ears.py", "import voice.providers.openai_speech", "adapters-by-wiring-alone"),
    ("voice/input/ears.py", "import voice.controller", "nothing-of-voice-knows-its-controller"),
]


def contracts() -> dict[str, str]:
    """Name -> id of the project's contracts."""
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    return {
        contract["name"]: contract["id"] for contract in configuration["tool"]["importlinter"]["contracts"]
    }


def broken_contracts(folder: Path, files: dict[str, str]) -> set[str]:
    """Ids of the contracts that the given tree breaks, by the project's own configuration."""
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
        for parent in list(Path(path).parents)[:-1]:
            (folder / parent / "__init__.py").touch()
    packages = sorted({path.split("/")[0] for path in files})
    configuration = (ROOT / "pyproject.toml").read_text("utf-8")
    ours = re.sub(r"^root_packages = .*$", f"root_packages = {packages}", configuration, flags=re.MULTILINE)
    (folder / "pyproject.toml").write_text(ours, "utf-8")
    program = "from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", program, "--no-cache"], cwd=folder, capture_output=True, text=True, check=False
    )
    broken = {identifier for name, identifier in contracts().items() if f"{name} BROKEN" in done.stdout}
    assert (done.returncode != 0) == bool(broken), done.stdout + done.stderr
    return broken


def test_a_lawful_tree_keeps_every_contract(tmp_path: Path) -> None:
    """Among others VOX-10: neither input nor output nor plugins of voice know the controller."""
    assert broken_contracts(tmp_path, LAWFUL) == set()


@pytest.mark.parametrize(("file", "line", "contract"), UNLAWFUL)
def test_one_import_against_the_arrows_breaks_its_contract(
    tmp_path: Path, file: str, line: str, contract: str
) -> None:
    assert contract in broken_contracts(tmp_path, {**LAWFUL, file: f"{LAWFUL.get(file, '')}\n{line}"})


def test_every_contract_has_been_seen_broken() -> None:
    assert set(contracts().values()) == {row[2] for row in UNLAWFUL}


def test_every_top_level_package_is_judged() -> None:
    configuration = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]
    present = {package for package in PRODUCT if (ROOT / package / "__init__.py").exists()}
    assert present <= set(configuration["root_packages"])

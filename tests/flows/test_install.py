"""`tools/install.py` with a real venv and real pip, and packages that are made here: no index is asked."""

import base64
import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

pytestmark = pytest.mark.timeout(240)  # creating an environment takes seconds, under load many


def make_wheel(folder: Path, name: str, *, source: str = "") -> str:
    """A wheel of one module; returns its requirement line with hash."""
    info = f"{name}-1.0.dist-info"
    files = {
        f"{name}.py": source,
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).rstrip(b'=').decode()},\n"
        for path, text in files.items()
    )
    wheel = folder / f"{name}-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, text in {**files, f"{info}/RECORD": record + f"{info}/RECORD,,\n"}.items():
            archive.writestr(path, text)
    return f"{name}==1.0 --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class Checkout:
    """A checkout with an installer, lock files of made-up packages, and the folder of their wheels."""

    root: Path
    wheels: Path

    @property
    def python(self) -> Path:
        return self.root / ".venv" / "bin" / "python"

    def command(self, *arguments: str) -> list[str]:
        return [sys.executable, str(self.root / "tools" / "install.py"), *arguments]

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "PIP_NO_INDEX": "1",
            "PIP_FIND_LINKS": str(self.wheels),
            "PIP_CONFIG_FILE": os.devnull,
        }

    def install(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments), env=self.environment, capture_output=True, text=True, check=False
        )

    def can_import(self, name: str) -> bool:
        return (
            subprocess.run([self.python, "-c", f"import {name}"], capture_output=True, check=False).returncode
            == 0
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    made = Checkout(root=tmp_path / "checkout", wheels=tmp_path / "wheels")
    made.wheels.mkdir()
    (made.root / "tools").mkdir(parents=True)
    shutil.copy(ROOT / "tools" / "install.py", made.root / "tools")
    requirements = made.root / "requirements"
    requirements.mkdir()
    base = make_wheel(made.wheels, "needed")
    (requirements / "base.txt").write_text(base)
    (requirements / "dev.txt").write_text(base + make_wheel(made.wheels, "for_tests"))
    engine = make_wheel(made.wheels, "engine")
    gone = "weights==9.9 --hash=sha256:" + "0" * 64 + "\n"
    (requirements / "embedded.txt").write_text(f"# note\n\n# the engine\n{engine}\n# the weights\n{gone}")
    return made


def test_the_environment_is_made_once_and_left_alone_after(checkout: Checkout) -> None:
    """SET-5: the environment from hash-pinned lock files, what cannot be had left out with one line."""
    first = checkout.install()
    assert first.returncode == 0, first.stdout + first.stderr
    assert checkout.can_import("needed")
    assert checkout.can_import("engine")
    assert not checkout.can_import("for_tests")
    left_out = [
        line for line in first.stdout.splitlines() if line.startswith("left out: weights (the weights): ")
    ]
    assert len(left_out) == 1

    started = time.monotonic()
    second = checkout.install()
    assert time.monotonic() - started < 2
    assert second.stdout.splitlines() == left_out

    for_tests = checkout.install("--dev")
    assert for_tests.returncode == 0
    assert checkout.can_import("for_tests")
    assert checkout.install().stdout.splitlines() == left_out

    weights = make_wheel(checkout.wheels, "weights")
    embedded = checkout.root / "requirements" / "embedded.txt"
    embedded.write_text(embedded.read_text().split("# the weights")[0] + "# the weights\n" + weights)
    third = checkout.install()
    assert "left out" not in third.stdout
    assert checkout.can_import("weights")


def test_a_wrong_hash_stops_with_one_line(checkout: Checkout) -> None:
    """SET-5: every package is held to its hash."""
    (checkout.root / "requirements" / "base.txt").write_text("needed==1.0 --hash=sha256:" + "1" * 64 + "\n")
    done = checkout.install()
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert done.stderr.startswith("install: ")
    assert not checkout.can_import("needed")


def test_an_install_that_was_killed_is_repaired_by_the_next(checkout: Checkout) -> None:
    """SET-5: what a cut-off install left behind is not taken for whole."""
    unfinished = checkout.root / ".venv" / "parley-install-unfinished"
    with subprocess.Popen(
        checkout.command(), env=checkout.environment, stdout=subprocess.DEVNULL, start_new_session=True
    ) as installer:
        while not unfinished.exists():
            assert installer.poll() is None
            time.sleep(0.005)
        os.killpg(installer.pid, signal.SIGKILL)
    torn = next((checkout.root / ".venv" / "lib").glob("python*/site-packages")) / "needed-1.0.dist-info"
    torn.mkdir(exist_ok=True)
    (torn / "METADATA").write_text("Metadata-Version: 2.1\nName: needed\nVersion: 1.0\n")
    done = checkout.install()
    assert done.returncode == 0, done.stdout + done.stderr
    assert "making it anew" in done.stdout
    assert checkout.can_import("needed")


def test_an_environment_whose_python_is_gone_is_made_anew(checkout: Checkout) -> None:
    checkout.python.parent.mkdir(parents=True)
    checkout.python.symlink_to("/nonexistent/python")
    done = checkout.install()
    assert done.returncode == 0, done.stdout + done.stderr
    assert checkout.can_import("needed")


def test_an_old_python_is_told_in_one_line(checkout: Checkout) -> None:
    """SET-5: Python 3.11 or newer."""
    program = f"import sys; sys.version_info = (3, 10, 1); exec(open({str(checkout.command()[1])!r}).read())"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("Parley needs Python 3.11 or newer")
    assert len(done.stderr.splitlines()) == 1

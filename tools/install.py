"""Creates `.venv` from the hash-pinned lock files, with the standard library alone.

`make run` and `make test` start here on a machine that has only Python 3.11+ and make (SET-5). The
order is: the environment, then one lock file as a whole (every hash required), then each entry of
`requirements/embedded.txt` on its own and without its dependencies. A stamp, written last, holds a
digest of what was installed; while it matches, this program returns at once. A mark written first
tells of an install that was cut off, and then the environment is made anew.

    python tools/install.py            what `make run` needs
    python tools/install.py --dev      what `make test` needs as well
    python tools/install.py --again    tries left-out entries of requirements/embedded.txt once more
"""

import sys

if sys.version_info < (3, 11):
    sys.exit("Parley needs Python 3.11 or newer, this is " + sys.version.split()[0])

import hashlib
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

try:
    import fcntl
except ImportError:  # not on Windows, where make is rarely run twice at once
    fcntl = None

ROOT = Path(__file__).resolve().parent.parent
REQUIREMENTS = ROOT / "requirements"
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
STAMP = ENVIRONMENT / "parley-installed.json"
UNFINISHED = ENVIRONMENT / "parley-install-unfinished"

PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^]]*\])?==(\S+)", re.MULTILINE)
PIP_STEP = re.compile(r"^(?:Collecting|Requirement already satisfied:|Ignoring) ([A-Za-z0-9._-]+)")


class InstallFailed(Exception):
    """The environment could not be made; the message is one line for a person."""


def main(arguments: list[str]) -> int:
    """Installs what the arguments ask for; returns the exit code."""
    lock = REQUIREMENTS / ("dev.txt" if "--dev" in arguments else "base.txt")
    try:
        with only_one_install():
            install(lock, try_left_out_again="--again" in arguments)
    except InstallFailed as failure:
        print(f"install: {failure}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninstall: stopped; the next `make install` starts over", file=sys.stderr)
        return 130
    return 0


def install(lock: Path, *, try_left_out_again: bool) -> None:
    """Brings `.venv` to the state of the lock file, doing nothing when it is there already."""
    entries = embedded_entries()
    embedded = digest(REQUIREMENTS / "embedded.txt")
    wanted = {"lock": digest(lock), "embedded": embedded, "python": sys.version}
    stamp = read_stamp()
    left_out: dict[str, str] = stamp.get("left_out", {})
    # dev.txt holds all of base.txt, so an environment for tests serves `make run` as well.
    serves = stamp.get("serves", {}).get(lock.name) == wanted
    if serves and not (left_out and try_left_out_again):
        for line in left_out.values():
            print(line)
        return
    started = time.monotonic()
    make_environment()
    serving = {lock.name: wanted}
    if lock.name == "dev.txt":
        serving["base.txt"] = {**wanted, "lock": digest(REQUIREMENTS / "base.txt")}
    UNFINISHED.touch()
    STAMP.unlink(missing_ok=True)
    try:
        if not serves:
            pins = len(PIN.findall(lock.read_text("utf-8")))
            pip_install(lock, f"installing {lock.relative_to(ROOT)}", pins)
        left_out = {}
        for name, (what, text) in entries.items():
            with tempfile.TemporaryDirectory() as folder:
                alone = Path(folder) / "one.txt"
                alone.write_text(text, "utf-8")
                try:
                    pip_install(alone, f"installing {name}: {what}", 1, "--no-deps")
                except InstallFailed as failure:
                    left_out[name] = f"left out: {name} ({what}): {failure}. `make install` tries again."
                    print(left_out[name])
    except InstallFailed:
        UNFINISHED.unlink(missing_ok=True)  # pip has rolled back; only a cut-off install leaves the mark
        raise
    STAMP.write_text(json.dumps({"serves": serving, "left_out": left_out}, indent=1), "utf-8")
    UNFINISHED.unlink()
    print(f"installed in {time.monotonic() - started:.0f} s")


def embedded_entries() -> dict[str, tuple[str, str]]:
    """`requirements/embedded.txt` as name -> (what it is, its requirement lines)."""
    entries: dict[str, tuple[str, str]] = {}
    for block in (REQUIREMENTS / "embedded.txt").read_text("utf-8").split("\n\n"):
        pin = PIN.search(block)
        if pin:
            comments = [line[1:].strip() for line in block.splitlines() if line.startswith("#")]
            entries[pin.group(1)] = (" ".join(comments), block[pin.start() :] + "\n")
    return entries


def make_environment() -> None:
    """A `.venv` whose Python starts and has pip; what is broken or cut off is made anew."""
    if ENVIRONMENT.exists() and not UNFINISHED.exists() and environment_is_sound():
        return
    if ENVIRONMENT.exists():
        print("the environment is incomplete or of another Python: making it anew")
        shutil.rmtree(ENVIRONMENT)
    print(f"creating .venv with Python {sys.version.split()[0]}", flush=True)
    made = subprocess.run(
        [sys.executable, "-m", "venv", str(ENVIRONMENT)], capture_output=True, text=True, check=False
    )
    if made.returncode != 0:
        shutil.rmtree(ENVIRONMENT, ignore_errors=True)
        lines = (made.stdout + made.stderr).strip().splitlines()
        raise InstallFailed(
            "this Python cannot create environments (its venv or ensurepip is missing; on Debian they are"
            f" in the package python3-venv): {lines[0] if lines else 'no message'}"
        )


def environment_is_sound() -> bool:
    """Whether the Python in `.venv` starts, is of this version, and can run pip."""
    question = "import sys, pip; print(sys.version)"
    try:
        answer = subprocess.run(
            [str(PYTHON), "-c", question], capture_output=True, text=True, timeout=60, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return False
    return answer.returncode == 0 and answer.stdout.strip() == sys.version.strip()


def pip_install(requirements: Path, title: str, pins: int, *options: str) -> None:
    """Runs pip on one file with hashes required; shows a counter, and pip's own words only on failure.

    Raises: InstallFailed with pip's last error line.
    """
    command = [str(PYTHON), "-m", "pip", "install", "--require-hashes", "--progress-bar", "off", "--no-color",
               "--no-input", "--disable-pip-version-check", "-r", str(requirements), *options]  # fmt: skip
    environment = {**os.environ, "PIP_USER": "0", "PIP_REQUIRE_VIRTUALENV": "0", "PYTHONUNBUFFERED": "1"}
    said: list[str] = []
    seen = 0
    progress = Progress(title, pins)
    with subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        env=environment,
    ) as pip:
        try:
            for line in pip.stdout or ():
                said.append(line.rstrip())
                step = PIP_STEP.match(line)
                if step:
                    seen = min(seen + 1, pins)
                    progress.show(f"{seen}/{pins} {step.group(1)}")
                elif line.startswith("Installing collected packages"):
                    progress.show("unpacking")
        except KeyboardInterrupt:
            pip.terminate()
            raise
    progress.end("done" if pip.returncode == 0 else "failed")
    if pip.returncode != 0:
        errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
        last_words = " / ".join(said[-3:])
        raise InstallFailed(errors[-1] if errors else f"pip ended with {pip.returncode}: {last_words}")


class Progress:
    """One line that moves on a terminal; elsewhere a line at the start and one at the end."""

    def __init__(self, title: str, pins: int) -> None:
        self._title = title
        self._moves = sys.stdout.isatty()
        print(f"{title} ({pins} packages)" if pins > 1 else title, end="", flush=True)
        if not self._moves:
            print(flush=True)

    def show(self, state: str) -> None:
        """Replaces the line's end."""
        if self._moves:
            width = shutil.get_terminal_size().columns - 1
            print("\r\033[K" + f"{self._title}: {state}"[:width], end="", flush=True)

    def end(self, state: str) -> None:
        """Leaves the line as it will stay."""
        if self._moves:
            self.show(state)
            print(flush=True)
        elif state != "done":
            print(f"{self._title}: {state}", flush=True)


def read_stamp() -> dict:
    """What the last finished install left; empty when there is none or a later one was cut off."""
    if UNFINISHED.exists() or not PYTHON.exists():
        return {}
    try:
        return json.loads(STAMP.read_text("utf-8"))
    except (OSError, ValueError):
        return {}


def digest(file: Path) -> str:
    """The file's SHA-256."""
    return hashlib.sha256(file.read_bytes()).hexdigest()


@contextmanager
def only_one_install() -> Iterator[None]:
    """Lets a second install in the same checkout wait for the first."""
    if fcntl is None:
        yield
        return
    with open(REQUIREMENTS / "base.txt", "rb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            print("waiting for another install in this folder", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

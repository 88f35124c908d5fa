"""The one folder for data: private, and held by one process at a time (SET-6).

The hold is a lock of the operating system on a file in the folder, so it ends with the process, also when
that is killed. The file names the holder for whoever comes second.
"""

import fcntl
import os
import secrets
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = "parley.lock"
SLOT_FILE = "slot"
PRIVATE = 0o700


class DataFolderUnusable(Exception):
    """The bot must not start in this folder; the message is one line that says why."""


@contextmanager
def held_data_folder(folder: Path) -> Generator[Path]:
    """Holds the folder for this process, creating it when it is missing; yields its absolute path.

    Raises: DataFolderUnusable when another process holds it or it cannot be written.
    """
    folder = folder.absolute()
    try:
        _make_private(folder)
        descriptor = os.open(folder / LOCK_FILE, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise DataFolderUnusable(f"the data folder {folder} cannot be used: {error.strerror}") from error
    try:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise DataFolderUnusable(
                f"the data folder {folder} is held by {_holder(descriptor)}; stop it, or set DATA_DIR"
            ) from None
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        yield folder
    finally:
        os.close(descriptor)


def process_slot(folder: Path) -> str:
    """The name under which a process of this folder takes over work that an earlier one left (TASK-35).

    Where several processes share a database each has a folder of its own. Whoever holds the folder holds the
    slot, so nobody else goes on with its work.
    """
    file = folder / SLOT_FILE
    if not file.exists():
        file.write_text(f"{secrets.token_hex(6)}\n", "utf-8")
    return file.read_text("utf-8").strip()


def _make_private(folder: Path) -> None:
    """Creates the folder for its owner alone; one that holds only our data is closed to others."""
    if not folder.is_dir():
        folder.mkdir(mode=PRIVATE, parents=True)
    ours = (folder / LOCK_FILE).exists() or not any(folder.iterdir())
    if ours and folder.stat().st_mode & 0o077:
        folder.chmod(PRIVATE)


def _holder(descriptor: int) -> str:
    """The process that holds the lock, as far as it has said so."""
    pid = os.pread(descriptor, 32, 0).decode("ascii", "replace").strip()
    return f"process {pid}" if pid.isdigit() else "another process"

"""The data folder belongs to one process at a time."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from bot.data_folder import LOCK_FILE, DataFolderUnusable, held_data_folder
from tests.architecture.sources import ROOT

HOLDER = """
import pathlib, sys, time
from bot.data_folder import held_data_folder
with held_data_folder(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(60)
"""


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def test_a_new_folder_is_for_its_owner_alone(tmp_path: Path) -> None:
    """SET-6: safe permissions."""
    folder = tmp_path / "deep" / "data"
    with held_data_folder(folder) as held:
        assert (held, mode(folder), mode(folder / LOCK_FILE)) == (folder, 0o700, 0o600)


def test_a_folder_of_ours_that_was_opened_to_others_is_closed_again(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    with held_data_folder(folder):
        folder.chmod(0o755)
    with held_data_folder(folder):
        assert mode(folder) == 0o700


def test_a_folder_with_other_things_in_it_keeps_its_permissions(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "other").touch()
    with held_data_folder(folder):
        assert mode(folder) == 0o755


def test_a_second_process_is_told_who_holds_it_and_a_killed_holder_lets_go(tmp_path: Path) -> None:
    """SET-6: a second start says which process holds the folder; the hold ends with SIGKILL."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDER, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        refusal = rf"is held by process {holder.pid}; stop it"
        with pytest.raises(DataFolderUnusable, match=refusal), held_data_folder(tmp_path):
            raise AssertionError
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    with held_data_folder(tmp_path):
        assert (tmp_path / LOCK_FILE).read_text() == f"{os.getpid()}\n"


def test_a_held_folder_can_be_taken_again_when_it_is_let_go(tmp_path: Path) -> None:
    for _ in range(2):
        with held_data_folder(tmp_path):
            pass


def test_a_place_that_cannot_be_a_folder_is_one_clear_line(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    refusal = r"^the data folder [^\n]+ cannot be used: [^\n]+$"
    with pytest.raises(DataFolderUnusable, match=refusal), held_data_folder(file / "data"):
        raise AssertionError

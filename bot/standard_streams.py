"""The three standard streams, made fit before anything is read or written (SET-2).

A stream that was closed by whoever started the bot leads nowhere. Bytes that are no text, and characters
that the other side cannot take, are replaced. A reader that leaves early (`| head`) ends the program
without a word.
"""

import os
import sys
from io import TextIOWrapper
from pathlib import Path


def make_standard_streams_fit() -> None:
    """Once, first of all."""
    nowhere = Path(os.devnull)
    # Python has None in place of a closed stream. Each takes the lowest free number, so the order is theirs.
    sys.stdin = sys.stdin or nowhere.open(encoding="utf-8")
    sys.stdout = sys.stdout or nowhere.open("w", encoding="utf-8")
    sys.stderr = sys.stderr or nowhere.open("w", encoding="utf-8")
    for stream in (sys.stdin, sys.stdout):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def leave_output_unread() -> None:
    """The reader of standard output is gone: the interpreter's last flush must not complain again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)

"""The last line of the program: how the process ends once all its work is over (SET-3).

A thread inside a model's native code cannot be ended. When the interpreter goes, Python unwinds such a
daemon thread as it comes back, which C++ answers with `terminate`: the stop was clean, and the exit code
says SIGABRT. So while one still runs, the process ends without the interpreter's own farewell.
"""

import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn


def end_process(code: int) -> NoReturn:
    """Ends with `code`; what was written to the standard streams leaves first."""
    if not any(thread.daemon for thread in threading.enumerate()):
        sys.exit(code)
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # its reader is gone, or it is closed
            stream.flush()
    os._exit(code)

"""A process that has imported the bot and forks a fresh one for each start, so that a start costs no imports.

What is forked runs `bot.cli.main()` as `python -m bot` does, in an environment of its own, and can be killed
like any process. Lines on standard input: a JSON object with `folder`, `log` and `environment`; lines on
standard output: `started <pid>`, later `ended <pid> <code>` (a negative code is the signal).
"""

import json
import os
import select
import sys
from typing import Any

_WAKE_S = 0.02


def _become_the_bot(order: dict[str, Any]) -> None:
    log = os.open(order["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (log, 1), (log, 2)):
        os.dup2(source, target)
    os.chdir(order["folder"])
    os.environ.clear()
    os.environ.update(order["environment"])
    from bot import cli  # noqa: PLC0415 - imported by the parent already

    code = cli.main([])
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    from bot import cli  # noqa: PLC0415 - what every child then has
    from bot.wiring import discord_bot  # noqa: PLC0415 - the same

    assert cli.main
    assert discord_bot.run_discord
    print("warm", flush=True)
    children: set[int] = set()
    while True:
        ready, _, _ = select.select([sys.stdin], [], [], _WAKE_S)
        if ready:
            line = sys.stdin.readline()
            if not line:
                return
            pid = os.fork()
            if pid == 0:
                _become_the_bot(json.loads(line))
            children.add(pid)
            print(f"started {pid}", flush=True)
        for pid in tuple(children):
            ended, status = os.waitpid(pid, os.WNOHANG)
            if ended:
                children.discard(pid)
                print(f"ended {pid} {os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main()

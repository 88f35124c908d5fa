"""`python -m tests.fake_discord`: a fake Discord to try the bot against from a second terminal.

Prints the environment for the bot, then takes lines from the terminal, a pipe or `--script FILE`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import sys
import threading
from collections.abc import AsyncIterator, Iterable
from pathlib import Path

from tests.fake_discord.server import FakeDiscord
from tests.fake_discord.terminal import HELP, Terminal


def main() -> int:
    """Runs until the input ends, ":quit" or Ctrl-C."""
    parser = argparse.ArgumentParser(prog="python -m tests.fake_discord", description=__doc__)
    parser.add_argument("--port", type=int, default=0, help="a fixed port (default: a free one)")
    parser.add_argument("--rate-limits", action="store_true", help="hold Discord's rate limits")
    parser.add_argument("--env-file", type=Path, help="write the environment lines there too")
    parser.add_argument("--script", type=Path, help="take the lines from a file, then end")
    parser.add_argument(
        "--wait-for-bot", action="store_true", help="take lines only once the bot is connected"
    )
    options = parser.parse_args()
    script = options.script.read_text(encoding="utf-8").splitlines() if options.script else None
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(_serve(options, script))
    return 0


async def _serve(options: argparse.Namespace, script: list[str] | None) -> None:
    async with FakeDiscord.running(rate_limits=options.rate_limits, port=options.port) as discord:
        environment = "".join(f"{key}={value}\n" for key, value in discord.environment.items())
        _show(environment.rstrip())
        if options.env_file:
            options.env_file.write_text(environment, encoding="utf-8")
        _show(
            f"# start the bot with these; {discord.ada.display_name} is in #general; :help tells what to type"
        )
        if sys.stdin.isatty() and script is None:
            _show(HELP)
        terminal = Terminal(discord, _show)
        if options.wait_for_bot:
            await discord.bot_connected(within_s=600)
        lines = _typed_lines() if script is None else _each(script)
        await terminal.run(lines)
        if discord.violations:
            _show("! against Discord's document:\n" + "\n".join(discord.violations))


def _show(line: str) -> None:
    print(line, flush=True)


async def _each(lines: Iterable[str]) -> AsyncIterator[str]:
    for line in lines:
        yield line


async def _typed_lines() -> AsyncIterator[str]:
    """Lines of standard input; a daemon thread reads, so that Ctrl-C never waits for a key."""
    loop = asyncio.get_running_loop()
    lines: asyncio.Queue[str | None] = asyncio.Queue()

    def read() -> None:
        for line in sys.stdin:
            loop.call_soon_threadsafe(lines.put_nowait, line)
        loop.call_soon_threadsafe(lines.put_nowait, None)

    threading.Thread(target=read, daemon=True).start()
    while (line := await lines.get()) is not None:
        yield line


if __name__ == "__main__":
    sys.exit(main())

"""settings -> core -> the terminal."""

import signal
import sys

from rich.console import Console

from bot import __version__
from bot.console.access import ConsoleAccess, NoNotices
from bot.console.chat import ConsoleChat, ConsoleDirectory
from bot.console.lines import PipedLines, TerminalLines
from bot.console.screen import PipeScreen, TerminalScreen
from bot.run_extras import RunExtras
from bot.settings import Settings
from bot.wiring.core import Core, running_core
from bot.wiring.signals import STOP_SIGNALS, until_signal
from core.failures import Failure


async def run_console(settings: Settings) -> int:
    """Chat in the terminal until the person leaves; returns the exit code.

    Raises:
        Failure: a part cannot start; one sentence says what to do.
    """
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    screen = TerminalScreen(Console()) if on_terminal else PipeScreen()
    screen.tell(f"Parley {__version__}, in this terminal. Looking for a model ...")
    async with (
        running_core(settings, for_console=True) as core,
        core.running_orchestrator(ConsoleDirectory(), _console_extras(core)) as running,
    ):
        screen.tell(f"Model: {core.model.describe()}")
        screen.tell("To talk in Discord: create a bot in the Developer Portal and set DISCORD_TOKEN in .env;")
        screen.tell("`python -m bot invite` then prints the link, `python -m bot doctor` checks the rest.")
        history = settings.storage.data_dir / "console_history"
        chat = ConsoleChat(
            lines=TerminalLines(history) if on_terminal else PipedLines(),
            screen=screen,
            sessions=core.stores.sessions,
            history=core.stores.history,
            personas=core.scene_personas(),
            orchestrator=running.orchestrator,
            new_id=core.new_id,
            at_keyboard=on_terminal,
        )
        code = await until_signal(chat.run(), signals=(signal.SIGTERM,) if on_terminal else STOP_SIGNALS)
    if screen.is_gone:
        raise Failure("Nothing more can be written to standard output.", reason="closed, or the disk is full")
    return code


def _console_extras(core: Core) -> RunExtras:
    return core.domains.extras(ConsoleAccess(), core.scene_personas(), NoNotices())

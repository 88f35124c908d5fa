"""settings -> core -> the terminal."""

import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace

from rich.console import Console

from bot import __version__
from bot.console.access import ConsoleAccess, NoNotices
from bot.console.chat import ConsoleChat, ConsoleDirectory
from bot.console.lines import PipedLines, TerminalLines
from bot.console.replies import ScreenReplies
from bot.console.screen import PipeScreen, Screen, TerminalScreen
from bot.console.task_news import ConsoleTaskNews
from bot.settings import Settings
from bot.task_questions import TaskQuestions
from bot.tool_allowance import ToolAllowance
from bot.wiring.core import Core, Running, running_core
from bot.wiring.signals import STOP_SIGNALS, until_signal
from core.failures import Failure
from core.orchestration.sends import SendOptions
from recipes.tasks.task import Task


async def run_console(settings: Settings) -> int:
    """Chat in the terminal until the person leaves; returns the exit code.

    Raises:
        Failure: a part cannot start; one sentence says what to do.
    """
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    screen = TerminalScreen(Console()) if on_terminal else PipeScreen()
    screen.tell(f"Parley {__version__}, in this terminal. Looking for a model ...")
    async with AsyncExitStack() as stack:
        core = await stack.enter_async_context(running_core(settings, for_console=True))
        extras = replace(
            core.domains.extras(ConsoleAccess(), core.scene_personas(), NoNotices()),
            allowed=ToolAllowance(core.stores.settings, deployment=settings.limits.allowed_tools),
        )
        running = await stack.enter_async_context(core.running_orchestrator(ConsoleDirectory(), extras))
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
            skills=extras,
            orchestrator=running.orchestrator,
            new_id=core.new_id,
            at_keyboard=on_terminal,
        )
        async with _announcing_tasks(core, running, screen):
            code = await until_signal(chat.run(), signals=(signal.SIGTERM,) if on_terminal else STOP_SIGNALS)
    if screen.is_gone:
        raise Failure("Nothing more can be written to standard output.", reason="closed, or the disk is full")
    return code


@asynccontextmanager
async def _announcing_tasks(core: Core, running: Running, screen: Screen) -> AsyncGenerator[None]:
    """Tasks of the terminal are told in it; those of Discord wait for Discord."""
    tasks, stores = core.domains.tasks, core.stores
    news = ConsoleTaskNews(screen=screen, sessions=stores.sessions, history=stores.history)
    questions = TaskQuestions(
        sessions=stores.sessions,
        orchestrator=running.orchestrator,
        place=ScreenReplies(screen),
        options=SendOptions(),
        permissions=tasks.permissions,
        inputs=tasks.inputs,
        aloud=None,
        clock=core.clock,
        new_id=core.new_id,
    )
    tasks.permissions.show_by(news.ask)
    async with questions, tasks.announcing(news, tells=_is_of_terminal):
        yield


def _is_of_terminal(task: Task) -> bool:
    return task.request.place.channel_id is None

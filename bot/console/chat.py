"""The talk in the terminal: a line, a reply, and Ctrl-C to stop it (SET-2)."""

import asyncio
import signal
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime

from bot.console.lines import Interrupted, Lines
from bot.console.replies import ScreenReplies
from bot.console.screen import Screen
from core.conversation.content import Text
from core.conversation.turns import Speaker, UserTurn
from core.identifiers import NewId
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import Send
from core.prompts.scene import RoomKind, SceneFacts
from sessions.bindings import ConsoleBinding
from sessions.scene import Sessions

_HELP = "/reset forgets this talk, /quit leaves (so do Ctrl-D and Ctrl-C twice); Ctrl-C stops a reply."
_OWNER = Speaker(id="owner", name="You")


class ConsoleDirectory:
    """The `SceneDirectory` of the console."""

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        """One place and one person, who needs no introduction."""
        return SceneFacts(kind=RoomKind.CONSOLE, time_zone=_local_now().tzname() or "UTC")


class ConsoleChat:
    """One person at one screen; one reply at a time."""

    def __init__(
        self,
        *,
        lines: Lines,
        screen: Screen,
        sessions: Sessions,
        orchestrator: Orchestrator,
        new_id: NewId,
    ) -> None:
        self._lines = lines
        self._screen = screen
        self._replies = ScreenReplies(screen)
        self._sessions = sessions
        self._orchestrator = orchestrator
        self._new_id = new_id
        self._leaving = False

    async def run(self) -> None:
        """Until the person leaves or the input ends."""
        warned = False
        while not self._leaving:
            try:
                line = await self._lines.next_line()
            except Interrupted:
                if warned:
                    return
                warned = True
                self._screen.tell("Press Ctrl-C again to leave.")
                continue
            if line is None:
                return
            warned = False
            await self._take(line.strip())

    async def _take(self, line: str) -> None:
        match line:
            case "":
                return
            case "/quit" | "/exit":
                self._leaving = True
            case "/help":
                self._screen.tell(_HELP)
            case "/reset":
                session = await self._sessions.open(ConsoleBinding(), _local_now())
                session = await self._sessions.reset(session.session_id)
                self._orchestrator.reset(session.session_id, session.generation)
                self._screen.tell("Done. I begin anew and remember nothing of before.")
            case _:
                await self._answer(line)

    async def _answer(self, line: str) -> None:
        now = _local_now()
        session = await self._sessions.open(ConsoleBinding(), now)
        turn = UserTurn(id=self._new_id("turn", now), at=now, speaker=_OWNER, content=(Text(text=line),))
        send = Send(
            session_id=session.session_id,
            generation=session.generation,
            reply_id=f"reply:{turn.id}",
            turns=(turn,),
            place=self._replies,
        )
        with self._stoppable(session.session_id):
            await self._orchestrator.submit(send).outcome()

    @contextmanager
    def _stoppable(self, session_id: str) -> Generator[None]:
        """Meanwhile the first Ctrl-C stops the reply, and a second one leaves."""
        loop = asyncio.get_running_loop()
        pressed = 0

        def interrupt() -> None:
            nonlocal pressed
            pressed += 1
            self._leaving = pressed > 1
            self._orchestrator.stop(session_id)

        loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


def _local_now() -> datetime:
    return datetime.now().astimezone()

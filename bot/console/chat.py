"""The talk in the terminal: a line, a reply, and Ctrl-C to stop it (SET-2)."""

import asyncio
import re
import signal
from collections.abc import Generator
from contextlib import contextmanager
from datetime import datetime
from typing import Protocol

from bot.console.lines import Interrupted, Lines
from bot.console.replies import ScreenReplies
from bot.console.screen import Screen
from bot.personas.persona_folder import DEFAULT_KEY
from bot.personas.scene_personas import ScenePersonas
from bot.retry import asked_again, unanswered_question
from bot.scene_choices import channel_scope
from core.conversation.content import Text
from core.conversation.turns import InvokedSkill, Speaker, UserTurn
from core.identifiers import NewId
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import Send, SendOptions
from core.prompts.scene import RoomKind, SceneFacts
from sessions.bindings import ConsoleBinding
from sessions.history import History
from sessions.scene import Sessions

_HELP = """\
/retry asks again what was stopped or failed, /reset forgets this talk, /persona says who I am and who else
I can be, /persona NAME changes it. Ctrl-C stops a reply; /quit, Ctrl-D or Ctrl-C twice leave."""
_COMMAND = re.compile(r"/[a-z-]+")
_OWNER = Speaker(id="owner", name="You")


class ConsoleDirectory:
    """The `SceneDirectory` of the console."""

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        """One place and one person, who needs no introduction."""
        return SceneFacts(kind=RoomKind.CONSOLE, time_zone=_local_now().tzname() or "UTC")


class LineSkills(Protocol):
    """Knows what the words of a line invoke."""

    async def skills(self, session_id: str, speaker: Speaker, text: str) -> tuple[InvokedSkill, ...]:
        """Recipes whose keywords stand in it."""
        ...


class ConsoleChat:
    """One person at one screen; one reply at a time. `at_keyboard`: Ctrl-C stops a reply before it leaves."""

    def __init__(
        self,
        *,
        lines: Lines,
        screen: Screen,
        sessions: Sessions,
        history: History,
        personas: ScenePersonas,
        skills: LineSkills,
        orchestrator: Orchestrator,
        new_id: NewId,
        at_keyboard: bool,
    ) -> None:
        self._lines = lines
        self._screen = screen
        self._replies = ScreenReplies(screen)
        self._sessions = sessions
        self._history = history
        self._personas = personas
        self._skills = skills
        self._orchestrator = orchestrator
        self._new_id = new_id
        self._at_keyboard = at_keyboard
        self._leaving = False
        self._stopped = False

    async def run(self) -> None:
        """Until the person leaves or the input ends."""
        warned = False
        while not (self._leaving or self._screen.is_gone):
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
            self._stopped = False
            await self._take(line.strip())
            warned = self._stopped

    async def _take(self, line: str) -> None:
        match line.split(maxsplit=1):
            case []:
                return
            case ["/quit" | "/exit"]:
                self._leaving = True
            case ["/help"]:
                self._screen.tell(_HELP)
            case ["/reset"]:
                await self._reset()
            case ["/retry"]:
                await self._retry()
            case ["/persona"]:
                await self._tell_personas()
            case ["/persona", name]:
                await self._choose_persona(name)
            case [word, *_] if _COMMAND.fullmatch(word):
                self._screen.tell(f"There is no {line}; /help lists the commands.")
            case _:
                await self._answer(line)

    async def _reset(self) -> None:
        now = _local_now()
        session = await self._sessions.open(ConsoleBinding(), now)
        session = await self._sessions.reset(session.session_id, now)
        self._orchestrator.reset(session.session_id, session.generation)
        self._screen.tell("Done. I begin anew and remember nothing of before.")

    async def _retry(self) -> None:
        now = _local_now()
        session = await self._sessions.open(ConsoleBinding(), now)
        question = await unanswered_question(self._history, session.session_id)
        if question is None:
            self._screen.tell("The last question has its answer; there is nothing to try again.")
            return
        reply_id = f"reply:{self._new_id('retry', now)}"
        await self._run(
            asked_again(question, session, reply_id=reply_id, place=self._replies, options=SendOptions())
        )

    async def _tell_personas(self) -> None:
        choice = await self._personas.choice(ConsoleBinding())
        known = ", ".join(await self._personas.folder.keys())
        self._screen.tell(f"I am {choice.persona.name} ({choice.key}). There are: {known}.")

    async def _choose_persona(self, name: str) -> None:
        if await self._personas.folder.persona(name) is None:
            found = await self._personas.folder.look(name)
            problem = None if found is None else found.problem
            self._screen.tell(f"{name} cannot be used: {problem}." if problem else f"There is no {name}.")
            return
        scope = channel_scope(ConsoleBinding())
        await self._personas.choose(scope, None if name == DEFAULT_KEY else name)
        choice = await self._personas.choice(ConsoleBinding())
        self._screen.tell(f"From the next reply on I am {choice.persona.name}.")

    async def _answer(self, line: str) -> None:
        now = _local_now()
        session = await self._sessions.open(ConsoleBinding(), now)
        turn = UserTurn(
            id=self._new_id("turn", now),
            at=now,
            speaker=_OWNER,
            content=(Text(text=line),),
            skills=await self._skills.skills(session.session_id, _OWNER, line),
        )
        send = Send(
            session_id=session.session_id,
            generation=session.generation,
            reply_id=f"reply:{turn.id}",
            turns=(turn,),
            place=self._replies,
        )
        await self._run(send)

    async def _run(self, send: Send) -> None:
        with self._stoppable(send.session_id):
            await self._orchestrator.submit(send).outcome()

    @contextmanager
    def _stoppable(self, session_id: str) -> Generator[None]:
        """Meanwhile the first Ctrl-C stops the reply; a second one, now or at the next prompt, leaves."""
        if not self._at_keyboard:
            yield
            return
        loop = asyncio.get_running_loop()
        pressed = 0

        def interrupt() -> None:
            nonlocal pressed
            pressed += 1
            self._stopped, self._leaving = True, pressed > 1
            self._orchestrator.stop(session_id)

        loop.add_signal_handler(signal.SIGINT, interrupt)
        try:
            yield
        finally:
            loop.remove_signal_handler(signal.SIGINT)


def _local_now() -> datetime:
    return datetime.now().astimezone()

"""What a task needs of its person, brought to them (TASK-9, TASK-22).

question     the conversation is told of it, and puts it in its own words; in a talk they are said, too
permission   in a talk it is said what is asked for; how it is shown is the business of whoever shows it

Nothing waits for it: the task waits for the answer, wherever it comes from.
"""

from collections.abc import AsyncIterator, Callable
from types import TracebackType
from typing import Final, Protocol, Self

from bot.beside import Beside
from core.clock import Clock
from core.conversation.content import Text
from core.conversation.turns import Notice, UserTurn
from core.identifiers import NewId
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.replies import Delivered, ReplyEvent, ReplySink
from core.orchestration.sends import ReplyPlace, Send, SendOptions
from core.sentences import sentence
from recipes.prompts import notice_source, task_question
from recipes.run_scene import Place
from recipes.tasks.inputs import PendingInput, PendingInputs
from recipes.tasks.permission_rules import PermissionRequest
from recipes.tasks.permissions import Permissions
from recipes.tasks.task import Task
from sessions.bindings import Binding, ChannelBinding, ConsoleBinding
from sessions.outbox_rules import reply_id_for
from sessions.scene import Sessions

_QUESTION: Final = "q"


class Aloud(Protocol):
    """Speaks where a talk goes on."""

    async def say(self, session_id: str, text: str, wanted: Callable[[], bool]) -> bool:
        """Say it at a safe moment while it is wanted; False where it was not heard."""
        ...


class TaskQuestions:
    """Used as an async context manager while there are rooms to tell. `aloud` None: nobody talks here."""

    def __init__(
        self,
        *,
        sessions: Sessions,
        orchestrator: Orchestrator,
        place: ReplyPlace,
        options: SendOptions,
        permissions: Permissions,
        inputs: PendingInputs,
        aloud: Aloud | None,
        clock: Clock,
        new_id: NewId,
    ) -> None:
        self._sessions = sessions
        self._orchestrator = orchestrator
        self._place = place
        self._options = options
        self._permissions = permissions
        self._inputs = inputs
        self._aloud = aloud
        self._clock = clock
        self._new_id = new_id
        self._beside = Beside("tasks")

    async def __aenter__(self) -> Self:
        await self._beside.__aenter__()
        self._inputs.show_by(self.question)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inputs.show_by(None)
        await self._beside.__aexit__(kind, error, trace)

    def question(self, asked: PendingInput) -> None:
        """A task wants to know something."""
        self._beside.run(self._put(asked), f"question of {asked.task.id}")

    def permission(self, request: PermissionRequest, task: Task) -> None:
        """A task wants to do something; said where a talk goes on."""
        if self._aloud is not None:
            self._beside.run(self._say_permission(self._aloud, request, task), f"permission of {task.id}")

    async def _put(self, asked: PendingInput) -> None:
        task = asked.task
        session = await self._sessions.open(binding_of(task.request.place), self._clock.now())
        if session.closed_at is not None:
            return
        name = task.request.title
        number = self._new_id(_QUESTION, self._clock.now())
        turn = UserTurn(
            id=f"{task.id}:{number}",
            at=self._clock.now(),
            content=(Text(text=task_question(name, task.request.requester.name, asked.question)),),
            notice=Notice(source=notice_source(name)),
        )
        place = _Noted(self._place)
        send = Send(
            session_id=session.session_id,
            generation=session.generation,
            reply_id=reply_id_for(number),
            turns=(turn,),
            place=place,
            options=self._options,
            may_join=False,
        )
        await self._orchestrator.submit(send).outcome()
        if self._aloud is not None and place.text:
            await self._aloud.say(session.session_id, place.text, lambda: self._inputs.waits(task.id))

    async def _say_permission(self, aloud: Aloud, request: PermissionRequest, task: Task) -> None:
        said = sentence(
            "{name}, may I do this: {title}? It is for {task}.",
            name=task.request.requester.name,
            title=request.title,
            task=task.request.title,
        )
        await aloud.say(request.session_id, said, lambda: self._permissions.find(request.id) is not None)


class _Noted:
    """A `ReplyPlace` that notes what was delivered."""

    def __init__(self, place: ReplyPlace) -> None:
        self._place = place
        self.text = ""

    def open_sink(self, send: Send) -> ReplySink:
        """See `ReplyPlace`."""
        return _NotedSink(self._place.open_sink(send), self._delivered)

    def _delivered(self, text: str) -> None:
        self.text = text


class _NotedSink:
    def __init__(self, sink: ReplySink, tell: Callable[[str], None]) -> None:
        self._sink = sink
        self._tell = tell

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        delivered = await self._sink.deliver(events)
        self._tell(delivered.text)
        return delivered


def binding_of(place: Place) -> Binding:
    """The scene of a place."""
    if place.channel_id is None:
        return ConsoleBinding()
    guild_id = None if place.guild_id is None else int(place.guild_id)
    return ChannelBinding(channel_id=int(place.channel_id), guild_id=guild_id)

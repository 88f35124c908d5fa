"""Lives of a process that does tasks and dies by SIGKILL at a chosen call; run as a program of its own.

    python -m tests.adapters.killed_tasks FOLDER FIRST LAST

Each seed is a life: it takes over what earlier ones left, accepts two more tasks unless too many are open,
and kills itself before or after the Nth call of its stores, its model, its tools or its room. The last life
ends everything. What happened outside is in files of lines: `accepted`, `room`, `remembered`, `effects`.
"""

import asyncio
import os
import random
import signal
import sys
from collections.abc import AsyncGenerator
from contextlib import suppress
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from core.clock import SystemClock
from core.conversation.continuation import ProtocolName
from core.conversation.turns import (
    AssistantTurn,
    InvocationStatus,
    ReplyText,
    Round,
    ToolInvocation,
    ToolReference,
    UserTurn,
)
from core.generation.events import StreamEvent, TurnFinished
from core.generation.requests import GenerationInput, ModelEndpoint
from core.identifiers import RandomIds
from core.tools.context import ToolContext
from core.tools.tool import Tool
from recipes.tasks.background import RecipeWork, TaskSpace
from recipes.tasks.deliveries import Deliveries, VoiceFloor
from recipes.tasks.desk import TaskDesk, TaskRefused
from recipes.tasks.durable import DbosRuns
from recipes.tasks.storage.schema import TASKS
from recipes.tasks.storage.tasks import StoredTasks
from recipes.tasks.task import Task, TaskKind
from sessions.storage.database import Database, sqlite_url
from tests.task_setup import request

_COUNTED = ("accept", "move", "claim", "set_news", "intend", "settle")
_LIFE_S = 30.0


class Fate:
    """Kills the process at the `at`th time that something happens; 0: never."""

    def __init__(self, at: int) -> None:
        self._left = at

    def strikes(self) -> None:
        self._left -= 1
        if self._left == 0:
            os.kill(os.getpid(), signal.SIGKILL)


class MortalTasks(StoredTasks):
    """The stored tasks; each counted call may be the last, before or after what it does."""

    def __init__(self, database: Database, fate: Fate) -> None:
        super().__init__(database)
        for name in _COUNTED:
            setattr(self, name, self._mortal(getattr(self, name), fate))

    @staticmethod
    def _mortal(call: Any, fate: Fate) -> Any:
        async def mortal(*args: Any, **named: Any) -> Any:
            fate.strikes()
            result = await call(*args, **named)
            fate.strikes()
            return result

        return mortal


class Lines:
    """A file outside: what was written there stays, whatever happens to the process."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def add(self, line: str) -> None:
        with self._path.open("a") as file:
            file.write(f"{line}\n")

    def all(self) -> list[str]:
        return self._path.read_text().splitlines() if self._path.exists() else []


class NoArguments(BaseModel):
    pass


class Model:
    """Two rounds with a tool, then the result; `fate` may strike while it thinks."""

    def __init__(self, fate: Fate, new_id: RandomIds) -> None:
        self._fate = fate
        self._new_id = new_id

    async def stream_from(self, request: GenerationInput) -> AsyncGenerator[StreamEvent]:
        self._fate.strikes()
        await asyncio.sleep(0.005)
        clock = SystemClock()
        turns = request.conversation.turns
        asked = turns[0]
        done = len(turns[1].rounds) if len(turns) > 1 and isinstance(turns[1], AssistantTurn) else 0
        if done < 2:
            call = ToolInvocation(
                id=self._new_id("call", clock.now()),
                provider_call_id=f"call_{done}",
                name="act",
                arguments="{}",
                result="parked",
                status=InvocationStatus.COMPLETED,
                started_at=clock.now(),
                finished_at=clock.now(),
            )
            made = Round(content=(ToolReference(invocation_id=call.id),), invocations=(call,))
        else:
            assert isinstance(asked, UserTurn)
            made = Round(content=(ReplyText(text=f"result of {request.run_id}"),))
        now = clock.now()
        turn = AssistantTurn(id="t", run_id=request.run_id, created_at=now, completed_at=now, rounds=(made,))
        yield TurnFinished(turn=turn)


class Spaces:
    """One tool, which leaves a line outside for each call."""

    def __init__(self, effects: Lines, fate: Fate) -> None:
        self._effects = effects
        self._fate = fate

    async def of(self, task: Task) -> TaskSpace:
        async def act(_arguments: NoArguments, _context: ToolContext) -> str:
            self._fate.strikes()
            self._effects.add(task.id)
            self._fate.strikes()
            return "acted"

        endpoint = ModelEndpoint(
            protocol=ProtocolName.CHAT, provider="test", base_url="http://x", model="fake"
        )
        tool = Tool(name="act", description="Act.", arguments=NoArguments, handler=act)
        return TaskSpace(endpoint=endpoint, system_prompt="", tools=(tool,))


class Room:
    """A room outside: a post is a line, found again by the id in it."""

    def __init__(self, posts: Lines, remembered: Lines, ledger: StoredTasks, fate: Fate) -> None:
        self._posts = posts
        self._remembered = remembered
        self._ledger = ledger
        self._fate = fate

    def floor(self, task: Task) -> VoiceFloor | None:
        return None

    async def post(self, task: Task) -> None:
        effect = await self._ledger.intend(task.id, "post:0", SystemClock().now())
        if effect.receipt is not None or (not effect.is_new and task.id in self._posts.all()):
            return
        self._fate.strikes()
        self._posts.add(task.id)
        self._fate.strikes()
        await self._ledger.settle(task.id, "post:0", "posted")

    async def write_directly(self, task: Task) -> bool:
        return False

    async def remember(self, task: Task, *, asks: bool) -> None:
        if task.id not in self._remembered.all():
            self._remembered.add(task.id)


async def life(folder: Path, seed: int, *, last: bool) -> None:
    """One process from its start to its death, or to the end of everything."""
    fate = Fate(0 if last else random.Random(seed).randint(1, 90))
    clock, new_id = SystemClock(), RandomIds()
    accepted = Lines(folder / "accepted")
    async with Database(sqlite_url(folder / "x.db"), (TASKS,)) as database:
        store = MortalTasks(database, fate)
        desk = TaskDesk(store=store, reader=store, clock=clock, new_id=new_id)
        work = RecipeWork(
            generation=Model(fate, new_id),
            spaces=Spaces(Lines(folder / "effects"), fate),
            ledger=store,
            clock=clock,
            new_id=new_id,
        )
        room = Room(Lines(folder / "room"), Lines(folder / "remembered"), store, fate)
        async with DbosRuns(url=sqlite_url(folder / "steps.db"), body=desk.perform) as runs:
            desk.use(runs, {TaskKind.RECIPE: work})
            news = Deliveries(news=store, announcement=room, clock=clock, process="one")
            async with news, desk:

                async def changed(task: Task) -> None:
                    news.tell(task)

                desk.listen(changed)
                for number in range(0 if last else 2):
                    with suppress(TaskRefused):
                        task = await desk.accept(TaskKind.RECIPE, f"{seed}:{number}", request(f"task {seed}"))
                        accepted.add(task.id)
                async with asyncio.timeout(_LIFE_S):
                    while await store.unfinished() or await store.untold():
                        await asyncio.sleep(0.01)


def main(folder: Path, first: int, last: int) -> None:
    """Live through the seeds, one process each; the last one ends what is left."""
    for seed in range(first, last + 1):
        pid = os.fork()
        if pid == 0:
            asyncio.run(life(folder, seed, last=seed == last))
            os._exit(0)
        _, status = os.waitpid(pid, 0)
        died = os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL
        print(f"{seed} {'killed' if died else os.waitstatus_to_exitcode(status)}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))

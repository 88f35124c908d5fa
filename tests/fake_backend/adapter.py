"""The `BackendPort` of the scripted agent: one long-lived child, events told apart by the work's id."""

import asyncio
import json
import sys
from base64 import b64decode
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from recipes.backends.port import (
    BackendBroken,
    BackendEvent,
    BackendWork,
    CancelRefused,
    InputAsked,
    PermissionAsked,
    StopReason,
    WorkDelegated,
    WorkEnded,
    WorkFinalizing,
)
from recipes.tasks.task import Artifact
from recipes.tasks.work import Activity
from tests.architecture.sources import ROOT

_END: dict[str, Any] = {"event": "gone"}


class ScriptedBackend:
    """Speaks with one agent process."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._heard: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._answers: dict[str, asyncio.Queue[dict[str, Any]]] = {}
        self._works: dict[str, str] = {}
        self.prompts: list[BackendWork] = []
        self.cancelled: list[str] = []

    @classmethod
    @asynccontextmanager
    async def running(cls, folder: Path) -> AsyncIterator["ScriptedBackend"]:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "tests.fake_backend.agent",
            str(folder / "delegated"),
            cwd=ROOT,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
        )
        backend = cls(process)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(backend._read())
            try:
                yield backend
            finally:
                if process.returncode is None:
                    process.kill()
                await process.wait()

    def release(self) -> None:
        """Let what was handed on come to its end."""
        self._send(do="release")

    def says(self, work_id: str, **said: str) -> None:
        """As if the agent had said so."""
        self._heard.setdefault(work_id, asyncio.Queue(64)).put_nowait(said)

    async def events_of(self, work: BackendWork) -> AsyncGenerator[BackendEvent, None]:
        self.prompts.append(work)
        inputs = [[one.name, one.media_type, len(one.content or b"")] for one in work.inputs]
        self._send(do="prompt", work=work.work_id, objective=work.objective, inputs=inputs)
        async for event in self._events(work.work_id):
            yield event

    async def answer(self, request_id: str, answer: str) -> None:
        self._send(do="answer", request=request_id, answer=answer)

    async def cancel(self, work: BackendWork, delegated: WorkDelegated | None) -> None:
        replies = self._answers.setdefault(work.work_id, asyncio.Queue(8))
        self.cancelled.append(work.work_id)
        self._send(do="cancel", work=work.work_id)
        if (await replies.get())["event"] != "cancelled":
            raise CancelRefused("It goes on.")

    def resumed(
        self, work: BackendWork, delegated: WorkDelegated
    ) -> AsyncGenerator[BackendEvent, None] | None:
        self._send(do="resume", work=work.work_id, run=delegated.run_id)
        return self._events(work.work_id)

    async def _events(self, work_id: str) -> AsyncGenerator[BackendEvent, None]:
        heard = self._heard.setdefault(work_id, asyncio.Queue(64))
        while True:
            said = await heard.get()
            match said["event"]:
                case "activity":
                    yield Activity(words=said["words"], done=said["done"], total=said["total"])
                case "permission":
                    yield PermissionAsked(
                        request_id=said["request"], title=said["title"], detail=said["detail"]
                    )
                case "question":
                    yield InputAsked(request_id=said["request"], question=said["question"])
                case "delegated":
                    yield WorkDelegated(run_id=said["run"], session_id=said["session"])
                case "finalizing":
                    yield WorkFinalizing()
                case "end":
                    made = tuple(
                        Artifact(name=name, media_type=media_type, content=b64decode(content))
                        for name, media_type, content in said.get("artifacts", ())
                    )
                    yield WorkEnded(stop_reason=StopReason(said["reason"]), text=said["text"], artifacts=made)
                    return
                case "resumed":
                    continue
                case _:
                    raise BackendBroken(said["event"])

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while line := await self._process.stdout.readline():
            said = json.loads(line)
            queues = self._answers if said["event"] in ("cancelled", "kept_on") else self._heard
            await queues.setdefault(said["work"], asyncio.Queue(64)).put(said)
        for queue in (*self._heard.values(), *self._answers.values()):
            await queue.put(_END)

    def _send(self, **said: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(said).encode() + b"\n")

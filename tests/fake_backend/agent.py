"""The agent process: JSON lines on its streams; what an objective says is what it does.

    objective "echo X"          ends with X
    "ask permission: CMD"       asks, then ends with "allowed" or "refused"
    "question: Q"               asks, then ends with the answer
    "make X"                    ends with the text "made" and two artifacts: X as code, and a picture
    "inputs"                    ends with the names, types and lengths of what came along
    "delegate X"                hands on, finalizes after `release`, ends with X
    "wait"                      works until it is cancelled
    "stubborn"                  works, and does not let itself be cancelled
    "refuse" / "crash"          ends by refusal / dies
It remembers delegated runs in a file beside it, so that another process can go on with them.
"""

import asyncio
import json
import sys
from base64 import b64encode
from pathlib import Path
from typing import Any


class Agent:
    """One session: it works on one prompt at a time; what was handed on goes beside it."""

    def __init__(self, memory: Path) -> None:
        self._memory = memory
        self._answers: dict[str, asyncio.Future[str]] = {}
        self._works: dict[str, asyncio.Task[None]] = {}
        self._released = asyncio.Event()

    async def serve(self) -> None:
        loop = asyncio.get_running_loop()
        reader = asyncio.StreamReader()
        await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
        async with asyncio.TaskGroup() as tasks:
            while line := await reader.readline():
                self._take(json.loads(line), tasks)
            for work in self._works.values():
                work.cancel()

    def _take(self, said: dict[str, Any], tasks: asyncio.TaskGroup) -> None:
        work = said.get("work", "")
        match said["do"]:
            case "prompt":
                self._works[work] = tasks.create_task(self._work(work, said["objective"], said["inputs"]))
            case "resume":
                known = self._memory.exists() and said["run"] in self._memory.read_text().split()
                self._say(work, event="resumed" if known else "unknown")
                if known:
                    self._works[work] = tasks.create_task(self._finish(work, said["run"]))
            case "answer":
                self._answers.pop(said["request"]).set_result(said["answer"])
            case "release":
                self._released.set()
            case "cancel":
                running = self._works.get(work)
                stubborn = running is not None and running.get_name() == "stubborn"
                if running is not None and not stubborn:
                    running.cancel()
                self._say(work, event="kept_on" if stubborn else "cancelled")
            case _:
                raise ValueError(said["do"])

    async def _work(self, work: str, objective: str, inputs: list[list[Any]]) -> None:
        verb, _, rest = objective.partition(" ")
        task = asyncio.current_task()
        self._say(work, event="activity", words=f"reading {rest} token=abcdef123456", done=1, total=2)
        match verb:
            case "echo":
                self._end(work, rest)
            case "make":
                code = ["made.py", "text/x-python", b64encode(rest.encode()).decode()]
                picture = ["chart.png", "image/png", b64encode(b"\x89PNG picture").decode()]
                self._say(work, event="end", reason="end_turn", text="made", artifacts=[code, picture])
            case "inputs":
                self._end(work, json.dumps(inputs))
            case "ask":
                answer = await self._asked(work, "permission", title="run a command", detail=rest)
                self._end(work, "allowed" if answer == "once" else "refused")
            case "question":
                self._end(work, await self._asked(work, "question", question=rest))
            case "delegate":
                self._memory.write_text(f"run-{rest}")
                self._say(work, event="delegated", run=f"run-{rest}", session="project")
                await self._released.wait()
                await self._finish(work, f"run-{rest}")
            case "refuse":
                self._say(work, event="end", reason="refusal", text="no")
            case "crash":
                sys.exit(3)
            case _:
                if task is not None and verb == "stubborn":
                    task.set_name("stubborn")
                await asyncio.Event().wait()

    async def _finish(self, work: str, run: str) -> None:
        self._say(work, event="finalizing")
        self._end(work, run.removeprefix("run-"))

    async def _asked(self, work: str, event: str, **more: str) -> str:
        request = f"{event}-{work}"
        self._answers[request] = asyncio.get_running_loop().create_future()
        self._say(work, event=event, request=request, **more)
        return await self._answers[request]

    def _end(self, work: str, text: str) -> None:
        self._say(work, event="end", reason="end_turn", text=text)

    @staticmethod
    def _say(work: str, **event: object) -> None:
        print(json.dumps({"work": work, **event}), flush=True)


if __name__ == "__main__":
    asyncio.run(Agent(Path(sys.argv[1])).serve())

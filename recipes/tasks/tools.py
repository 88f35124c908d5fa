"""The tools of tasks, made for one run (TASK-4, TASK-20 to TASK-23, TASK-29).

None of them waits for work, and none chooses how the backend works: there is no session, mode or strategy to
pick. Permission and input tools are there while a request waits, and only for whom it concerns.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from pydantic import BaseModel, Field

from core.clock import Clock
from core.conversation.turns import UserTurn
from core.prompts.plain_line import plain_line
from core.tools.context import ToolContext
from core.tools.policies import RepeatPolicy, ToolPolicy
from core.tools.tool import AnyTool, Tool, ToolFailed
from recipes.run_scene import RunScene
from recipes.tasks.desk import TaskDesk, TaskRefused
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.native_inputs import EarlierInput, inputs_of
from recipes.tasks.permission_rules import Decision, NotDecided, PermissionRequest, consents
from recipes.tasks.permissions import Permissions
from recipes.tasks.progress_rules import progress_line
from recipes.tasks.task import MOST_TITLE, Task, TaskInput, TaskKind, TaskRequest
from recipes.tasks.task_rules import is_open, may_stop, named, only_open, shown_state
from recipes.tasks.visible_tasks import VisibleTasks

SPAWN: Final = "spawn_thinking"
STATUS: Final = "get_agent_task_status"
CANCEL: Final = "cancel_agent_task"
PERMISSION: Final = "respond_permission"
INPUT: Final = "respond_agent_input"
TIME: Final = "get_current_time"
_MOST_RESULT: Final = 4_000
_NO_TASKS: Final = "There are no tasks here. What was asked for in private, `/task list` shows to its person."


class NoArguments(BaseModel):
    """Nothing to choose."""


class SpawnArguments(BaseModel):
    """The work."""

    objective: str = Field(
        min_length=1,
        max_length=8_000,
        description=(
            "One instruction that can be understood on its own: what is wanted, every reference resolved. No "
            "plan, no ids, nothing about who speaks."
        ),
    )
    input_refs: list[str] = Field(
        default_factory=list[str],
        description=(
            "Ids of earlier images or files that the work depends on, from the list of this tool. What is "
            "attached to the message that asks goes along by itself."
        ),
    )


class TaskArguments(BaseModel):
    """Which task."""

    task_id: str = Field(
        default="",
        description="The short id of the task or reminder; may be left out where there is one open task.",
    )


class PermissionArguments(BaseModel):
    """What the person decided."""

    decision: Literal["task", "always", "reject"] = Field(
        description=(
            "task: allow this task and what it does next; always: allow every task here; reject: not this."
        )
    )
    permission_id: str = Field(default="", description="The id of the request, where several wait.")


class InputArguments(BaseModel):
    """What the person answered."""

    answer: str = Field(min_length=1, max_length=4_000, description="The answer, in the person's sense.")
    task_id: str = Field(default="", description="The short id of the task, where several ask.")


@dataclass(slots=True, kw_only=True)
class TaskTools:
    """The tools of one run. `delegates`: the people of the run may use the backend.

    `earlier`: what was attached before, and may be named for work.
    """

    desk: TaskDesk
    visible: VisibleTasks
    permissions: Permissions
    inputs: PendingInputs
    clock: Clock
    scene: RunScene
    turns: Sequence[UserTurn]
    delegates: bool
    earlier: Sequence[EarlierInput] = ()
    _receipts: dict[str, str] = field(default_factory=dict[str, str])

    def all(self) -> tuple[AnyTool, ...]:
        """Those that can be used in this run."""
        tools = [self._time()]
        if self.scene.speaker is None:
            return tuple(tools)
        if self.delegates and self.desk.can(TaskKind.DELEGATED):
            tools.append(self._spawn())
        tools += [self._status(), self._cancel()]
        if self._requests():
            tools.append(self._permission())
        if self._questions():
            tools.append(self._input())
        return tuple(tools)

    def _time(self) -> AnyTool:
        async def tell(_arguments: NoArguments, _context: ToolContext) -> str:
            return time_words(self.clock.now(), self.turns)

        return Tool(
            name=TIME,
            description="The date and the time of day, now.",
            arguments=NoArguments,
            handler=tell,
        )

    def _spawn(self) -> AnyTool:
        async def spawn(arguments: SpawnArguments, _context: ToolContext) -> str:
            turn, speaker = self.turns[-1], self.scene.speaker
            if speaker is None or turn.notice is not None:
                raise ToolFailed("Work is begun when a person asks for it.")
            written = hashlib.sha256(arguments.objective.encode("utf-8", "replace")).hexdigest()[:12]
            request = TaskRequest(
                title=plain_line(arguments.objective, limit=MOST_TITLE),
                message=arguments.objective,
                place=self.scene.place,
                requester=speaker,
                asked_by=turn.id,
                inputs=(*inputs_of(self.turns), *self._named_inputs(arguments.input_refs)),
            )
            try:
                task = await self.desk.accept(TaskKind.DELEGATED, f"{turn.id}:{written}", request)
            except TaskRefused as refusal:
                raise ToolFailed(str(refusal)) from refusal
            return f"Accepted as task {task.short_id}. Its result comes by itself; do not wait for it."

        return Tool(
            name=SPAWN,
            description=(
                "Hand work to the backend agent, which can act in the person's environment: for what takes "
                "long, needs operations there, or makes a deliverable. It is accepted at once and the result "
                "comes later by itself. An answer to a question of earlier work goes the same way."
                f"{self._listed_inputs()}"
            ),
            arguments=SpawnArguments,
            handler=spawn,
            policy=ToolPolicy(repeat=RepeatPolicy.SAME_RESULT),
        )

    def _named_inputs(self, wanted: Sequence[str]) -> list[TaskInput]:
        known = {one.id: one.input for one in self.earlier}
        unknown = [ref for ref in wanted if ref.strip() not in known]
        if unknown:
            listed = ", ".join(known) or "none"
            raise ToolFailed(f"There is no earlier input {unknown[0]!r}. Earlier inputs: {listed}")
        return [known[ref] for ref in dict.fromkeys(ref.strip() for ref in wanted)]

    def _listed_inputs(self) -> str:
        if not self.earlier:
            return ""
        return " Earlier inputs: " + "; ".join(f"{one.id}: {one.input.name}" for one in self.earlier)

    def _status(self) -> AnyTool:
        async def status(arguments: TaskArguments, _context: ToolContext) -> str:
            tasks = await self.visible.told_in(self.scene)
            reminders = await self.visible.reminders_told_in(self.scene)
            if arguments.task_id.strip():
                return self._described(_the((*tasks, *reminders), arguments.task_id))
            wanted = [task for task in tasks if is_open(task)] or list(tasks[:3])
            return "\n".join(map(self._described, (*wanted, *reminders))) or _NO_TASKS

        return Tool(
            name=STATUS,
            description=(
                "How far a task is, what it does now, what came of it so far; and the person's reminders. It "
                "only looks: nothing is started, asked or queued."
            ),
            arguments=TaskArguments,
            handler=status,
        )

    def _cancel(self) -> AnyTool:
        async def cancel(arguments: TaskArguments, _context: ToolContext) -> str:
            task = await self._meant(arguments.task_id)
            speaker = self.scene.speaker
            if speaker is None or not may_stop(
                task, user_id=speaker.id, standing=self.scene.standing, place=self.scene.place
            ):
                raise ToolFailed("This task is somebody else's.")
            try:
                stopped = await self.desk.cancel(task)
            except TaskRefused as refusal:
                raise ToolFailed(str(refusal)) from refusal
            if stopped.kind is TaskKind.REMINDER:
                return f"Reminder {stopped.short_id} ({stopped.request.title}) is taken back."
            return f"Task {stopped.short_id} ({stopped.request.title}): {shown_state(stopped.state)}."

        return Tool(
            name=CANCEL,
            description=(
                "Stop a task, or take back a reminder, when a person asks for that. Speech that was cut off "
                "asks for nothing."
            ),
            arguments=TaskArguments,
            handler=cancel,
        )

    async def _meant(self, wanted: str) -> Task:
        """What a person wants stopped; without an id their one task, else their one reminder."""
        tasks = await self.visible.told_in(self.scene)
        reminders = await self.visible.reminders_told_in(self.scene)
        if wanted.strip():
            return _the((*tasks, *reminders), wanted)
        speaker = self.scene.speaker
        mine = [one for one in tasks if speaker and one.request.requester.id == speaker.id and is_open(one)]
        found = only_open(mine or reminders)
        if found is None:
            raise ToolFailed(f"Which one? Open tasks: {_names((*tasks, *reminders))}")
        return found

    def _permission(self) -> AnyTool:
        waiting = "; ".join(f"{one.id}: {one.title}" for one in self._requests())

        async def respond(arguments: PermissionArguments, _context: ToolContext) -> str:
            key = f"{arguments.permission_id.strip()}:{arguments.decision}"
            if key in self._receipts:
                return self._receipts[key]
            requests = self._requests()
            if not requests:
                raise ToolFailed("No request waits for these people; nothing was authorised.")
            wanted = arguments.permission_id.strip() or (requests[0].id if len(requests) == 1 else None)
            if wanted is not None and all(one.id != wanted for one in requests):
                raise ToolFailed("No request of that id waits; nothing was authorised.")
            try:
                settled = self.permissions.decide(
                    wanted, Decision(arguments.decision), session_id=self.scene.place.session_id
                )
            except NotDecided as refusal:
                raise ToolFailed(str(refusal)) from refusal
            said = "Allowed" if settled.approved else "Rejected"
            self._receipts[key] = f"{said}: {settled.named.title}"
            return self._receipts[key]

        return Tool(
            name=PERMISSION,
            description=(
                "Hand on what the person just decided about a request for permission, and only that: never "
                f"decide for them. Requests that wait: {waiting}"
            ),
            arguments=PermissionArguments,
            handler=respond,
            policy=ToolPolicy(available=lambda _context: bool(self._requests() or self._receipts)),
        )

    def _input(self) -> AnyTool:
        waiting = "; ".join(f"{one.short_id}: {question}" for one, question in self._questions())

        async def respond(arguments: InputArguments, _context: ToolContext) -> str:
            asking = [task for task, _ in self._questions()]
            if arguments.task_id.strip():
                task = _the(asking, arguments.task_id)
            elif len(asking) == 1:
                task = asking[0]
            else:
                raise ToolFailed("Several tasks ask: name one by its id.")
            if not self.inputs.answer(task.id, arguments.answer):
                raise ToolFailed("Nothing waits for an answer any more.")
            return f"Handed on to task {task.short_id}."

        return Tool(
            name=INPUT,
            description=f"Hand on the person's answer to a task's question. Questions that wait: {waiting}",
            arguments=InputArguments,
            handler=respond,
            policy=ToolPolicy(available=lambda _context: bool(self._questions())),
        )

    def _requests(self) -> list[PermissionRequest]:
        """What waits here and may be decided by the people of this run, in this turn."""
        pending = self.permissions.pending(self.scene.place.session_id)
        turns = tuple(self.turns)
        return [one for one in pending if consents(one, turns, standing=self.scene.standing)]

    def _questions(self) -> list[tuple[Task, str]]:
        speaker = self.scene.speaker
        found = self.inputs.pending(self.scene.place.session_id)
        return [
            (one.task, one.question)
            for one in found
            if speaker is not None and one.task.request.requester.id == speaker.id
        ]

    def _described(self, task: Task) -> str:
        if task.kind is TaskKind.REMINDER and task.request.due_at is not None:
            due = time_words(task.request.due_at, self.turns)
            return f"Reminder {task.short_id} ({task.request.title}): {due}."
        working = self.desk.working(task.id)
        line = progress_line(task, None if working is None else working.activity)
        told = f"Task {task.short_id} ({task.request.title}): {line}."
        waits = self.permissions.of_task(task.id)
        if waits is not None:
            told += f" It waits for a permission: {waits.title}."
        if task.error is not None:
            return f"{told} {task.error}"
        if task.artifacts:
            told += f" Files: {', '.join(f'{one.name} ({one.media_type})' for one in task.artifacts)}."
        return told if task.result is None else f"{told} Result:\n{task.result[:_MOST_RESULT]}"


def time_words(moment: datetime, turns: Sequence[UserTurn]) -> str:
    """The moment, in the zone that the scene's turns carry."""
    zone = turns[-1].at.tzinfo if turns else None
    return f"{moment.astimezone(zone):%A, %Y-%m-%d %H:%M %Z}"


def _the(tasks: Sequence[Task], wanted: str) -> Task:
    found = named(tasks, wanted)
    if found is None:
        raise ToolFailed(f"There is no task {wanted!r} here. Open tasks: {_names(tasks)}")
    return found


def _names(tasks: Sequence[Task]) -> str:
    shown = [f"{task.short_id} ({task.request.title})" for task in tasks if is_open(task)]
    return ", ".join(shown[:10]) or "none"

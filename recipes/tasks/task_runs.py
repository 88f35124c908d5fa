"""What tasks add to a run of the conversation: their tools, and nothing to its prompt (TASK-4)."""

from collections.abc import Sequence
from typing import Protocol

from core.clock import Clock
from core.conversation.turns import UserTurn
from recipes.run_scene import RunAdditions, RunScene, Standing
from recipes.tasks.desk import TaskDesk
from recipes.tasks.inputs import PendingInputs
from recipes.tasks.native_inputs import EarlierInput, EarlierInputs
from recipes.tasks.permissions import Permissions
from recipes.tasks.task import TaskKind
from recipes.tasks.tools import TaskTools
from recipes.tasks.visible_tasks import VisibleTasks
from sessions.history import History


class Delegates(Protocol):
    """Knows whom the owner lets use the backend (TASK-9)."""

    async def allowed(self, guild_id: str) -> frozenset[str]:
        """Their ids, in one server."""
        ...


class TaskRuns:
    """One for the process."""

    def __init__(
        self,
        *,
        desk: TaskDesk,
        visible: VisibleTasks,
        permissions: Permissions,
        inputs: PendingInputs,
        delegates: Delegates,
        clock: Clock,
    ) -> None:
        self._desk = desk
        self._visible = visible
        self._permissions = permissions
        self._inputs = inputs
        self._delegates = delegates
        self._clock = clock
        self._earlier: EarlierInputs | None = None

    def look_back_in(self, history: History) -> None:
        """Where earlier inputs are found from now on."""
        self._earlier = EarlierInputs(history)

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """The tools of a run that answers `turns`. Without any task there is nothing to ask and to stop."""
        delegates = await self._may_delegate(scene, turns)
        earlier: tuple[EarlierInput, ...] = ()
        if delegates and self._earlier is not None:
            earlier = await self._earlier.before(scene.place.session_id, turns)
        tools = TaskTools(
            desk=self._desk,
            visible=self._visible,
            permissions=self._permissions,
            inputs=self._inputs,
            clock=self._clock,
            scene=scene,
            turns=turns,
            delegates=delegates,
            earlier=earlier,
        )
        return RunAdditions(tools=tools.all())

    async def _may_delegate(self, scene: RunScene, turns: Sequence[UserTurn]) -> bool:
        if not self._desk.can(TaskKind.DELEGATED):
            return False
        if scene.standing is Standing.OWNER:
            return True
        speakers = {turn.speaker.id for turn in turns if turn.speaker is not None}
        guild_id = scene.place.guild_id
        if guild_id is None or not speakers:
            return False
        allowed = await self._delegates.allowed(guild_id)
        return speakers <= allowed

"""Which tasks somebody sees (TASK-13): their own, a manager those of the server, the owner all.

Reminders are listed apart, to their person alone.
"""

from typing import Final

from recipes.run_scene import Place, RunScene, Standing
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.task_rules import is_open, may_see, may_tell
from recipes.tasks.task_store import TaskReader

_MOST: Final = 100


class VisibleTasks:
    """Looks them up: those that are open, then the others, newest first."""

    def __init__(self, reader: TaskReader) -> None:
        self._reader = reader

    async def of(self, scene: RunScene) -> tuple[Task, ...]:
        """For the speaker of a scene; none where nobody speaks."""
        if scene.speaker is None:
            return ()
        return await self.seen_by(scene.speaker.id, standing=scene.standing, place=scene.place)

    async def told_in(self, scene: RunScene) -> tuple[Task, ...]:
        """Those of them that may be spoken of in the scene, where everybody there hears it."""
        return tuple(task for task in await self.of(scene) if may_tell(task, scene.place))

    async def reminders_told_in(self, scene: RunScene) -> tuple[Task, ...]:
        """The speaker's own reminders to come that may be spoken of in the scene, oldest first."""
        if scene.speaker is None:
            return ()
        theirs = await self._reader.open_of(scene.speaker.id)
        return tuple(
            task for task in theirs if task.kind is TaskKind.REMINDER and may_tell(task, scene.place)
        )

    async def seen_by(self, user_id: str, *, standing: Standing, place: Place) -> tuple[Task, ...]:
        """For one person, asking from `place`."""
        found = {task.id: task for task in await self._candidates(user_id, standing, place)}
        seen = [
            task
            for task in found.values()
            if task.kind is not TaskKind.REMINDER
            and may_see(task, user_id=user_id, standing=standing, place=place)
        ]
        newest = sorted(seen, key=lambda task: (task.created_at, task.id), reverse=True)
        return tuple(sorted(newest, key=lambda task: not is_open(task))[:_MOST])

    async def _candidates(self, user_id: str, standing: Standing, place: Place) -> tuple[Task, ...]:
        if standing is Standing.OWNER:
            return await self._reader.latest(_MOST)
        mine = (*await self._reader.of_person(user_id, _MOST), *await self._reader.open_of(user_id))
        if standing is Standing.MANAGER and place.guild_id is not None:
            return (*mine, *await self._reader.of_guild(place.guild_id, _MOST))
        return mine

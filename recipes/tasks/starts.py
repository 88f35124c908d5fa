"""The desk as recipes see it (`BackgroundRecipes`)."""

from core.prompts.plain_line import plain_line
from recipes.recipe_tasks import CannotBegin, RecipeTask
from recipes.run_scene import RunScene
from recipes.tasks.desk import TaskDesk, TaskRefused
from recipes.tasks.recipe_snapshot import snapshot_of
from recipes.tasks.task import MOST_TITLE, TaskKind, TaskRequest


class TaskStarts:
    """Accepts background recipes as tasks."""

    def __init__(self, desk: TaskDesk) -> None:
        self._desk = desk

    def can_run(self) -> bool:
        """See `BackgroundRecipes`."""
        return self._desk.can(TaskKind.RECIPE)

    async def begin(self, scene: RunScene, task: RecipeTask) -> str:
        """See `BackgroundRecipes`."""
        if scene.speaker is None:
            raise CannotBegin("A task belongs to a person, and nobody asked.")
        request = TaskRequest(
            title=plain_line(task.recipe.name, limit=MOST_TITLE),
            message=task.message,
            place=scene.place,
            requester=scene.speaker,
            asked_by=task.asked_by,
            recipe_name=task.recipe.name,
            recipe_form=snapshot_of(task.recipe),
        )
        try:
            accepted = await self._desk.accept(TaskKind.RECIPE, task.key, request)
        except TaskRefused as refusal:
            raise CannotBegin(str(refusal)) from refusal
        return accepted.short_id

"""What a conversation is told of a task that is over: data from a task, nobody's speech (REC-8, REC-9)."""

from core.conversation.content import Text
from core.conversation.turns import Notice, UserTurn
from recipes.prompts import notice_source, task_failure, task_result
from recipes.tasks.task import Task, TaskKind, TaskState


def news_of(task: Task, *, silence_allowed: bool = True) -> UserTurn:
    """The turn with the news of a task, the same however often it is made."""
    name = task.request.recipe_name or task.request.title
    if task.kind is TaskKind.REMINDER:
        text, name = f"A reminder is due: {task.result or task.error or ''}", ""
    elif task.state is TaskState.COMPLETED:
        made = f"\n[It made: {', '.join(one.name for one in task.artifacts)}]" if task.artifacts else ""
        text = task_result(name, f"{task.result or ''}{made}".lstrip())
    else:
        text = task_failure(name, task.error or "")
    return UserTurn(
        id=f"{task.id}:news",
        at=task.updated_at,
        content=(Text(text=text),),
        notice=Notice(
            source=notice_source(name) if name else "reminder",
            silence_allowed=silence_allowed,
            about=task.request.requester.id,
        ),
    )

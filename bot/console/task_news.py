"""The ends of tasks on the screen: the whole result as it came, between what is said (TASK-11)."""

from contextlib import suppress

from bot.console.screen import Screen
from bot.task_notice import news_of
from recipes.tasks.deliveries import VoiceFloor
from recipes.tasks.permission_rules import PermissionRequest
from recipes.tasks.task import Artifact, Task, TaskKind, TaskState
from sessions.bindings import ConsoleBinding
from sessions.failures import StaleGeneration
from sessions.history import History
from sessions.scene import Sessions


class ConsoleTaskNews:
    """The `TaskAnnouncement` of the terminal. Nobody else reads it, and nobody talks."""

    def __init__(self, *, screen: Screen, sessions: Sessions, history: History) -> None:
        self._screen = screen
        self._sessions = sessions
        self._history = history

    def floor(self, task: Task) -> VoiceFloor | None:
        """See `TaskAnnouncement`."""
        return None

    async def post(self, task: Task) -> None:
        """See `TaskAnnouncement`."""
        title = f"{task.request.title} (task {task.short_id})"
        if task.state is not TaskState.COMPLETED:
            self._screen.tell(f"{title} failed: {task.error}")
            return
        self._screen.tell(f"A reminder, {title}:" if task.kind is TaskKind.REMINDER else f"{title}:")
        self._screen.grow(task.result or "")
        self._screen.end_reply()
        for one in task.artifacts:
            self._show(one)

    def _show(self, artifact: Artifact) -> None:
        try:
            text = artifact.content.decode()
        except UnicodeDecodeError:
            self._screen.tell(f"It made {artifact.name} ({artifact.media_type}), which is no text.")
            return
        self._screen.tell(f"{artifact.name}:")
        self._screen.grow(text.strip("\n"))
        self._screen.end_reply()

    async def write_directly(self, task: Task) -> bool:
        """See `TaskAnnouncement`."""
        return False

    async def remember(self, task: Task, *, asks: bool) -> None:
        """See `TaskAnnouncement`. The person has just read it, so nothing is said about it."""
        session = await self._sessions.open(ConsoleBinding(), task.updated_at)
        with suppress(ValueError, StaleGeneration):  # it stands there already, or was reset in this moment
            await self._history.append(session.session_id, session.generation, news_of(task))

    async def ask(self, request: PermissionRequest, task: Task) -> None:
        """Show what a task may not do without consent; it is given or refused in words."""
        self._screen.tell(f"{task.request.title} (task {task.short_id}) asks: may I {request.title}?")
        if request.detail:
            self._screen.tell(request.detail)

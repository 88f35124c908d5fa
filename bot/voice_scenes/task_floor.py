"""A talk as results of tasks see it: when it may be spoken into, and how a result is said (TASK-11)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.voice_scenes.talk import Talk
from bot.voice_scenes.talk_floor import FloorChange
from core.clock import Clock
from recipes.tasks.delivery_rules import FloorFreed, FloorTaken, TellingEvent, VoiceEnded
from recipes.tasks.task import Task, TaskKind, TaskState
from sessions.bindings import ChannelBinding


@dataclass(frozen=True, slots=True, kw_only=True)
class TaskFloor:
    """The `VoiceFloor` of one talk.

    What was heard is written into the chat, too, by `written`: code and the rest of a long result are read
    there (VOX-28). `sleeps`: whether the bot sleeps in the channel.
    """

    talk: Talk
    clock: Clock
    written: Callable[[Task], Awaitable[None]]
    sleeps: Callable[[ChannelBinding], Awaitable[bool]]

    def is_free(self) -> bool:
        """See `VoiceFloor`."""
        return self.talk.floor.is_free

    def listen(self, changed: Callable[[TellingEvent], None]) -> Callable[[], None]:
        """See `VoiceFloor`."""

        def told(change: FloorChange) -> None:
            at = self.clock.monotonic()
            match change:
                case FloorChange.FREED:
                    changed(FloorFreed(at=at))
                case FloorChange.TAKEN:
                    changed(FloorTaken(at=at))
                case FloorChange.ENDED:
                    changed(VoiceEnded(at=at))

        return self.talk.floor.listen(told)

    async def may_speak(self) -> bool:
        """See `VoiceFloor`."""
        return not await self.sleeps(self.talk.binding)

    async def speak(self, task: Task) -> bool:
        """See `VoiceFloor`."""
        heard = await self.talk.tell(spoken_news(task))
        if heard:
            await self.written(task)
        return heard


def spoken_news(task: Task) -> str:
    """A result as it is told to people who do not look at the chat."""
    if task.kind is TaskKind.REMINDER:
        return f"{task.request.requester.name}, a reminder: {task.result or task.error or task.request.title}"
    if task.state is TaskState.COMPLETED:
        files = len(task.artifacts)
        made = (
            "" if not files else f" There {'is a file' if files == 1 else f'are {files} files'} in the chat."
        )
        return f"{task.request.title}: {task.result or 'done.'}{made}"
    return f"{task.request.title} did not work: {task.error or 'nobody knows why.'}"

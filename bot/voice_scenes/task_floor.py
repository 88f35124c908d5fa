"""A talk as results of tasks see it: when it may be spoken into, and how a result is said (TASK-11)."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from bot.voice_scenes.talk import Talk
from bot.voice_scenes.talk_floor import FloorChange
from core.clock import Clock
from core.sentences import sentence
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
        heard = await self.talk.tell(*spoken_news(task))
        if heard:
            await self.written(task)
        return heard


def spoken_news(task: Task) -> tuple[str, ...]:
    """A result in sentences, as it is told to people who do not look at the chat."""
    title, name = task.request.title, task.request.requester.name
    if task.kind is TaskKind.REMINDER:
        return (sentence("{name}, a reminder: {about}", name=name, about=task.result or task.error or title),)
    if task.state is not TaskState.COMPLETED:
        reason = task.error or sentence("nobody knows why.")
        return (sentence("{title} did not work: {reason}", title=title, reason=reason),)
    said = f"{title}: {task.result}" if task.result else sentence("{title} is done.", title=title)
    match len(task.artifacts):
        case 0:
            return (said,)
        case 1:
            return (said, sentence("There is a file in the chat."))
        case count:
            return (said, sentence("There are {count} files in the chat.", count=count))

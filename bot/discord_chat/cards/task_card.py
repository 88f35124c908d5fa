"""The card of a task: what it does, since when, and a Stop button (TASK-10, TASK-13).

One message per task, posted when the work takes longer than a moment, edited at most once in two seconds,
and once more when it is over. It shows; nothing waits for it.
"""

import asyncio
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Final, Self

import discord
import structlog
from discord.utils import escape_markdown

from bot.discord_chat.cards.persistent_buttons import button_row
from bot.discord_chat.languages import told
from bot.discord_chat.readers import Readers
from core.clock import Clock
from core.sentences import sentence
from recipes.tasks.desk import TaskDesk
from recipes.tasks.progress_rules import CardPacing, due_in_s, progress_line, was_shown
from recipes.tasks.task import Task, TaskKind
from recipes.tasks.task_rules import is_open
from recipes.tasks.task_store import EffectsLedger, UnknownTask

_log = structlog.get_logger()
_SHOWN_AFTER_S: Final = 1.0
_CARD: Final = "card"
TEMPLATE: Final = r"task:stop:(?P<task>[\w-]+)"


def card_text(task: Task, line: str) -> str:
    """One line of small print; Discord keeps the elapsed time going by itself."""
    title = escape_markdown(task.request.title)
    return told(
        "-# {title} · {line} · {since} · task {short_id}",
        title=title,
        line=told(line),
        since=f"<t:{int(task.created_at.timestamp())}:R>",
        short_id=task.short_id,
    )


def card_view(task: Task) -> discord.ui.View | None:
    """A Stop button while it can be stopped."""
    if not is_open(task):
        return None
    return button_row((sentence("Stop"), discord.ButtonStyle.danger, f"task:stop:{task.id}"))


class TaskCards:
    """Used as an async context manager while the client is there."""

    def __init__(
        self,
        *,
        client: discord.Client,
        readers: Readers,
        desk: TaskDesk,
        ledger: EffectsLedger,
        clock: Clock,
    ) -> None:
        self._client = client
        self._readers = readers
        self._desk = desk
        self._ledger = ledger
        self._clock = clock
        self._followed: dict[str, asyncio.Event] = {}
        self._tasks = asyncio.TaskGroup()
        self._following: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for following in self._following:
            following.cancel()
        await self._tasks.__aexit__(kind, error, trace)

    def changed(self, task: Task) -> None:
        """A task came to another state."""
        if task.id in self._followed:
            self._followed[task.id].set()
        elif is_open(task) and task.kind is not TaskKind.REMINDER and task.request.place.channel_id:
            self._followed[task.id] = asyncio.Event()
            following = self._tasks.create_task(self._follow(task), name=f"card {task.id}")
            self._following.add(following)
            following.add_done_callback(self._following.discard)

    def active(self, task_id: str) -> None:
        """A task does something else now."""
        if task_id in self._followed:
            self._followed[task_id].set()

    async def _follow(self, task: Task) -> None:
        try:
            await self._clock.sleep(_SHOWN_AFTER_S)
            await self._readers.meet_in(task.request.place)
            await self._show(task)
        except discord.HTTPException as error:
            _log.info("card not shown", task=task.id, status=error.status)
        except UnknownTask:
            _log.debug("task is gone", task=task.id)
        except Exception as error:  # noqa: BLE001 - what only shows must not end the bot
            _log.error("card broke", task=task.id, exc_info=error)
        finally:
            del self._followed[task.id]

    async def _show(self, task: Task) -> None:
        changed = self._followed[task.id]
        pacing, message = CardPacing(), None
        while True:
            changed.clear()
            current = await self._desk.find(task.id)
            if current is None:
                return
            working = self._desk.working(task.id)
            activity = None if working is None else working.activity
            with self._speaking(current):
                text = card_text(current, progress_line(current, activity))
            now = self._clock.monotonic()
            wait_s = due_in_s(pacing, text, now)
            if wait_s == 0.0:
                message = await self._brought(current, text, message)
                if message is None:
                    return
                pacing = was_shown(pacing, text, now)
            elif wait_s is not None:
                await self._clock.sleep(wait_s)
                continue
            if not is_open(current):
                return
            await changed.wait()

    async def _brought(
        self, task: Task, text: str, message: discord.PartialMessage | None
    ) -> discord.PartialMessage | None:
        """The card with that text; None where there is none to be shown."""
        nobody = discord.AllowedMentions.none()
        channel = self._client.get_partial_messageable(int(task.request.place.channel_id or 0))
        if message is None:
            effect = await self._ledger.intend(task.id, _CARD, self._clock.now())
            if effect.receipt is None and (not effect.is_new or not is_open(task)):
                return None  # whether it stands there is not known, or it is over before anybody looked
            if effect.receipt is None:
                with self._speaking(task):
                    view = card_view(task) or discord.ui.View()
                posted = await channel.send(text, view=view, silent=True, allowed_mentions=nobody)
                await self._ledger.settle(task.id, _CARD, str(posted.id))
                return channel.get_partial_message(posted.id)
            message = channel.get_partial_message(int(effect.receipt))
        with self._speaking(task):
            view = card_view(task)
        await message.edit(content=text, view=view, allowed_mentions=nobody)
        return message

    def _speaking(self, task: Task) -> AbstractContextManager[None]:
        return self._readers.speaking(int(task.request.place.channel_id or 0))

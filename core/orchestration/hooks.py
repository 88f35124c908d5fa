"""What others may learn about a run, without a way to disturb it (CORE-27).

Subscribers are called one after another in the order of their subscription; the events of one run arrive in
the order in which they happened. A subscriber that raises or takes too long is reported and skipped. Events
hold text only, as the display projection gives it (CORE-26): no media, no native items.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final, TypeVar

_PATIENCE_S: Final = 5.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RunStarted:
    """A send of this session runs now."""

    session_id: str
    run_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyDelivered:
    """The reply reached its scene and was committed; `text` is empty when the model chose silence."""

    session_id: str
    run_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFailed:
    """The run failed; its cause stands in the log under `error_id`."""

    session_id: str
    run_id: str
    error_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunInterrupted:
    """Somebody stopped the run; `text` is what had reached the scene."""

    session_id: str
    run_id: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkEnded:
    """People and the bot spoke with each other in this session, and the bot left or was moved."""

    session_id: str


HookEvent = RunStarted | ReplyDelivered | RunFailed | RunInterrupted | TalkEnded

_Event = TypeVar("_Event", RunStarted, ReplyDelivered, RunFailed, RunInterrupted, TalkEnded)

Subscriber = Callable[[_Event], Awaitable[None]]
ReportFailure = Callable[[HookEvent, BaseException], None]
"""Told of each failure of a subscriber; never raises."""


class Hooks:
    """Publishes events to whoever subscribed to their class.

    Args:
        report: is told of a subscriber's failure, a `TimeoutError` after `patience_s` included.
        patience_s: how long one subscriber may take with one event.
    """

    def __init__(self, report: ReportFailure, *, patience_s: float = _PATIENCE_S) -> None:
        self._report = report
        self._patience_s = patience_s
        self._subscribers: list[tuple[type[HookEvent], Callable[[HookEvent], Awaitable[None]]]] = []

    def subscribe(self, event_type: type[_Event], subscriber: Subscriber[_Event]) -> Callable[[], None]:
        """Call `subscriber` with every later event of that class; returns what ends the subscription."""

        async def told(event: HookEvent) -> None:
            if isinstance(event, event_type):
                await subscriber(event)

        entry = (event_type, told)
        self._subscribers.append(entry)

        def unsubscribe() -> None:
            if entry in self._subscribers:
                self._subscribers.remove(entry)

        return unsubscribe

    async def publish(self, event: HookEvent) -> None:
        """Tell all subscribers of `event`; raises nothing but the caller's own cancellation."""
        for event_type, told in tuple(self._subscribers):
            if isinstance(event, event_type):
                await self._tell(told, event)

    async def _tell(self, told: Callable[[HookEvent], Awaitable[None]], event: HookEvent) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await told(event)
        except asyncio.CancelledError as error:
            caller = asyncio.current_task()
            if caller is None or caller.cancelling():
                raise
            self._report(event, error)  # the subscriber's own: something it awaited was cancelled
        except Exception as error:  # noqa: BLE001 - whatever a subscriber raises must not end the run
            self._report(event, error)

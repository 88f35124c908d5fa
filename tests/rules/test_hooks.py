"""Hooks: CORE-27."""

import asyncio

from core.orchestration.hooks import HookEvent, Hooks, ReplyDelivered, RunFailed, RunStarted

STARTED = RunStarted(session_id="s", run_id="run_1")
DELIVERED = ReplyDelivered(session_id="s", run_id="run_1", text="hi")


class Reports:
    def __init__(self) -> None:
        self.seen: list[tuple[HookEvent, BaseException]] = []

    def __call__(self, event: HookEvent, error: BaseException) -> None:
        self.seen.append((event, error))


async def test_a_subscriber_gets_the_events_of_its_class_in_order() -> None:
    """CORE-27: typed by event class."""
    hooks, seen = Hooks(Reports()), list[HookEvent]()

    async def on_start(event: RunStarted) -> None:
        seen.append(event)

    async def on_delivery(event: ReplyDelivered) -> None:
        seen.append(event)

    hooks.subscribe(ReplyDelivered, on_delivery)
    hooks.subscribe(RunStarted, on_start)
    for event in (STARTED, DELIVERED, RunFailed(session_id="s", run_id="run_1", error_id="err_1")):
        await hooks.publish(event)
    assert seen == [STARTED, DELIVERED]


async def test_a_failing_subscriber_is_reported_and_skipped() -> None:
    """CORE-27: it breaks neither the run nor the next subscriber."""
    reports, seen = Reports(), list[HookEvent]()
    hooks = Hooks(reports)
    defect = RuntimeError("defect")

    async def broken(event: RunStarted) -> None:
        raise defect

    async def sound(event: RunStarted) -> None:
        seen.append(event)

    hooks.subscribe(RunStarted, broken)
    hooks.subscribe(RunStarted, sound)
    await hooks.publish(STARTED)
    await hooks.publish(STARTED)
    assert seen == [STARTED, STARTED]
    assert reports.seen == [(STARTED, defect), (STARTED, defect)]


async def test_a_hanging_subscriber_is_reported_and_skipped() -> None:
    """CORE-27: a run waits for nobody for long."""
    reports, seen = Reports(), list[HookEvent]()
    hooks = Hooks(reports, patience_s=0.01)

    async def hanging(event: RunStarted) -> None:
        await asyncio.Event().wait()

    async def sound(event: RunStarted) -> None:
        seen.append(event)

    hooks.subscribe(RunStarted, hanging)
    hooks.subscribe(RunStarted, sound)
    await hooks.publish(STARTED)
    assert seen == [STARTED]
    assert [type(error) for _, error in reports.seen] == [TimeoutError]


async def test_a_cancellation_inside_a_subscriber_stays_there() -> None:
    """CORE-27: only the caller's own cancellation ends the run."""
    reports = Reports()
    hooks = Hooks(reports)

    async def careless(event: RunStarted) -> None:
        gone = asyncio.get_running_loop().create_future()
        gone.cancel()
        await gone

    hooks.subscribe(RunStarted, careless)
    await hooks.publish(STARTED)
    assert [type(error) for _, error in reports.seen] == [asyncio.CancelledError]


async def test_the_callers_cancellation_is_never_swallowed() -> None:
    reports, entered = Reports(), asyncio.Event()
    hooks = Hooks(reports)

    async def slow(event: RunStarted) -> None:
        entered.set()
        await asyncio.Event().wait()

    hooks.subscribe(RunStarted, slow)
    async with asyncio.TaskGroup() as tasks:
        run = tasks.create_task(hooks.publish(STARTED))
        await entered.wait()
        run.cancel()
    assert run.cancelled()
    assert reports.seen == []


async def test_who_unsubscribed_hears_nothing_more() -> None:
    hooks, seen = Hooks(Reports()), list[HookEvent]()

    async def listener(event: RunStarted) -> None:
        seen.append(event)

    unsubscribe = hooks.subscribe(RunStarted, listener)
    unsubscribe()
    unsubscribe()
    await hooks.publish(STARTED)
    assert seen == []


async def test_a_subscriber_may_unsubscribe_while_it_is_told() -> None:
    hooks, seen = Hooks(Reports()), list[HookEvent]()

    async def once(event: RunStarted) -> None:
        seen.append(event)
        unsubscribe()

    async def always(event: RunStarted) -> None:
        seen.append(event)

    unsubscribe = hooks.subscribe(RunStarted, once)
    hooks.subscribe(RunStarted, always)
    await hooks.publish(STARTED)
    await hooks.publish(STARTED)
    assert seen == [STARTED, STARTED, STARTED]

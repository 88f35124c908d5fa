"""Tasks in the database: every port of `task_store.py`."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, insert, or_, select, update

from recipes.tasks.request_codec import decode_request, encode_request
from recipes.tasks.result_codec import decode_artifacts, encode_artifacts
from recipes.tasks.storage.tables import effects, moves, tasks
from recipes.tasks.task import NewsState, Task, TaskKind, TaskState
from recipes.tasks.task_rules import FINAL, moved
from recipes.tasks.task_store import Effect, Outcome, TaskMove, UnknownTask
from sessions.storage.database import Database

_OPEN = [state.value for state in TaskState if state not in FINAL]
_OVER = [state.value for state in FINAL]
_UNTOLD = [NewsState.WAITING.value, NewsState.POSTED.value]


class StoredTasks:
    """Every port of `task_store.py`. `slot`: of this process, which goes on with its own tasks alone."""

    def __init__(self, database: Database, *, slot: str = "0") -> None:
        self._database = database
        self._slot = slot

    async def accept(self, task: Task) -> Task:
        """See `TaskStore`."""

        def work(connection: Connection) -> Task:
            known = connection.execute(select(tasks).where(tasks.c.task_key == task.key)).one_or_none()
            if known is not None:
                return _task(known)
            made = connection.execute(insert(tasks), {**_row(task), "slot": self._slot}).inserted_primary_key
            place = made[0] if made else None
            first = {"task_place": place, "state": task.state.value, "at": task.created_at}
            connection.execute(insert(moves), first)
            return task

        return await self._database.write(work)

    async def find(self, task_id: str) -> Task | None:
        """See `TaskStore`."""
        found = await self._database.read(_reading(select(tasks).where(tasks.c.task_id == task_id)))
        return found[0] if found else None

    async def unfinished(self) -> tuple[Task, ...]:
        """See `TaskStore`."""
        mine = (tasks.c.state.in_(_OPEN), tasks.c.slot == self._slot)
        query = select(tasks).where(*mine).order_by(tasks.c.place)
        return await self._database.read(_reading(query))

    async def move(self, task_id: str, to: TaskState, at: datetime, outcome: Outcome | None = None) -> Task:
        """See `TaskStore`."""
        came = outcome or Outcome()
        query = select(tasks).where(tasks.c.task_id == task_id)

        def work(connection: Connection) -> Task:
            row = connection.execute(query).one_or_none()
            if row is None:
                raise UnknownTask(task_id)
            state = moved(TaskState(row.state), to)
            changed = {
                "state": state.value,
                "updated_at": at,
                "result": came.result,
                "error": came.error,
                "artifacts": encode_artifacts(came.artifacts) if came.artifacts else None,
            }
            connection.execute(update(tasks).where(tasks.c.place == row.place).values(changed))
            connection.execute(insert(moves), {"task_place": row.place, "state": state.value, "at": at})
            return _task(connection.execute(query).one())

        return await self._database.write(work)

    async def moves(self, task_id: str) -> tuple[TaskMove, ...]:
        """See `TaskStore`."""
        query = (
            select(moves.c.state, moves.c.at)
            .join(tasks, tasks.c.place == moves.c.task_place)
            .where(tasks.c.task_id == task_id)
            .order_by(moves.c.place)
        )

        def work(connection: Connection) -> tuple[TaskMove, ...]:
            rows = connection.execute(query)
            return tuple(TaskMove(state=TaskState(row.state), at=row.at) for row in rows)

        return await self._database.read(work)

    async def open_of(self, user_id: str) -> tuple[Task, ...]:
        """See `TaskReader`."""
        theirs = (tasks.c.requester == user_id, tasks.c.state.in_(_OPEN))
        return await self._database.read(_reading(select(tasks).where(*theirs).order_by(tasks.c.place)))

    async def of_person(self, user_id: str, limit: int) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return await self._latest(limit, tasks.c.requester == user_id)

    async def of_guild(self, guild_id: str, limit: int) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return await self._latest(limit, tasks.c.guild_id == guild_id)

    async def latest(self, limit: int) -> tuple[Task, ...]:
        """See `TaskReader`."""
        return await self._latest(limit)

    async def untold(self) -> tuple[Task, ...]:
        """See `TaskNews`."""
        query = select(tasks).where(tasks.c.state.in_(_OVER), tasks.c.news.in_(_UNTOLD))
        return await self._database.read(_reading(query.order_by(tasks.c.place)))

    async def claim(self, task_id: str, owner: str, until: datetime, now: datetime) -> bool:
        """See `TaskNews`."""
        free = or_(tasks.c.claimed_by.is_(None), tasks.c.claimed_by == owner, tasks.c.claimed_until <= now)
        taking = update(tasks).where(tasks.c.task_id == task_id, free)
        taking = taking.values(claimed_by=owner, claimed_until=until)
        return await self._database.write(lambda connection: connection.execute(taking).rowcount > 0)

    async def set_news(self, task_id: str, news: NewsState, *, announced: int) -> None:
        """See `TaskNews`."""
        change = update(tasks).where(tasks.c.task_id == task_id)
        change = change.values(news=news.value, announced=announced)
        await self._database.write(lambda connection: connection.execute(change).rowcount)

    async def intend(self, task_id: str, key: str, at: datetime) -> Effect:
        """See `EffectsLedger`."""

        def work(connection: Connection) -> Effect:
            place = _place(connection, task_id)
            query = select(effects).where(effects.c.task_place == place, effects.c.effect == key)
            row = connection.execute(query).one_or_none()
            if row is not None:
                return _effect(row)
            connection.execute(insert(effects), {"task_place": place, "effect": key, "intended_at": at})
            return Effect(key=key, intended_at=at, is_new=True)

        return await self._database.write(work)

    async def settle(self, task_id: str, key: str, receipt: str) -> None:
        """See `EffectsLedger`."""

        def work(connection: Connection) -> None:
            mine = (effects.c.task_place == _place(connection, task_id), effects.c.effect == key)
            connection.execute(update(effects).where(*mine).values(receipt=receipt))

        await self._database.write(work)

    async def effects(self, task_id: str) -> Sequence[Effect]:
        """See `EffectsLedger`."""
        query = (
            select(effects)
            .join(tasks, tasks.c.place == effects.c.task_place)
            .where(tasks.c.task_id == task_id)
            .order_by(effects.c.place)
        )
        return await self._database.read(
            lambda connection: tuple(_effect(row) for row in connection.execute(query))
        )

    async def tasks_of(self, user_id: str) -> tuple[Task, ...]:
        """See `TaskPersons`."""
        query = select(tasks).where(tasks.c.requester == user_id).order_by(tasks.c.place)
        return await self._database.read(_reading(query))

    async def forget_tasks_of(self, user_id: str) -> tuple[str, ...]:
        """See `TaskPersons`."""
        return await self._removed(tasks.c.requester == user_id)

    async def forget_over(self, before: datetime) -> tuple[str, ...]:
        """See `TaskRetention`."""
        over = tasks.c.state.in_(_OVER) & tasks.c.news.not_in(_UNTOLD)
        return await self._removed(over & (tasks.c.updated_at < before))

    async def _latest(self, limit: int, *those: ColumnElement[bool]) -> tuple[Task, ...]:
        query = select(tasks).where(tasks.c.kind != TaskKind.REMINDER.value, *those)
        return await self._database.read(_reading(query.order_by(tasks.c.place.desc()).limit(limit)))

    async def _removed(self, those: ColumnElement[bool]) -> tuple[str, ...]:
        def work(connection: Connection) -> tuple[str, ...]:
            gone = tuple(connection.execute(select(tasks.c.task_id).where(those)).scalars())
            connection.execute(delete(tasks).where(those))
            return gone

        return await self._database.write(work)


def _place(connection: Connection, task_id: str) -> int:
    place = connection.execute(select(tasks.c.place).where(tasks.c.task_id == task_id)).scalar_one_or_none()
    if place is None:
        raise UnknownTask(task_id)
    return int(place)


def _reading(statement: Any) -> Callable[[Connection], tuple[Task, ...]]:
    def work(connection: Connection) -> tuple[Task, ...]:
        return tuple(_task(row) for row in connection.execute(statement))

    return work


def _row(task: Task) -> dict[str, object]:
    return {
        "task_id": task.id,
        "task_key": task.key,
        "kind": task.kind.value,
        "requester": task.request.requester.id,
        "guild_id": task.request.place.guild_id,
        "request": encode_request(task.request),
        "state": task.state.value,
        "result": task.result,
        "error": task.error,
        "artifacts": encode_artifacts(task.artifacts) if task.artifacts else None,
        "news": task.news.value,
        "announced": task.announced,
        "created_at": task.created_at,
        "updated_at": task.updated_at,
    }


def _task(row: Row[Any]) -> Task:
    return Task(
        id=row.task_id,
        key=row.task_key,
        kind=TaskKind(row.kind),
        request=decode_request(row.request),
        state=TaskState(row.state),
        created_at=row.created_at,
        updated_at=row.updated_at,
        result=row.result,
        error=row.error,
        artifacts=() if row.artifacts is None else decode_artifacts(row.artifacts),
        news=NewsState(row.news),
        announced=row.announced,
    )


def _effect(row: Row[Any]) -> Effect:
    return Effect(key=row.effect, intended_at=row.intended_at, receipt=row.receipt)

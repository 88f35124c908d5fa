"""Failures on order: what a test wants to go wrong, at which route, how often, before or after execution.

A rule is used up by the requests that it matches; the first rule that matches wins.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tests.fake_discord.recorder import Exchange

Where = Callable[[Exchange], bool]


@dataclass(slots=True, eq=False, kw_only=True)
class Failure:
    """One rule. `status` None and `drop` False: a delay only."""

    method: str | None
    route: str | None
    where: Where | None = None
    times: int = 1
    after_execution: bool = False
    """True: the request takes effect, only its answer is lost or replaced."""
    drop: bool = False
    status: int | None = None
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict[str, str])
    delay_s: float = 0.0
    gate: asyncio.Event | None = None
    hits: list[Exchange] = field(default_factory=list[Exchange])
    """The requests that met this failure."""

    def matches(self, exchange: Exchange) -> bool:
        return (
            self.times > 0
            and self.method in (None, exchange.method)
            and self.route in (None, exchange.route)
            and (self.where is None or self.where(exchange))
        )

    def release(self) -> None:
        """Lets the held requests go on."""
        if self.gate is not None:
            self.gate.set()
        self.times = 0


class Failures:
    """The orders of a test; routes are templates such as "/channels/{channel_id}/messages", None is any."""

    def __init__(self) -> None:
        self._rules: list[Failure] = []

    def fail(
        self,
        method: str | None,
        route: str | None,
        *,
        status: int = 500,
        code: int = 0,
        message: str = "500: Internal Server Error",
        body: Any = None,
        headers: dict[str, str] | None = None,
        times: int = 1,
        after_execution: bool = False,
        where: Where | None = None,
    ) -> Failure:
        """Answers with this status; `body` (JSON, or a str as text/html) replaces Discord's error form."""
        return self._add(
            Failure(
                method=method,
                route=route,
                where=where,
                times=times,
                after_execution=after_execution,
                status=status,
                body={"message": message, "code": code} if body is None else body,
                headers=headers or {},
            )
        )

    def drop(
        self,
        method: str | None,
        route: str | None,
        *,
        times: int = 1,
        after_execution: bool = False,
        where: Where | None = None,
    ) -> Failure:
        """Resets the connection, before the request takes effect or after."""
        return self._add(
            Failure(
                method=method,
                route=route,
                where=where,
                times=times,
                after_execution=after_execution,
                drop=True,
            )
        )

    def delay(
        self,
        method: str | None,
        route: str | None,
        seconds: float,
        *,
        times: int = 1,
        after_execution: bool = False,
        where: Where | None = None,
    ) -> Failure:
        return self._add(
            Failure(
                method=method,
                route=route,
                where=where,
                times=times,
                after_execution=after_execution,
                delay_s=seconds,
            )
        )

    def hold(
        self,
        method: str | None,
        route: str | None,
        *,
        times: int = 1_000_000,
        after_execution: bool = False,
        where: Where | None = None,
    ) -> Failure:
        """Holds requests (or, after execution, their answers) until `release()` of what this returns."""
        return self._add(
            Failure(
                method=method,
                route=route,
                where=where,
                times=times,
                after_execution=after_execution,
                gate=asyncio.Event(),
            )
        )

    def _add(self, rule: Failure) -> Failure:
        self._rules.append(rule)
        return rule

    def clear(self) -> None:
        for rule in self._rules:
            rule.release()
        self._rules.clear()

    def take(self, exchange: Exchange, *, after_execution: bool) -> Failure | None:
        for rule in self._rules:
            if rule.after_execution is after_execution and rule.matches(exchange):
                rule.times -= 1
                rule.hits.append(exchange)
                if rule.times <= 0:
                    self._rules.remove(rule)
                return rule
        return None

    @property
    def pending(self) -> list[Failure]:
        """Rules that nothing has used up yet."""
        return list(self._rules)


async def wait_as_ordered(rule: Failure) -> None:
    if rule.delay_s:
        await asyncio.sleep(rule.delay_s)
    if rule.gate is not None:
        await rule.gate.wait()

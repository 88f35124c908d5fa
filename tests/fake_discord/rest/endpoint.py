"""The way of one REST request: read, record, refuse or execute, check, answer.

The order is Discord's where it shows: rate limits come before execution, and what was executed stays executed
even when its answer is lost on the way.
"""

from __future__ import annotations

import json
from typing import Any

from aiohttp import web
from aiohttp.multipart import BodyPartReader

from tests.fake_discord.connections import reset
from tests.fake_discord.failures import Failure, wait_as_ordered
from tests.fake_discord.openapi_check import OpenApiCheck
from tests.fake_discord.rate_limits import VIA
from tests.fake_discord.recorder import Exchange, UploadedFile
from tests.fake_discord.rest import (
    channels,
    commands,
    guilds,
    interactions,
    messages,
    reactions,
    threads,
    users,
)
from tests.fake_discord.rest.routing import Answer, ApiError, Call, Route, Router
from tests.fake_discord.state import State

PREFIX = "/api/v10"
TABLES = (
    messages.ROUTES,
    interactions.ROUTES,
    users.ROUTES,
    guilds.ROUTES,
    channels.ROUTES,
    threads.ROUTES,
    reactions.ROUTES,
    commands.ROUTES,
)


class RestEndpoint:
    """`check` None: nothing is validated."""

    def __init__(self, state: State, check: OpenApiCheck | None) -> None:
        self._state = state
        self._check = check
        self._router = Router(TABLES)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        state = self._state
        body, files, broken = await _read(request)
        path = request.rel_url.raw_path.removeprefix(PREFIX)
        route, params, path_exists = self._router.find(request.method, path)
        exchange = Exchange(
            number=state.recorder.next_number(),
            method=request.method,
            path=path,
            route=route.template if route else None,
            params=params,
            query=dict(request.query),
            json=body,
            files=files,
            headers=dict(request.headers),
            received_at=state.clock(),
        )
        state.recorder.received(exchange)
        if rule := state.failures.take(exchange, after_execution=False):
            await wait_as_ordered(rule)
            if (lost := self._fail(rule, request, exchange)) is not None:
                return lost
        answer, headers = self._answer(exchange, route, path_exists=path_exists, broken=broken)
        if rule := state.failures.take(exchange, after_execution=True):
            await wait_as_ordered(rule)
            if (lost := self._fail(rule, request, exchange)) is not None:
                return lost
        self._finish(exchange, answer.status, answer.body)
        return _response(answer.status, answer.body, {**headers, **answer.headers})

    def _answer(
        self, exchange: Exchange, route: Route | None, *, path_exists: bool, broken: bool
    ) -> tuple[Answer, dict[str, str]]:
        state = self._state
        if route is None:
            state.violations.append(f"the fake knows no {exchange.method} {exchange.path}")
            if path_exists:
                return Answer(status=405, body={"message": "405: Method Not Allowed", "code": 0}), {}
            return Answer(status=404, body={"message": "404: Not Found", "code": 0}), {}
        if route.access == "bot" and exchange.headers.get("Authorization") != f"Bot {state.token}":
            return Answer(status=401, body={"message": "401: Unauthorized", "code": 0}), {}
        refusal, limits = state.rate_limits.take(
            bucket=route.bucket,
            major=route.major(exchange.params),
            limit=state.rate_limits.overrides.get((route.method, route.template), route.limit),
            now=state.monotonic(),
            wall=state.clock(),
            counts_overall=route.access == "bot",
        )
        headers = dict(limits)
        if refusal is not None:
            answer = Answer(status=429, body=refusal.body)
        elif broken:
            answer = Answer(
                status=400, body={"message": "The request body contains invalid JSON.", "code": 50109}
            )
        else:
            answer = self._execute(exchange, route)
            if answer.status == 429:
                headers |= VIA
        if self._check is not None:
            state.violations += self._check.answer(route.method, route.template, answer.status, answer.body)
        return answer, headers

    def _execute(self, exchange: Exchange, route: Route) -> Answer:
        if self._check is not None:
            self._state.violations += self._check.request(route.method, route.template, exchange.json)
        try:
            answer = route.handler(Call(state=self._state, exchange=exchange))
        except ApiError as error:
            return Answer(status=error.status, body=error.body)
        exchange.executed = True
        return answer

    def _fail(self, rule: Failure, request: web.Request, exchange: Exchange) -> web.StreamResponse | None:
        if rule.drop:
            self._finish(exchange, 0, None)
            reset(request.transport)
            return web.Response(status=500)  # nobody is there to read it
        if rule.status is None:
            return None
        self._finish(exchange, rule.status, rule.body)
        headers = dict(rule.headers)
        if rule.status == 429:
            headers = VIA | headers
        return _response(rule.status, rule.body, headers)

    def _finish(self, exchange: Exchange, status: int, body: Any) -> None:
        exchange.status, exchange.answer = status, body
        self._state.recorder.answered(exchange)


def _response(status: int, body: Any, headers: dict[str, str]) -> web.Response:
    if body is None:
        return web.Response(status=status, headers=headers)
    if isinstance(body, str):
        headers.setdefault("Content-Type", "text/html")
        return web.Response(status=status, body=body.encode(), headers=headers)
    headers["Content-Type"] = "application/json"  # discord.py wants exactly this, without a charset
    return web.Response(status=status, body=json.dumps(body, separators=(",", ":")).encode(), headers=headers)


async def _read(request: web.Request) -> tuple[Any, list[UploadedFile], bool]:
    """The JSON body or None, the files, and whether the body is broken."""
    if request.content_type == "multipart/form-data":
        return await _read_multipart(request)
    raw = await request.read()
    if not raw:
        return None, [], False
    try:
        return json.loads(raw), [], False
    except ValueError:
        return None, [], True


async def _read_multipart(request: web.Request) -> tuple[Any, list[UploadedFile], bool]:
    body: Any = None
    files: list[UploadedFile] = []
    async for part in await request.multipart():
        if not isinstance(part, BodyPartReader):
            return None, files, True
        content = bytes(await part.read(decode=False))
        if part.name == "payload_json":
            try:
                body = json.loads(content)
            except ValueError:
                return None, files, True
        elif part.filename is None:  # a form field, as the upload of a sticker has
            body = (body or {}) | {part.name: content.decode()}
        else:
            kind = part.headers.get("Content-Type", "application/octet-stream")
            files.append(
                UploadedFile(
                    field=part.name or "", filename=part.filename, content=content, content_type=kind
                )
            )
    return body, files, False

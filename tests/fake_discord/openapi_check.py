"""Checks requests of the bot and answers of the fake against Discord's published OpenAPI document.

The document stays outside the project: `../shared/data/discord-openapi.json` beside the checkout, or where
`PARLEY_DISCORD_OPENAPI` points; without it nothing is checked. Adjustments, found necessary: snowflakes may
be integers in requests; request objects are closed, so that unknown fields are found, but for `flags` of an
embed, `nsfw` of a command and `tts` of an edit; the limit of 2,000 characters is asserted on top.
"""

from __future__ import annotations

import copy
import functools
import json
import os
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT202012

from tests.fake_discord.entities import Json
from tests.fake_discord.quick_schema import QuickSchemas

_BESIDE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared" / "data" / "discord-openapi.json"
_REQUESTS, _ANSWERS = "urn:discord:requests", "urn:discord:answers"
CONTENT_LIMIT = 2000
_UNDOCUMENTED = {
    "RichEmbed": ("flags",),
    "MessageEditRequestPartial": ("tts",),
    "IncomingWebhookUpdateRequestPartial": ("tts",),
    "IncomingWebhookUpdateForInteractionCallbackRequestPartial": ("tts",),
    "BaseCreateMessageCreateRequest": ("tts",),
    "CreateForumThreadRequest": ("type",),
    "MessageAttachmentRequest": (
        *("url", "proxy_url", "size", "content_type", "spoiler", "width", "height", "flags", "ephemeral"),
    ),
}
"""Fields that discord.py sends and Discord takes, beyond the document."""


def document_path() -> Path | None:
    named = os.environ.get("PARLEY_DISCORD_OPENAPI")
    path = Path(named) if named else _BESIDE_CHECKOUT
    return path if path.is_file() else None


@functools.cache
def checker() -> OpenApiCheck | None:
    """The check over the document that was found, once a process; None without one."""
    path = document_path()
    return None if path is None else OpenApiCheck(json.loads(path.read_text(encoding="utf-8")))


class Judge:
    """One schema: quick about what is right, thorough about what is wrong."""

    def __init__(self, schema: Json, registry: Registry[Any], quick: QuickSchemas) -> None:
        self.thorough = Draft202012Validator(schema, registry=registry)
        self.quick = quick.compiled(schema)

    def errors(self, body: Any) -> list[Any]:
        return [] if self.quick(body) else list(self.thorough.iter_errors(body))


class OpenApiCheck:
    """Gives violations as text; an empty list means all is well."""

    def __init__(self, document: Json) -> None:
        self._paths: Json = document["paths"]
        answers = {"components": copy.deepcopy(document["components"])}
        _amend(answers["components"]["schemas"])
        requests = copy.deepcopy(answers)
        _open_and_close(requests["components"]["schemas"])
        self._requests: Json = requests
        resources = [
            (_REQUESTS, Resource.from_contents(requests, default_specification=DRAFT202012)),
            (_ANSWERS, Resource.from_contents(answers, default_specification=DRAFT202012)),
        ]
        self._registry: Registry[Any] = Registry().with_resources(resources).crawl()
        self._quick = {
            _REQUESTS: QuickSchemas(requests["components"]["schemas"]),
            _ANSWERS: QuickSchemas(answers["components"]["schemas"]),
        }
        self._judges: dict[tuple[str, str, str], Judge | None] = {}

    def request(self, method: str, route: str, body: Any) -> list[str]:
        """What is wrong with a request's JSON body; `route` is the document's path template."""
        operation = self._operation(method, route)
        if operation is None:
            return [f"{method} {route} is not in the document"]
        if body is None:
            needs = operation.get("requestBody", {}).get("required", False)
            return [f"{method} {route}: a body is required"] if needs else []
        judge = self._request_judge(method, route, operation)
        if judge is None:
            return [] if body in ({}, "") else [f"{method} {route}: takes no body, got {str(body)[:200]}"]
        found = [f"{method} {route}: request {_explain(one)}" for one in judge.errors(body)]
        if isinstance(body, dict):
            content = body.get("content", body.get("data", {}).get("content") if "data" in body else None)
            if isinstance(content, str) and len(content) > CONTENT_LIMIT:
                found.append(f"{method} {route}: request content has {len(content)} characters")
        return found

    def answer(self, method: str, route: str, status: int, body: Any) -> list[str]:
        """What is wrong with an answer of the fake."""
        operation = self._operation(method, route)
        if operation is None:
            return [f"{method} {route} is not in the document"]
        key = str(status) if str(status) in operation["responses"] else f"{status // 100}XX"
        if key not in operation["responses"]:
            return [] if status >= 500 else [f"{method} {route}: status {status} is not in the document"]
        judge = self._answer_judge(method, route, key, operation)
        if judge is None:
            return [] if body is None else [f"{method} {route}: {status} has no body in the document"]
        return [f"{method} {route}: answer {status} {_explain(one)}" for one in judge.errors(body)]

    def _operation(self, method: str, route: str) -> Json | None:
        return self._paths.get(route, {}).get(method.lower())

    def quick_schemas(self) -> list[QuickSchemas]:
        return list(self._quick.values())

    def judge_of_request(self, method: str, route: str) -> Judge | None:
        return self._request_judge(method, route, self._paths[route][method.lower()])

    def judge_of_answer(self, method: str, route: str, status: str) -> Judge | None:
        return self._answer_judge(method, route, status, self._paths[route][method.lower()])

    def _request_judge(self, method: str, route: str, operation: Json) -> Judge | None:
        key = (method, route, "request")
        if key not in self._judges:
            content = operation.get("requestBody", {}).get("content", {})
            chosen = content.get("application/json") or content.get("multipart/form-data")
            schema = copy.deepcopy(chosen["schema"]) if chosen else None
            if schema is not None:
                _open_and_close({"": schema})
            self._judges[key] = self._judge(schema, _REQUESTS)
        return self._judges[key]

    def _answer_judge(self, method: str, route: str, status: str, operation: Json) -> Judge | None:
        key = (method, route, status)
        if key not in self._judges:
            answer = operation["responses"][status]
            if "$ref" in answer:
                name = answer["$ref"].rpartition("/")[2]
                answer = self._requests["components"]["responses"][name]
            content = answer.get("content", {}).get("application/json")
            self._judges[key] = self._judge(content["schema"] if content else None, _ANSWERS)
        return self._judges[key]

    def _judge(self, schema: Json | None, base: str) -> Judge | None:
        if schema is None:
            return None
        return Judge(_absolute(schema, base), self._registry, self._quick[base])


def _absolute(node: Any, base: str) -> Any:
    if isinstance(node, dict):
        return {key: base + value if key == "$ref" else _absolute(value, base) for key, value in node.items()}
    return [_absolute(one, base) for one in node] if isinstance(node, list) else node


def _open_and_close(schemas: Json) -> None:
    """Integers for snowflakes; no unknown fields."""
    if "SnowflakeType" in schemas:
        for name, fields in _UNDOCUMENTED.items():
            schemas[name]["properties"] |= {field: {} for field in fields}
        schemas["SnowflakeType"] = {"anyOf": [schemas["SnowflakeType"], {"type": "integer", "minimum": 0}]}
    for name, schema in schemas.items():
        for node in _objects(schema, inside_all_of=False):
            node.setdefault("additionalProperties", False)
        if name.startswith("ApplicationCommand") and name.endswith("Request"):
            schema["properties"].setdefault("nsfw", {})


def _amend(schemas: Json) -> None:
    """What the document leaves out and Discord does: forwards, and words as codes of a form's errors."""
    schemas["MessageReferenceType"]["oneOf"].append({"title": "FORWARD", "const": 1})
    schemas["InnerErrors"]["properties"]["_errors"]["items"] = {
        "type": "object",
        "properties": {"code": {"type": ["string", "integer"]}, "message": {"type": "string"}},
        "required": ["code", "message"],
    }


def _objects(node: Any, *, inside_all_of: bool) -> list[Json]:
    found: list[Json] = []
    if isinstance(node, list):
        for one in node:
            found += _objects(one, inside_all_of=inside_all_of)
    elif isinstance(node, dict):
        if isinstance(node.get("properties"), dict) and not inside_all_of and "allOf" not in node:
            found.append(node)
        for key, value in node.items():
            if key == "properties":
                for each in value.values():
                    found += _objects(each, inside_all_of=False)
            else:
                found += _objects(value, inside_all_of=key == "allOf")
    return found


def _explain(error: Any) -> str:
    """The cause in words; of a choice of schemas the branch that was meant, told by its `type` and errors."""
    while error.context:
        branches: dict[Any, list[Any]] = {}
        for one in error.context:
            branches.setdefault(one.schema_path[0], []).append(one)
        meant = min(branches.values(), key=_strangeness)
        error = min(meant, key=lambda one: len(one.absolute_path))
    where = "/".join(str(part) for part in error.absolute_path) or "(whole)"
    return f"at {where}: {error.message[:300]}"


def _strangeness(errors: list[Any]) -> tuple[int, int]:
    """How far a branch is from what was meant: another `type` or kind of value counts first."""
    other = sum(one.validator in ("const", "enum", "type") and _is_kind(one) for one in errors)
    return other, len(errors)


def _is_kind(error: Any) -> bool:
    path = list(error.path)
    return not path or path[-1] == "type"

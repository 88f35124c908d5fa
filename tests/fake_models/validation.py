"""Requests are checked the way the protocols' own servers check them, so that a wrong projection is found."""

import json
import re
from typing import Any

_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_CHAT_KEYS = {
    "model", "messages", "stream", "stream_options", "tools", "tool_choice", "parallel_tool_calls",
    "max_tokens", "max_completion_tokens", "temperature", "top_p", "frequency_penalty",
    "presence_penalty", "stop", "seed",
    "response_format", "reasoning_effort", "n", "user", "store", "metadata",
}  # fmt: skip
_RESPONSES_KEYS = {
    "model", "input", "instructions", "stream", "tools", "tool_choice", "parallel_tool_calls",
    "max_output_tokens", "temperature", "top_p", "store", "include", "reasoning", "text", "metadata",
}  # fmt: skip
_ASSISTANT_KEYS = {
    "role", "content", "name", "refusal", "tool_calls", "reasoning_content", "reasoning", "reasoning_details",
}  # fmt: skip


class InvalidRequest(Exception):
    """A server would answer 400."""


def validate_chat(body: Any) -> None:
    """Raises InvalidRequest; unknown keys, wrong roles, calls without results and the other way round."""
    _object(body, "body", allowed=_CHAT_KEYS, required={"model", "messages"})
    _tools(body.get("tools"), nested=True)
    _require(not ("max_tokens" in body and "max_completion_tokens" in body), "two caps")
    _require(bool(body["messages"]), "messages is empty")
    waiting: list[str] = []
    for number, message in enumerate(body["messages"]):
        place = f"messages[{number}]"
        _require(isinstance(message, dict), f"{place} is no object")
        role = message.get("role")
        if role == "tool":
            _object(
                message,
                place,
                allowed={"role", "content", "tool_call_id"},
                required={"content", "tool_call_id"},
            )
            _require(isinstance(message["content"], str), f"{place}: a result is text")
            _require(
                message["tool_call_id"] in waiting, f"{place}: no call {message['tool_call_id']!r} waits"
            )
            waiting.remove(message["tool_call_id"])
            continue
        _require(not waiting, f"{place}: calls {waiting} have no result")
        if role == "assistant":
            waiting = _assistant_message(message, place)
        elif role in {"system", "developer"}:
            _object(message, place, allowed={"role", "content", "name"}, required={"content"})
            _require(isinstance(message["content"], str) and bool(message["content"]), f"{place}: no text")
        elif role == "user":
            _object(message, place, allowed={"role", "content", "name"}, required={"content"})
            _user_content(message["content"], place)
        else:
            raise InvalidRequest(f"{place}: role {role!r}")
    _require(not waiting, f"calls {waiting} have no result")


def _assistant_message(message: dict[str, Any], place: str) -> list[str]:
    _object(message, place, allowed=_ASSISTANT_KEYS, required=set())
    calls = message.get("tool_calls")
    content = message.get("content")
    _require(content is None or isinstance(content, str), f"{place}: content is no text")
    _require(bool(content or calls or message.get("refusal")), f"{place}: nothing in it")
    if calls is None:
        return []
    _require(isinstance(calls, list) and bool(calls), f"{place}: empty tool_calls")
    ids: list[str] = []
    for call in calls:
        _object(
            call,
            f"{place}.tool_calls",
            allowed={"id", "type", "function"},
            required={"id", "type", "function"},
        )
        function = call["function"]
        _object(function, f"{place}.function", allowed={"name", "arguments"}, required={"name", "arguments"})
        _require(bool(_NAME.fullmatch(function["name"])), f"{place}: tool name {function['name']!r}")
        _arguments(function["arguments"], place)
        _require(call["id"] not in ids and 0 < len(call["id"]) <= 64, f"{place}: id {call['id']!r}")
        ids.append(call["id"])
    return ids


def _user_content(content: Any, place: str) -> None:
    if isinstance(content, str):
        return
    _require(isinstance(content, list) and bool(content), f"{place}: content is neither text nor parts")
    fields = {
        "text": ("text", str),
        "image_url": ("image_url", dict),
        "input_audio": ("input_audio", dict),
        "file": ("file", dict),
    }
    for part in content:
        _require(isinstance(part, dict) and part.get("type") in fields, f"{place}: part {part!r:.80}")
        key, kind = fields[part["type"]]
        _object(part, place, allowed={"type", key}, required={key})
        _require(isinstance(part[key], kind), f"{place}: {key} has a wrong type")
        if key == "image_url":
            _require(part[key]["url"].startswith(("data:", "http")), f"{place}: image address")
        if key == "input_audio":
            _require(part[key]["format"] in {"wav", "mp3"}, f"{place}: audio format")


_INPUT_PARTS = {
    "input_text": {"type", "text"},
    "input_image": {"type", "image_url", "detail", "file_id"},
    "input_file": {"type", "filename", "file_data", "file_url", "file_id"},
}


def validate_responses(body: Any) -> None:
    """Raises InvalidRequest; see `validate_chat`."""
    _object(body, "body", allowed=_RESPONSES_KEYS, required={"model", "input"})
    _tools(body.get("tools"), nested=False)
    if isinstance(body["input"], str):
        return
    waiting: list[str] = []
    for number, item in enumerate(body["input"]):
        place = f"input[{number}]"
        _require(isinstance(item, dict), f"{place} is no object")
        kind = item.get("type", "message")
        if kind == "message":
            _input_message(item, place)
        elif kind == "function_call":
            _object(
                item,
                place,
                allowed={"type", "id", "call_id", "name", "arguments", "status"},
                required={"call_id", "name", "arguments"},
            )
            _require(bool(_NAME.fullmatch(item["name"])), f"{place}: tool name {item['name']!r}")
            waiting.append(item["call_id"])
        elif kind == "function_call_output":
            _object(
                item,
                place,
                allowed={"type", "id", "call_id", "output", "status"},
                required={"call_id", "output"},
            )
            _require(item["call_id"] in waiting, f"{place}: no call {item['call_id']!r} waits")
            waiting.remove(item["call_id"])
        else:
            _require("id" in item, f"{place}: item {kind!r} is not one of ours")
    _require(not waiting, f"calls without a result: {waiting}")


def _input_message(item: dict[str, Any], place: str) -> None:
    _object(
        item,
        place,
        allowed={"type", "role", "content", "id", "status", "phase"},
        required={"role", "content"},
    )
    role = item["role"]
    _require(role in {"user", "assistant", "system", "developer"}, f"{place}: role {role!r}")
    if isinstance(item["content"], str):
        _require(bool(item["content"]), f"{place}: no text")
        return
    for part in item["content"]:
        kind = part.get("type")
        if role == "assistant":
            _require(kind in {"output_text", "refusal"}, f"{place}: assistant part {kind!r}")
        else:
            _require(kind in _INPUT_PARTS, f"{place}: part {kind!r}")
            _object(part, place, allowed=_INPUT_PARTS[kind], required=set())


def _tools(tools: Any, *, nested: bool) -> None:
    if tools is None:
        return
    _require(isinstance(tools, list) and bool(tools), "tools is empty")
    names: list[str] = []
    for tool in tools:
        if tool.get("type") != "function":
            _require(not nested and tool.get("type") == "web_search", f"tool {tool!r:.80}")
            continue
        if nested:
            _object(tool, "tool", allowed={"type", "function"}, required={"type", "function"})
        described = tool["function"] if nested else tool
        _object(
            described,
            "tool",
            allowed={"type", "name", "description", "parameters", "strict"},
            required={"name", "parameters"},
        )
        _require(bool(_NAME.fullmatch(described["name"])), f"tool name {described['name']!r}")
        _require(described["parameters"].get("type") == "object", "parameters are no object schema")
        names.append(described["name"])
    _require(len(set(names)) == len(names), "a tool twice")


def _arguments(text: Any, place: str) -> None:
    try:
        parsed = json.loads(text)
    except (TypeError, ValueError) as error:
        raise InvalidRequest(f"{place}: arguments are no JSON") from error
    _require(isinstance(parsed, dict), f"{place}: arguments are no object")


def _object(value: Any, place: str, *, allowed: set[str], required: set[str]) -> None:
    _require(isinstance(value, dict), f"{place} is no object")
    unknown = value.keys() - allowed
    _require(not unknown, f"{place}: unknown keys {sorted(unknown)}")
    missing = required - value.keys()
    _require(not missing, f"{place}: missing {sorted(missing)}")


def _require(condition: bool, message: str) -> None:
    if not condition:
        raise InvalidRequest(message)

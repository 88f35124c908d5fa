"""Typed looks into JSON of a provider, which may leave out or misspell anything."""

import json
import re
from typing import NoReturn, cast

JsonObject = dict[str, object]
_MOST_TOKENS = 1_000_000_000
_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_object(text: str) -> JsonObject:
    """The JSON object in `text`.

    Raises:
        ValueError: no JSON, or no object.
    """
    parsed = _parsed(text)
    if not isinstance(parsed, dict):
        raise ValueError("not a JSON object")  # noqa: TRY004 - one kind of error for whatever is unreadable
    return cast("JsonObject", parsed)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _parsed(text: str) -> object:
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def is_object_text(text: str) -> bool:
    """Whether `text` is a JSON object."""
    try:
        parse_object(text)
    except ValueError:
        return False
    return True


def object_in(source: JsonObject, key: str) -> JsonObject:
    """The object at `key`, or an empty one."""
    value = source.get(key)
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_in(source: JsonObject, key: str) -> list[JsonObject]:
    """The objects of the array at `key`; anything else in it is left out."""
    value = source.get(key)
    if not isinstance(value, list):
        return []
    return [cast("JsonObject", item) for item in cast("list[object]", value) if isinstance(item, dict)]


def text_in(source: JsonObject, key: str) -> str:
    """The string at `key`, or an empty one."""
    value = source.get(key)
    return value if isinstance(value, str) else ""


def number_in(source: JsonObject, key: str) -> int | None:
    """The whole number at `key`; a boolean is none."""
    value = source.get(key)
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def count_in(source: JsonObject, key: str) -> int | None:
    """The count of tokens at `key`; what no request could come to, and no store could add up, is none."""
    number = number_in(source, key)
    return number if number is not None and 0 <= number <= _MOST_TOKENS else None


def array_of(items_json: str) -> list[object] | None:
    """The items of a continuation; only the outer array is checked (CORE-7). None when it is no array."""
    try:
        parsed = _parsed(items_json)
    except ValueError:
        return None
    return cast("list[object]", parsed) if isinstance(parsed, list) else None


def to_json(value: object) -> str:
    """JSON text; lone surrogates, which a provider may send as escapes, stay escapes."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    if _SURROGATE.search(text):
        return json.dumps(value, separators=(",", ":"), allow_nan=False)
    return text

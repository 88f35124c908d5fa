"""JSON schemas as nested closures: says in microseconds whether a value is valid, not why.

Every request and answer is checked against the API document; `jsonschema` needs a millisecond for a message
and is asked only for the reason, once something is wrong. Knows the keywords that the document uses; a test
holds both to the same verdicts. Source: JSON Schema 2020-12, validation vocabulary.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Check = Callable[[Any], bool]
_SAID_ONLY = frozenset(
    ("title", "description", "format", "default", "contentEncoding", "deprecated", "readOnly", "examples")
)


class UnknownKeyword(Exception):
    """The schema says something that is not known here: add it, or the check would be blind to it."""


class QuickSchemas:
    """Compiles schemas whose `$ref`s name an entry of `schemas` by their last part."""

    def __init__(self, schemas: dict[str, Any]) -> None:
        self._schemas = schemas
        self._compiled: dict[str, Check] = {}

    def compiled(self, schema: Any) -> Check:
        """Raises `UnknownKeyword`."""
        if schema is True or schema == {}:
            return lambda _value: True
        if schema is False:
            return lambda _value: False
        checks: list[Check] = []
        for keyword, argument in schema.items():
            if keyword in _SAID_ONLY or keyword.startswith("x-"):
                continue
            maker = _MAKERS.get(keyword)
            if maker is None:
                raise UnknownKeyword(keyword)
            if (check := maker(self, argument, schema)) is not None:
                checks.append(check)
        return _all(checks)

    def compile_all(self) -> None:
        """Raises `UnknownKeyword` if any schema says something unknown."""
        for schema in self._schemas.values():
            self.compiled(schema)

    def referred(self, reference: str) -> Check:
        """Compiled at its first use, because schemas refer to themselves."""
        name = reference.rpartition("/")[2]

        def check(value: Any) -> bool:
            known = self._compiled.get(name)
            if known is None:
                known = self._compiled[name] = self.compiled(self._schemas[name])
            return known(value)

        return check


def _all(checks: list[Check]) -> Check:
    if len(checks) == 1:
        return checks[0]
    if len(checks) == 2:
        first, second = checks
        return lambda value: first(value) and second(value)
    return lambda value: all(check(value) for check in checks)


_KINDS: dict[str, Check] = {
    "null": lambda value: value is None,
    "boolean": lambda value: value is True or value is False,
    "string": lambda value: type(value) is str,
    "integer": lambda value: type(value) is int or (type(value) is float and value.is_integer()),
    "number": lambda value: type(value) is int or type(value) is float,
    "array": lambda value: type(value) is list,
    "object": lambda value: type(value) is dict,
}


def _type(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    if isinstance(argument, str):
        return _KINDS[argument]
    kinds = [_KINDS[one] for one in argument]
    return lambda value: any(kind(value) for kind in kinds)


def _plain(value: Any) -> tuple[bool, Any]:
    """JSON's equality: 1 is 1.0, but neither is true."""
    return (type(value) is bool, value)


def _enum(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    if any(isinstance(one, dict | list) for one in argument):
        raise UnknownKeyword("enum of objects")
    allowed = {_plain(one) for one in argument}
    return lambda value: not isinstance(value, dict | list) and _plain(value) in allowed


def _const(quick: QuickSchemas, argument: Any, schema: Any) -> Check:
    return _enum(quick, [argument], schema)


def _properties(quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    checks = {name: quick.compiled(one) for name, one in argument.items()}

    def check(value: Any) -> bool:
        if type(value) is not dict:
            return True
        for name, inner in value.items():
            known = checks.get(name)
            if known is not None and not known(inner):
                return False
        return True

    return check


def _required(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    names = tuple(argument)
    return lambda value: type(value) is not dict or all(name in value for name in names)


def _additional(quick: QuickSchemas, argument: Any, schema: Any) -> Check:
    named = frozenset(schema.get("properties", ()))
    inner = quick.compiled(argument)
    return lambda value: (
        type(value) is not dict or all(inner(one) for name, one in value.items() if name not in named)
    )


def _items(quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    inner = quick.compiled(argument)
    return lambda value: type(value) is not list or all(inner(one) for one in value)


def _one_of(quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    branches = [quick.compiled(one) for one in argument]

    def check(value: Any) -> bool:
        seen = False
        for branch in branches:
            if branch(value):
                if seen:
                    return False
                seen = True
        return seen

    return check


def _any_of(quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    branches = [quick.compiled(one) for one in argument]
    return lambda value: any(branch(value) for branch in branches)


def _all_of(quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    return _all([quick.compiled(one) for one in argument])


def _pattern(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
    found = re.compile(argument).search
    return lambda value: type(value) is not str or found(value) is not None


def _unique(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check | None:
    if not argument:
        return None
    return lambda value: (
        type(value) is not list or all(value.index(one) == place for place, one in enumerate(value))
    )


def _length(kind: type, *, least: bool) -> Callable[[QuickSchemas, Any, Any], Check]:
    def make(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
        if least:
            return lambda value: type(value) is not kind or len(value) >= argument
        return lambda value: type(value) is not kind or len(value) <= argument

    return make


def _bound(*, least: bool) -> Callable[[QuickSchemas, Any, Any], Check]:
    def make(_quick: QuickSchemas, argument: Any, _schema: Any) -> Check:
        if least:
            return lambda value: type(value) not in (int, float) or value >= argument
        return lambda value: type(value) not in (int, float) or value <= argument

    return make


_MAKERS: dict[str, Callable[[QuickSchemas, Any, Any], Check | None]] = {
    "$ref": lambda quick, argument, _schema: quick.referred(argument),
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "oneOf": _one_of,
    "anyOf": _any_of,
    "allOf": _all_of,
    "pattern": _pattern,
    "uniqueItems": _unique,
    "minLength": _length(str, least=True),
    "maxLength": _length(str, least=False),
    "minItems": _length(list, least=True),
    "maxItems": _length(list, least=False),
    "minProperties": _length(dict, least=True),
    "maxProperties": _length(dict, least=False),
    "minimum": _bound(least=True),
    "maximum": _bound(least=False),
}

"""Reads the fields of a stored JSON object one by one, and holds that nothing is left over.

A field of a wrong type, a missing one, and one that the form does not have are all `TurnUnreadable`: a reader
that skips what it does not know would lose it at the next edit.
"""

import json
from datetime import datetime
from enum import Enum
from typing import TypeVar, cast

from sessions.failures import TurnUnreadable

_Choice = TypeVar("_Choice", bound=Enum)


def parse_object(text: str, where: str) -> "Fields":
    """The fields of a JSON object in text.

    Raises:
        TurnUnreadable: it is no JSON object.
    """
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise TurnUnreadable(f"{where} is not JSON") from error
    return Fields(value, where)


class Fields:
    """The fields of one object; each reader raises `TurnUnreadable` with the place and never the content."""

    def __init__(self, value: object, where: str) -> None:
        if not isinstance(value, dict):
            raise TurnUnreadable(f"{where} is no object")
        self._left = cast("dict[str, object]", value)
        self._where = where

    def text(self, name: str) -> str:
        """A string that must be there."""
        value = self.text_or_none(name)
        if value is None:
            raise self._unreadable(name, "is missing")
        return value

    def text_or_none(self, name: str) -> str | None:
        """A string, or None when it is left out."""
        value = self._left.pop(name, None)
        if value is None or isinstance(value, str):
            return value
        raise self._unreadable(name, "is no text")

    def flag(self, name: str) -> bool:
        """True or False; False when it is left out."""
        value = self._left.pop(name, False)
        if isinstance(value, bool):
            return value
        raise self._unreadable(name, "is no flag")

    def number(self, name: str) -> int:
        """A whole number that must be there."""
        value = self._left.pop(name, None)
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise self._unreadable(name, "is no whole number")

    def moment(self, name: str) -> datetime:
        """A moment with its offset, that must be there."""
        return self._moment(name, self.text(name))

    def moment_or_none(self, name: str) -> datetime | None:
        """A moment, or None when it is left out."""
        text = self.text_or_none(name)
        return None if text is None else self._moment(name, text)

    def choice(self, name: str, choices: type[_Choice]) -> _Choice:
        """One of the values of an enumeration, that must be there."""
        found = self.choice_or_none(name, choices)
        if found is None:
            raise self._unreadable(name, "is missing")
        return found

    def choice_or_none(self, name: str, choices: type[_Choice]) -> _Choice | None:
        """One of the values of an enumeration, or None when it is left out."""
        text = self.text_or_none(name)
        try:
            return None if text is None else choices(text)
        except ValueError as error:
            raise self._unreadable(name, "is none of the known values") from error

    def inner_or_none(self, name: str) -> "Fields | None":
        """An object inside, or None when it is left out."""
        value = self._left.pop(name, None)
        return None if value is None else Fields(value, f"{self._where}.{name}")

    def inner(self, name: str) -> "Fields":
        """An object inside that must be there."""
        found = self.inner_or_none(name)
        if found is None:
            raise self._unreadable(name, "is missing")
        return found

    def each(self, name: str) -> "list[Fields]":
        """The objects of a list; none when it is left out."""
        value = self._left.pop(name, None)
        if value is None:
            return []
        if not isinstance(value, list):
            raise self._unreadable(name, "is no list")
        items = cast("list[object]", value)
        return [Fields(item, f"{self._where}.{name}[{index}]") for index, item in enumerate(items)]

    def end(self) -> None:
        """Holds that every field was read."""
        for name in self._left:
            raise self._unreadable(name, "does not belong there")

    def unreadable(self, why: str) -> TurnUnreadable:
        """The failure of the object as a whole."""
        return TurnUnreadable(f"{self._where} {why}")

    def _unreadable(self, name: str, why: str) -> TurnUnreadable:
        return TurnUnreadable(f"{self._where}.{name} {why}")

    def _moment(self, name: str, text: str) -> datetime:
        try:
            return datetime.fromisoformat(text)
        except ValueError as error:
            raise self._unreadable(name, "is no moment") from error

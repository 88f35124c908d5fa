"""What makes something real hostile: bytes changed, cut out or put in; a field missing, or another."""

from __future__ import annotations

import json
from copy import deepcopy
from functools import reduce
from typing import Any, NamedTuple

from hypothesis import strategies as st


class Edit(NamedTuple):
    """One change. A place below 0 counts from the end, as where a frame has its trailer."""

    place: int
    removed: int
    inserted: bytes
    flipped: int

    def of(self, data: bytes) -> bytes:
        at = self.place % (len(data) + 1)
        changed = bytearray(data[:at] + self.inserted + data[at + self.removed :])
        if at < len(changed):
            changed[at] ^= self.flipped
        return bytes(changed)


def edited(data: bytes, edits: list[Edit]) -> bytes:
    return reduce(lambda so_far, edit: edit.of(so_far), edits, data)


PLACES = st.one_of(st.integers(0, 16), st.integers(-16, -1), st.integers(0, 2_000))
_TELLING = st.sampled_from([b"\0", b"\1", b"\x7f", b"\x80", b"\xff", b"\xff\xff\xff\xff", b"\xfa\xfa"])
EDITS = st.lists(
    st.one_of(
        st.builds(Edit, PLACES, st.just(0), st.just(b""), st.integers(1, 255)),
        st.builds(Edit, PLACES, st.just(1), _TELLING, st.just(0)),
        st.builds(Edit, PLACES, st.integers(1, 2_000), st.just(b""), st.just(0)),
        st.builds(Edit, PLACES, st.integers(0, 40), st.binary(max_size=40), st.just(0)),
    ),
    min_size=1,
    max_size=3,
)


class WrongField(NamedTuple):
    """Another value in one place of a JSON message; `MISSING` takes the place away."""

    place: int
    value: Any

    def of(self, message: Any) -> Any:
        changed = deepcopy(message)
        places = list(_places(changed))
        if not places:
            return self.value
        holder, key = places[self.place % len(places)]
        if self.value is MISSING:
            del holder[key]
        else:
            holder[key] = self.value
        return changed


MISSING = object()
_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
_NUMBERS = [
    sign * (1 << bits) - less
    for bits in (0, 7, 8, 15, 16, 31, 32, 62, 64, 70)
    for sign in (1, -1)
    for less in (0, 1)
]
_TEXTS = [
    "",
    "0",
    "7",
    "-1",
    "+7",
    " 7",
    "\N{ARABIC-INDIC DIGIT SEVEN}",
    "\N{SUPERSCRIPT TWO}",
    "1" * 25,
    "x" * 300,
    "::1",
    "\ud800",
]
_FORMS = [
    None,
    True,
    1.0,
    1e308,
    float("nan"),
    float("inf"),
    [],
    ["7"],
    [7, None],
    list(range(1_001)),
    {},
    {"op": 2},
]
_VALUES = st.one_of(st.sampled_from(_NUMBERS), st.sampled_from([MISSING, *_TEXTS, *_FORMS]), _JSON)
WRONG_FIELDS = st.builds(WrongField, st.integers(0, 60), _VALUES)


def wrong(message: Any, fields: list[WrongField]) -> str:
    """The message as text, with those fields wrong."""
    return json.dumps(reduce(lambda so_far, field: field.of(so_far), fields, message))


def _places(value: Any) -> Any:
    """Every holder and key in the value, outer ones first."""
    keys: Any = value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    for key in tuple(keys):
        yield value, key
        yield from _places(value[key])

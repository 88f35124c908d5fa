"""Embeds, components and polls as Discord gives them back: numbered, with defaults filled in."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence

from tests.fake_discord.entities import Json
from tests.fake_discord.snowflakes import iso

_EMBED_KEYS = ("title", "description", "url", "timestamp", "color", "footer", "image", "thumbnail", "author")


def embed(given: Json) -> Json:
    """A rich embed as Discord gives it back."""
    made: Json = {"type": "rich"} | {key: given[key] for key in _EMBED_KEYS if given.get(key) is not None}
    if fields := given.get("fields"):
        made["fields"] = [{"inline": False} | one for one in fields]
    return made


_COMPONENT_DEFAULTS: dict[int, Json] = {
    3: {"min_values": 1, "max_values": 1},
    5: {"min_values": 1, "max_values": 1},
    6: {"min_values": 1, "max_values": 1},
    7: {"min_values": 1, "max_values": 1},
    8: {"min_values": 1, "max_values": 1},
    14: {"divider": True, "spacing": 1},
    17: {"accent_color": None, "spoiler": False},
    11: {"spoiler": False, "description": None},
    13: {"spoiler": False},
}


def components(given: Sequence[Json]) -> list[Json]:
    """Components as Discord gives them back: numbered, with defaults filled in."""
    made = copy.deepcopy(list(given))
    taken = {one["id"] for one in walk(made) if one.get("id")}
    free = iter(number for number in range(1, 10_000) if number not in taken)
    for one in walk(made):
        one.setdefault("id", next(free))
        for key, value in _COMPONENT_DEFAULTS.get(one["type"], {}).items():
            one.setdefault(key, value)
        for option in one.get("options", ()) if one["type"] == 3 else ():
            option.setdefault("default", False)
        if one["type"] == 12:
            for item in one.get("items", ()):
                item.setdefault("spoiler", False)
                item.setdefault("description", None)
                _unfurl(item["media"])
        for key in ("media", "file"):
            if isinstance(one.get(key), dict):
                _unfurl(one[key])
        if one["type"] == 13:
            one.setdefault("name", one["file"]["url"].rpartition("/")[2])
            one.setdefault("size", 0)
    return made


def _unfurl(media: Json) -> None:
    media.setdefault("id", "0")
    media.setdefault("proxy_url", media.get("url", ""))


def walk(ones: Iterable[Json]) -> Iterable[Json]:
    """Every component, with those inside rows, containers, sections and labels."""
    for one in ones:
        yield one
        yield from walk(one.get("components") or ())
        yield from walk(inner for key in ("accessory", "component") if (inner := one.get(key)))


def poll(given: Json, *, now: float) -> Json:
    """A poll as Discord gives it back."""
    answers = [
        {"answer_id": number, "poll_media": one["poll_media"]}
        for number, one in enumerate(given["answers"], 1)
    ]
    return {
        "question": given["question"],
        "answers": answers,
        "expiry": iso(now + 3600 * (given.get("duration") or 24)),
        "allow_multiselect": bool(given.get("allow_multiselect")),
        "layout_type": given.get("layout_type") or 1,
        "results": {"answer_counts": [], "is_finalized": False},
    }

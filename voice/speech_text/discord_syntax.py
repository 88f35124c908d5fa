"""Discord's own marks in text: mentions, custom emoji, timestamps, command mentions, links (SPEECH-3).

Found after Markdown was parsed, as typed spans. Source: Discord's reference, "Message Formatting".
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import regex


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """A user (`@`), role (`@&`) or channel (`#`) by its id; `id` is 0 for `@everyone` and `@here`."""

    kind: str
    id: int
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CustomEmoji:
    """An emoji of a server."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Timestamp:
    """Seconds since 1970 with Discord's style letter."""

    seconds: int
    style: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CommandMention:
    """A slash command by its words."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BareLink:
    """An address that stands for itself."""


DiscordSpan = Mention | CustomEmoji | Timestamp | CommandMention | BareLink

_NOBODY: Final[Mapping[int, str]] = {}


@dataclass(frozen=True, slots=True, kw_only=True)
class DisplayNames:
    """Names by snowflake, as the room shows them."""

    users: Mapping[int, str] = field(default_factory=lambda: _NOBODY)
    roles: Mapping[int, str] = field(default_factory=lambda: _NOBODY)
    channels: Mapping[int, str] = field(default_factory=lambda: _NOBODY)


_LATEST: Final = 253_402_300_799
"""The last second of the year 9999."""

_SYNTAX: Final = re.compile(
    r"<(?P<mention>@[!&]?|#)(?P<id>\d{1,20})>"
    r"|<a?:(?P<emoji>\w{1,64}):\d{1,20}>"
    r"|<t:(?P<seconds>-?\d{1,17})(?::(?P<style>[tTdDfFsSR]))?>"
    r"|</(?P<command>[^<>:\n]{1,100}):\d{1,20}>"
    r"|<id:(?P<guide>[a-z]{1,20})>"
    r"|<?(?P<link>(?:https?|ftp|discord|mailto|steam)://?[!#-;=?-~]{1,2048}|mailto:\S{1,200}"
    r"|(?<![A-Za-z0-9@./])(?:www\.|discord\.gg/|discord(?:app)?\.com/invite/)[!#-;=?-~]{1,2048}"
    r"|(?<![A-Za-z0-9@./])(?:[a-z0-9-]{1,63}\.){1,4}[a-z]{2,10}/[!#-;=?-~]{0,2048})>?"
    r"|(?<![\w.])@(?P<all>everyone|here)(?a:\b)"
    r"|(?<![A-Za-z0-9_:])(?P<shortcode>:[a-z][a-z0-9_+-]{1,40}:)(?![A-Za-z0-9_:])",
    re.IGNORECASE,
)
_ANY: Final = re.compile(r"[<:@/]|www\.", re.IGNORECASE)
_END_OF_SENTENCE: Final = re.compile(r"[.,;:!?'\"’)\]*_~|，。；：！？、」』）】]+$")

_EMOJI: Final = regex.compile(
    r"(?:[\p{Regional_Indicator}]{2}|[\p{Emoji}--[0-9#*©®™‼⁉〰〽㊗㊙↔→←↑↓➕➖➗✖]&&\p{Extended_Pictographic}]\p{Emoji_Modifier}?\ufe0f?"
    r"(?:\u200d[\p{Extended_Pictographic}♀♂]\p{Emoji_Modifier}?\ufe0f?)*|[0-9#*]\ufe0f?\u20e3|[\U0001f3fb-\U0001f3ff\ufe0f\u200d])+",
    flags=regex.V1,
)
_EMOTICON: Final = re.compile(
    r"(?<!\S)(?:[:;=]-?[)(DPpOo/|\\3*]|[xX]D+|<3|\^[_.]?\^|T_T|>_<|¯\\_\(ツ\)_/¯)(?![^\s.,!?])"
)


def split_discord_syntax(text: str) -> list[str | DiscordSpan]:
    """Text and spans in order; emoji and emoticons of Unicode are dropped from the text."""
    if not _ANY.search(text):
        return [without_emoji(text)] if text else []
    parts: list[str | DiscordSpan] = []
    place = 0
    for match in _SYNTAX.finditer(text):
        span, end = _span(match)
        if match.start() > place:
            parts.append(without_emoji(text[place : match.start()]))
        parts.append(span)
        place = end
    if place < len(text):
        parts.append(without_emoji(text[place:]))
    return parts


def without_emoji(text: str) -> str:
    """Text without pictures that have no place in a sentence."""
    if not text.isascii():
        text = _EMOJI.sub("", text)
    return _EMOTICON.sub("", text)


def is_emoji_alone(text: str) -> bool:
    """Whether a text consists of Unicode emoji."""
    return bool(text.strip()) and not _EMOJI.sub("", text).strip()


def _span(match: re.Match[str]) -> tuple[DiscordSpan, int]:
    if match["mention"]:
        kind = "@" if match["mention"] == "@!" else match["mention"]
        return Mention(kind=kind, id=int(match["id"])), match.end()
    if match["emoji"]:
        return CustomEmoji(name=match["emoji"]), match.end()
    if match["seconds"]:
        seconds = max(-_LATEST // 5, min(int(match["seconds"]), _LATEST))
        return Timestamp(seconds=seconds, style=match["style"] or "f"), match.end()
    if match["command"]:
        return CommandMention(name=match["command"]), match.end()
    if match["guide"]:
        return Mention(kind="#", id=0, name=match["guide"]), match.end()
    if match["all"]:
        return Mention(kind="@", id=0, name=match["all"].lower()), match.end()
    if match["shortcode"]:
        return CustomEmoji(name=match["shortcode"].strip(":")), match.end()
    return BareLink(), match.start() + _length_of_address(match.group())


def _length_of_address(text: str) -> int:
    """Without the punctuation of the sentence around it; a closing bracket stays where one was opened."""
    if text.endswith(">"):
        return len(text)
    tail = _END_OF_SENTENCE.search(text)
    length = tail.start() if tail else len(text)
    while (
        length < len(text) and text[length] == ")" and text.count(")", 0, length) < text.count("(", 0, length)
    ):
        length += 1
    return length

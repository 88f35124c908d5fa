"""Finds `<|...|>` markers in a reply while it streams (CORE-29).

A marker opens with `<|` or `<{'|'}`, closes with `|>` or `{'|'}>`, stands on one line and begins with a
letter, `_` or `/`, so that the operators of programming languages (`<|>`, `x <| f`) stay text. Text comes out
as soon as it cannot be part of a marker; less than `MAX_MARKER_LENGTH` characters wait. The pieces are the
same however the reply was cut into chunks, up to the cuts between neighbouring `Literal`s.
"""

import re
from dataclasses import dataclass
from typing import Final

MAX_MARKER_LENGTH: Final = 128
"""Characters from the first of the opener to the last of the closer; what is longer is text."""

LONGEST_DELAY_S: Final = 10.0
"""A longer pause is cut to this."""

_OPENERS: Final = ("<|", "<{'|'}")
_CLOSERS: Final = ("|>", "{'|'}>")
_SECONDS: Final = re.compile(r"[0-9]{1,6}(?:\.[0-9]{1,6})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Literal:
    """Text to show and to say, never empty."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Sticker:
    """`<|STICKER id|>`; whether the id is known is not the parser's business."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Silent:
    """`<|SILENT|>`: the model wants to say nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Delay:
    """`<|DELAY n|>`: a pause in speech, 0 to `LONGEST_DELAY_S` seconds."""

    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Emote:
    """`<|EMOTE_x|>`: the tone from here on; `name` is lower case."""

    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """Any other marker, with the word it begins with."""

    name: str


Marker = Sticker | Silent | Delay | Emote | Unknown
Piece = Literal | Marker


class MarkerParser:
    """One reply's stream: `feed` every chunk in order, then `end` once."""

    def __init__(self) -> None:
        self._held = ""  # empty, or `<` and what followed it while it may still become a marker

    def feed(self, chunk: str) -> tuple[Piece, ...]:
        """What `chunk` settles, in order."""
        pieces: list[Piece] = []
        text: list[str] = []
        position = 0
        while position < len(chunk):
            if not self._held:
                opening = chunk.find("<", position)
                found = len(chunk) if opening < 0 else opening
                text.append(chunk[position:found])
                self._held = chunk[found : found + 1]
                position = found + 1
                continue
            marker, freed = self._advance(chunk[position])
            position += 1
            text.append(freed)
            if marker is not None:
                _flush(text, pieces)
                pieces.append(marker)
        _flush(text, pieces)
        return tuple(pieces)

    def end(self) -> tuple[Piece, ...]:
        """The stream is over: an unfinished marker is dropped, a mere `<` was text."""
        held, self._held = self._held, ""
        body = _body(held)
        unfinished = held != "<" if body is None else not body[:1].isspace()
        return (Literal(text=held),) if held and not unfinished else ()

    def _advance(self, character: str) -> tuple[Marker | None, str]:
        """Take one more character behind what is held; returns a marker or freed text, or neither."""
        if character == "<":
            freed, self._held = self._held, character
            return None, freed
        self._held += character
        body = _body(self._held)
        if body is None:
            may_open = any(opener.startswith(self._held) for opener in _OPENERS)
            return None, "" if may_open else self._release()
        if character == ">":
            for closer in _CLOSERS:
                if body.endswith(closer) and (marker := _marker(body.removesuffix(closer))) is not None:
                    self._held = ""
                    return marker, ""
        may_go_on = character != "\n" and len(self._held) < MAX_MARKER_LENGTH and _begins_a_marker(body)
        return None, "" if may_go_on else self._release()

    def _release(self) -> str:
        freed, self._held = self._held, ""
        return freed


def _flush(text: list[str], pieces: list[Piece]) -> None:
    if joined := "".join(text):
        pieces.append(Literal(text=joined))
    text.clear()


def _body(held: str) -> str | None:
    """What stands behind the opener; None while there is no whole opener."""
    for opener in _OPENERS:
        if held.startswith(opener):
            return held.removeprefix(opener)
    return None


def _begins_a_marker(body: str) -> bool:
    start = body.lstrip(" ")[:1]
    return not start or start in "_/" or (start.isascii() and start.isalpha())


def _marker(content: str) -> Marker | None:
    """The marker that `content` names; None when it is no marker after all.

    Behind an opener and a space only a marker of ours counts: `x <| f |> y` is code.
    """
    words = content.split(maxsplit=1)
    if not words or not _begins_a_marker(content):
        return None
    head, argument = words[0].upper(), words[1].strip() if len(words) > 1 else ""
    if head == "STICKER" and argument:
        return Sticker(id=argument)
    if head == "SILENT" and not argument:
        return Silent()
    if head == "DELAY" and _SECONDS.fullmatch(argument):
        return Delay(seconds=min(float(argument), LONGEST_DELAY_S))
    if head.startswith("EMOTE_") and len(head) > len("EMOTE_") and not argument:
        return Emote(name=head.removeprefix("EMOTE_").lower())
    return None if content[:1].isspace() else Unknown(name=words[0])

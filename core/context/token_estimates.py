"""How many tokens a text will cost, without a tokenizer (CORE-28).

A first guess by script, then corrected by what a provider really counted for that model. Pure values: the
caller keeps one `TokenEstimate` per model.
"""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final, assert_never

from pydantic import BaseModel

from core.conversation.content import Audio, File, Image, Text, UserContent
from core.conversation.continuation import ContinuationScope
from core.conversation.turns import (
    AssistantTurn,
    Citation,
    ReasoningSummary,
    Refusal,
    ReplyText,
    Round,
    SystemTurn,
    ToolReference,
    Turn,
    UserTurn,
)
from core.tools.tool import AnyTool, schema_of

_ASCII: Final = 0.25  # English prose and code, in tokens a character
_ALPHABETIC: Final = 0.5  # Cyrillic, Greek, Arabic, accented Latin and the like
_CJK: Final = 1.0  # a han character, a kana, a syllable of hangul
_ASTRAL: Final = 2.0  # emoji and rare scripts come in pieces
_CJK_CHARACTERS: Final = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef]")
_ASTRAL_CHARACTERS: Final = re.compile("[\U00010000-\U0010ffff]")

_USER_TURN: Final = 32  # role, time, name and id
_OTHER_TURN: Final = 8
_INTERRUPTION: Final = 24
_TOOL_CALL: Final = 24
_IMAGE: Final = 1100
_AUDIO: Final = 1500
_FILE: Final = 3000

_LEAST_OBSERVED: Final = 50
_SLOWEST_SHARE: Final = 0.2
_SCALES: Final = (0.4, 4.0)


def raw_tokens(text: str) -> int:
    """The guess before any correction; 0 for an empty text only."""
    if text.isascii():
        return math.ceil(len(text) * _ASCII)
    plain = len(text.encode("ascii", "ignore"))
    cjk = len(_CJK_CHARACTERS.findall(text))
    astral = len(_ASTRAL_CHARACTERS.findall(text))
    alphabetic = len(text) - plain - cjk - astral
    return math.ceil(plain * _ASCII + cjk * _CJK + astral * _ASTRAL + alphabetic * _ALPHABETIC)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenEstimate:
    """What is known of one model's way of counting.

    `scale` multiplies the raw guess; `observations` says how many requests it rests on.
    """

    scale: float = 1.0
    observations: int = 0

    def tokens(self, text: str) -> int:
        """Tokens of `text`, rounded up."""
        return self.scaled(raw_tokens(text))

    def scaled(self, raw: int) -> int:
        """Tokens for a raw guess, rounded up."""
        return math.ceil(raw * self.scale)

    def observed(self, *, raw: int, tokens: int) -> "TokenEstimate":
        """The estimate after a request whose whole input was guessed as `raw` and counted as `tokens`.

        The first request counts fully, later ones as a part of the average, never less than a fifth, so that
        a change of language shows within a few requests. Requests too short to tell anything change nothing.
        """
        if raw < _LEAST_OBSERVED or tokens <= 0:
            return self
        share = max(1 / (self.observations + 1), _SLOWEST_SHARE)
        lowest, highest = _SCALES
        seen = min(max(tokens / raw, lowest), highest)
        return TokenEstimate(
            scale=self.scale + (seen - self.scale) * share, observations=self.observations + 1
        )


def raw_turn_tokens(turn: Turn, *, scope: ContinuationScope | None = None) -> int:
    """The raw guess for one turn of a request, its marks included; never 0.

    Rounds whose native items would be replayed in `scope` are counted by those items.
    """
    match turn:
        case UserTurn():
            parts = sum(raw_part_tokens(part) for part in turn.content)
            return _USER_TURN + parts + sum(raw_tokens(skill.text) + _OTHER_TURN for skill in turn.skills)
        case SystemTurn():
            return _OTHER_TURN + raw_tokens(turn.text)
        case AssistantTurn():
            mark = _INTERRUPTION if turn.interrupted else 0
            return _OTHER_TURN + mark + sum(_round_tokens(round_, scope) for round_ in turn.rounds)
        case _:
            assert_never(turn)


def raw_conversation_tokens(turns: Sequence[Turn], *, scope: ContinuationScope | None = None) -> int:
    """The raw guess for all turns of a request, as `observed` wants it beside that of the system prompt."""
    return sum(raw_turn_tokens(turn, scope=scope) for turn in turns)


def raw_part_tokens(part: UserContent) -> int:
    """The raw guess for one part; media by a flat rate."""
    match part:
        case Text():
            return raw_tokens(part.text)
        case Image():
            return _IMAGE
        case Audio():
            return _AUDIO
        case File():
            return _FILE
        case _:
            assert_never(part)


def raw_tool_tokens(tool: AnyTool) -> int:
    """The raw guess for what a tool that is offered adds to a request."""
    return _raw_form_tokens(tool.name, tool.description, tool.arguments)


@lru_cache(maxsize=1024)
def _raw_form_tokens(name: str, description: str, arguments: type[BaseModel]) -> int:
    return raw_tokens(f"{name} {description} {json.dumps(schema_of(arguments), ensure_ascii=False)}\n")


def _round_tokens(round_: Round, scope: ContinuationScope | None) -> int:
    results = sum(raw_tokens(invocation.result) + _OTHER_TURN for invocation in round_.invocations)
    continuation = round_.continuation
    if continuation is not None and continuation.scope == scope:
        return results + raw_tokens(continuation.items_json)
    calls = sum(raw_tokens(call.name + call.arguments) + _TOOL_CALL for call in round_.invocations)
    return results + calls + sum(_content_tokens(part) for part in round_.content)


def _content_tokens(part: ReplyText | ReasoningSummary | Refusal | Citation | ToolReference) -> int:
    match part:
        case ReplyText() | Refusal():
            return raw_tokens(part.text)
        case ReasoningSummary() | Citation() | ToolReference():
            return 0  # not sent again
        case _:
            assert_never(part)

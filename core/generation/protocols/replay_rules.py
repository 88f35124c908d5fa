"""Which rounds go back in the provider's own items, which from their portable content (CORE-8, CORE-9)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import cast

from core.conversation.continuation import ContinuationScope, ProjectionIssue, ProtocolName
from core.conversation.turns import AssistantTurn, Conversation, Round, Turn
from core.generation.protocols.json_access import JsonObject, array_of, text_in


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedRound:
    """A round and its native items; None means: project the portable content."""

    round: Round
    native: tuple[JsonObject, ...] | None


@dataclass(frozen=True, slots=True)
class Interruption:
    """The turn whose rounds stand before it did not reach the people whole (CORE-23)."""


Part = Turn | ReplayedRound | Interruption


@dataclass(frozen=True, slots=True, kw_only=True)
class Replay:
    """A conversation ready to be rendered, assistant turns as their rounds; and what could not be told."""

    parts: tuple[Part, ...]
    issues: tuple[ProjectionIssue, ...]


def replay(conversation: Conversation, rounds: Iterable[Round], scope: ContinuationScope) -> Replay:
    """Decide for each round of the history and of the turn in progress.

    An edited tool result voids the native items of its round and of every later one, which were written by a
    model that had read the old result.
    """
    parts: list[Part] = []
    issues: dict[ProjectionIssue, None] = {}
    voided = False
    for part in _flattened(conversation, rounds):
        if not isinstance(part, Round):
            parts.append(part)
            continue
        voided = voided or any(invocation.result_edited for invocation in part.invocations)
        native = None if voided else _native_items(part, scope)
        parts.append(ReplayedRound(round=part, native=native))
        if native is None:
            issues.update(dict.fromkeys(unprojected(part)))
    return Replay(parts=tuple(parts), issues=tuple(issues))


def _flattened(conversation: Conversation, rounds: Iterable[Round]) -> Iterator[Turn | Round | Interruption]:
    for turn in conversation.turns:
        if isinstance(turn, AssistantTurn):
            yield from turn.rounds
            if turn.interrupted:
                yield Interruption()
        else:
            yield turn
    yield from rounds


def _native_items(round_: Round, scope: ContinuationScope) -> tuple[JsonObject, ...] | None:
    continuation = round_.continuation
    if continuation is None or continuation.scope != scope:
        return None
    items = array_of(continuation.items_json) or []
    native = tuple(cast("JsonObject", item) for item in items if isinstance(item, dict))
    return native if native and len(native) == len(items) else None


_TOLD_RESPONSES_ITEMS = {"message", "function_call"}
_TOLD_MESSAGE_KEYS = {"role", "content", "tool_calls", "refusal", "reasoning_content", "reasoning"}


def unprojected(round_: Round) -> Iterator[ProjectionIssue]:
    """What the native items hold beyond the portable content (CORE-8, CORE-34)."""
    if round_.continuation is None:
        return
    items = array_of(round_.continuation.items_json)
    if items is None:
        yield ProjectionIssue(item_type="continuation", reason="is no JSON array")
        return
    for item in items:
        if not isinstance(item, dict):
            yield ProjectionIssue(item_type=type(item).__name__, reason="is no object")
        elif round_.continuation.scope.protocol is ProtocolName.CHAT:
            yield from _unprojected_message(cast("JsonObject", item))
        else:
            yield from _unprojected_item(cast("JsonObject", item))


def _unprojected_message(message: JsonObject) -> Iterator[ProjectionIssue]:
    for key in message:
        if key not in _TOLD_MESSAGE_KEYS:
            yield ProjectionIssue(item_type=f"message.{key}", reason="has no portable form")


def _unprojected_item(item: JsonObject) -> Iterator[ProjectionIssue]:
    kind = text_in(item, "type") or "unknown"
    if kind == "reasoning":
        if item.get("encrypted_content"):
            yield ProjectionIssue(item_type=kind, reason="is encrypted for its provider")
    elif kind not in _TOLD_RESPONSES_ITEMS:
        yield ProjectionIssue(item_type=kind, reason="has no portable form")

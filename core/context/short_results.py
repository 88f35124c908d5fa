"""Tool results in short, for turns that are not the newest ones any more (CORE-28)."""

from dataclasses import replace
from typing import Final

from core.conversation.turns import AssistantTurn, Round, ToolInvocation, Turn

SHORTENED_RESULT: Final = 400
"""Characters that remain of a long tool result."""

_HEAD: Final = 0.75


def with_short_results(turn: Turn) -> Turn:
    """A copy in which every tool result is short; the same object when none was long.

    A round with a shortened result goes without its native items, which hold or belong to the full one. It is
    no edit of the history: later rounds keep theirs.
    """
    if not isinstance(turn, AssistantTurn) or not any(round_.invocations for round_ in turn.rounds):
        return turn
    rounds = tuple(_short(round_) for round_ in turn.rounds)
    unchanged = all(new is old for new, old in zip(rounds, turn.rounds, strict=True))
    return turn if unchanged else replace(turn, rounds=rounds)


def shortened(text: str, limit: int) -> str:
    """`text`, or its beginning and end with a note of what is missing; the note comes on top of `limit`."""
    missing = len(text) - limit
    note = f"\n[… {missing:,} characters left out …]\n"
    if missing <= len(note):
        return text
    head = int(limit * _HEAD)
    return f"{text[:head]}{note}{text[len(text) - (limit - head) :]}"


def _short(round_: Round) -> Round:
    invocations = tuple(_short_invocation(invocation) for invocation in round_.invocations)
    if all(new is old for new, old in zip(invocations, round_.invocations, strict=True)):
        return round_
    return replace(round_, invocations=invocations, continuation=None)


def _short_invocation(invocation: ToolInvocation) -> ToolInvocation:
    result = shortened(invocation.result, SHORTENED_RESULT)
    return invocation if result is invocation.result else replace(invocation, result=result)

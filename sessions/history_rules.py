"""Edits of stored turns as pure functions from turns to turns, and which turns never leave."""

from collections.abc import Iterable
from dataclasses import replace

from core.conversation.content import UserContent
from core.conversation.turns import AssistantTurn, Round, SystemTurn, Turn, UserTurn
from sessions.failures import UnknownTurn


def stays_here(turn: Turn) -> bool:
    """Whether no other system gets it: an interrupted reply (CORE-39), a notice, a reply to one (REC-9)."""
    match turn:
        case UserTurn():
            return turn.notice is not None
        case AssistantTurn():
            return turn.interrupted or turn.proactive
        case SystemTurn():
            return False


def with_content(turn: Turn, content: tuple[UserContent, ...]) -> UserTurn:
    """The user turn with other content.

    Raises:
        UnknownTurn: it is no user turn.
    """
    if not isinstance(turn, UserTurn):
        raise UnknownTurn(f"{turn.id} is no user turn")
    return replace(turn, content=content)


def with_edited_result(turns: Iterable[Turn], invocation_id: str, result: str) -> tuple[Turn, ...]:
    """The turns after a local edit of one tool result (CORE-9).

    The invocation is marked. The native items of its round and of every later round are dropped: each of them
    was produced with the old result in view. Earlier rounds keep theirs; portable content stays untouched.

    Args:
        turns: in order, from any point at or before the turn that owns the invocation.
        invocation_id: our own id of the call.
        result: what the model shall read instead.

    Raises:
        UnknownTurn: no turn owns the invocation.
    """
    edited: list[Turn] = []
    found = False
    for turn in turns:
        if not isinstance(turn, AssistantTurn):
            edited.append(turn)
            continue
        rounds: list[Round] = []
        for round_ in turn.rounds:
            owns = any(invocation.id == invocation_id for invocation in round_.invocations)
            found = found or owns
            after = _with_result(round_, invocation_id, result) if owns else round_
            rounds.append(replace(after, continuation=None) if found else after)
        edited.append(replace(turn, rounds=tuple(rounds)))
    if not found:
        raise UnknownTurn("no such tool invocation")
    return tuple(edited)


def _with_result(round_: Round, invocation_id: str, result: str) -> Round:
    invocations = tuple(
        replace(invocation, result=result, result_edited=True)
        if invocation.id == invocation_id
        else invocation
        for invocation in round_.invocations
    )
    return replace(round_, invocations=invocations)

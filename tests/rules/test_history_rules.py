"""Edits of stored turns."""

import pytest

from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Turn
from sessions.failures import UnknownTurn
from sessions.history_rules import with_content, with_edited_result
from tests.scene_values import assistant_turn, invocation, native_round, user_turn


def natives(turns: tuple[Turn, ...]) -> list[list[bool]]:
    """Per assistant turn and round: whether native items are left."""
    return [
        [one.continuation is not None for one in turn.rounds]
        for turn in turns
        if isinstance(turn, AssistantTurn)
    ]


def test_an_edited_result_voids_native_items_of_its_round_and_later_ones() -> None:
    """CORE-9: rounds before it never saw the result and keep theirs."""
    history = (
        assistant_turn("a", native_round()),
        user_turn("u"),
        assistant_turn("b", native_round(), native_round(invocation("i"), invocation("j")), native_round()),
        assistant_turn("c", native_round()),
    )
    edited = with_edited_result(history, "i", "13:00")
    assert natives(edited) == [[True], [True, False, False], [False]]
    assert edited[:2] == history[:2]


def test_an_edited_result_is_marked_and_its_neighbours_are_not() -> None:
    """CORE-9."""
    (edited,) = with_edited_result(
        [assistant_turn("b", native_round(invocation("i"), invocation("j")))], "i", "x"
    )
    assert isinstance(edited, AssistantTurn)
    marked, neighbour = edited.rounds[0].invocations
    assert (marked.result, marked.result_edited) == ("x", True)
    assert neighbour == invocation("j")


def test_an_unknown_invocation_is_refused() -> None:
    """CORE-9."""
    with pytest.raises(UnknownTurn):
        with_edited_result([user_turn("u"), assistant_turn("a", native_round())], "i", "x")


def test_only_user_turns_get_other_content() -> None:
    """SCENE-4: an edit follows a person's message."""
    assert with_content(user_turn("u", "a"), (Text(text="b"),)) == user_turn("u", "b")
    with pytest.raises(UnknownTurn):
        with_content(assistant_turn("a"), (Text(text="b"),))

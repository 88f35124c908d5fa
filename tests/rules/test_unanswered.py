"""CORE-23: which question a retry asks again."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from core.conversation.turns import AssistantTurn, Authority, Speaker, SystemTurn, Turn, UserTurn
from core.conversation.unanswered import Unanswered, unanswered
from tests.scene_values import assistant_turn, user_turn


def whole(turn_id: str) -> AssistantTurn:
    return replace(assistant_turn(turn_id), interrupted=False)


def cut(turn_id: str) -> AssistantTurn:
    return replace(assistant_turn(turn_id), interrupted=True)


def asked(*turns: Turn) -> Unanswered | None:
    return unanswered(reversed(turns))


def test_a_question_with_a_whole_answer_is_not_asked_again() -> None:
    """CORE-23."""
    assert asked() is None
    assert asked(user_turn("q"), whole("a")) is None


def test_a_question_whose_answer_broke_off_is_asked_again_without_that_part() -> None:
    """CORE-23."""
    question, part = user_turn("q"), cut("a")
    assert asked(user_turn("before"), whole("b"), question, part) == Unanswered(
        turns=(question,), broken_off=part
    )


def test_questions_without_any_answer_are_asked_together_in_their_order() -> None:
    """CORE-23: what failed before it said a word, and what was said after it."""
    one, two = user_turn("one"), user_turn("two")
    assert asked(user_turn("q"), cut("a"), one, two) == Unanswered(turns=(one, two))


def test_a_summary_and_other_system_turns_are_passed_over() -> None:
    """CORE-23."""
    note = SystemTurn(id="s", authority=Authority.CONTEXT, text="older turns")
    question = user_turn("q")
    assert asked(note, question, note) == Unanswered(turns=(question,))
    assert asked(note) is None


def test_a_reply_nobody_asked_for_is_not_tried_again() -> None:
    """CORE-23: there is no question before it."""
    assert asked(whole("a"), cut("b")) is None


def test_the_people_who_asked_are_known() -> None:
    """CORE-23: for who may ask again."""
    question = replace(user_turn("q"), speaker=Speaker(id="7", name="Ada"))
    found = asked(replace(question, id="p", speaker=None), question)
    assert found is not None
    assert found.is_of("7")
    assert not found.is_of("8")


@given(st.lists(st.sampled_from([user_turn("q"), whole("a"), cut("b")]), max_size=8))
def test_what_is_asked_again_is_the_end_of_the_conversation(turns: list[Turn]) -> None:
    """CORE-23: never a turn from before a whole answer, never a turn left out between."""
    found = asked(*turns)
    if found is None:
        return
    tail = [*found.turns, *([] if found.broken_off is None else [found.broken_off])]
    assert turns[len(turns) - len(tail) :] == tail
    rest = turns[: len(turns) - len(tail)]
    assert not rest or not isinstance(rest[-1], UserTurn)

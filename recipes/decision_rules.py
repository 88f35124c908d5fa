"""Decisions: numbered answers, and what the picked one leads to (REC-2, REC-4). Pure.

A judgment always decides: a number that names no answer, or none at all, is the declared default.
"""

from dataclasses import dataclass

from recipes.recipe import Action, Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class DecisionOption:
    """An answer as the model sees it; `number` starts at 1."""

    number: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgment:
    """What was decided. `by_default`: the model picked no answer of the decision."""

    number: int
    answer: str
    action: Action
    by_default: bool = False


def decision_options(decision: Decision) -> tuple[DecisionOption, ...]:
    """The answers with their numbers, without what each one leads to."""
    return tuple(
        DecisionOption(number=number, text=answer.text) for number, answer in enumerate(decision.answers, 1)
    )


def judge_decision(decision: Decision, picked: int | None) -> Judgment:
    """The answer that counts, and its action."""
    is_an_answer = picked is not None and 1 <= picked <= len(decision.answers)
    number = picked if picked is not None and is_an_answer else decision.default
    answer = decision.answers[number - 1]
    return Judgment(number=number, answer=answer.text, action=answer.action, by_default=not is_an_answer)

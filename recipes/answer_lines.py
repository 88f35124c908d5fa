"""The answers of a decision as lines that a person types into a form (REC-7). Pure.

    No = reply
    * Yes = quiet
    A little = hint: Whisper, no capitals.
    Ask the poet = recipe: verse

The line with a star is the default; without one, the first is.
"""

import re
from typing import assert_never

from core.sentences import sentence
from recipes.form_reading import FormRefused
from recipes.recipe import Action, Answer, Decision, KeepHint, Reply, StayQuiet, UseRecipe

_LINE = re.compile(
    r"(?P<star>\*?)\s*(?P<text>.+?)\s*=\s*(?P<action>reply|quiet|hint\s*:.+|recipe\s*:.+)", re.IGNORECASE
)
_FORM = "answer = reply, quiet, hint: ..., or recipe: ..."


def decision_from_lines(question: str, lines: str) -> Decision:
    """The decision that the form describes.

    Raises:
        FormRefused: a line has another form; the message names it.
    """
    answers: list[Answer] = []
    default = 1
    for number, line in enumerate(lines.splitlines(), 1):
        if not line.strip():
            continue
        found = _LINE.fullmatch(line.strip())
        if found is None:
            raise FormRefused(
                sentence(
                    "Line {number} of the answers is not of the form: {form}.", number=number, form=_FORM
                )
            )
        if found["star"]:
            default = len(answers) + 1
        answers.append(Answer(text=found["text"].strip(), action=_action(found["action"])))
    return Decision(question=question.strip(), answers=tuple(answers), default=default)


def lines_of_decision(decision: Decision) -> str:
    """The lines of a decision."""
    return "\n".join(
        f"{'* ' if number == decision.default else ''}{answer.text} = {_words(answer.action)}"
        for number, answer in enumerate(decision.answers, 1)
    )


def _action(words: str) -> Action:
    kind, _, rest = (part.strip() for part in words.partition(":"))
    match kind.casefold():
        case "reply":
            return Reply()
        case "quiet":
            return StayQuiet()
        case "hint":
            return KeepHint(hint=rest)
        case _:
            return UseRecipe(name=rest)


def _words(action: Action) -> str:
    match action:
        case Reply():
            return "reply"
        case StayQuiet():
            return "quiet"
        case KeepHint(hint=hint):
            return f"hint: {hint}"
        case UseRecipe(name=name):
            return f"recipe: {name}"
        case _:
            assert_never(action)

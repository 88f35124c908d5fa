"""What a whole recipe is, and its way through files, exports and storage (REC-1, REC-6, REC-7)."""

import json
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.decision_rules import decision_options, judge_decision
from recipes.recipe import MOST_STEPS, Answer, Decision, Recipe, Reply, recipe_problem
from recipes.recipe_form import FormRefused, draft_from_form, draft_of, form_of_recipe
from recipes.recipe_text import RecipeTextRefused, draft_from_text, text_of_draft
from tests.recipe_values import LATE, decision, decisions, recipe, recipes

SKILL = """\
---
name: pdf-reader
description: >-
  Extracts text and tables
  from PDF files.
license: Apache-2.0
allowed-tools: Read Bash
metadata:
  author: somebody
  version: "1.0"
---

# Steps

1. Open the file.
"""


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "a" * 65}, "64 plain characters"),
        ({"name": 'a"b'}, "64 plain characters"),
        ({"purpose": ""}, "purpose"),
        ({"purpose": "p" * 1025}, "purpose is longer"),
        ({"keywords": ("k",) * 21}, "20 keywords"),
        ({"keywords": ("two\nlines",)}, "one line"),
        ({"keywords": ("k" * 41,)}, "40 characters"),
        ({"steps": ""}, "needs steps"),
        ({"steps": "s" * 4001}, "4,001 characters; the most is 4,000"),
        ({"decision": LATE, "steps": "1. x"}, "not both"),
        ({"decision": LATE, "steps": "", "background": True}, "background"),
        ({"decision": LATE, "steps": "", "keywords": ()}, "needs a keyword"),
        ({"decision": replace(LATE, default=5), "steps": ""}, "default"),
        ({"decision": replace(LATE, answers=LATE.answers[:1], default=1), "steps": ""}, "2 to 9 answers"),
        ({"decision": replace(LATE, question=""), "steps": ""}, "question"),
        (
            {
                "decision": replace(LATE, answers=(*LATE.answers, Answer(text="", action=Reply()))),
                "steps": "",
            },
            "answer needs a text",
        ),
    ],
)
def test_what_is_wrong_with_a_recipe_is_one_sentence(wrong: dict[str, Any], said: str) -> None:
    """REC-1, REC-7."""
    problem = recipe_problem(recipe(**wrong))
    assert problem is not None
    assert said in problem
    assert problem.endswith(".")


@given(recipes())
def test_any_whole_recipe_survives_the_form(made: Recipe) -> None:
    """REC-7: export, then import; also through JSON, as the database keeps it."""
    assert recipe_problem(made) is None
    form = json.loads(json.dumps(form_of_recipe(draft_of(made))))
    assert draft_from_form(form) == draft_of(made)


@given(recipes())
def test_any_whole_recipe_survives_a_file(made: Recipe) -> None:
    """REC-6."""
    assert draft_from_text(text_of_draft(draft_of(made)), file_name="x") == draft_of(made)


def test_a_skill_of_the_agent_skills_layout_is_read_as_it_stands() -> None:
    """REC-6: what its front matter holds beyond a recipe is left alone."""
    draft = draft_from_text(SKILL, file_name="other")
    assert draft.name == "pdf-reader"
    assert draft.purpose == "Extracts text and tables from PDF files."
    assert draft.keywords == ()
    assert draft.steps == "# Steps\n\n1. Open the file."


def test_an_empty_place_among_keywords_is_none() -> None:
    """REC-6: an unfinished line of a list is no word to listen for."""
    text = "---\nname: x\ndescription: p\nkeywords:\n  - brief\n  -\n---\n1."
    assert draft_from_text(text, file_name="x").keywords == ("brief",)


def test_a_file_without_a_name_is_called_by_its_own() -> None:
    """REC-6."""
    assert draft_from_text("---\npurpose: p\n---\n1. x", file_name="short").name == "short"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("", 1, "begins with"),
        ("1. no front matter", 1, "begins with"),
        ("---\nname: x\n", 1, "no --- at its end"),
        ("---\nname: x\nkeywords: [a\n---\n", 3, "no YAML"),
        ("---\nname: x\n\tpurpose: p\n---\n", 3, "no YAML"),
        ("---\n- a\n- b\n---\n", 2, "names with values"),
        ("---\nname: x\npurpose: p\nkeywords: {a: b}\n---\n1.", 4, "`keywords` must be a list"),
        ("---\nname: x\npurpose: p\nkeywords: [[a]]\n---\n1.", 4, "`keywords` must be a list of texts"),
        ("---\nname: x\npurpose: p\nbackground: maybe\n---\n1.", 4, "`background` must be true or false"),
        ("---\nname: x\ndecision:\n  answers: []\n---\n", 3, "`decision.question` is missing"),
        (
            "---\nname: x\ndecision: {question: q, answers: [{answer: a, action: shout}]}\n---\n",
            3,
            "one of reply, quiet, hint, recipe",
        ),
        ("---\nname: x\npurpose: p\n---\n" + "s" * (MOST_STEPS + 1), 5, "the most is 4,000"),
        ("---\nname: x\nautomation: {triggers: []}\n---\n", 3, "must name at least one"),
        ("---\na: &a [x, x]\nb: &b [*a, *a]\nname: *b\n---\n", 4, "`name` must be a text"),
    ],
)
def test_a_broken_file_is_told_of_with_its_line(text: str, line: int, said: str) -> None:
    """REC-6."""
    with pytest.raises(RecipeTextRefused) as caught:
        draft_from_text(text, file_name="x")
    assert caught.value.line == line
    assert said in caught.value.problem


@given(st.text(max_size=200))
def test_no_text_breaks_the_reader(text: str) -> None:
    """REC-6: it reads a recipe or says that it is none."""
    with suppress(RecipeTextRefused):
        draft_from_text(f"---\n{text}\n---\n1. x", file_name="x")


@given(decisions, st.none() | st.integers(-3, 12))
def test_a_judgment_always_decides(made: Decision, picked: int | None) -> None:
    """REC-2, REC-4, REC-9: an answer of the decision counts, anything else is the declared default."""
    options = decision_options(made)
    judgment = judge_decision(made, picked)
    assert [option.number for option in options] == list(range(1, len(made.answers) + 1))
    expected = picked if picked is not None and 1 <= picked <= len(options) else made.default
    assert judgment.number == expected
    assert judgment.by_default == (picked != expected)
    assert (judgment.answer, judgment.action) == (
        options[expected - 1].text,
        made.answers[expected - 1].action,
    )


def test_a_form_that_is_no_form_is_refused_in_words() -> None:
    """REC-7."""
    with pytest.raises(FormRefused, match="`name` is missing"):
        draft_from_form({"purpose": "p"})


def test_a_decision_recipe_is_whole() -> None:
    assert recipe_problem(decision()) is None

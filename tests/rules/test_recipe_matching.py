"""Which recipes hold in a scene and which a message invokes (REC-2)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recipes.matching_rules import (
    MODEL_DECIDES_STEPS,
    KeywordIndex,
    has_keyword,
    is_auto_run_recipe,
    is_background_recipe,
    match_keyword_recipes,
    scopes_of,
    steps_of,
    usable_recipes,
)
from recipes.recipe import Everywhere, InDirectMessages, InGuild, recipe_problem
from tests.recipe_values import DIRECT, GUILD, automations, decision, lines, recipe, recipes


def names(found: object) -> list[str]:
    return [one.name for one in found]  # type: ignore[attr-defined] - recipes


def test_usable_is_enabled_approved_and_in_scope() -> None:
    """REC-2: each of the three keeps a recipe out."""
    here = recipe("here", scope=GUILD)
    everywhere = recipe("everywhere")
    others = [
        recipe("off", scope=GUILD, enabled=False),
        recipe("proposed", scope=GUILD, approved=False),
        recipe("elsewhere", scope=InGuild(guild_id="8")),
        recipe("private", scope=DIRECT),
    ]
    assert usable_recipes([here, *others, everywhere], (GUILD, Everywhere())) == (here, everywhere)


def test_the_scopes_of_a_scene_are_its_place_and_everywhere() -> None:
    """REC-1: the nearest first; a server's channel is not a direct message."""
    assert scopes_of(guild_id="7", direct_with=None) == (GUILD, Everywhere())
    assert scopes_of(guild_id=None, direct_with="111") == (InDirectMessages(user_id="111"), Everywhere())
    assert scopes_of(guild_id=None, direct_with=None) == (Everywhere(),)


@pytest.mark.parametrize(
    ("keyword", "text", "found"),
    [
        ("brief", "Be BRIEF, please", True),
        ("brief", "briefly", False),
        ("brief", "in-brief", True),
        ("brief", "debrief", False),
        ("brief", "_brief", False),
        ("brief", "ｂｒｉｅｆ", True),
        ("i-have-adhd", "hi, I-have-ADHD here", True),
        ("i-have-adhd", "i-have-adhd2", False),
        ("tl dr", "give me a TL   DR", True),
        ("straße", "STRASSE", True),
        ("İstanbul", "i̇stanbul", True),
        ("c++", "I like C++.", True),
        ("c++", "abc++", False),
        ("総括", "今日の総括をお願い", True),
        ("要约", "请给我一个要约吧", True),
        ("요약", "이거 요약해줘", True),
        ("まとめ", "まとめて", True),
        ("brief", "これbriefで", True),
        ("word単語", "keyword単語", False),
        ("naïve", "nai\u0308ve", True),
        ("nai", "nai\u0308ve", False),
        ("🎲", "roll🎲now", True),
        ("a", "a cat", True),
        ("a", "cat", False),
        ("", "anything", False),
    ],
)
def test_a_keyword_is_a_whole_word_in_any_case_and_a_part_where_no_blanks_are_written(
    keyword: str, text: str, found: bool
) -> None:
    """REC-2."""
    assert bool(match_keyword_recipes([recipe("x", keywords=(keyword,))], text)) is found
    assert has_keyword(text, keyword) is found


def test_matches_come_in_the_order_of_the_message_and_once_each() -> None:
    """REC-2: two keywords of one recipe are one match; a shared keyword invokes both."""
    first = recipe("first", keywords=("one", "uno"))
    second = recipe("second", keywords=("two", "both"))
    third = recipe("third", keywords=("both",))
    assert names(match_keyword_recipes([first, second, third], "both, uno and one, two")) == [
        "second",
        "third",
        "first",
    ]


@given(st.lists(recipes(), max_size=6), st.text(max_size=60), st.data())
def test_the_index_finds_what_looking_one_by_one_finds(made: list, text: str, data: st.DataObject) -> None:
    """REC-2: the fast way and the plain way agree on any recipes and any message."""
    keywords = [keyword for one in made for keyword in one.keywords]
    for keyword in data.draw(st.lists(st.sampled_from(keywords), max_size=3)) if keywords else []:
        text += data.draw(st.sampled_from([" ", "", ", ", "字"])) + keyword
    found = {one.id for one in KeywordIndex(made).match(text)}
    plain = {one.id for one in made if any(has_keyword(text, keyword) for keyword in one.keywords)}
    assert found == plain


@given(lines, st.sampled_from([" ", "\n", ". ", "　"]))
def test_a_keyword_alone_between_blanks_is_always_found(keyword: str, blank: str) -> None:
    """REC-2."""
    assert has_keyword(f"x{blank}{keyword}{blank}y", keyword)


def test_background_and_decision() -> None:
    """REC-2: a decision is made in its own turn, whatever else is said of it."""
    assert is_background_recipe(recipe(background=True))
    assert not is_background_recipe(recipe())
    assert not is_background_recipe(decision(background=True))


@given(automations)
def test_auto_run_is_an_automation_or_a_time_of_the_models_choice(automation: object) -> None:
    """REC-12."""
    assert is_auto_run_recipe(recipe(automation=automation))
    assert is_auto_run_recipe(recipe(model_timed=True))
    assert not is_auto_run_recipe(recipe())


def test_a_recipe_without_steps_lets_the_model_decide() -> None:
    """REC-12."""
    open_ended = recipe(steps="", model_timed=True)
    assert recipe_problem(open_ended) is None
    assert steps_of(open_ended) == MODEL_DECIDES_STEPS
    assert steps_of(recipe()) == recipe().steps

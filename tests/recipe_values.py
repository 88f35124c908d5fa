"""Recipes for tests, and Hypothesis strategies that make any whole one."""

from datetime import UTC, datetime, time, timedelta
from typing import Any

from hypothesis import strategies as st

from recipes import automation as auto
from recipes.recipe import (
    Answer,
    Decision,
    Everywhere,
    InDirectMessages,
    InGuild,
    KeepHint,
    Recipe,
    RecipeOrigin,
    Reply,
    StayQuiet,
    UseRecipe,
)

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
GUILD = InGuild(guild_id="7")
DIRECT = InDirectMessages(user_id="111")

LATE = Decision(
    question="Is it too late to make noise?",
    answers=(
        Answer(text="No", action=Reply()),
        Answer(text="Yes", action=StayQuiet()),
        Answer(text="A little", action=KeepHint(hint="Whisper: no capitals.")),
        Answer(text="Ask the poet", action=UseRecipe(name="verse")),
    ),
    default=3,
)


def recipe(name: str = "brief", **more: Any) -> Recipe:
    """A recipe with steps; its id is made of its name."""
    given: dict[str, Any] = {
        "id": f"rec_{name}",
        "name": name,
        "purpose": f"What {name} is for.",
        "steps": "" if "decision" in more else "1. Answer in one line.\n2. No greetings.",
        "keywords": (name,),
        "created_at": NOON,
        "updated_at": NOON,
    }
    return Recipe(**{**given, **more})


def decision(name: str = "late", **more: Any) -> Recipe:
    """A recipe with a decision."""
    return recipe(name, decision=LATE, **more)


lines = st.text(st.characters(exclude_categories=("C", "Z")), min_size=1, max_size=20)
names = lines.filter(lambda text: not set(text) & set('[]"`'))
paragraphs = st.text(
    st.characters(exclude_categories=("C",), include_characters="\n"), min_size=1, max_size=60
).filter(lambda text: bool(text.strip()) and text == text.strip() and text.splitlines() == text.split("\n"))
minutes = st.integers(1, 10_000).map(lambda count: timedelta(minutes=count))
times = st.builds(time, st.integers(0, 23), st.integers(0, 59))
actions = st.one_of(
    st.just(Reply()),
    st.just(StayQuiet()),
    st.builds(KeepHint, hint=lines),
    st.builds(UseRecipe, name=names),
)
answers = st.lists(st.builds(Answer, text=lines, action=actions), min_size=2, max_size=9).map(tuple)
decisions = answers.flatmap(
    lambda given: st.builds(
        Decision, question=lines, answers=st.just(given), default=st.integers(1, len(given))
    )
)
triggers = st.one_of(
    st.builds(auto.Every, interval=minutes),
    st.builds(auto.DailyAt, at=times),
    st.builds(auto.ChannelIdle, after=minutes, channel_id=st.none() | lines),
    st.builds(auto.MessageMatches, keyword=lines),
    st.builds(auto.JoinedVoice, channel_id=st.none() | lines),
    st.builds(auto.VoiceEmptied, channel_id=st.none() | lines),
    st.builds(auto.ReactionAdded, emoji=lines),
    st.just(auto.ScheduledEventStarted()),
)
conditions = st.one_of(
    st.builds(auto.OutsideQuietHours, begin=times, end=times),
    st.builds(auto.InChannel, channel_id=lines),
    st.builds(auto.ByRole, role_id=lines),
    st.builds(auto.MinimumMembers, count=st.integers(1, 50)),
    st.builds(auto.LastRunOlderThan, age=minutes),
)
automations = st.builds(
    auto.Automation,
    triggers=st.lists(triggers, min_size=1, max_size=3).map(tuple),
    conditions=st.lists(conditions, max_size=3).map(tuple),
    cooldown=st.none() | minutes,
)
scopes = st.sampled_from([Everywhere(), GUILD, DIRECT])


@st.composite
def recipes(draw: st.DrawFn) -> Recipe:
    """Any whole recipe."""
    made = draw(st.none() | decisions)
    return Recipe(
        id=draw(names),
        name=draw(names),
        purpose=draw(lines),
        keywords=tuple(draw(st.lists(lines, min_size=1, max_size=4))),
        steps="" if made is not None else draw(paragraphs),
        background=made is None and draw(st.booleans()),
        decision=made,
        automation=draw(st.none() | automations),
        model_timed=draw(st.booleans()),
        enabled=draw(st.booleans()),
        approved=draw(st.booleans()),
        origin=draw(st.sampled_from([RecipeOrigin.PERSON, RecipeOrigin.PROPOSAL])),
        scope=draw(scopes),
        author=draw(st.none() | names),
        version=1,
        created_at=NOON,
        updated_at=NOON + timedelta(seconds=draw(st.integers(0, 1000))),
    )

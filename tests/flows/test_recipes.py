"""Recipes in real use: from disk, by keyword, by tool, by command; decisions; proposals (REC)."""

import pytest

from tests.fake_models import Answer, Call
from tests.flows.recipe_room import (
    BRIEF,
    LATE,
    VERSE,
    all_text,
    fields_of,
    last_said,
    manager,
    owner,
    put_recipe,
    run,
    told,
    tool_names,
)
from tests.flows.text_room import TextRoom, messages_of

STEPS = "Follow its steps in this reply and in later replies while they fit.]\n1. Answer in one line."


async def test_a_skill_from_disk_changes_several_turns(room: TextRoom) -> None:
    """REC-3, REC-6, CORE-21: loaded at start, appended to the message, kept with it for later turns."""
    put_recipe(room, "brief.md", BRIEF)
    put_recipe(room, "wrong.md", "---\nname: wrong\nkeywords: {a: b}\n---\n1.")
    async with room.bot() as core:
        room.models.script(Answer(text=("Eight.",)), Answer(text=("Nine.",)))
        room.says("be brief: when?", by=owner(room))
        await room.answer("Eight.")
        await room.quiet(core)
        room.says("and tomorrow?", by=owner(room))
        await room.answer("Nine.")
        await room.quiet(core)
    first, second = (messages_of(request.body) for request in room.models.requests)
    assert first[-1][1].endswith(f'\n\n[The owner used the skill "brief". {STEPS}')
    assert STEPS in second[-3][1]
    assert STEPS not in second[-1][1]
    assert "1. Answer in one line." not in room.models.requests[0].body["messages"][0]["content"]
    assert "-# recipe brief" in room.answers()[0]
    assert "-# recipe" not in room.answers()[1]


async def test_a_skill_of_the_agent_skills_layout_is_used_by_the_tool(room: TextRoom) -> None:
    """REC-3, REC-6, REC-11: listed by name and purpose, its steps loaded by a call."""
    put_recipe(
        room, "pdf/SKILL.md", "---\nname: pdf\ndescription: Reads files.\nlicense: MIT\n---\n1. Open it."
    )
    async with room.bot() as core:
        room.models.script(
            Answer(calls=(Call(name="builtIn_useRecipe", arguments='{"recipe": "PDF"}'),)),
            Answer(text=("Opened.",)),
        )
        room.says("read this", by=owner(room))
        await room.answer("Opened.\n\n-# recipe pdf")
        await room.quiet(core)
    first, second = (request.body for request in room.models.requests)
    (tool,) = [one["function"] for one in first["tools"] if one["function"]["name"] == "builtIn_useRecipe"]
    assert "- pdf: Reads files." in tool["description"]
    assert "Open it" not in str(first)
    assert second["messages"][-1]["content"] == (
        'Steps of the recipe "pdf". Follow them in this reply:\n1. Open it.'
    )


async def test_small_print_can_be_switched_off(room: TextRoom) -> None:
    """REC-11."""
    put_recipe(room, "brief.md", BRIEF)
    async with room.bot(SMALL_PRINT="off") as core:
        room.models.script(Answer(text=("Eight.",)))
        room.says("brief", by=owner(room))
        await room.answer("Eight.")
        await room.quiet(core)
    assert room.answers() == ["Eight."]


async def test_recipes_exist_for_who_may_use_them_alone(room: TextRoom) -> None:
    """REC-3, REC-13: members where their server says so, by their own name; the owner as the owner."""
    put_recipe(room, "brief.md", BRIEF)
    boss = manager(room)
    async with room.bot() as core:
        for by, expected in ((room.ada, None), (boss, f"Boss ({boss.id})"), (owner(room), "The owner")):
            room.says("brief please", by=by)
            body = (await room.models.wait_for_request(len(room.models.requests) + 1)).body
            await room.quiet(core)
            used = f'[{expected} used the skill "brief".'
            assert (used in last_said(body)) is (expected is not None)
            assert ("builtIn_useRecipe" in tool_names(body)) is (expected is not None)
        await told(run(room, "recipe members", by=boss, use=True))
        room.says("brief please", by=room.ada)
        body = (await room.models.wait_for_request(4)).body
        assert f'[Ada Lovelace ({room.ada.id}) used the skill "brief".' in last_said(body) or (
            f"({room.ada.id}) used the skill" in last_said(body)
        )
        await room.quiet(core)


async def test_a_quoted_keyword_invokes_nothing(room: TextRoom) -> None:
    """REC-3: only the speaker's own words do; a member cannot lend theirs to the owner."""
    put_recipe(room, "brief.md", BRIEF)
    async with room.bot() as core:
        planted = room.discord.humans.say(room.general, room.ada, "please be brief")
        room.discord.humans.mention_bot(room.general, owner(room), "what does she mean?", reply_to=planted)
        body = (await room.models.wait_for_request()).body
        await room.quiet(core)
    assert "please be brief" in last_said(body)
    assert "used the skill" not in last_said(body)


@pytest.mark.parametrize(
    ("picked", "told_next", "visible"),
    [
        (1, "Next: reply as usual.", "-# decided late: early"),
        (3, "Next: reply with this in mind: Whisper.", "-# decided late: a little"),
        (4, 'Next: follow the steps of the recipe "verse" in this reply:\n1. Rhyme.', "-# decided late: ask"),
    ],
)
async def test_a_decision_leads_to_its_action(
    room: TextRoom, picked: int, told_next: str, visible: str
) -> None:
    """REC-4, REC-9, REC-11: judged in the same turn; the model sees no action before it has judged."""
    put_recipe(room, "late.md", LATE)
    put_recipe(room, "verse.md", VERSE)
    async with room.bot() as core:
        room.models.script(
            Answer(calls=(Call(name="builtIn_judge", arguments=f'{{"answer": {picked}}}'),)),
            Answer(text=("Good evening.",)),
        )
        room.says("which hour is it?", by=owner(room))
        await room.answer(f"Good evening.\n\n{visible}")
        await room.quiet(core)
        room.says("and now?", by=owner(room))
        third = (await room.models.wait_for_request(3)).body
        await room.quiet(core)
    first, second = (request.body for request in room.models.requests[:2])
    assert tool_names(first) == ["builtIn_judge"]
    assert first["tool_choice"] == "required"
    assert last_said(first).endswith(
        '[The owner used the decision "late". Answer its question before you reply.]\n'
        "Is it late?\n1. early\n2. very late\n3. a little\n4. ask the poet"
    )
    assert "Whisper" not in str(first)
    assert told_next in second["messages"][-1]["content"]
    assert "builtIn_judge" not in tool_names(second)
    assert "builtIn_judge" not in tool_names(third)


async def test_a_decision_to_stay_quiet_posts_nothing(room: TextRoom) -> None:
    """REC-4: one request, no message, and the conversation goes on."""
    put_recipe(room, "late.md", LATE)
    async with room.bot() as core:
        room.models.script(
            Answer(text=("Psst.",), calls=(Call(name="builtIn_judge", arguments='{"answer": 2}'),))
        )
        room.says("which hour is it?", by=owner(room))
        await room.models.wait_for_request()
        await room.quiet(core)
        assert room.answers() == []
        room.models.script(Answer(text=("Hello.",)))
        room.says("hello?", by=owner(room))
        await room.answer("Hello.")
        await room.quiet(core)
    assert len(room.models.requests) == 2


async def test_a_model_that_will_not_judge_is_judged_for(room: TextRoom) -> None:
    """REC-4: the declared default counts, and what it said instead is not posted."""
    put_recipe(room, "late.md", LATE)
    async with room.bot() as core:
        room.models.script(Answer(text=("I would rather chat.",)), Answer(text=("Good evening.",)))
        room.says("which hour is it?", by=owner(room))
        await room.answer("Good evening.\n\n-# decided late: a little")
        await room.quiet(core)
    assert len(room.answers()) == 1
    result = room.models.requests[1].body["messages"][-1]["content"]
    assert result.startswith('Decided "late": No answer was picked, so the default counts: 3. a little')


@pytest.mark.parametrize(
    "without_tools",
    [{"SMALL_MODEL_PROFILE": "on"}, {"MODEL_CAPABILITIES": "*=-tools"}],
    ids=["small", "no tools"],
)
async def test_models_without_tools_use_recipes_without_any_tool_call(
    room: TextRoom, without_tools: dict[str, str]
) -> None:
    """REC-3, CORE-46: keywords and `/recipe run`; a decision falls to its default at once."""
    put_recipe(room, "brief.md", BRIEF)
    put_recipe(room, "late.md", LATE)
    async with room.bot(without_tools) as core:
        room.says("brief", by=owner(room))
        body = (await room.models.wait_for_request()).body
        assert STEPS in last_said(body)
        await room.quiet(core)
        shown = await told(run(room, "recipe run", name="brief", request="how are you?"))
        assert shown.content == "**brief**: how are you?"
        assert not shown.ephemeral
        body = (await room.models.wait_for_request(2)).body
        assert "how are you?" in last_said(body)
        assert STEPS in last_said(body)
        await room.quiet(core)
        room.says("which hour?", by=owner(room))
        body = (await room.models.wait_for_request(3)).body
        assert "Whisper." in last_said(body)
        await room.quiet(core)
    assert all("tools" not in request.body for request in room.models.requests)
    assert len(room.models.requests) == 3


PROPOSE = Call(
    name="builtIn_proposeRecipe",
    arguments='{"name": "haiku", "purpose": "Poems.", "steps": "1. Count.", "keywords": ["haiku"]}',
)


async def proposed(room: TextRoom) -> None:
    room.models.script(Answer(calls=(PROPOSE,)), Answer(text=("Proposed.",)))
    room.says("always answer like that", by=owner(room))
    await room.answer("Proposed.")


async def test_a_proposal_is_approved_by_its_card(room: TextRoom) -> None:
    """REC-5, REC-9: until then it does nothing."""
    humans = room.discord.humans
    async with room.bot() as core:
        await proposed(room)
        card = await room.answer("")
        card = await humans.answer_in(room.general, lambda message: bool(message.embeds))
        assert "Proposed recipe: haiku" in all_text(card)
        assert "1. Count." in all_text(card)
        room.says("haiku", by=owner(room))
        body = (await room.models.wait_for_request(3)).body
        assert "used the skill" not in last_said(body)
        assert 'Proposals that wait for a person: "haiku"' in str(body["tools"])
        await room.quiet(core)
        refused = humans.press(card, room.ada, humans.button(card, "Approve"))
        assert (
            "Only the bot's owner and members with the Manage Server permission"
            in (await told(refused)).content
        )
        humans.press(card, manager(room), humans.button(card, "Approve"))
        await room.discord.until(lambda: "Approved by" in all_text(card))
        assert not card.components
        room.says("haiku", by=owner(room))
        body = (await room.models.wait_for_request(4)).body
        assert '[The owner used the skill "haiku".' in last_said(body)
        await room.quiet(core)


async def test_a_proposal_is_edited_and_then_approved_after_a_restart(room: TextRoom) -> None:
    """REC-5: the buttons outlive the process; the card shows what is approved."""
    humans = room.discord.humans
    async with room.bot() as core:
        await proposed(room)
        card = await humans.answer_in(room.general, lambda message: bool(message.embeds))
        await room.quiet(core)
        stale = humans.button(card, "Approve")
        form = await humans.press(card, owner(room), humans.button(card, "Edit")).responded()
        assert fields_of(form)["steps"]["value"] == "1. Count."
        humans.submit_modal(form, {"steps": "1. Count to seventeen."})
        await room.discord.until(lambda: "1. Count to seventeen." in all_text(card))
        assert humans.button(card, "Approve") != stale
    async with room.bot() as core:
        humans.press(card, owner(room), humans.button(card, "Approve"))
        await room.discord.until(lambda: "Approved by" in all_text(card))
        room.says("haiku", by=owner(room))
        body = (await room.models.wait_for_request(3)).body
        assert "1. Count to seventeen." in last_said(body)
        await room.quiet(core)


async def test_a_card_that_is_out_of_date_approves_nothing(room: TextRoom) -> None:
    """REC-5: whoever agrees has seen what they agree to; what is approved is not decided again."""
    humans = room.discord.humans
    async with room.bot() as core:
        await proposed(room)
        await room.quiet(core)
        card = await humans.answer_in(room.general, lambda message: bool(message.embeds))
        other = await run(room, "recipe proposals").shown(lambda message: bool(message.embeds))
        last = await run(room, "recipe proposals").shown(lambda message: bool(message.embeds))
        form = await humans.press(card, owner(room), humans.button(card, "Edit")).responded()
        humans.submit_modal(form, {"steps": "1. Count to seventeen."})
        await room.discord.until(lambda: "1. Count to seventeen." in all_text(card))
        stale = humans.press(other, owner(room), humans.button(other, "Approve"))
        await room.discord.until(lambda: bool(stale.followups))
        assert stale.followups[0].content.startswith("This was changed meanwhile")
        assert "1. Count to seventeen." in all_text(other)
        humans.press(other, owner(room), humans.button(other, "Approve"))
        await room.discord.until(lambda: "Approved by" in all_text(other))
        for label in ("Approve", "Edit", "Reject"):
            late = humans.press(last, owner(room), humans.button(last, label))
            await late.shown(lambda message: message.content == "This is approved already.")


async def test_a_rejected_proposal_is_gone(room: TextRoom) -> None:
    """REC-5: by the list of proposals, too; a second press says so."""
    humans = room.discord.humans
    async with room.bot() as core:
        await proposed(room)
        await room.quiet(core)
        listed = run(room, "recipe proposals")
        card = await listed.shown(lambda message: bool(message.embeds))
        assert card.ephemeral
        public = await humans.answer_in(room.general, lambda message: bool(message.embeds))
        humans.press(public, owner(room), humans.button(public, "Reject"))
        await room.discord.until(lambda: "Rejected by" in all_text(public))
        late = humans.press(card, owner(room), humans.button(card, "Approve"))
        assert (await told(late)).content == "This recipe is gone."
        assert (await told(run(room, "recipe proposals"))).content == "No proposals wait for you."

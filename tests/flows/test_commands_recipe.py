"""`/recipe` over the wire: written, shown, switched, shared; by owner, manager and member (REC-7)."""

import json
from dataclasses import replace
from typing import Any

import pytest

from recipes.recipe import Answer, Decision, Everywhere, InGuild, KeepHint
from recipes.recipe_form import RecipeDraft
from recipes.recipe_text import text_of_draft
from tests.fake_discord.interactions import CallbackKind, Interaction
from tests.fake_discord.rich_content import walk
from tests.flows.recipe_room import (
    BRIEF,
    LATE,
    all_text,
    commands_known,
    fields_of,
    last_said,
    manager,
    owner,
    put_recipe,
    run,
    told,
)
from tests.flows.text_room import TextRoom

MANAGERS = "Only the bot's owner and members with the Manage Server permission can do this."
OWNER = "Only the bot's owner can do this."
SKILL = {"purpose": "Short answers.", "keywords": "brief, kurz", "steps": "1. One line."}


async def test_a_skill_is_written_in_a_form_and_holds_at_once(room: TextRoom) -> None:
    """REC-7: a manager's holds in their server."""
    humans, boss = room.discord.humans, manager(room)
    async with room.bot() as core:
        await commands_known(room)
        form = await run(room, "recipe add", by=boss, name="brief").responded()
        assert form.callback is CallbackKind.MODAL
        kept = await told(humans.submit_modal(form, {**SKILL}))
        assert kept.content == "Kept: **brief** holds in this server now."
        assert "1. One line." in all_text(kept)
        assert kept.ephemeral
        room.says("kurz bitte", by=owner(room))
        assert '[The owner used the skill "brief".' in last_said((await room.models.wait_for_request()).body)
        await room.quiet(core)
        listed = await told(run(room, "recipe list"))
        assert "**brief**: Short answers. (in this server)" in all_text(listed)


async def test_a_decision_is_written_in_a_form(room: TextRoom) -> None:
    """REC-7: answers as lines, the default with a star; shown with what each leads to."""
    humans = room.discord.humans
    lines = "No = reply\n* Yes = quiet\nA little = hint: Whisper.\nAsk = recipe: verse"
    async with room.bot():
        await commands_known(room)
        form = await run(room, "recipe add", name="late", decision=True, everywhere=True).responded()
        values: dict[str, str | list[str]] = {"purpose": "p", "keywords": "hour", "question": "Late?"}
        wrong = await told(humans.submit_modal(form, {**values, "answers": "No = reply\nYes: quiet"}))
        assert wrong.content.startswith("Not kept. Line 2 of the answers is not of the form")
        assert b"Yes: quiet" in wrong.attachments[0].content
        form = await run(room, "recipe add", name="late", decision=True, everywhere=True).responded()
        kept = await told(humans.submit_modal(form, {**values, "answers": lines}))
        assert "holds everywhere now" in kept.content
        shown = all_text(await told(run(room, "recipe show", name="LATE")))
        assert "1. No → reply\n2. Yes → stay quiet (default)\n3. A little → hint: Whisper." in shown
        form = await run(room, "recipe edit", name="late").responded()
        assert fields_of(form)["answers"]["value"] == lines


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"keywords": " , "}, "Not kept. It needs a keyword"),
        ({"steps": "   "}, "Not kept. A recipe needs steps"),
        ({"keywords": "k" * 41}, "Not kept. A keyword has at most 40 characters."),
    ],
)
async def test_what_is_wrong_is_said_and_what_was_typed_comes_back(
    room: TextRoom, values: dict[str, str | list[str]], said: str
) -> None:
    """REC-7, CMD-2."""
    async with room.bot():
        await commands_known(room)
        form = await run(room, "recipe add", name="brief").responded()
        refused = await told(room.discord.humans.submit_modal(form, {**SKILL, **values}))
        assert refused.content.startswith(said)
        assert b"Short answers." in refused.attachments[0].content
        assert "There are none yet" in all_text(await told(run(room, "recipe list")))


async def test_a_taken_name_is_refused(room: TextRoom) -> None:
    """REC-7."""
    humans = room.discord.humans
    async with room.bot():
        await commands_known(room)
        for answer in ("Kept: **brief**", 'Not kept. The name "BRIEF" is taken here.'):
            name = "brief" if answer.startswith("Kept") else "BRIEF"
            form = await run(room, "recipe add", name=name).responded()
            assert (await told(humans.submit_modal(form, {**SKILL}))).content.startswith(answer)


async def test_a_recipe_is_changed_switched_and_deleted(room: TextRoom) -> None:
    """REC-7: each acts on the next message."""
    humans = room.discord.humans
    async with room.bot() as core:
        await commands_known(room)
        form = await run(room, "recipe add", name="brief").responded()
        await told(humans.submit_modal(form, {**SKILL}))
        form = await run(room, "recipe edit", name="brief").responded()
        assert fields_of(form)["keywords"]["value"] == "brief, kurz"
        changed = await told(humans.submit_modal(form, {**SKILL, "steps": "1. Two lines."}))
        assert changed.content == "Changed."

        async def used() -> str:
            before = len(room.models.requests)
            room.says("brief", by=owner(room))
            body = (await room.models.wait_for_request(before + 1)).body
            await room.quiet(core)
            return last_said(body)

        assert "1. Two lines." in await used()
        assert (await told(run(room, "recipe disable", name="brief"))).content == "`brief` is disabled."
        assert "used the skill" not in await used()
        cannot = await told(run(room, "recipe run", name="brief"))
        assert cannot.content == "There is no recipe `brief` that can be used here."
        assert "disabled" in all_text(await told(run(room, "recipe list")))
        await told(run(room, "recipe enable", name="brief"))
        assert "1. Two lines." in await used()
        assert (await told(run(room, "recipe delete", name="brief"))).content == "Deleted `brief`."
        assert "used the skill" not in await used()
        gone = await told(run(room, "recipe show", name="brief"))
        assert gone.content == "There is no recipe `brief` here; `/recipe list` names them."


async def test_who_may_not_is_told_so_in_one_sentence(room: TextRoom) -> None:
    """REC-5, REC-7, CMD-2: members nothing, managers their server's, the owner all."""
    put_recipe(room, "brief.md", BRIEF)
    boss = manager(room)
    async with room.bot():
        await commands_known(room)
        attempts: list[tuple[str, dict[str, Any]]] = [("add", {"name": "x"}), ("members", {"use": True})]
        for command, options in attempts:
            refused = await told(run(room, f"recipe {command}", by=room.ada, **options))
            assert refused.content == MANAGERS
            assert refused.ephemeral
        closed = await told(run(room, "recipe list", by=room.ada))
        assert closed.content == (
            "Recipes are not open to members here; a manager can change that with `/recipe members`."
        )
        assert (await told(run(room, "recipe add", by=boss, name="x", everywhere=True))).content == OWNER
        assert (await told(run(room, "recipe delete", by=boss, name="brief"))).content == OWNER
        assert (await told(run(room, "recipe reload", by=boss))).content == OWNER
        await told(run(room, "recipe members", by=boss, use=True))
        assert "**brief**" in all_text(await told(run(room, "recipe list", by=room.ada)))
        assert (await told(run(room, "recipe delete", by=room.ada, name="brief"))).content == OWNER
        direct = room.discord.world.dm(room.ada)
        alone = await told(run(room, "recipe list", by=room.ada, channel=direct))
        assert alone.content == "In direct messages only the bot's owner uses recipes."


async def test_an_owner_of_the_settings_counts(room: TextRoom) -> None:
    """REC-5: ids in settings, beside the application's owner."""
    put_recipe(room, "brief.md", BRIEF)
    async with room.bot(DISCORD_OWNER_IDS=f"1, {room.ada.id}"):
        await commands_known(room)
        assert "read again" in (await told(run(room, "recipe reload", by=room.ada))).content
        assert (await told(run(room, "recipe reload", by=room.discord.grace))).content == OWNER


async def test_a_reload_reads_what_changed_and_names_what_is_broken(room: TextRoom) -> None:
    """REC-6, REC-7: a file's recipe is changed in its file."""
    put_recipe(room, "brief.md", BRIEF)
    async with room.bot():
        await commands_known(room)
        put_recipe(room, "late.md", LATE)
        put_recipe(room, "broken.md", "---\nname: x\nbackground: perhaps\n---\n1.")
        said = await told(run(room, "recipe reload"))
        assert "- left out: broken.md, line 3: `background` must be true or false." in said.content
        listed = all_text(await told(run(room, "recipe list")))
        assert "**late**" in listed
        for command in ("disable", "delete", "edit"):
            refused = await told(run(room, f"recipe {command}", name="brief"))
            assert (
                refused.content
                == "This recipe is the file `brief.md`: change the file, then `/recipe reload`."
            )


async def test_recipes_leave_and_come_back_as_files(room: TextRoom) -> None:
    """REC-7: one as Markdown, all as JSON; what cannot come is named."""
    put_recipe(room, "brief.md", BRIEF)
    put_recipe(room, "late.md", LATE)
    attach = room.discord.humans.attach
    async with room.bot():
        await commands_known(room)
        one = await told(run(room, "recipe export", name="brief"))
        assert one.attachments[0].content.startswith(b"---\nname: brief\n")
        everything = (await told(run(room, "recipe export"))).attachments[0].content
        assert [form["name"] for form in json.loads(everything)["recipes"]] == ["brief", "late"]
        come = await run(room, "recipe import", file=attach(room.general, "recipes.json", everything)).shown()
        assert come.content == "Added 2 of 2 recipes."
        again = await run(
            room, "recipe import", file=attach(room.general, "brief.md", one.attachments[0].content)
        ).shown()
        assert again.content == ('Added 0 of 1 recipes.\n- left out `brief`: The name "brief" is taken here.')
        skill = b"---\nname: pdf\ndescription: Reads.\n---\n1. Open."
        assert (
            await run(room, "recipe import", file=attach(room.general, "SKILL.md", skill)).shown()
        ).content == "Added 1 of 1 recipes."
        broken = await run(room, "recipe import", file=attach(room.general, "x.md", b"hello")).shown()
        assert broken.content.startswith("This is no recipe: line 1:")
        nothing = await run(room, "recipe import", file=attach(room.general, "x.json", b"[]")).shown()
        assert nothing.content == 'The file holds no list of "recipes".'


async def test_many_recipes_come_in_pages_whose_buttons_outlive_the_process(room: TextRoom) -> None:
    """REC-7, CMD-2."""
    for number in range(23):
        put_recipe(room, f"r{number:02}.md", f"---\nname: r{number:02}\npurpose: p\n---\n1.")
    humans = room.discord.humans
    async with room.bot():
        await commands_known(room)
        listed = await told(run(room, "recipe list"))
        assert "Recipes (23)" in all_text(listed)
        assert "**r09**" in all_text(listed)
        assert "**r10**" not in all_text(listed)
        with pytest.raises(LookupError):
            humans.button(listed, "Back")
        shown = await told(humans.press(listed, owner(room), humans.button(listed, "Show")))
        assert shown.ephemeral
        assert "Recipe: r00" in all_text(shown)
        closed = await told(humans.press(listed, room.ada, humans.button(listed, "Show")))
        assert "not open to members" in closed.content
    async with room.bot():
        humans.press(listed, owner(room), humans.button(listed, "Next"))
        await room.discord.until(lambda: "**r10**" in all_text(listed))
        humans.press(listed, owner(room), humans.button(listed, "Next"))
        await room.discord.until(lambda: "**r22**" in all_text(listed))
        assert "Page 3 of 3" in all_text(listed)
        humans.press(listed, owner(room), humans.button(listed, "Back"))
        await room.discord.until(lambda: "Page 2 of 3" in all_text(listed))


async def test_proposals_are_for_who_decides_about_them(room: TextRoom) -> None:
    """REC-5, CMD-2: of other servers a manager sees none; in files that leave is what holds alone."""
    boss = manager(room)
    here, elsewhere = InGuild(guild_id=str(room.discord.guild.id)), InGuild(guild_id="1")
    async with room.bot() as core:
        await commands_known(room)
        for name, scope in (("ours", here), ("theirs", elsewhere), ("all", Everywhere())):
            draft = RecipeDraft(name=name, purpose="p", keywords=("k",), steps="s")
            await core.domains.library.propose(draft, scope=scope, author=None)
        for by, names in ((boss, ["ours"]), (owner(room), ["ours", "theirs", "all"])):
            asked = run(room, "recipe proposals", by=by)
            await room.discord.until(lambda asked=asked, names=names: len(cards_of(asked)) == len(names))
            assert [text.splitlines()[0].split()[-1] for text in cards_of(asked)] == names
        assert (
            await told(run(room, "recipe proposals", by=room.ada))
        ).content == "No proposals wait for you."
        everything = (await told(run(room, "recipe export"))).attachments[0].content
        assert json.loads(everything) == {"recipes": []}


def cards_of(asked: Interaction) -> list[str]:
    """The cards among the answers, which one is still to come."""
    messages = (one for one in (asked.original, *asked.followups) if one is not None and one.embeds)
    return [all_text(message) for message in messages]


async def test_the_largest_recipes_find_room_on_cards_and_pages(room: TextRoom) -> None:
    """REC-7: Discord takes 4,000 characters and 40 parts on a page, 6,000 in an embed, 1,024 in a field."""
    fence = "```" * 1_330
    put_recipe(room, f"{'x' * 100}.md", f"---\nname: far\npurpose: p\nkeywords: [k]\n---\n{fence}")
    keywords = tuple(f"{number:02}{'`' * 38}" for number in range(20))
    humans = room.discord.humans
    answers = tuple(Answer(text=f"{n}{'_' * 199}", action=KeepHint(hint="*" * 1_000)) for n in range(9))
    decision = Decision(question="?" * 500, answers=answers, default=9)
    async with room.bot() as core:
        await commands_known(room)
        for number in range(20):
            draft = RecipeDraft(name=f"{number:02}{'*' * 62}", purpose="_" * 1_024, keywords=keywords)
            skill = replace(draft, steps="`" * 4_000, background=True, enabled=False)
            draft = replace(draft, decision=decision) if number == 1 else skill
            await core.domains.library.add(draft, scope=Everywhere(), author="1")
        wordy = RecipeDraft(name="wordy", purpose="p" * 1_024, keywords=("k",), steps="s")
        put_recipe(room, "wordy.md", text_of_draft(wordy))
        await told(run(room, "recipe reload"))
        listed = await told(run(room, "recipe list"))
        for name in ("far", f"00{'*' * 62}", f"01{'*' * 62}"):
            shown = await told(run(room, "recipe show", name=name))
            (embed,) = shown.embeds
            assert len(all_text(shown)) <= 6_000
            assert all(len(field["value"]) <= 1_024 for field in embed["fields"])
            assert embed["description"].count("```") in (0, 2)
        parts = list(walk(listed.components))
        assert len(parts) <= 40
        assert sum(len(one["content"]) for one in parts if one["type"] == 10) <= 4_000
        for page in ("Page 2 of 3", "Page 3 of 3"):
            humans.press(listed, owner(room), humans.button(listed, "Next"))
            await room.discord.until(lambda page=page: page in all_text(listed))
    labels = [one["label"] for one in walk(listed.components) if one["type"] == 2]
    assert labels == ["Show", "Back", "Next"], "a name that finds no room in a button has none"
    assert "… (everywhere)" in all_text(listed), "of a long purpose the end is cut, not what comes after it"


async def test_a_file_that_is_too_large_is_not_read(room: TextRoom) -> None:
    """REC-7."""
    async with room.bot():
        await commands_known(room)
        file = room.discord.humans.attach(room.general, "recipes.json", b" " * 2_000_001)
        refused = await told(run(room, "recipe import", file=file))
        assert refused.content == "The file is too large for recipes."


async def test_what_finds_no_room_in_a_form_is_not_cut(room: TextRoom) -> None:
    """REC-7: the form would take away what it cannot show."""
    keywords = tuple(f"{number:02}{'k' * 38}" for number in range(20))
    answers = tuple(Answer(text=f"a{number}", action=KeepHint(hint="h" * 900)) for number in range(5))
    decision = Decision(question="q", answers=answers, default=1)
    async with room.bot() as core:
        await commands_known(room)
        library = core.domains.library
        for draft in (
            RecipeDraft(name="wordy", purpose="p", keywords=keywords, steps="s"),
            RecipeDraft(name="long", purpose="p", keywords=("k",), decision=decision),
        ):
            await library.add(draft, scope=Everywhere(), author="1")
        form = await run(room, "recipe edit", name="wordy").responded()
        assert fields_of(form)["keywords"]["value"] == ", ".join(keywords)
        refused = await told(run(room, "recipe edit", name="long"))
        assert refused.content.startswith("This recipe is too long for a form")
        assert refused.ephemeral


async def test_names_are_completed_for_who_may_use_them(room: TextRoom) -> None:
    """REC-7."""
    put_recipe(room, "brief.md", BRIEF)
    put_recipe(room, "late.md", LATE)
    async with room.bot():
        await commands_known(room)
        for by, found in ((owner(room), ["late"]), (room.ada, [])):
            asked = room.discord.humans.autocomplete(
                room.general, by, "recipe show", focused="name", options={"name": "LA"}
            )
            await asked.responded()
            assert [choice["value"] for choice in asked.choices] == found


async def test_what_would_start_by_itself_says_that_it_does_not(room: TextRoom) -> None:
    """REC-12: in the list and on the card, with the work-in-progress mark."""
    put_recipe(
        room,
        "daily.md",
        "---\nname: daily\npurpose: p\nautomation:\n  triggers: [{kind: daily, at: '08:00'}]\n---\n1. Greet.",
    )
    put_recipe(room, "free.md", "---\nname: free\npurpose: p\nmodel_timed: true\n---\n")
    async with room.bot():
        await commands_known(room)
        listed = all_text(await told(run(room, "recipe list")))
        assert listed.count("starts by itself 🚧") == 2
        assert "🚧 Recipes do not start on their own yet." in listed
        for name in ("daily", "free"):
            shown = all_text(await told(run(room, "recipe show", name=name)))
            assert "🚧 Recipes do not start on their own yet." in shown

"""CMD-2: everything that changes something is acknowledged within a second, however long the change takes."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from typing import Any

from recipes.recipe import Everywhere, InGuild
from recipes.recipe_form import RecipeDraft
from tests.fake_discord.interactions import Interaction
from tests.flows.recipe_room import commands_known, owner, run, told
from tests.flows.text_room import TextRoom


@asynccontextmanager
async def nothing_can_be_stored(room: TextRoom) -> AsyncIterator[None]:
    """Somebody else writes into the database for as long as the block lasts."""
    file = room.folder / "parley.db"
    with closing(sqlite3.connect(file, check_same_thread=False, isolation_level=None)) as other:
        await asyncio.to_thread(other.execute, "BEGIN IMMEDIATE")
        yield
        await asyncio.to_thread(other.execute, "COMMIT")


async def acknowledged(room: TextRoom, asked: list[Interaction]) -> None:
    """Each within a second, before anything can be stored; and answered once it is."""
    async with nothing_can_be_stored(room):
        for one in asked:
            await one.responded(within_s=2)
    said = [(await one.shown()).content for one in asked]
    assert not [one for one in said if "did not work" in one or "Only" in one or "There is no" in one]
    assert [one.data for one in asked if (one.response_time_s or 9) >= 1.0] == []


async def remembered(room: TextRoom, title: str) -> str:
    """An entry, by its id."""
    form = await run(room, "memory add").responded()
    values: dict[str, str | list[str]] = {"title": title, "summary": "s", "text": title}
    return (await told(room.discord.humans.submit_modal(form, values))).content.split("`")[1]


async def test_commands_do_not_wait_for_the_database(room: TextRoom) -> None:
    """CMD-2."""
    changes: list[tuple[str, dict[str, Any]]] = [
        ("notes add", {"name": "new", "items": "milk"}),
        ("notes remove", {"name": "one", "item": "milk"}),
        ("notes clear", {"name": "two"}),
        ("notes drop", {"name": "three"}),
        ("recipe disable", {"name": "first"}),
        ("recipe delete", {"name": "second"}),
        ("recipe members", {"use": True}),
        ("quiet", {"hours": "22:00-07:00"}),
        ("session mode", {"answer": "all"}),
        ("session reset", {}),
        ("persona set", {}),
        ("admin limit", {"what": "tokens per day", "value": "5"}),
        ("task allow", {"member": room.ada, "use": True}),
        ("reminder zone", {"name": "Asia/Tokyo"}),
        ("reminder set", {"when": "in 2 hours", "about": "tea"}),
        ("voice optout", {}),
    ]
    async with room.bot() as core:
        await commands_known(room)
        for name in ("first", "second"):
            draft = RecipeDraft(name=name, purpose="p", steps="s")
            await core.domains.library.add(draft, scope=Everywhere(), author="1")
        for name in ("one", "two", "three"):
            await told(run(room, "notes add", name=name, items="milk"))
        entries = [await remembered(room, title) for title in ("sun", "moon")]
        changes += [("memory forget", {"entry": entries[0]}), ("memory general", {"entry": entries[1]})]
        await acknowledged(room, [run(room, command, **options) for command, options in changes])


async def test_forms_and_buttons_do_not_wait_for_the_database(room: TextRoom) -> None:
    """CMD-2: a form that was sent, a proposal that is decided."""
    humans = room.discord.humans
    skill: dict[str, str | list[str]] = {"purpose": "p", "keywords": "k", "steps": "s"}
    async with room.bot() as core:
        await commands_known(room)
        scope = InGuild(guild_id=str(room.discord.guild.id))
        for name in ("first", "second", "third"):
            draft = RecipeDraft(name=name, purpose="p", steps="s")
            await core.domains.library.propose(draft, scope=scope, author=None)
        own = RecipeDraft(name="own", purpose="p", keywords=("k",), steps="s")
        await core.domains.library.add(own, scope=scope, author="1")
        waiting = run(room, "recipe proposals")
        await room.discord.until(lambda: len([*waiting.followups, waiting.original]) >= 3)
        cards = [one for one in (waiting.original, *waiting.followups) if one is not None]
        edited = await humans.press(cards[2], owner(room), humans.button(cards[2], "Edit")).responded()
        forms = [
            await run(room, "memory add").responded(),
            await run(room, "recipe add", name="new").responded(),
            await run(room, "recipe edit", name="own").responded(),
        ]
        asked = [
            humans.press(cards[0], owner(room), humans.button(cards[0], "Approve")),
            humans.press(cards[1], owner(room), humans.button(cards[1], "Reject")),
            humans.submit_modal(edited, {**skill}),
            humans.submit_modal(forms[0], {"title": "sun", "summary": "s", "text": "warm"}),
            *(humans.submit_modal(form, {**skill}) for form in forms[1:]),
        ]
        await acknowledged(room, asked)

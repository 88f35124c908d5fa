"""Background recipes in text: asked for, at work beside the talk, stopped, coming back (TASK, REC-8)."""

import asyncio
import re
import sqlite3
from collections.abc import Callable
from contextlib import closing
from typing import Any

from bot.discord_chat.sleep import Sleep
from bot.wiring.core import Core
from recipes.tasks.task_rules import is_open
from sessions.bindings import ChannelBinding
from tests.fake_discord.entities import Message
from tests.fake_models import Answer, Call, Script
from tests.flows.recipe_room import (
    TASK,
    all_text,
    commands_known,
    last_said,
    manager,
    owner,
    put_recipe,
    run,
    told,
    tool_names,
)
from tests.flows.test_memory import everything_in
from tests.flows.text_room import TextRoom, messages_of, spoken

LONG = "It lies deep. " * 215


def in_task(body: dict[str, Any]) -> bool:
    """Whether a request comes from the space of a task."""
    return 'You run the recipe "dig"' in str(body["messages"][0]["content"])


def is_notice(body: dict[str, Any]) -> bool:
    return "Notice from recipe:dig" in last_said(body)


def model(*rounds: Script, says: Callable[[str], Script] | None = None) -> Callable[[dict[str, Any]], Script]:
    """Plays `rounds` in tasks, the last one for ever; stays quiet about notices; else `says`."""
    left = list(rounds)

    def play(body: dict[str, Any]) -> Script:
        if in_task(body):
            return left.pop(0) if len(left) > 1 else left[0]
        if is_notice(body):
            return Answer(text=("<|SILENT|>",))
        if says is not None and body["messages"][-1]["role"] == "user":
            return says(last_said(body))
        return Answer(text=("I am on it.",))

    return play


def sessions_in(room: TextRoom) -> list[str]:
    with closing(sqlite3.connect(room.folder / "parley.db")) as connection:
        return [row[0] for row in connection.execute("select session_id from sessions")]


def task_id_in(message: Message) -> str:
    found = re.search(r"task `?([0-9a-z]{6})", message.content)
    assert found is not None
    return found[1]


async def all_told(core: Core) -> None:
    """The ends of all tasks are told, and their conversations know."""
    async with asyncio.timeout(10):
        while await core.domains.tasks.store.untold():
            await asyncio.sleep(0.01)


async def test_a_background_recipe_comes_back(room: TextRoom) -> None:
    """TASK-1, TASK-11, REC-8, REC-9, REC-14: accepted at once; two tools; 3,000 characters; one answer."""
    put_recipe(room, "dig.md", TASK)
    room.models._default = model(
        Answer(calls=(Call(name="memory_read", arguments='{"ids": [1]}'),)),
        Answer(calls=(Call(name="notes_show", arguments='{"list": "tools"}'),)),
        Answer(text=(LONG,), delay_s=0.3),
    )
    async with room.bot() as core:
        asked = room.says("please dig for gold", by=owner(room))
        begun = await room.answer("I am on it.")
        first = await room.answer("It lies deep.", within_s=15)
        await room.answer("· task ")
        await all_told(core)
        await room.quiet(core)
        history = await spoken(core, room.general)
    assert "-# task dig" in begun.content
    assert first.reference is not None
    assert first.reference.message_id == asked.id
    requests = [request.body for request in room.models.requests]
    spaces = [body for body in requests if in_task(body)]
    assert messages_of(spaces[0])[-1][1].endswith("The owner said: @Parley please dig for gold")
    offered = set(tool_names(spaces[0]))
    assert {"memory_read", "notes_show"} <= offered
    assert not {"builtIn_useRecipe", "builtIn_proposeRecipe", "builtIn_judge", "spawn_thinking"} & offered
    assert len(spaces) == 3
    assert [one["role"] for one in spaces[2]["messages"]][-4:] == ["assistant", "tool", "assistant", "tool"]
    assert "".join(room.answers()).count("It lies deep.") == 215
    (notice,) = [body for body in requests if is_notice(body)]
    assert last_said(notice).startswith(
        '[Notice from recipe:dig, not a message from the owner.]\nThe background task "dig" finished.\nIt'
    )
    assert last_said(notice).endswith("\n[Speak about this notice only if it fits now, or stay quiet.]")
    assert sum("It lies deep." in line for line in history) == 1
    # Its space is no session that a listing could show, or that could be chosen after a deletion.
    assert await asyncio.to_thread(sessions_in, room) == [f"discord:channel:{room.general.id}"]


async def test_the_conversation_goes_on_while_two_tasks_work(room: TextRoom) -> None:
    """TASK-1, TASK-10, TASK-13, TASK-20, TASK-32 (1, 4): status, a card, Stop; the talk goes on."""
    put_recipe(room, "dig.md", TASK)

    def says(said: str) -> Script:
        if "how far" in said:
            return Answer(calls=(Call(name="get_agent_task_status"),))
        return Answer(text=(f"You said {said.splitlines()[0].rpartition(' ')[2]}.",))

    room.models._default = model(Answer(text=("never",), delay_s=60.0), says=says)
    async with room.bot() as core:
        await commands_known(room)
        room.says("dig one", by=owner(room))
        await room.answer("You said one.")
        room.says("dig two", by=owner(room))
        await room.answer("You said two.")
        card = await room.answer("-# dig · processing · thinking", within_s=10)
        room.says("how far are you?", by=owner(room))
        await room.answer("I am on it.")
        requests = len(room.models.requests)
        listed = await told(run(room, "task list"))
        assert len(room.models.requests) == requests
        assert all_text(listed).count("**dig**: processing") == 2
        stranger = room.discord.humans.press(card, room.ada, room.discord.humans.button(card, "Stop"))
        assert "no task" in (await stranger.shown()).content
        pressed = room.discord.humans.press(card, owner(room), room.discord.humans.button(card, "Stop"))
        await pressed.shown()
        await room.answer("-# dig · stopped", within_s=10)
        (other,) = await core.domains.tasks.store.unfinished()
        room.says("and now?", by=room.ada)
        await room.answer("You said now?.")
        stopped = await told(run(room, "task stop", task=other.short_id))
        assert "dig:" in stopped.content
        async with asyncio.timeout(5):
            while await core.domains.tasks.store.unfinished():
                await asyncio.sleep(0.02)
        await room.quiet(core)
    status = [
        one["content"]
        for body in (request.body for request in room.models.requests)
        for one in body["messages"]
        if one["role"] == "tool"
    ]
    assert "(dig): processing · thinking." in status[0]
    edits = [one for one in room.edits() if "-# dig" in str(one.json)]
    assert len(edits) <= 4


async def test_a_failed_task_says_so_and_is_done_again(room: TextRoom) -> None:
    """TASK-2, TASK-13, TASK-30: `/task show|retry|result`; members see their own, managers the server's."""
    put_recipe(room, "dig.md", TASK)
    boss = manager(room)
    room.models._default = model(Answer(text=("",)), Answer(text=("Gold!",)))
    async with room.bot() as core:
        await commands_known(room)
        room.says("dig", by=owner(room))
        failed = await room.answer("dig failed: The task ended without a result", within_s=15)
        short_id = task_id_in(failed)
        assert "no task" in (await told(run(room, "task show", by=room.ada, task=short_id))).content
        assert "failed" in all_text(await told(run(room, "task show", by=boss, task=short_id)))
        again = await told(run(room, "task retry", task=short_id))
        await room.answer("Gold!", within_s=10)
        result = await told(run(room, "task result", task=task_id_in(again)))
        assert "Gold!" in all_text(result)
        await room.quiet(core)
        guild_id = str(room.discord.guild.id)
        await core.domains.members.let_members(guild_id, use=True)
        room.says("dig for me", by=room.ada)
        async with asyncio.timeout(10):
            while True:
                theirs = await core.domains.tasks.store.of_person(str(room.ada.id), 1)
                if theirs and not is_open(theirs[0]):
                    break
                await asyncio.sleep(0.02)
        await core.domains.members.let_members(guild_id, use=False)
        refused = await told(run(room, "task retry", by=room.ada, task=theirs[0].short_id))
        assert "not open to members" in refused.content
        await room.quiet(core)
        (room.folder / "recipes.d" / "dig.md").unlink()
        await core.domains.library.reload()
        refused = await told(run(room, "task retry", task=short_id))
        assert "dig is gone or switched off" in refused.content


async def test_a_manager_s_rights_end_with_their_server(room: TextRoom) -> None:
    """TASK-13, REC-5: what was begun where they are a member is done again as a member may."""
    put_recipe(room, "dig.md", TASK)
    boss = manager(room)
    elsewhere = room.discord.world.add_guild("Elsewhere", members=[boss, room.discord.bot])
    mine = room.discord.world.add_channel(elsewhere, "mine")
    room.models._default = model(Answer(text=("",)))
    async with room.bot() as core:
        await commands_known(room)
        await core.domains.members.let_members(str(elsewhere.id), use=True)
        room.says("dig", by=boss, channel=mine)
        failed = await room.answer("dig failed", channel=mine, within_s=15)
        await room.quiet(core)
        await core.domains.members.let_members(str(elsewhere.id), use=False)
        refused = await told(run(room, "task retry", by=boss, task=task_id_in(failed)))
        assert "not open to members" in refused.content


async def test_a_result_whose_channel_is_gone_goes_to_the_requester(room: TextRoom) -> None:
    """TASK-11, TASK-34: a deleted channel cancels nothing; the result never goes to another channel.

    TASK-9: nor does a request for permission, whose card comes to the requester and counts there.
    """
    put_recipe(room, "dig.md", TASK)
    room.models._default = model(Answer(text=("Deep gold.",), delay_s=1.0))
    channel = room.discord.world.add_channel(room.discord.guild, "shaft")
    async with room.bot() as core:
        room.says("dig", by=owner(room), channel=channel)
        await room.answer("I am on it.", channel=channel)
        room.discord.humans.delete_channel(channel)
        async with asyncio.timeout(15):
            while (
                not (
                    sent := [
                        one for one in room.posts() if one.status == 200 and "Deep gold." in str(one.json)
                    ]
                )
                or await core.domains.tasks.store.untold()
            ):
                await asyncio.sleep(0.02)
        tasks = core.domains.tasks
        (task,) = await tasks.store.latest(5)
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(tasks.permissions.ask(task, title="Dig deeper", detail="dig --deep"))
            direct = room.discord.world.channels[int(sent[0].params["channel_id"])]
            card = await room.answer(f"<@{owner(room).id}>", channel=direct)
            room.discord.humans.press(card, owner(room), room.discord.humans.button(card, "This task"))
            assert await asked
    assert len(sent) == 1
    assert sent[0].params["channel_id"] not in (str(room.general.id), str(channel.id))


async def test_what_tasks_hold_of_a_person_is_exported_and_forgotten(room: TextRoom) -> None:
    """MEM-6, TASK-35: the rows and the recorded steps."""
    put_recipe(room, "dig.md", TASK)
    room.models._default = model(Answer(text=("Gold.",)))
    async with room.bot() as core:
        room.says("dig", by=owner(room))
        await room.answer("Gold.", within_s=15)
        await room.quiet(core)
        person = str(owner(room).id)
        data = core.domains.tasks.personal_data
        exported = await data.export(person)
        assert "Gold." in str(exported)
        assert await data.forget(person) == {"tasks": 1}
        assert await data.export(person) == {"tasks": []}
        assert "notice" in {turn["role"] for turn in await core.stores.persons.export(person)}
        await core.stores.persons.forget(person, core.clock.now())
    for name in ("parley.db", "task_steps.db"):
        assert "Gold." not in await asyncio.to_thread(everything_in, room.folder / name)


async def test_a_reminder_comes_once_and_pings_its_person(room: TextRoom) -> None:
    """TASK-14, TASK-16: `/reminder set|list|cancel|zone`, over a restart, as a message and a notice.

    Where the bot sleeps the reminder comes, and nothing is said about it.
    """

    def play(body: dict[str, Any]) -> Script:
        if "Notice from reminder" in last_said(body):
            return Answer(text=("<|SILENT|>",))
        return Answer(text=("Yes.",))

    room.models._default = play
    boss = manager(room)
    async with room.bot():
        await commands_known(room)
        await told(run(room, "reminder zone", by=boss, name="Europe/Berlin"))
        wrong = await told(run(room, "reminder zone", by=boss, name="Mars/Base"))
        assert "no time zone" in wrong.content
        first = await told(run(room, "reminder set", by=room.ada, when="in 4 seconds", about="the tea"))
        later = await told(run(room, "reminder set", by=room.ada, when="tomorrow at 8", about="the train"))
        listed = all_text(await told(run(room, "reminder list", by=room.ada)))
        assert "the tea" in listed
        assert "the train" in listed
        gone = await told(run(room, "reminder cancel", by=room.ada, reminder=later.content.split("`")[1]))
        assert "the train" in gone.content
        assert (
            "no reminder"
            in (await told(run(room, "reminder cancel", reminder=first.content.split("`")[1]))).content
        )
    async with room.bot() as core:
        await Sleep(core.stores.settings, core.clock).enter(
            ChannelBinding(channel_id=room.general.id, guild_id=room.discord.guild.id)
        )
        message = await room.answer("⏰ the tea", within_s=15)
        await all_told(core)
        await room.quiet(core)
        assert (await spoken(core, room.general))[-1] == "user: A reminder is due: the tea"
    assert room.models.requests == []
    (posted,) = [one for one in room.posts() if "⏰" in str(one.json)]
    assert message.content == f"<@{room.ada.id}> ⏰ the tea"
    assert posted.json["allowed_mentions"]["users"] == [room.ada.id]


async def test_permission_is_given_on_a_card_by_its_person_alone(room: TextRoom) -> None:
    """TASK-9: the exact command without secrets; strangers, old cards and repeats authorise nothing."""
    async with room.bot() as core:
        await commands_known(room)
        tasks = core.domains.tasks
        await told(run(room, "reminder set", by=room.ada, when="in 2 days", about="stand-in"))
        (task,) = await tasks.store.unfinished()
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(
                tasks.permissions.ask(
                    task, title="Run a command", detail="deploy --token=abc123def456 now\n```\nharmless"
                )
            )
            card = await room.answer(f"<@{room.ada.id}>")
            text = all_text(card)
            assert "deploy --token=[hidden] now" in text
            assert text.count("```") == 2, "what is asked for does not end its own frame"
            allow = room.discord.humans.button(card, "This task")
            for stranger in (room.discord.grace, manager(room)):
                refused = await room.discord.humans.press(card, stranger, allow).shown()
                assert "Only the person who asked" in refused.content
            wrong = await told(run(room, "task permit", by=room.ada, decision="task", request="zzzzzz"))
            assert "nothing was authorised" in wrong.content
            assert not asked.done()
            room.discord.humans.press(card, room.ada, allow)
            assert await asked
        await room.answer("allowed for this task")
        again = await told(
            run(room, "task permit", by=room.ada, decision="always", request=allow.rpartition(":")[2])
        )
        assert "nothing was authorised" in again.content
        assert await tasks.permissions.ask(task, title="Run more", detail="")
        async with asyncio.TaskGroup() as group:
            tasks.permissions.task_over(task.id)
            waiting = group.create_task(tasks.permissions.ask(task, title="And more", detail="x"))
            async with asyncio.timeout(5):
                while not tasks.permissions.pending(task.request.place.session_id):
                    await asyncio.sleep(0.01)
            (request,) = tasks.permissions.pending(task.request.place.session_id)
            said = await told(run(room, "task permit", by=room.ada, decision="reject", request=request.id))
            assert "rejected" in said.content
            assert not await waiting


PICK = """\
---
name: pick
purpose: What to do about gold.
keywords: [gold]
decision:
  question: What now?
  default: 1
  answers:
    - {answer: talk, action: reply}
    - {answer: dig for it, action: recipe, recipe: dig}
---
"""


async def test_a_judgment_and_the_model_begin_background_recipes(room: TextRoom) -> None:
    """REC-4, REC-8, TASK-1: a decision that leads to one, and a task in the model's own words; each once."""
    put_recipe(room, "dig.md", TASK)
    put_recipe(room, "pick.md", PICK)

    def play(body: dict[str, Any]) -> Script:
        if in_task(body):
            return Answer(text=(f"Found by: {last_said(body).splitlines()[-1][-60:]}",))
        if is_notice(body):
            return Answer(text=("<|SILENT|>",))
        if tool_names(body) == ["builtIn_judge"]:
            return Answer(calls=(Call(name="builtIn_judge", arguments='{"answer": 2}'),))
        if "silver" in last_said(body) and body["messages"][-1]["role"] == "user":
            begin = Call(name="builtIn_useRecipe", arguments='{"recipe": "dig", "task": "Dig for silver."}')
            return Answer(calls=(begin, begin))
        return Answer(text=("I am on it.",))

    room.models._default = play
    async with room.bot() as core:
        room.says("what about gold?", by=owner(room))
        judged = await room.answer("The owner said: @Parley what about gold?", within_s=15)
        assert "dig · task" in judged.content
        room.says("and I would like silver", by=owner(room))
        await room.answer("Found by: ", within_s=15)
        await room.answer("Dig for silver.", within_s=15)
        await all_told(core)
        await room.quiet(core)
        assert len(await core.domains.tasks.store.latest(9)) == 2

"""Slash commands over the gateway and back (CMD-1, CMD-2, SET-8)."""

import gc
from pathlib import Path
from typing import Any, TypeVar

import discord
import discord.ui
from structlog.testing import capture_logs

from recipes.recipe import Everywhere
from recipes.recipe_form import RecipeDraft
from tests.fake_discord import Permission, payloads
from tests.fake_discord.entities import User
from tests.fake_discord.interactions import CallbackKind
from tests.fake_models import Answer
from tests.flows.scripted_services import Talking
from tests.flows.test_privacy import PNG
from tests.flows.text_room import POST, TextRoom, spoken

_View = TypeVar("_View", discord.ui.View, discord.ui.LayoutView, discord.ui.Modal)
SYNC = ("PUT", "/applications/{application_id}/commands")


def manager(room: TextRoom) -> User:
    """Somebody who may manage the server."""
    user = room.discord.world.add_user("boss", global_name="Boss")
    role = room.discord.world.add_role(room.discord.guild, "managers", permissions=Permission.MANAGE_GUILD)
    room.discord.world.add_member(room.discord.guild, user, roles=[role])
    return user


async def test_ping_answers_privately_within_a_second(room: TextRoom) -> None:
    """CMD-1, CMD-2."""
    async with room.bot():
        await room.commands_known()
        asked = await room.discord.humans.run_command(room.general, room.ada, "ping").responded()
        shown = await asked.shown(lambda message: "answer" in message.content)
    assert shown.content.startswith("Pong!")
    assert shown.ephemeral
    assert asked.response_time_s is not None
    assert asked.response_time_s < 1.0


async def test_status_names_the_model_and_what_runs(room: TextRoom) -> None:
    """CMD-1, SET-8: while a reply is on its way."""
    room.models.script(Answer(text=("Done.",), delay_s=0.5))
    async with room.bot():
        room.says("work")
        await room.models.wait_for_request()
        await room.commands_known()
        shown = await room.discord.humans.run_command(room.general, room.ada, "status").shown()
    assert "Model: fake-model at 127.0.0.1\n" in shown.content
    assert room.models.base_url not in shown.content
    assert "; servers: 1\nReplies running: 1, waiting: 0" in shown.content
    assert shown.ephemeral


async def test_commands_work_in_direct_messages(room: TextRoom) -> None:
    """CMD-1: alone with the bot, everybody may reset."""
    direct = room.discord.world.dm(room.ada)
    async with room.bot() as core:
        room.discord.humans.say(direct, room.ada, "remember me")
        await room.answer("remember me", channel=direct)
        await room.quiet(core)
        asked = room.discord.humans.run_command(direct, room.ada, "session reset")
        await asked.shown(lambda message: "begin anew" in message.content)
        assert await spoken(core, direct) == []


async def test_a_reset_forgets_this_channel_alone(room: TextRoom) -> None:
    """CMD-1, SCENE-1: and says so in the channel, for everybody to see."""
    other = room.discord.world.add_channel(room.discord.guild, "other")
    boss = manager(room)
    async with room.bot() as core:
        for channel in (room.general, other):
            room.says("remember", channel=channel)
            await room.answer("remember", channel=channel)
        await room.quiet(core)
        shown = await room.discord.humans.run_command(room.general, boss, "session reset").shown()
        assert not shown.ephemeral
        assert await spoken(core, room.general) == []
        assert len(await spoken(core, other)) == 2
        room.says("what did I say?")
        await room.answer("what did I say?")
    assert "remember" not in str(room.models.requests[-1].body["messages"][1:])


async def test_a_reset_forgets_what_was_overheard_and_attached(room: TextRoom) -> None:
    """CMD-1, SCENE-4: nothing of before comes back, by no road."""
    humans, boss = room.discord.humans, manager(room)
    humans.say(room.general, room.discord.grace, "the safe opens at 4711")
    async with room.bot() as core:
        await room.commands_known()
        humans.say(room.general, room.discord.grace, "no, at 4712")
        mention = room.discord.bot.mention
        humans.say(room.general, room.ada, f"{mention} look", attachments=[("cat.png", PNG)])
        await room.answer("look")
        await room.quiet(core)
        assert "4711" in str(room.models.requests[0].body)
        assert "4712" in str(room.models.requests[0].body)
        assert files_of(room)
        await humans.run_command(room.general, boss, "session reset").shown()
        await room.discord.until(lambda: not files_of(room))
        room.says("and now?")
        await room.answer("and now?")
        await room.quiet(core)
    assert "471" not in str(room.models.requests[1].body)


def files_of(room: TextRoom) -> list[Path]:
    """The files of messages that are kept."""
    return [one for one in (room.folder / "media").rglob("*") if one.is_file()]


async def test_a_reset_is_refused_to_members_and_changes_nothing(room: TextRoom) -> None:
    """CMD-2: checked on the server's side, told in one sentence to that person alone."""
    async with room.bot() as core:
        room.says("remember")
        await room.answer("remember")
        await room.quiet(core)
        shown = await room.discord.humans.run_command(room.general, room.ada, "session reset").shown()
        assert len(await spoken(core, room.general)) == 2
    assert shown.content == "Only members with the Manage Server permission can do this."
    assert shown.ephemeral


async def test_a_reset_during_a_reply_stores_nothing_stale(room: TextRoom) -> None:
    """CORE-18, CMD-1: the reply that runs ends, what waits is dropped, the next one starts from nothing."""
    boss = manager(room)
    words = tuple(f"old{number} " for number in range(100))
    room.models.script(Answer(text=words, delay_between_s=0.05))
    async with room.bot() as core:
        room.says("tell me")
        await room.discord.recorder.request(*POST)
        room.says("and then?")
        await room.discord.until(
            lambda: len(room.discord.recorder.requests("POST", "/channels/{channel_id}/typing")) == 2
        )
        await room.discord.humans.run_command(room.general, boss, "session reset").shown()
        await room.quiet(core)
        assert await spoken(core, room.general) == []
        room.models.script(Answer(text=("Fresh.",)))
        room.says("hello")
        await room.answer("Fresh.")
        await room.quiet(core)
        assert await spoken(core, room.general) == ["user: @Parley hello", "bot: Fresh."]
    assert len(room.models.requests) == 2
    assert room.models.requests[0].client_closed_early
    cut = room.general.messages.by(room.discord.bot)[0]
    assert cut.content.startswith("old0")
    assert cut.content.endswith("-# Stopped.")


async def test_commands_are_synced_once_per_change(room: TextRoom) -> None:
    """CMD-2: by a hash that outlives the process; another application is another hash."""
    for _ in range(2):
        async with room.bot():
            await room.commands_known()
    assert len(room.discord.recorder.requests(*SYNC)) == 1
    kept = room.folder / "commands.sha256"
    kept.write_text("of an older version")
    async with room.bot():
        await room.discord.recorder.request(*SYNC, count=2)
        await room.discord.until(lambda: kept.read_text() != "of an older version")
    room.discord.world.application.id += 1
    async with room.bot():
        await room.discord.recorder.request(*SYNC, count=3)


async def test_a_refused_sync_keeps_nobody_from_being_answered(room: TextRoom) -> None:
    """CMD-2: and it is tried again at the next start."""
    room.discord.failures.fail(*SYNC, status=403, code=50001)
    async with room.bot():
        room.says("are you there?")
        await room.answer("are you there?")
    assert not (room.folder / "commands.sha256").exists()
    async with room.bot():
        await room.discord.recorder.request(*SYNC, count=2)
        await room.discord.until((room.folder / "commands.sha256").exists)


async def test_a_failing_sync_does_not_hold_up_the_start(room: TextRoom) -> None:
    """CMD-2: discord.py tries for half a minute; answers do not wait for that."""
    failed = room.discord.failures.fail(*SYNC, status=500, times=5)
    async with room.bot():
        room.says("are you there?")
        await room.answer("are you there?")
        await room.discord.until(lambda: failed.hits)


async def test_commands_are_offered_where_the_bot_can_answer(room: TextRoom) -> None:
    """CMD-1: in servers and in direct messages with it, not in group chats; some in servers alone."""
    in_server, in_direct = 0, 1
    async with room.bot(speech=Talking().services):
        await room.commands_known()
        listed = room.discord.commands.listed()
    of_servers = {"summon", "voice", "quiet"}
    assert of_servers < {command.name for command in listed}
    for command in listed:
        wanted = [in_server] if command.name in of_servers else [in_server, in_direct]
        assert command.definition["contexts"] == wanted, command.name
        assert command.definition["default_member_permissions"] is None, "the bot itself decides who may"


async def test_who_may_give_which_command(room: TextRoom) -> None:
    """CMD-2: the whole table; whoever may not is told so, to them alone, whatever their client shows."""
    by_standing = {"member": room.ada, "manager": manager(room), "owner": room.discord.world.owner}
    file = room.discord.humans.attach(room.general, "x.json", b"[]")
    least: dict[str, list[tuple[str, dict[str, Any]]]] = {
        "member": [
            *((name, {}) for name in ("ping", "help", "about", "status", "why", "stop", "retry", "quiet")),
            *((name, {}) for name in ("session show", "session mode", "persona list", "model show")),
            *((name, {}) for name in ("privacy show", "privacy export-me", "reminder list", "task list")),
            *((name, {}) for name in ("memory list", "memory add", "notes show", "voice optout")),
            ("reminder set", {"when": "in 2 hours", "about": "tea"}),
            ("notes add", {"name": "x", "items": "y"}),
        ],
        "manager": [
            *((name, {}) for name in ("session export", "session reset", "persona show", "persona set")),
            *((name, {}) for name in ("model list", "memory export", "knowledge list", "voice stay")),
            ("session mode", {"answer": "all"}),
            ("quiet", {"hours": "22:00-07:00"}),
            ("reminder zone", {"name": "Asia/Tokyo"}),
            ("knowledge add", {"file": file}),
            ("knowledge remove", {"file": "k1"}),
            ("memory import", {"file": file}),
            ("recipe members", {"use": True}),
            ("recipe add", {"name": "x"}),
            ("recipe import", {"file": file}),
            ("voice record start", {}),
        ],
        "owner": [
            *((name, {}) for name in ("admin usage", "admin limits", "admin servers", "recipe reload")),
            ("admin limit", {"what": "tools"}),
            ("persona edit", {"name": "x"}),
            ("model set", {"name": "x"}),
            ("memory general", {"entry": "m1"}),
            ("recipe add", {"name": "x", "everywhere": True}),
            ("recipe import", {"file": file, "everywhere": True}),
            ("task allow", {"member": room.ada, "use": True}),
        ],
    }
    order = list(least)
    async with room.bot(speech=Talking().services):
        await room.commands_known()
        for needed, commands in least.items():
            for standing, user in by_standing.items():
                for name, options in commands:
                    asked = room.discord.humans.run_command(room.general, user, name, options=options)
                    is_form = (await asked.responded()).callback is CallbackKind.MODAL
                    said = "" if is_form else (await asked.shown()).content
                    may = order.index(standing) >= order.index(needed)
                    assert said.startswith("Only ") is not may, (standing, name, options, said)


async def test_a_team_s_owner_and_those_who_develop_own_the_bot(room: TextRoom) -> None:
    """CMD-2: not who may only look at the application, nor who has not come into the team yet."""
    world, accepted, invited = room.discord.world, 2, 1
    may = {("admin", accepted): True, ("developer", accepted): True}
    may |= {("read_only", accepted): False, ("admin", invited): False}
    members = {one: world.add_user(f"{one[0]}-{one[1]}") for one in may}
    for user in members.values():
        world.add_member(room.discord.guild, user)
    world.application.team = {
        "id": "1",
        "name": "Makers",
        "icon": None,
        "owner_user_id": str(room.ada.id),
        "members": [
            {
                "user": payloads.user(user),
                "team_id": "1",
                "membership_state": state,
                "role": role,
                "permissions": ["*"],
            }
            for (role, state), user in members.items()
        ],
    }
    async with room.bot():
        await room.commands_known()
        for user, is_owner in ((room.ada, True), *((members[one], may[one]) for one in may)):
            shown = await room.discord.humans.run_command(room.general, user, "admin servers").shown()
            assert shown.content.startswith("Servers: 1\n") is is_owner, user.name


async def test_a_command_that_discord_still_has_otherwise_is_answered_in_a_sentence(room: TextRoom) -> None:
    """CMD-2: gone, a group by now, or with a value that is none of ours."""
    changed = "This command has changed. Please try again in a minute."
    async with room.bot():
        await room.commands_known()
        for name in ("gone", "session"):
            room.discord.commands.upsert(None, {"name": name, "description": "As it was.", "options": []})
            shown = await room.discord.humans.run_command(room.general, room.ada, name).shown()
            assert (shown.content, shown.ephemeral) == (changed, True)
        owner, options = room.discord.world.owner, {"decision": "the moon", "request": "x"}
        shown = await room.discord.humans.run_command(
            room.general, owner, "task permit", options=options
        ).shown()
        assert shown.content == "I cannot use `the moon` there; please choose what Discord offers."
        assert shown.ephemeral


async def test_buttons_and_closed_forms_are_not_kept(room: TextRoom) -> None:
    """CMD-2: a press names what it wants, so no message with buttons costs memory; a form does for a day."""
    humans, owner = room.discord.humans, room.discord.world.owner
    async with room.bot() as core:
        await room.commands_known()
        draft = RecipeDraft(name="brief", purpose="p", steps="s")
        await core.domains.library.propose(draft, scope=Everywhere(), author=None)
        for command in ("privacy forget-me", "recipe proposals", "recipe list", "memory add"):
            await humans.run_command(room.general, owner, command).responded()
        await room.discord.until(
            lambda: not [one for one in living(discord.ui.View) if not one.is_finished()]
        )
        assert [one for one in living(discord.ui.LayoutView) if not one.is_finished()] == []
        (form,) = [one for one in living(discord.ui.Modal) if not one.is_finished()]
        assert form.timeout == 86_400


def living(kind: type[_View]) -> list[_View]:
    """What there is of that kind in this process."""
    gc.collect()
    return [one for one in gc.get_objects() if isinstance(one, kind)]


async def test_an_interaction_that_is_over_costs_no_other(room: TextRoom) -> None:
    """CMD-2: too late for a first answer, or for the one that was put off: nothing else breaks."""
    interactions = room.discord.interactions
    async with room.bot():
        await room.commands_known()
        for respond_within_s, lifetime_s in ((-1.0, 900.0), (3.0, -1.0)):
            interactions.respond_within_s, interactions.token_lifetime_s = respond_within_s, lifetime_s
            for command in ("why", "notes show", "memory add"):
                room.discord.humans.run_command(room.general, room.ada, command)
            with capture_logs() as logs:
                room.discord.humans.run_command(room.general, room.ada, "session mode")
                await room.discord.until(lambda logs=logs: "command error not told" in str(logs))
        interactions.respond_within_s, interactions.token_lifetime_s = 3.0, 900.0
        shown = await room.discord.humans.run_command(room.general, room.ada, "ping").shown()
        assert shown.content.startswith("Pong")

"""TEXT-9: who is served, and how much; a notice once, counts that outlive the process."""

from typing import Any

from recipes.recipe import Everywhere
from recipes.recipe_form import RecipeDraft
from tests.fake_models import Answer, Refusal
from tests.flows.recipe_room import owner
from tests.flows.slash_commands import run, told_alone
from tests.flows.text_room import TextRoom

USED = (700, 300)


async def test_over_the_limit_one_notice_and_no_answer(room: TextRoom) -> None:
    """TEXT-9, CMD-3: messages per minute of one person; others go on; `/why` names the rule."""
    async with room.bot(LIMIT_USER_MESSAGES_PER_MINUTE="2", BURST_WINDOW_MS="0") as core:
        for number in range(5):
            room.says(f"question {number}")
            await room.discord.until(lambda n=number: len(room.answers()) >= min(n + 1, 3))
            await room.quiet(core)
        room.models.script(Answer(text=("For Grace.",)))
        room.says("and me?", by=room.discord.grace)
        await room.answer("For Grace.")
        await room.quiet(core)
        assert "too many messages" in await told_alone(run(room, "why"))
    notices = [text for text in room.answers() if "a minute" in text]
    assert notices == ["I may answer you 2 messages a minute; please wait a moment and ask again."]
    assert len(room.models.requests) == 3
    # What was not answered is context of the next reply.
    assert "question 4" in str(room.models.requests[-1].body["messages"])


async def test_tokens_of_the_day_hold_over_a_restart_and_the_owner_raises_them(room: TextRoom) -> None:
    """TEXT-9, CMD-1: counted for person, channel, server and all; `/admin` shows and sets."""
    settings = {"LIMIT_CHANNEL_TOKENS_PER_DAY": "1000", "MODEL_PRICE_INPUT": "2", "MODEL_PRICE_OUTPUT": "10"}
    room.models.script(Answer(text=("One.",), usage=USED))
    async with room.bot(settings) as core:
        room.says("hi")
        await room.answer("One.")
        await room.quiet(core)
    async with room.bot(settings) as core:
        room.says("and now?")
        await room.answer("used up")
        assert "owner" in await told_alone(run(room, "admin usage"))
        said = await told_alone(run(room, "admin usage", by=owner(room)))
        assert "This channel: 1,000 tokens today, 1,000 this month, which cost 0.00." in said
        assert said.count("1,000 tokens today") == 3
        options: dict[str, Any] = {"what": "tokens per day", "value": "5000", "where": "channel"}
        assert "5000" in await told_alone(run(room, "admin limit", by=owner(room), **options))
        assert "tokens per day 5000" in await told_alone(run(room, "admin limits", by=owner(room)))
        room.models.script(Answer(text=("Two.",), usage=USED))
        room.says("better?")
        await room.answer("Two.")
        await room.quiet(core)
        personal = {"what": "cost per month", "value": "0", "where": "person", "person": room.ada}
        await told_alone(run(room, "admin limit", by=owner(room), **personal))
        room.says("still?")
        await room.answer("this month is used up")
    assert len(room.models.requests) == 2


async def test_a_limit_for_a_person_is_never_that_of_a_room(room: TextRoom) -> None:
    """TEXT-9, CMD-1: whoever is named is meant; a person beside a channel is asked about."""
    limit: dict[str, Any] = {"what": "messages per minute", "value": "3", "person": room.ada}
    async with room.bot():
        assert "for the person" in await told_alone(run(room, "admin limit", by=owner(room), **limit))
        assert "messages per minute none" in await told_alone(run(room, "admin limits", by=owner(room)))
        of_ada = run(room, "admin limits", by=owner(room), person=room.ada)
        assert "messages per minute 3" in await told_alone(of_ada)
        many: dict[str, Any] = {**limit, "what": "tokens per day", "value": "1234567"}
        assert "`1234567` now" in await told_alone(run(room, "admin limit", by=owner(room), **many))
        of_ada = run(room, "admin limits", by=owner(room), person=room.ada)
        assert "tokens per day 1234567," in await told_alone(of_ada)
        for where in ("channel", "server"):
            refused = run(room, "admin limit", by=owner(room), where=where, **limit)
            assert "only where it is a person's limit" in await told_alone(refused)
        refused = run(room, "admin limit", by=owner(room), what="tools", value="x", where="person")
        assert "Name the person" in await told_alone(refused)
        limit |= {"value": "-1"}
        assert "from 0 on" in await told_alone(run(room, "admin limit", by=owner(room), **limit))
        limit |= {"value": "many"}
        assert "is a number" in await told_alone(run(room, "admin limit", by=owner(room), **limit))


async def test_the_owner_s_list_of_servers_finds_room_in_a_message(room: TextRoom) -> None:
    """CMD-1: however many there are; the number stands first."""
    for number in range(40):
        room.discord.world.add_guild(f"{number:02}{'_' * 98}", members=[owner(room), room.discord.bot])
    async with room.bot():
        said = await told_alone(run(room, "admin servers", by=owner(room)))
    assert said.startswith("Servers: 41\n- 00")
    assert len(said) <= 2_000


async def test_commands_that_ask_the_model_count_like_messages(room: TextRoom) -> None:
    """TEXT-9: `/ask` and `/recipe run` are no way around a limit."""
    async with room.bot(LIMIT_USER_MESSAGES_PER_MINUTE="1", BURST_WINDOW_MS="0") as core:
        draft = RecipeDraft(name="Greet", purpose="Say hello.", steps="Say hello.")
        await core.domains.library.add(draft, scope=Everywhere(), author=str(room.ada.id))
        room.says("hi", by=owner(room))
        await room.answer("hi")
        await room.quiet(core)
        for running in (
            run(room, "ask", by=owner(room), question="hello?"),
            run(room, "recipe run", by=owner(room), name="Greet"),
        ):
            asked = await running
            await room.discord.until(lambda asked=asked: bool(asked.followups))
            assert "too many messages" in asked.followups[0].content
        await room.quiet(core)
    assert len(room.models.requests) == 1


async def test_tools_are_those_that_everybody_here_is_allowed(room: TextRoom) -> None:
    """TEXT-9: by the deployment, and for a person."""
    async with room.bot(ALLOWED_TOOLS="memory_*, builtIn_*") as core:
        for number in range(2):
            room.models.script(Answer(text=(f"Reply {number}.",)))
            room.says("hi")
            await room.answer(f"Reply {number}.")
            await room.quiet(core)
            choice = {"what": "tools", "value": "memory_read", "where": "person", "person": room.ada}
            await told_alone(run(room, "admin limit", by=owner(room), **choice))
        every = {"what": "tools", "value": "none", "person": room.ada}
        await told_alone(run(room, "admin limit", by=owner(room), **every))
        room.models.script(Answer(text=("As many as first.",)))
        room.says("hi")
        await room.answer("As many as first.")
        await room.quiet(core)
    first, second, third = [
        {tool["function"]["name"] for tool in request.body.get("tools", [])}
        for request in room.models.requests
    ]
    assert {"memory_read", "memory_write"} <= first
    assert all(name.startswith(("memory_", "builtIn_")) for name in first)
    assert second == {"memory_read"}
    assert third == first, "none is no limit, as of everything else"
    prompt = room.models.requests[1].body["messages"][0]["content"]
    assert "Read an entry before you rely" in prompt
    assert "Write one when" not in prompt, "CORE-42: nothing is said of tools that are not there"


async def test_lists_keep_out_people_and_places_but_not_the_owner(room: TextRoom) -> None:
    """TEXT-9: neither their messages nor their commands; `/why` still is one."""
    other = room.discord.world.add_channel(room.discord.guild, "other")
    role = room.discord.world.add_role(room.discord.guild, "muted")
    room.discord.guild.members[room.discord.grace.id].roles.append(role)
    async with room.bot(DENIED_CHANNELS=str(other.id), DENIED_ROLES=str(role.id)) as core:
        room.says("hi", channel=other)
        room.says("hi", by=room.discord.grace)
        room.says("hi", by=owner(room), channel=other)
        await room.answer("hi", channel=other)
        room.says("hello")
        await room.answer("hello")
        await room.quiet(core)
        assert "may not serve you" in await told_alone(run(room, "ping", by=room.discord.grace))
        assert "may not serve you" in await told_alone(run(room, "ping", channel=other))
        assert "Pong" in await told_alone(run(room, "ping"))
        asked = room.discord.humans.autocomplete(
            other, room.ada, "persona show", focused="name", options={"name": "d"}
        )
        assert (await asked.responded()).choices == []
        form = await (await run(room, "memory add")).responded()
        room.discord.guild.members[room.ada.id].roles.append(role)
        values: dict[str, str | list[str]] = {"title": "t", "summary": "s", "text": "x"}
        refused = room.discord.humans.submit_modal(form, values)
        assert "may not serve you" in await told_alone(refused)
    assert len(room.models.requests) == 2


async def test_a_thread_is_served_where_its_channel_is(room: TextRoom) -> None:
    """TEXT-9: by a message, and by what names no channel of its own: a retry."""
    thread = room.discord.humans.create_thread(room.general, "side", room.ada)
    room.models.script(Refusal(status=401), Answer(text=("Fine.",)))
    async with room.bot(ALLOWED_CHANNELS=str(room.general.id)) as core:
        room.says("hi", channel=thread)
        failed = await room.answer("OPENAI_API_KEY", channel=thread)
        await room.quiet(core)
        room.discord.humans.react(failed, room.ada, "🔁")
        await room.answer("Fine.", channel=thread)


async def test_buttons_and_retries_are_no_way_around_lists_and_limits(room: TextRoom) -> None:
    """TEXT-9, CMD-1: and each reader is told in their own language, a channel in its server's."""
    humans, grace = room.discord.humans, room.discord.grace
    grace.locale, room.discord.guild.preferred_locale = "ja", "ko"
    room.models.script(Refusal(status=401))
    async with room.bot(LIMIT_USER_MESSAGES_PER_MINUTE="1", DENIED_USERS=str(grace.id)) as core:
        room.says("hi")
        failed = await room.answer("OPENAI_API_KEY 확인을 부탁하세요.")
        await room.quiet(core)
        again = humans.button(failed, "다시 시도")
        refused = await humans.press(failed, grace, again).shown()
        assert (refused.ephemeral, refused.content[:6]) == (True, "ここであなた")
        pressed = humans.press(failed, room.ada, again)
        await room.discord.until(lambda: bool(pressed.followups))
        assert "may not answer you again" in pressed.followups[0].content
        assert "may not answer you again" in await told_alone(run(room, "retry"))
        await room.quiet(core)
    assert len(room.models.requests) == 1

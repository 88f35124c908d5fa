"""CMD-1: what the bot says of itself in direct messages comes in the language of the person's client."""

import asyncio

from bot.discord_chat.languages import LOCALES
from bot.discord_chat.readers import CLIENT_LANGUAGE
from bot.wiring.core import Core
from sessions.channel_settings import UserScope
from tests.fake_discord import Permission
from tests.fake_discord.entities import Channel, Message, User
from tests.fake_discord.rich_content import walk
from tests.fake_models import Answer, Ending, Refusal
from tests.flows.recipe_room import TASK, all_text, owner, put_recipe
from tests.flows.slash_commands import run, told_alone
from tests.flows.test_tasks import model
from tests.flows.text_room import TextRoom

REFUSED = Refusal(status=401)
IN_ENGLISH, IN_JAPANESE = "Ask the bot's owner to check OPENAI_API_KEY.", "OPENAI_API_KEY の確認"


async def given(core: Core, room: TextRoom, command: str, by: User, channel: Channel | None = None) -> None:
    """A command is answered, and the language of who gave it is known."""
    wanted = by.locale if by.locale in {one.value for one in LOCALES} else None
    await told_alone(run(room, command, by=by, channel=channel))
    async with asyncio.timeout(5):
        while (await core.stores.settings.read(UserScope(user_id=str(by.id)))).get(CLIENT_LANGUAGE) != wanted:
            await asyncio.sleep(0.01)


async def has_button(room: TextRoom, message: Message, label: str) -> None:
    """It may come a while after the words."""
    await room.discord.until(lambda: any(one.get("label") == label for one in walk(message.components)))


async def test_a_notice_comes_in_the_language_of_the_last_command(room: TextRoom) -> None:
    """CMD-1: wherever it was given, also after a restart; a server keeps its own language."""
    direct = room.discord.world.dm(room.ada)
    room.ada.locale = "ja"
    room.models.script(REFUSED, REFUSED, REFUSED, REFUSED, REFUSED)
    async with room.bot() as core:
        room.discord.humans.say(direct, room.ada, "hi")
        await room.answer(IN_ENGLISH, channel=direct)
        await given(core, room, "ping", room.ada)
        room.discord.humans.say(direct, room.ada, "hi again")
        failed = await room.answer(IN_JAPANESE, channel=direct)
        assert room.discord.humans.button(failed, "再試行")
        room.says("hi")
        await room.answer(IN_ENGLISH)
        await room.quiet(core)
    async with room.bot() as core:
        room.discord.humans.say(direct, room.ada, "and after a restart?")
        await room.discord.until(
            lambda: IN_JAPANESE in room.answers(direct)[-1] and len(room.answers(direct)) == 3
        )
        room.ada.locale = "de"
        await given(core, room, "ping", room.ada, direct)
        room.discord.humans.say(direct, room.ada, "a language without a table")
        await room.discord.until(lambda: IN_ENGLISH in room.answers(direct)[-1])
        await room.quiet(core)


async def test_a_button_after_a_restart_tells_whose_messages_these_are(room: TextRoom) -> None:
    """CMD-1, CMD-2: before anybody has written again."""
    direct = room.discord.world.dm(room.ada)
    room.ada.locale = "ja"
    room.models.script(REFUSED, REFUSED)
    async with room.bot() as core:
        await given(core, room, "ping", room.ada)
        room.discord.humans.say(direct, room.ada, "hi")
        failed = await room.answer(IN_JAPANESE, channel=direct)
        await room.quiet(core)
    async with room.bot(ANSWER_MISSED_WITHIN_S="0") as core:
        room.discord.humans.press(failed, room.ada, room.discord.humans.button(failed, "再試行"))
        await room.discord.until(
            lambda: len(room.answers(direct)) == 2 and IN_JAPANESE in room.answers(direct)[-1]
        )
        await room.quiet(core)


async def test_a_reply_that_a_restart_goes_on_with_keeps_the_language(room: TextRoom) -> None:
    """CMD-1, SCENE-7: nobody has to write before the bot knows again whose messages these are."""
    direct = room.discord.world.dm(room.ada)
    room.ada.locale = "ja"
    room.models.script(Answer(text=("It began ", "well"), ending=Ending.HANG), REFUSED)
    async with room.bot(grace_s=0.05) as core:
        await given(core, room, "ping", room.ada)
        room.discord.humans.say(direct, room.ada, "tell me")
        await room.answer("It began", channel=direct)
    async with room.bot() as core:
        await room.answer(IN_JAPANESE, channel=direct)
        await room.quiet(core)


async def test_what_missed_messages_are_told_is_in_the_language_of_their_author(room: TextRoom) -> None:
    """CMD-1, SCENE-7."""
    direct = room.discord.world.dm(room.ada)
    room.ada.locale = "ko"
    room.models.script(Answer(text=("Hello.",)), REFUSED)
    async with room.bot() as core:
        await given(core, room, "ping", room.ada)
        room.discord.humans.say(direct, room.ada, "hi")
        await room.answer("Hello.", channel=direct)
        await room.quiet(core)
    room.discord.humans.say(direct, room.ada, "are you there?")
    async with room.bot() as core:
        await room.answer("OPENAI_API_KEY 확인", channel=direct)
        await room.quiet(core)


async def test_a_server_s_owner_is_told_of_missing_permissions_in_their_language(room: TextRoom) -> None:
    """CMD-1, TEXT-7."""
    room.general.deny(room.discord.bot, Permission.SEND_MESSAGES)
    owner(room).locale = "zh-CN"
    direct = room.discord.world.dm(owner(room))
    async with room.bot() as core:
        await given(core, room, "ping", owner(room))
        room.says("hello")
        await room.answer("和我说话，而我在那里缺少", channel=direct)


async def test_news_and_cards_of_tasks_come_in_the_language_of_who_asked(room: TextRoom) -> None:
    """CMD-1, TASK-9, TASK-11: in direct messages, and where the channel that asked is gone."""
    put_recipe(room, "dig.md", TASK)
    room.models._default = model(Answer(text=("",), delay_s=1.5))
    owner(room).locale = "ja"
    direct = room.discord.world.dm(owner(room))
    shaft = room.discord.world.add_channel(room.discord.guild, "shaft")
    async with room.bot() as core:
        await given(core, room, "ping", owner(room))
        room.discord.humans.say(direct, owner(room), "dig")
        await has_button(room, await room.answer("-# dig", channel=direct), "停止")
        await room.answer("dig は失敗しました", channel=direct, within_s=10)
        room.says("dig", by=owner(room), channel=shaft)
        await room.answer("I am on it.", channel=shaft)
        room.discord.humans.delete_channel(shaft)
        await room.discord.until(
            lambda: "".join(room.answers(direct)).count("dig は失敗しました") == 2, within_s=15
        )
        task = (await core.domains.tasks.store.latest(1))[0]
        async with asyncio.TaskGroup() as group:
            asked = group.create_task(core.domains.tasks.permissions.ask(task, title="Dig on", detail="x"))
            asking = await room.answer(f"<@{owner(room).id}>", channel=direct)
            room.discord.humans.press(asking, owner(room), room.discord.humans.button(asking, "このタスク"))
            assert await asked
        assert "x" in all_text(asking)
    assert not any("failed" in text for text in room.answers(direct))


async def test_the_language_is_the_person_s_to_export_and_forget(room: TextRoom) -> None:
    """MEM-6: it is kept of nobody whose client is in English."""
    room.ada.locale = "ja"
    async with room.bot() as core:
        await given(core, room, "ping", room.ada)
        await given(core, room, "ping", room.discord.grace)
        of_ada, of_grace = (UserScope(user_id=str(one.id)) for one in (room.ada, room.discord.grace))
        assert await core.stores.settings.read(of_grace) == {}
        exported = await run(room, "privacy export-me")
        file = (await exported.shown()).attachments[0]
        assert f'"{CLIENT_LANGUAGE}": "ja"' in file.content.decode()
        asking = await (await run(room, "privacy forget-me")).shown()
        pressed = room.discord.humans.press(
            asking, room.ada, room.discord.humans.button(asking, "すべて削除")
        )
        said = await pressed.shown(lambda message: "削除しました" in message.content)
        assert said.content.endswith(": 1")
        assert await core.stores.settings.read(of_ada) == {}

"""Contract of `ScenePersons`, for both kinds of store: what conversations hold of a person (MEM-6)."""

from dataclasses import replace
from datetime import timedelta
from pathlib import PurePath

from core.conversation.content import Image, MediaSource, Text
from core.conversation.turns import AssistantTurn, Notice, ReplyText, Round, Speaker, UserTurn
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelScope
from sessions.inbox import NewMessage
from sessions.stores import SceneStores
from sessions.summaries import StoredSummary
from tests.scene_values import NOON

ROOM = ChannelBinding(channel_id=42, guild_id=7)
DIRECT = ChannelBinding(channel_id=60)
LATER = NOON + timedelta(hours=1)


def said(turn_id: str, text: str, by: str) -> UserTurn:
    picture = Image(source=MediaSource(path=PurePath(f"{turn_id}.png")), media_type="image/png")
    return UserTurn(id=turn_id, at=NOON, speaker=Speaker(id=by, name="N"), content=(Text(text=text), picture))


def reply(turn_id: str, text: str) -> AssistantTurn:
    rounds = (Round(content=(ReplyText(text=text),)),)
    return AssistantTurn(id=turn_id, run_id="r", created_at=NOON, completed_at=NOON, rounds=rounds)


async def fill(stores: SceneStores) -> None:
    for binding in (ROOM, DIRECT):
        await stores.sessions.open(binding, NOON)
    room = [
        said("t1", "of 1", "1"),
        reply("a1", "to 1"),
        said("t2", "of 11", "11"),
        reply("a2", "to 11"),
        said("t3", "of 11 again", "11"),
        said("t4", "of 1 again", "1"),
        reply("a3", "to both"),
        reply("a4", "unasked"),
    ]
    for turn in room:
        await stores.history.append(ROOM.session_id, 0, turn, [turn.id])
    for turn in (said("d1", "alone", "1"), reply("d2", "to you alone"), reply("d3", "more")):
        await stores.history.append(DIRECT.session_id, 0, turn)
    await stores.summaries.keep(ROOM.session_id, 0, StoredSummary(position=1, text="of 1"))
    await stores.settings.change(ChannelScope(channel_id="60"), "persona", "pirate")
    for message_id, author in (("901", 1), ("902", 11)):
        payload = f'{{"id":{message_id},"author":{{"id":{author},"name":"N"}},"text":"x"}}'
        message = NewMessage(message_id=message_id, session_id=ROOM.session_id, payload=payload, at=NOON)
        await stores.inbox.accept(message)


async def test_notices_of_what_a_person_asked_for_are_theirs(stores: SceneStores) -> None:
    """MEM-6, REC-9: exported as what they are, forgotten with the replies to them; those of others stay."""
    await stores.sessions.open(ROOM, NOON)
    for turn_id, about in (("n1", "1"), ("n11", "11"), ("n0", None)):
        notice = replace(said(turn_id, f"result {turn_id}", "1"), speaker=None)
        turn = replace(notice, notice=Notice(source="recipe:dig", about=about))
        await stores.history.append(ROOM.session_id, 0, turn)
        await stores.history.append(ROOM.session_id, 0, reply(f"a{turn_id}", "of it"))
    exported = await stores.persons.export("1")
    assert [(turn["role"], turn["text"]) for turn in exported] == [
        ("notice", "result n1\n[image]"),
        ("assistant", "of it"),
    ]
    await stores.persons.forget("1", LATER)
    assert await texts(stores, ROOM) == ["n11", "an11", "n0", "an0"]


async def texts(stores: SceneStores, binding: ChannelBinding) -> list[str]:
    window = await stores.history.window(binding.session_id, 50)
    return [stored.turn.id for stored in window.turns]


async def test_a_persons_turns_and_the_answers_to_them_are_exported(stores: SceneStores) -> None:
    """MEM-6: theirs alone; another id that begins like theirs is another person."""
    await fill(stores)
    exported = await stores.persons.export("1")
    assert [
        turn["text"]
        for turn in exported
        if turn["session"] == ROOM.session_id and turn["role"] == "assistant"
    ] == [
        "to 1",
        "to both",
    ]
    assert sum(1 for turn in exported if turn["role"] == "user") == 3
    assert "of 11" not in str(exported)
    assert await stores.persons.export("404") == ()


async def test_a_person_is_forgotten_and_the_rest_stays(stores: SceneStores) -> None:
    """MEM-6: turns, answers, summary, messages at the door, direct messages with their settings, files."""
    await fill(stores)
    assert len(await texts(stores, ROOM)) == 8
    forgotten = await stores.persons.forget("1", LATER)
    assert forgotten.counts == {"turns": 7, "messages": 1}
    assert set(forgotten.media) == {PurePath("t1.png"), PurePath("t4.png"), PurePath("d1.png")}
    assert await texts(stores, ROOM) == ["t2", "a2", "t3", "a4"]
    assert await texts(stores, DIRECT) == []
    assert (await stores.sessions.open(DIRECT, LATER)).generation == 1
    assert (await stores.sessions.open(ROOM, LATER)).generation == 0
    assert await stores.summaries.latest(ROOM.session_id) is None
    assert await stores.settings.read(ChannelScope(channel_id="60")) == {}
    payloads = {row.message_id: row.payload for row in await stores.inbox.unfinished()}
    assert payloads["901"] == "{}"
    assert '"id":11' in payloads["902"]
    assert await stores.persons.export("1") == ()
    assert (await stores.persons.forget("1", LATER)).counts == {"turns": 0, "messages": 0}


async def test_a_message_that_comes_again_is_known_after_forgetting(stores: SceneStores) -> None:
    """MEM-6, SCENE-7: its words are gone, and it is not answered a second time."""
    await fill(stores)
    await stores.persons.forget("1", LATER)
    again = NewMessage(message_id="901", session_id=ROOM.session_id, payload="x", at=NOON)
    assert not await stores.inbox.accept(again)

"""Recipes, decisions, memory and notes by voice: what is said does what typed words do (REC, MEM, VOX-37)."""

import json

from core.conversation.turns import AssistantTurn, SkillForm, UserTurn
from tests.fake_models.scripts import Answer, Call
from tests.flows.recipe_room import (
    BRIEF,
    LATE,
    VERSE,
    all_text,
    last_said,
    owner,
    put_recipe,
    run,
    told,
    tool_names,
)
from tests.flows.scripted_services import Talking
from tests.flows.test_voice_talk import says, turns_of
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import voice_room


def judged(answer: int, *said: str) -> Answer:
    return Answer(text=said, calls=(Call(name="builtIn_judge", arguments=json.dumps({"answer": answer})),))


REMEMBER = Call(
    name="memory_write",
    arguments='{"title": "harbour", "summary": "When it opens", "text": "The harbour opens at six."}',
)
NOTE = Call(name="notes_add", arguments='{"list": "shopping", "items": ["milk", "bread"]}')


async def test_a_spoken_keyword_changes_the_style_of_several_turns(room: TextRoom) -> None:
    """REC-3, REC-11: the skill stands with what was said; its name is shown, and not spoken."""
    put_recipe(room, "brief.md", BRIEF)
    talking = Talking()
    talking.hearing.texts = ["Be brief, please. When do we meet?", "And tomorrow?"]
    room.models.script(Answer(text=("Eight.",)), Answer(text=("Nine.",)))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        boss = place.enter(owner(room))
        await place.summoned(by=owner(room))
        for number in (1, 2):
            await says(place, boss)
            await turns_of(core, place, 2 * number)
        turns = await turns_of(core, place, 4)
    first, second = (request.body for request in room.models.requests)
    steps = '[The owner used the skill "brief". Follow its steps in this reply and in later replies'
    assert steps in last_said(first)
    assert steps not in last_said(second)
    assert steps in str(second)
    assert isinstance(turns[0], UserTurn)
    assert [(skill.name, skill.form) for skill in turns[0].skills] == [("brief", SkillForm.STEPS)]
    assert place.said_in(place.lounge)[-2:] == ["Eight.\n\n-# recipe brief", "Nine."]
    assert talking.speaking.asked == ["Eight.", "Nine."]


async def test_each_action_of_a_decision_acts_in_a_talk(room: TextRoom) -> None:
    """REC-4, REC-9, REC-11: reply, stay quiet, a hint, another recipe; and a model that will not judge."""
    put_recipe(room, "late.md", LATE)
    put_recipe(room, "verse.md", VERSE)
    talking = Talking()
    talking.hearing.texts = ["Which hour is it?"] * 5
    room.models.script(
        *(judged(2, "Psst."), judged(1), Answer(text=("Good morning.",))),
        *(judged(3), Answer(text=("Good night.",)), judged(4), Answer(text=("A rhyme in time.",))),
        *(Answer(text=("I would rather chat.",)), Answer(text=("Good evening.",))),
    )
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        boss = place.enter(owner(room))
        await place.summoned(by=owner(room))
        for number in range(1, 6):
            await says(place, boss)
            await turns_of(core, place, 2 * number)
        turns = await turns_of(core, place, 10)
    bodies = [request.body for request in room.models.requests]
    judging = [body for body in bodies if tool_names(body) == ["builtIn_judge"]]
    assert len(judging) == 5
    assert all(body["tool_choice"] == "required" for body in judging)
    assert last_said(judging[0]).endswith("Is it late?\n1. early\n2. very late\n3. a little\n4. ask the poet")
    assert "Whisper" not in str(judging[0])
    told_next = [body["messages"][-1]["content"] for body in bodies if body not in judging]
    assert [text.splitlines()[1] for text in told_next] == [
        "Next: reply as usual.",
        "Next: reply with this in mind: Whisper.",
        'Next: follow the steps of the recipe "verse" in this reply:',
        "Next: reply with this in mind: Whisper.",
    ]
    assert told_next[-1].startswith('Decided "late": No answer was picked, so the default counts')
    quiet = turns[1]
    assert isinstance(quiet, AssistantTurn)
    assert quiet.text == ""
    assert place.said_in(place.lounge)[1:] == [
        "Good morning.\n\n-# decided late: early",
        "Good night.\n\n-# decided late: a little",
        "A rhyme in time.\n\n-# decided late: ask the poet",
        "Good evening.\n\n-# decided late: a little",
    ]
    assert talking.speaking.asked == ["Good morning.", "Good night.", "A rhyme in time.", "Good evening."]


async def test_what_is_remembered_and_noted_by_voice_is_read_in_text(room: TextRoom) -> None:
    """MEM-1, MEM-2, MEM-5, MEM-7: one memory of the server; at the end of the call it is looked through."""
    talking = Talking()
    talking.hearing.texts = [
        "Remember that the harbour opens at six.",
        "Put milk and bread on the shopping list.",
        "Tell me a joke.",
        "Please empty the shopping list.",
    ]
    clear = Call(name="notes_clear", arguments='{"list": "shopping"}')
    room.models.script(
        *(Answer(calls=(REMEMBER,)), Answer(text=("I will.",))),
        *(Answer(calls=(NOTE,)), Answer(text=("It is on the list.",))),
        *(Answer(calls=(clear,)), Answer(text=("It is still there.",))),
        *(Answer(calls=(clear,)), Answer(text=("It is empty.",))),
    )
    async with (
        voice_room(room) as place,
        room.bot(speech=talking.services, REMEMBER_AFTER_S="900") as core,
    ):
        ada = place.enter(room.ada)
        await place.summoned()
        for number in (1, 2):
            await says(place, ada)
            await turns_of(core, place, 2 * number)
        shown = await told(run(room, "notes show", by=room.discord.grace, name="shopping"))
        assert all_text(shown) == "shopping\n- milk\n- bread"
        for number in (3, 4):
            await says(place, ada)
            await turns_of(core, place, 2 * number)
        refused, emptied = (room.models.requests[number].body["messages"][-1]["content"] for number in (5, 7))
        assert refused.startswith("Nobody asked for that")
        assert "2" in emptied
        entry = all_text(await told(run(room, "memory show", by=room.discord.grace, entry="m1")))
        assert "The harbour opens at six." in entry
        assert f"/{place.guild.id}/{place.lounge.id}" in entry
        room.says("when does it open?", by=room.discord.grace)
        body = (await room.models.wait_for_request(9)).body
        await room.quiet(core)
        await told(run(room, "voice leave", by=room.ada, channel=place.lounge))
        looked_through = last_said((await room.models.wait_for_request(10)).body)
    assert "- m1: harbour: When it opens" in body["messages"][0]["content"]
    assert "shopping" not in body["messages"][0]["content"]
    assert "<conversation>" in looked_through
    assert "Remember that the harbour opens at six." in looked_through

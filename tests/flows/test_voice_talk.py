"""A person talks with the bot in a voice channel: the whole road over sockets, with scripted services."""

import asyncio
from collections.abc import Callable

from bot.wiring import Core
from core.conversation.content import Text
from core.conversation.turns import AssistantTurn, Speaker, Turn, UserTurn
from tests.fake_discord.voice import Human
from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, heard_s
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import VoiceRoom, voice_room
from tests.flows.voice_scene import speech


async def until(look: Callable[[], object], within_s: float = 6.0) -> None:
    """Looks each 10 ms: sound comes without an event of Discord."""
    async with asyncio.timeout(within_s):
        while not look():
            await asyncio.sleep(0.01)


async def turns_of(core: Core, place: VoiceRoom, count: int) -> list[Turn]:
    """The turns of the lounge's scene, once there are so many: a reply stands there when it was heard."""
    async with asyncio.timeout(6.0):
        while True:
            window = await core.stores.history.window(f"discord:channel:{place.lounge.id}", 50)
            if len(window.turns) >= count:
                return [stored.turn for stored in window.turns]
            await asyncio.sleep(0.01)


async def says(place: VoiceRoom, human: Human, seconds: float = 0.8) -> None:
    """Speaks once the bot can hear, and stops to send."""
    await place.reports("Connected")
    await place.until(lambda: human.ready)
    await human.speak(speech(seconds))


async def test_what_is_said_is_answered_aloud_and_in_the_chat(room: TextRoom) -> None:
    """VOX-10, VOX-22, VOX-26, VOX-37: one stream, heard and shown; the turn stands in the channel's scene."""
    talking = Talking()
    talking.hearing.texts = ["What is the capital of France?"]
    room.models.script(Answer(text=("Paris is ", "the capital of France.")))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada = place.enter(room.ada)
        await place.summoned()
        await says(place, ada)
        await place.until(lambda: "Paris is the capital of France." in place.said_in(place.lounge))
        await until(lambda: heard_s(ada) > 1.0)
        assert talking.speaking.asked == ["Paris is the capital of France."]
        said, answered = await turns_of(core, place, 2)
        assert isinstance(said, UserTurn)
        assert said.speaker == Speaker(id=str(room.ada.id), name="Ada")
        assert said.content == (Text(text="What is the capital of France?"),)
        assert isinstance(answered, AssistantTurn)
        assert answered.text == "Paris is the capital of France."
        assert "This reply is spoken" in str(room.models.requests[-1].body)

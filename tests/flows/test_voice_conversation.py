"""Two people talk with the bot while others come and go and packets are lost (VOX-14, VOX-26).

Services are scripted, everything else is real. In `make test` people speak as fast as sockets take it; in
`make soak` for five minutes in real time.
"""

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from bot.wiring.core import Core
from core.conversation.turns import AssistantTurn, Turn, UserTurn
from tests.fake_discord.voice import Human
from tests.fake_discord.world import User
from tests.fake_models.scripts import Answer
from tests.flows.scripted_services import Talking, ToneVoice
from tests.flows.test_voice_talk import turns_of
from tests.flows.text_room import TextRoom
from tests.flows.voice_room import VoiceRoom, voice_room
from tests.flows.voice_scene import speech

LOSS = 0.03


@dataclass
class Conversation:
    """`turns` exchanges; every other one is the other person's; somebody comes or goes after each third."""

    core: Core
    place: VoiceRoom
    turns: int
    pace_s: float
    spoken_s: float
    visitor: User
    asked: list[tuple[int, str, str]] = field(default_factory=list[tuple[int, str, str]])

    async def hold(self, ada: Human, grace: Human) -> None:
        visitor: Human | None = None
        for number in range(self.turns):
            who = (ada, grace)[number % 2]
            answer = self.asked[number][2]
            await who.speak(speech(self.spoken_s, seed=number, softest=0.4), pace_s=self.pace_s)
            await self.place.until(lambda answer=answer: answer in self.place.said_in(self.place.lounge))
            await turns_of(self.core, self.place, 2 * (number + 1), within_s=30.0)  # heard to its end
            if number % 3 == 2:
                visitor = self._comes_or_goes(visitor)

    def _comes_or_goes(self, visitor: Human | None) -> Human | None:
        if visitor is None:
            return self.place.enter(self.visitor)
        self.place.voice.leave(self.place.lounge, visitor)
        return None


def script(
    talking: Talking, room: TextRoom, people: tuple[int, int], turns: int
) -> list[tuple[int, str, str]]:
    """Who asks what, and what is answered; every question names the bot."""
    asked = [
        (people[number % 2], f"Parley, what is number {number}?", f"That is number {number}.")
        for number in range(turns)
    ]
    talking.hearing.texts = [question for _, question, _ in asked]

    def answered(body: dict[str, Any]) -> Answer:
        """What is asked last, however often: a lost packet may cost a guess."""
        said = str(body)
        last = max(asked, key=lambda one: said.rfind(one[1]))
        return Answer(text=(last[2],))

    room.models.script(*([answered] * (4 * turns)))
    return asked


def check(turns: list[Turn], asked: list[tuple[int, str, str]], place: VoiceRoom) -> None:
    """Everything once, in order, by the right person; nothing else."""
    said = [
        (int(turn.speaker.id), getattr(turn.content[0], "text", ""))
        for turn in turns
        if isinstance(turn, UserTurn) and turn.speaker is not None
    ]
    assert said == [(user_id, question) for user_id, question, _ in asked]
    answers = [turn.text for turn in turns if isinstance(turn, AssistantTurn)]
    assert answers == [answer for _, _, answer in asked]
    shown = [text for text in place.said_in(place.lounge) if text.startswith("That is number")]
    assert shown == answers


async def converse(room: TextRoom, *, turns: int, pace_s: float, spoken_s: float, word_s: float) -> None:
    talking = Talking(speaking=ToneVoice(word_s=word_s))
    async with voice_room(room) as place, room.bot(speech=talking.services) as core:
        ada, grace = place.enter(room.ada), place.enter(room.discord.grace)
        await place.summoned()
        await place.reports("Connected")
        await place.until(lambda: ada.ready and grace.ready)
        for human in (ada, grace):
            place.voice.room(place.lounge).network(human.user_id, room.discord.bot.id).loss = LOSS
        visitor = room.discord.world.add_user("vic", global_name="Vic")
        room.discord.world.add_member(room.discord.guild, visitor)
        talk = Conversation(core, place, turns, pace_s, spoken_s, visitor)
        talk.asked = script(talking, room, (ada.user_id, grace.user_id), turns)
        await talk.hold(ada, grace)
        check(await turns_of(core, place, 2 * turns), talk.asked, place)


async def test_a_conversation_of_two_loses_and_doubles_nothing(room: TextRoom) -> None:
    """VOX-14, VOX-26: compressed, with joins, leaves and 3 % loss."""
    await converse(room, turns=6, pace_s=0.0, spoken_s=0.6, word_s=0.05)


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_five_minutes_of_talk_lose_and_double_nothing(room: TextRoom) -> None:
    """The same in real time."""
    began = asyncio.get_running_loop().time()
    await converse(room, turns=60, pace_s=0.02, spoken_s=2.5, word_s=0.35)
    assert asyncio.get_running_loop().time() - began > 240

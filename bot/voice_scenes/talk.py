"""One stay of the bot in one voice channel: it listens, answers in the channel's scene, and speaks.

    call -> VoiceController -> Answering -> orchestrator -> reply -> chat and TalkVoice -> call

The talk's scene is the channel's own session, so typed and spoken messages share one history (VOX-26). The
end of a talk, an interruption or a reset of the scene never cancels a task (VOX-37).
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import replace

from bot.beside import Beside
from bot.voice_scenes.advice import Advice
from bot.voice_scenes.answering import Answering
from bot.voice_scenes.heard_line import HeardLine
from bot.voice_scenes.talk_floor import TalkFloor
from bot.voice_scenes.talk_parts import TalkParts
from bot.voice_scenes.talk_voice import Aside, TalkVoice
from sessions.bindings import ChannelBinding
from voice import (
    Call,
    Ears,
    HeardEvent,
    LatencyTraces,
    Room,
    SpeakerLeft,
    SpeculationEnd,
    SpeechToText,
    TransmissionStarted,
    VoiceController,
)


class Talk:
    """Run once; when the bot is moved the call goes on with another talk."""

    def __init__(self, parts: TalkParts, call: Call) -> None:
        self.channel_id = call.channel_id
        self._parts = parts
        self._call = call
        self.binding = ChannelBinding(channel_id=call.channel_id, guild_id=call.guild_id)
        self.session_id = self.binding.session_id
        self.floor = TalkFloor()
        self._beside = Beside(self.session_id)
        self._hearing: VoiceController | None = None
        advice = Advice(
            notices=parts.notices, channel_id=self.channel_id, beside=self._beside, clock=parts.clock
        )
        self._answering = Answering(
            parts,
            binding=self.binding,
            beside=self._beside,
            advice=advice,
            floor=self.floor,
            reply_ended=self._reply_ended,
        )
        self._voice = TalkVoice(
            parts,
            call,
            session_id=self.session_id,
            language=lambda: self._answering.language,
            advice=advice,
            floor=self.floor,
        )

    async def run(self, heard: HeardLine) -> None:
        """Talk until the call is over, or the bot is in another channel and `heard` was stirred."""
        hearing = self._parts.services.speech_to_text
        if hearing is None:
            await self._only_speak(heard)
        else:
            await self._listen(heard, hearing)

    # asked by people

    async def refresh(self) -> None:
        """A choice may have changed: the mode, the persona, the name, the voice."""
        await self._choose_voice()
        room = await self._room()
        if self._hearing is not None and room != self._hearing.room:
            self._hearing.set_room(room)

    @property
    def latency(self) -> LatencyTraces | None:
        """How quickly was answered; None where nothing can be understood."""
        if self._parts.services.speech_to_text is None:
            return None
        return LatencyTraces() if self._hearing is None else self._hearing.latency

    @property
    def speculation_ends(self) -> Mapping[SpeculationEnd, int]:
        """What became of replies that were begun early."""
        return {} if self._hearing is None else self._hearing.speculation_ends

    def request_talk(self, user_id: int) -> bool:
        """The person's next utterance is for the bot; False while nothing can be heard."""
        if self._hearing is None:
            return False
        self._hearing.request_talk(user_id)
        return True

    async def say(self, text: str, *, asked_by: int) -> bool:
        """See `TalkVoice.say`."""
        return await self._voice.say(text, asked_by=asked_by)

    @property
    def asides(self) -> tuple[Aside, ...]:
        """What is said beside the replies."""
        return self._voice.asides

    @property
    def can_tell(self) -> bool:
        """Whether there is a voice now, and who hears when it may be used."""
        return self._voice.can_speak and self._hearing is not None

    async def tell(self, *said: str) -> bool:
        """See `TalkVoice.tell`."""
        return self.can_tell and await self._voice.tell(*said)

    # the stay

    async def _listen(self, heard: HeardLine, service: SpeechToText) -> None:
        services, settings = self._parts.services, self._parts.settings
        await self._parts.sessions.open(self.binding, self._parts.clock.now())
        await self._choose_voice()
        hearing = VoiceController(
            call_id=self._parts.new_id("call", self._parts.clock.now()),
            session_id=self.session_id,
            ears=Ears(
                speech_to_text=service,
                voice_activity=services.voice_activity,
                turn_model=services.turn_model,
                wake_word=services.wake_word,
            ),
            clock=self._parts.clock,
            submit=self._answering.submit,
            record_interruption=self._answering.record_interruption,
            settings=settings.turn_taking,
            room=await self._room(),
            speculates=settings.speculates,
        )
        async with self._beside:
            self._beside.run(self._warm_up(), "speech models")
            async with hearing, self._voice.opened(hearing):
                self._answering.place = self._voice.replies(answering=self._answering.answered_by)
                hearing.watch(self._answering.told)
                hearing.watch(self.floor.told)
                self._hearing = hearing
                try:
                    await hearing.listen(self._here(heard))
                finally:
                    self._hearing = None
                    self.floor.end()

    async def _only_speak(self, heard: HeardLine) -> None:
        """Nothing can be recognised: say so once; what is asked for is said, what is heard is counted."""
        for sentence in self._parts.services.missing:
            await self._parts.notices.tell(self.channel_id, sentence)
        await self.refresh()
        async with self._beside, self._voice.opened(None):
            async for _ in heard.while_here(self._is_here):
                pass

    async def _choose_voice(self) -> None:
        name = await self._parts.manners.voice(self._call.guild_id, self.channel_id)
        await self._voice.choose(name)

    async def _warm_up(self) -> None:
        """The first words shall not wait for a model to be loaded."""
        await self._parts.services.warm_up()

    async def _room(self) -> Room:
        manners, people = self._parts.manners, self._parts.people
        names = await manners.bot_names(self.session_id)
        mode = await manners.mode(self._call.guild_id, self.channel_id)
        own = people.own_name(self.channel_id)
        pinned = await manners.language(self._call.guild_id, self.channel_id)
        self._answering.language = pinned or self._answering.language
        return Room(
            people=people.names(self.channel_id),
            bot_names=(*names, own) if own and own not in names else names,
            mode=mode,
            language=pinned,
        )

    def _is_here(self) -> bool:
        return self._call.channel_id == self.channel_id

    async def _here(self, heard: HeardLine) -> AsyncIterator[HeardEvent]:
        """What is heard in this channel."""
        async for event in heard.while_here(self._is_here):
            if isinstance(event, TransmissionStarted | SpeakerLeft):
                self._look_around()
            yield event
        self._voice.end()

    def _look_around(self) -> None:
        """Who is here, and what the bot is called, may have changed; it matters once somebody speaks."""
        people = self._parts.people.names(self.channel_id)
        if self._hearing is not None and people != self._hearing.room.people:
            self._hearing.set_room(replace(self._hearing.room, people=people))
        self._beside.run(self.refresh(), "manners")

    def _reply_ended(self, user_ids: frozenset[int]) -> None:
        if self._hearing is not None:
            self._hearing.reply_ended(user_ids)

"""One stay of the bot in one voice channel: it listens, answers in the channel's scene, and speaks.

    call -> VoiceController -> bursts of spoken turns -> orchestrator -> reply -> chat and VoiceOutput -> call

The talk's scene is the channel's own session, so typed and spoken messages share one history (VOX-26). The
end of a talk, an interruption or a reset of the scene never cancels a task (VOX-37).
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Coroutine, Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import replace

import structlog

from bot.voice_scenes.admissions import Admitted
from bot.voice_scenes.first_text import FirstTextTold
from bot.voice_scenes.heard_line import HeardLine
from bot.voice_scenes.spoken_turns import SpokenTurns, Utterance, turn_id_of
from bot.voice_scenes.talk_floor import TalkFloor
from bot.voice_scenes.talk_parts import ChatOfTalk, TalkParts
from core.conversation.turns import UserTurn
from core.failures import Failure
from core.orchestration.orchestrator import Ticket
from core.orchestration.sends import ReplyPlace, SceneKind, Send, SendOptions
from core.prompts.spoken import SPOKEN_REPLY
from sessions.bindings import ChannelBinding
from sessions.outbox_rules import reply_id_for
from sessions.scene import Session
from voice.audio.frames import HeardEvent, SpeakerLeft, TransmissionStarted
from voice.calls import Call
from voice.controller import Ears, VoiceController
from voice.input.spoken_turns import SpokenBurst, SpokenTurn
from voice.latency import LatencyTraces
from voice.output.output_events import Cause, OutputEvent, Purpose, SpeechGaveUp
from voice.output.two_sinks import ShownAndSpokenReplies
from voice.output.voice_output import VoiceOutput
from voice.output.voice_response import VoiceResponse
from voice.output.voice_sink import SpokenReplies
from voice.policy.events import (
    HearingFailed,
    InputBegan,
    SpeculationEnd,
    SpeculationEnded,
    SpeculationStarted,
    VoiceEvent,
)
from voice.policy.room import Room
from voice.turn import TurnRef

_log = structlog.get_logger()
_LANGUAGE = "en"
_OPTIONS = SendOptions(scene=SceneKind.DISCORD, supplement=SPOKEN_REPLY)
_NOTICE_EVERY_S = 60.0
_MOST_BEGINNINGS = 256
_SHOWN_WITHIN_S = 0.5
_READY_WITHIN_S = 1.5
"""An answer to a command has three seconds."""


class Talk:
    """Run once; when the bot is moved the call goes on with another talk."""

    def __init__(self, parts: TalkParts, call: Call) -> None:
        self.channel_id = call.channel_id
        self.session_id = ChannelBinding(channel_id=call.channel_id, guild_id=call.guild_id).session_id
        self._parts = parts
        self._call = call
        self._binding = ChannelBinding(channel_id=call.channel_id, guild_id=call.guild_id)
        self._turns = SpokenTurns(
            session_id=self.session_id,
            names=lambda: parts.people.names(self.channel_id),
            skills=parts.skills,
            clock=parts.clock,
        )
        self._began: dict[str, float] = {}
        self._addressed: deque[str] = deque(maxlen=_MOST_BEGINNINGS)
        self._guesses: dict[str, Send | None] = {}
        self._begun_guess: str | None = None
        self._language = parts.settings.language
        self._told_at: float | None = None
        self._tasks = asyncio.TaskGroup()
        self._waiting: set[asyncio.Task[None]] = set()
        self._voice: VoiceController | None = None
        self._output: VoiceOutput | None = None
        self._place: ReplyPlace = parts.chat
        self._ready = asyncio.Event()
        self.floor = TalkFloor()

    async def run(self, heard: HeardLine) -> None:
        """Talk until the call is over, or the bot is in another channel and `heard` was stirred."""
        hearing = self._parts.services.speech_to_text
        if hearing is None:
            await self._only_speak(heard)
            return
        services, settings = self._parts.services, self._parts.settings
        await self._parts.sessions.open(self._binding, self._parts.clock.now())
        voice = VoiceController(
            call_id=self._parts.new_id("call", self._parts.clock.now()),
            session_id=self.session_id,
            ears=Ears(
                speech_to_text=hearing,
                voice_activity=services.voice_activity,
                turn_model=services.turn_model,
            ),
            clock=self._parts.clock,
            submit=self._submit,
            settings=settings.turn_taking,
            room=await self._room(),
            speculates=settings.speculates,
        )
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._tasks)
            stack.callback(self._stop_waiting)
            self._beside(self._warm_up(), "speech models")
            await stack.enter_async_context(voice)
            if services.text_to_speech is not None:
                output = VoiceOutput(
                    mouth=self._call,
                    service=services.text_to_speech,
                    clock=self._parts.clock,
                    tell=lambda event: self._output_told(voice, event),
                )
                self._output = await stack.enter_async_context(output)
                voice.speak_through(output)
                self._place = self._spoken_and_shown(voice, output)
            voice.watch(self._follow)
            voice.watch(self.floor.told)
            self._voice = voice
            self._ready.set()
            try:
                await voice.listen(self._here(heard))
            finally:
                self._voice = self._output = None
                self.floor.end()

    # asked by people

    async def refresh(self) -> None:
        """A choice may have changed: the mode, the persona, the name."""
        room = await self._room()
        if self._voice is not None and room != self._voice.room:
            self._voice.set_room(room)

    @property
    def latency(self) -> LatencyTraces | None:
        """How quickly was answered; None where nothing can be understood."""
        if self._parts.services.speech_to_text is None:
            return None
        return LatencyTraces() if self._voice is None else self._voice.latency

    @property
    def speculation_ends(self) -> Mapping[SpeculationEnd, int]:
        """What became of replies that were begun early."""
        return {} if self._voice is None else self._voice.speculation_ends

    def request_talk(self, user_id: int) -> bool:
        """The person's next utterance is for the bot; False while nothing can be heard."""
        if self._voice is None:
            return False
        self._voice.request_talk(user_id)
        return True

    async def say(self, text: str, *, asked_by: int) -> bool:
        """Speak `text` behind what is being said; False when nothing can be spoken.

        A talk that just begins is waited for. It is interrupted like a reply to the person who asked for it.
        """
        with suppress(TimeoutError):
            async with asyncio.timeout(_READY_WITHIN_S):
                await self._ready.wait()
        if self._output is None:
            return False
        turn = TurnRef(session_id=self.session_id, turn_id=self._parts.new_id("say", self._parts.clock.now()))
        response = self._output.open_response(turn_id=turn.turn_id, language=self._spoken_language())
        if self._voice is not None:
            self._voice.response_opened(turn, response, answering=(asked_by,))
        response.open_speech(Purpose.ANSWER).write(text)
        response.complete()
        return True

    @property
    def can_speak(self) -> bool:
        """Whether there is a voice now."""
        return self._output is not None and self._voice is not None

    async def tell(self, text: str) -> bool:
        """Speak what nobody asked for just now, its short version; True when it was heard to its end."""
        if self._output is None or self._voice is None:
            return False
        turn = TurnRef(
            session_id=self.session_id, turn_id=self._parts.new_id("told", self._parts.clock.now())
        )
        response = self._output.open_response(
            turn_id=turn.turn_id,
            language=self._spoken_language(),
            say_limits=self._parts.settings.spoken.say_limits,
        )
        self._voice.response_opened(turn, response, answering=())
        response.open_speech(Purpose.ANSWER).write(text)
        self.floor.reply_began()
        try:
            heard = await response.finish()
        finally:
            self.floor.reply_ended()
        return not heard.interrupted and not heard.gave_up

    # the room

    async def _room(self) -> Room:
        manners, people = self._parts.manners, self._parts.people
        names = await manners.bot_names(self.session_id)
        mode = await manners.mode(self._call.guild_id, self.channel_id)
        own = people.own_name(self.channel_id)
        return Room(
            people=people.names(self.channel_id),
            bot_names=(*names, own) if own and own not in names else names,
            mode=mode,
            language=self._parts.settings.language,
        )

    def _is_here(self) -> bool:
        return self._call.channel_id == self.channel_id

    async def _here(self, heard: HeardLine) -> AsyncIterator[HeardEvent]:
        """What is heard in this channel."""
        async for event in heard.while_here(self._is_here):
            if isinstance(event, TransmissionStarted | SpeakerLeft):
                self._look_around()
            yield event
        if self._output is not None:
            self._output.end()  # nothing of it is for those who are elsewhere; the chat goes on

    def _look_around(self) -> None:
        """Who is here, and what the bot is called, may have changed; it matters once somebody speaks."""
        people = self._parts.people.names(self.channel_id)
        if self._voice is not None and people != self._voice.room.people:
            self._voice.set_room(replace(self._voice.room, people=people))
        self._beside(self.refresh(), "manners")

    # what was said

    async def _submit(self, burst: SpokenBurst) -> None:
        try:
            await self._take(burst)
        except Exception as error:
            if isinstance(error, Failure):
                self._tell(error.advice)
            self._reply_ended(frozenset(turn.user_id for turn in burst.turns if turn.addressed))
            raise  # the controller reports it

    async def _take(self, burst: SpokenBurst) -> None:
        turns = [admitted for turn in burst.turns if (admitted := await self._admitted(turn)) is not None]
        for turn in turns:
            self._language = self._parts.settings.language or turn.language or self._language
        said = [self._utterance(turn) for turn in turns]
        if self._parts.settings.chat is ChatOfTalk.ALL:
            await self._show(said)
        guess = self._guesses.pop(burst.speculation_id or "", None)
        wanted = [turn for turn in turns if turn.addressed]
        if not wanted:
            self._parts.speculation.discard(self.session_id)  # it knows nothing of what was said here
            for one in said:
                self._parts.overhearing.heard(self.session_id, self._turns.overheard(one))
            self._reply_ended(frozenset(turn.user_id for turn in burst.turns if turn.addressed))
            return
        session = await self._parts.sessions.open(self._binding, self._parts.clock.now())
        if guess is None or guess.generation != session.generation:  # what was begun before a reset is void
            guess = self._send(session, [await self._turns.turn_of(one) for one in said])
        self._addressed.extend(turn_id_of(turn.input_id) for turn in wanted)
        ticket = self._parts.orchestrator.submit(guess, belongs_to_running=burst.goes_on)
        self._wait_for(ticket, frozenset(turn.user_id for turn in wanted))

    async def _admitted(self, turn: SpokenTurn) -> SpokenTurn | None:
        """As it is taken (TEXT-9): no request beyond a limit, and nothing of whom a list leaves out."""
        admissions, speaker = self._parts.admissions, self._turns.speaker(turn.user_id)
        now = self._parts.clock.now()
        if not turn.addressed:
            foreseen = await admissions.foresee(self._binding, speaker, now)
            return None if foreseen is Admitted.IGNORED else turn
        decided = await admissions.decide(self._binding, speaker, now)
        if decided.notice:
            notice = f"<@{turn.user_id}> {decided.notice}"
            self._beside(self._parts.notices.tell(self.channel_id, notice), "notice")
        if decided.admitted is Admitted.IGNORED:
            return None
        return replace(turn, addressed=decided.admitted is Admitted.ANSWERED)

    def _send(self, session: Session, turns: list[UserTurn]) -> Send:
        number = self._parts.new_id("v", self._parts.clock.now())
        return Send(
            session_id=self.session_id,
            generation=session.generation,
            reply_id=reply_id_for(number),
            turns=tuple(turns),
            place=self._place,
            options=_OPTIONS,
        )

    def _utterance(self, turn: SpokenTurn) -> Utterance:
        began_at = self._began.pop(turn.input_id, turn.speech_began_at)
        return Utterance(input_id=turn.input_id, user_id=turn.user_id, text=turn.text, began_at=began_at)

    def _wait_for(self, ticket: Ticket, user_ids: frozenset[int]) -> None:
        async def wait() -> None:
            try:
                await ticket.outcome()
            finally:
                self.floor.reply_ended()
            self._reply_ended(user_ids)

        self.floor.reply_began()
        self._beside(wait(), "reply")

    def _reply_ended(self, user_ids: frozenset[int]) -> None:
        if self._voice is not None and user_ids:
            self._voice.reply_ended(user_ids)

    def _beside(self, work: Coroutine[None, None, None], name: str) -> None:
        """Ends with the talk; what breaks in it must not end the talk."""
        task = self._tasks.create_task(_reported(work, name), name=f"{name} in {self.session_id}")
        self._waiting.add(task)
        task.add_done_callback(self._waiting.discard)

    async def _warm_up(self) -> None:
        """The first words shall not wait for a model to be loaded."""
        await self._parts.services.warm_up()

    def _stop_waiting(self) -> None:
        for task in tuple(self._waiting):
            task.cancel()

    async def _show(self, said: list[Utterance]) -> None:
        """Before the reply, unless the chat is slow: nobody in a call waits for that."""
        shown = asyncio.Event()

        async def show() -> None:
            try:
                for one in said:
                    name = self._turns.speaker(one.user_id).name
                    await self._parts.notices.show_said(self.channel_id, name, one.text)
            finally:
                shown.set()

        self._beside(show(), "transcript")
        with suppress(TimeoutError):
            async with asyncio.timeout(_SHOWN_WITHIN_S):
                await shown.wait()

    # what happens

    def _follow(self, event: VoiceEvent) -> None:
        match event:
            case InputBegan(input_id=input_id, speech_began_at=began_at):
                self._began[input_id] = began_at
                if len(self._began) > _MOST_BEGINNINGS:
                    del self._began[next(iter(self._began))]
            case SpeculationStarted():
                self._guesses[event.speculation_id] = None
                self._beside(self._guess(event), "guess")
            case SpeculationEnded(end=end, speculation_id=guess) if end is not SpeculationEnd.KEPT:
                self._guesses.pop(guess, None)
                if guess == self._begun_guess:
                    self._parts.speculation.discard(self.session_id)
            case HearingFailed(advice=str(advice)):
                self._tell(advice)
            case _:
                pass

    async def _guess(self, event: SpeculationStarted) -> None:
        began_at = self._began.get(event.input_id, event.at)
        said = Utterance(input_id=event.input_id, user_id=event.user_id, text=event.text, began_at=began_at)
        speaker, now = self._turns.speaker(event.user_id), self._parts.clock.now()
        if await self._parts.admissions.foresee(self._binding, speaker, now) is not Admitted.ANSWERED:
            return
        turn = await self._turns.turn_of(said)
        await self._parts.orchestrator.idle(self.session_id)  # what it answers must be all that was said
        session = await self._parts.sessions.open(self._binding, self._parts.clock.now())
        send = self._send(session, [turn])
        if event.speculation_id in self._guesses:  # else it is over already
            self._guesses[event.speculation_id] = send
            self._begun_guess = event.speculation_id
            self._parts.speculation.begin(send)

    def _output_told(self, voice: VoiceController, event: OutputEvent) -> None:
        voice.output_told(event)
        self._told_of_a_failure(event)

    def _told_of_a_failure(self, event: OutputEvent) -> None:
        if isinstance(event, SpeechGaveUp):
            self._tell(event.advice)

    def _tell(self, advice: str) -> None:
        """In the chat, at most once a minute: a service that is down fails every utterance."""
        now = self._parts.clock.monotonic()
        if self._told_at is not None and now - self._told_at < _NOTICE_EVERY_S:
            return
        self._told_at = now
        self._beside(self._parts.notices.tell(self.channel_id, advice), "notice")

    # the reply

    def _spoken_and_shown(self, voice: VoiceController, output: VoiceOutput) -> ReplyPlace:
        settings = self._parts.settings
        shows = settings.chat is not ChatOfTalk.OFF

        def opened(send: Send, response: VoiceResponse) -> None:
            turn = TurnRef(session_id=send.session_id, turn_id=send.reply_id)
            voice.response_opened(turn, response, answering=self._answered_by(send))

        def interrupted(send: Send, _cause: Cause) -> None:
            self._parts.orchestrator.stop(send.session_id)

        spoken = SpokenReplies(
            output=output,
            clock=self._parts.clock,
            language=lambda _send: self._spoken_language(),
            settings=settings.spoken if shows else replace(settings.spoken, say_limits=None),
            opened=opened,
            interrupted=interrupted,
        )
        place: ReplyPlace = spoken
        if shows:
            place = ShownAndSpokenReplies(chat=self._parts.chat, voice=spoken, counts=settings.counts)
        return FirstTextTold(place, voice.first_token)

    def _spoken_language(self) -> str:
        return self._language or _LANGUAGE

    def _answered_by(self, send: Send) -> frozenset[int]:
        """Those whose turns asked for the reply, not who was only heard beside them."""
        turns = (turn for turn in send.turns if turn.id in self._addressed and turn.speaker is not None)
        return frozenset(int(turn.speaker.id) for turn in turns if turn.speaker is not None)

    async def _only_speak(self, heard: HeardLine) -> None:
        """Nothing can be recognised: say so once; what is asked for is said, what is heard is counted."""
        for sentence in self._parts.services.missing:
            await self._parts.notices.tell(self.channel_id, sentence)
        async with AsyncExitStack() as stack:
            await stack.enter_async_context(self._tasks)
            stack.callback(self._stop_waiting)
            voice = self._parts.services.text_to_speech
            if voice is not None:
                output = VoiceOutput(
                    mouth=self._call,
                    service=voice,
                    clock=self._parts.clock,
                    tell=self._told_of_a_failure,
                )
                self._output = await stack.enter_async_context(output)
            self._ready.set()
            try:
                async for _ in heard.while_here(self._is_here):
                    pass
            finally:
                self._output = None


async def _reported(work: Coroutine[None, None, None], name: str) -> None:
    try:
        await work
    except Exception as error:  # noqa: BLE001 - the call goes on without it
        _log.warning("failed beside a talk", what=name, error=type(error).__name__)

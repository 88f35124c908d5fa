"""VoiceController: one call's conversation, from what is heard to what is submitted (VOX-10 to VOX-20).

    async with VoiceController(call_id=..., session_id=..., ears=Ears(...), clock=..., submit=...) as voice:
        voice.watch(listener)                    # every event, in order
        voice.set_room(room)                     # who is there, how to behave
        async with VoiceOutput(mouth=call, services=[tts], clock=clock, tell=voice.output_told) as output:
            voice.speak_through(output)
            await voice.listen(call.heard())     # until the call ends

Rules decide (`voice/policy/`); this carries out: it begins and ends inputs, has them transcribed, pauses the
bot's voice, and hands settled turns over in the order of their ends, each exactly once. It never closes the
sound that it is given.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Self, assert_never

import structlog

from core.clock import Clock
from voice.audio.frames import FRAME_S, HeardEvent, HeardFrame, SpeakerLeft, TransmissionStarted
from voice.input.heard_sound import HeardSound
from voice.input.input_work import InputWork
from voice.input.inputs import Inputs
from voice.input.judges import TurnModel, VoiceActivity
from voice.input.speech_input import SpeechInput, SpeechInputAttempt
from voice.input.speech_to_text import SpeechFailed, SpeechToText
from voice.input.spoken_turns import SpokenBurst, SubmitBurst
from voice.interruption import Interruption, InterruptionCause, RecordInterruption, TurnInterrupted
from voice.latency import LatencyTraces
from voice.output.output_events import OutputEvent
from voice.plugins.host import PluginHost
from voice.plugins.plugin import Plugin
from voice.policy import commands
from voice.policy.commands import Command, Grant
from voice.policy.events import (
    BotFellSilent,
    ClockTicked,
    InputCancelled,
    InputDropped,
    PlaybackDucked,
    PlaybackResumed,
    PlaybackStopped,
    ReplyEnded,
    RoomChanged,
    SpeculationEnd,
    SpeechActivity,
    TalkRequested,
    TurnsSubmitted,
    VoiceEvent,
)
from voice.policy.first_party import first_party_rules
from voice.policy.room import Room
from voice.policy.rule_engine import RuleEngine
from voice.policy.settings import TurnTakingSettings
from voice.speaking import Mouth, Response, Speaking
from voice.submission import Speculations, SubmissionLine
from voice.turn import TurnRef

_log = structlog.stdlib.get_logger(__name__)
_REPORT_EVERY_S = 30.0
_CLOCK_STEP_S = 1e-6
"""Less than any timer tells apart."""
_MOST_UNHEARD = 3_000
"""Events that wait while voice activity is judged; more means that this machine cannot follow."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ears:
    """What listening needs. Without `voice_activity` loudness stands in, without `turn_model` the text."""

    speech_to_text: SpeechToText
    voice_activity: VoiceActivity | None = None
    turn_model: TurnModel | None = None


class VoiceController:
    """See the module. `call_id` must never come twice: the ids of inputs are made of it."""

    def __init__(
        self,
        *,
        call_id: str,
        session_id: str,
        ears: Ears,
        clock: Clock,
        submit: SubmitBurst,
        record_interruption: RecordInterruption | None = None,
        settings: TurnTakingSettings | None = None,
        room: Room | None = None,
        speculates: bool = True,
    ) -> None:
        self._session_id = session_id
        self._ears = ears
        self._clock = clock
        self._room = room or Room()
        self._settings = settings or TurnTakingSettings()
        self._record_interruption = record_interruption
        self._recorded: set[str] = set()
        self._tasks = asyncio.TaskGroup()
        self._unheard: list[HeardEvent] = []
        self._stir = asyncio.Event()
        self._reading: asyncio.Task[None] | None = None
        self._source_ended = False
        self._lasting: list[asyncio.Task[None]] = []
        self._ticked_at = 0.0
        self._judge_failed_at: float | None = None
        self.unheard_dropped = 0
        """Heard events that were left out because voice activity could not follow."""
        self._engine = RuleEngine(carry_out=self._carry_out, refused=self._refused, failed=self._rule_failed)
        rules = first_party_rules(
            self._settings, self._room, has_model=ears.turn_model is not None, speculates=speculates
        )
        for rule in rules:
            self._engine.install(rule)
        self._plugins = PluginHost(
            tasks=self._tasks,
            engine=self._engine,
            clock=clock,
            command=lambda command: self._carry_out(command, self._now()),
            refused=self._refused,
            failed=self._plugin_failed,
        )
        self._work = InputWork(
            tasks=self._tasks,
            turn_model=ears.turn_model,
            settings=self._settings,
            stages=self._plugins,
            language=lambda: self._room.language,
            feed=self._feed,
            now=clock.monotonic,
        )
        self._inputs = Inputs(
            call_id=call_id,
            session_id=session_id,
            speech_to_text=ears.speech_to_text,
            settings=self._settings,
            work=self._work,
            language=lambda: self._room.language,
            began=self._plugins.began,
            feed=self._feed,
            now=clock.monotonic,
        )
        self._speculations = Speculations(self._feed)
        self._line = SubmissionLine(submit, lambda error: self._work.failed("submit", error))
        self._speaking = Speaking(feed=self._feed, now=clock.monotonic)
        self._sound = HeardSound(
            judge=ears.voice_activity,
            deliver=self._deliver,
            feed=self._heard,
            failed=self._judge_failed,
        )
        self.latency = LatencyTraces()
        """How long each part of the turns took (VOX-27)."""
        self._engine.watch(self.latency.told)
        self._engine.watch(self._inputs.forget_dropped)
        self._engine.watch(self._follow)

    # what is known of the room

    @property
    def room(self) -> Room:
        """As it was last set."""
        return self._room

    def set_room(self, room: Room) -> None:
        """Somebody came or went, or a setting changed."""
        self._room = room
        self._feed(RoomChanged(room=room, at=self._now()))

    def request_talk(self, user_id: int) -> None:
        """`/voice talk` or a button: the person's next utterance is for the bot."""
        self._feed(TalkRequested(user_id=user_id, at=self._now()))

    def watch(self, watcher: Callable[[VoiceEvent], None]) -> Callable[[], None]:
        """Tells each event in order, on the loop; it must not raise. Returns what ends it."""
        return self._engine.watch(watcher)

    @property
    def speculation_ends(self) -> dict[SpeculationEnd, int]:
        """How many speculations ended how (VOX-16)."""
        return dict(self._speculations.ends)

    def use(self, plugin: Plugin, *, grants: Collection[Grant] = ()) -> None:
        """Installs a plugin (VOX-12) behind the others; within the context of the controller."""
        self._plugins.use(plugin, grants)

    # by hand (VOX-31)

    def begin_input(
        self,
        user_id: int,
        *,
        session_id: str | None = None,
        interrupt_turns: Collection[TurnRef] = (),
        after_silence: bool = True,
    ) -> SpeechInputAttempt:
        """The person's next sound is an input, whatever the mode; whoever holds the attempt ends it.

        `interrupt_turns` are silenced first. `after_silence`: no sound is admitted while the bot is audible.
        """
        self.interrupt(interrupt_turns, InterruptionCause.BEGIN_INPUT, by=user_id)
        fading = after_silence and self._speaking.audible is not None
        return self._inputs.attempt(user_id, session_id, fading=fading)

    def open_input_of(self, user_id: int) -> SpeechInput | None:
        """What the person is saying now."""
        return self._inputs.of(user_id)

    def input(self, input_id: str) -> SpeechInput | None:
        """An input that was neither submitted nor dropped nor cancelled yet."""
        return self._inputs.by_id(input_id)

    # the bot's voice

    def speak_through(self, mouth: Mouth) -> None:
        """What pauses and resumes playback, from now on."""
        self._speaking.mouth = mouth

    def response_opened(self, turn: TurnRef, response: Response, *, answering: Collection[int]) -> None:
        """A reply will be spoken; `answering` are those whose turns it answers. Before its first sound."""
        self.latency.reply_opened(turn.turn_id, answering)
        self._speaking.opened(turn, answering, response)

    def output_told(self, event: OutputEvent) -> None:
        """What `VoiceOutput` tells."""
        self.latency.output_told(event)
        self._speaking.told(event)

    def first_token(self, turn_id: str) -> None:
        """The first text of a reply came; for its latency trace."""
        self.latency.first_token(turn_id, self._now())

    def reply_ended(self, answering: Collection[int]) -> None:
        """A reply is over, spoken or not."""
        self._feed(ReplyEnded(answering=frozenset(answering), at=self._now()))

    def interrupt(
        self, turns: Collection[TurnRef], cause: InterruptionCause, *, by: int | None = None
    ) -> Interruption:
        """Silences the named replies at once, records each receipt once; other replies go on."""
        receipts = self._speaking.interrupt(turns, cause, by=by)
        interruption = Interruption(tuple(one.turn for one in receipts))
        new = tuple(one for one in receipts if one.event_id not in self._recorded)
        self._recorded.update(one.event_id for one in new)
        if new and self._record_interruption is not None:
            self._tasks.create_task(self._record(new, self._record_interruption, interruption))
        else:
            interruption.settle(delivered=True)
        return interruption

    # life

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._lasting = [
            self._tasks.create_task(self._line.run(), name="submissions"),
        ]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inputs.cancel_all("closed")
        self._inputs.drop_all("closed")
        self._speculations.end_all(self._now())
        self._engine.close()
        self._plugins.close()
        for task in self._lasting:
            task.cancel()
        await self._work.aclose()
        await self._tasks.__aexit__(kind, error, trace)

    async def listen(self, heard: AsyncIterator[HeardEvent]) -> None:
        """Listens until the sound ends, then settles and submits what was said.

        Cancelled, it leaves what was said to the end of the context, which drops it.
        """
        self.replace_audio(heard)
        while not (self._source_ended and not self._unheard):
            await self._next_stir()
            batch, self._unheard = self._unheard, []
            if batch:
                await self._sound.take(batch)
            self._tick()
        for one in self._inputs.open:
            self._feed(SpeakerLeft(user_id=one.speaker.user_id, at=self._now()))
        self._inputs.cancel_all("call over")
        await self._work.settled()
        await self._line.empty()

    def replace_audio(self, heard: AsyncIterator[HeardEvent]) -> None:
        """Sound comes from elsewhere from now on (VOX-33): what captures is cancelled, plugins go on."""
        self._inputs.cancel_all("audio replaced")
        self._plugins.audio_replaced()
        self._unheard.clear()
        if self._reading is not None:
            self._reading.cancel()
        self._source_ended = False
        self._reading = self._tasks.create_task(self._read(heard), name="hearing")
        self._lasting = [*(one for one in self._lasting if not one.done()), self._reading]

    async def _read(self, heard: AsyncIterator[HeardEvent]) -> None:
        async for event in heard:
            if len(self._unheard) >= _MOST_UNHEARD:
                self.unheard_dropped += 1
                del self._unheard[0]
            self._unheard.append(event)
            self._stir.set()
        self._source_ended = True
        self._stir.set()

    async def _next_stir(self) -> None:
        """Until something was heard, a deadline comes, or the next 20 ms of somebody's input are over."""
        due = self._next_tick()
        wait_s = None if due is None else max(0.0, due - self._now())
        with suppress(TimeoutError):
            async with asyncio.timeout(wait_s):
                await self._stir.wait()
        self._stir.clear()

    def _next_tick(self) -> float | None:
        due = self._engine.deadline
        if self._inputs.open:
            slot = self._ticked_at + FRAME_S
            due = slot if due is None else min(due, slot)
        return due

    def _tick(self) -> None:
        now, due = self._now(), self._next_tick()
        if due is not None and due <= now + _CLOCK_STEP_S:
            self._ticked_at = max(now, due)
            self._feed(ClockTicked(at=self._ticked_at))

    # events and commands

    def _now(self) -> float:
        return self._clock.monotonic()

    def _feed(self, event: VoiceEvent) -> None:
        self._engine.feed(event)

    def _deliver(self, frame: HeardFrame) -> None:
        self._inputs.deliver(frame)
        self._plugins.hear(frame)

    def _judge_failed(self, reason: str) -> None:
        now = self._now()
        if self._judge_failed_at is None or now - self._judge_failed_at >= _REPORT_EVERY_S:
            self._judge_failed_at = now
            self._work.failed("voice activity", SpeechFailed("", reason=reason))

    def _heard(self, event: VoiceEvent) -> None:
        match event:
            case SpeechActivity():
                self._inputs.scored(event)
            case TransmissionStarted():
                self._inputs.restarted(event.user_id)
            case _:
                pass
        self._feed(event)
        if isinstance(event, SpeakerLeft):
            self._inputs.left(event.user_id)

    def _follow(self, event: VoiceEvent) -> None:
        match event:
            case InputDropped() | InputCancelled():
                self._speculations.end(event.input_id, SpeculationEnd.INPUT_ENDED, event.at)
            case BotFellSilent():
                self._inputs.bot_is_silent()
            case _:
                pass

    def _carry_out(self, command: Command, at: float) -> None:
        match command:
            case commands.BeginInput():
                self._inputs.begin(command.user_id, command.speech_began_at, at)
            case commands.SealInput():
                self._inputs.seal(command.input_id, command.cause, at)
            case commands.CancelInput():
                self._inputs.cancel(command.input_id, command.reason, at)
            case commands.DropInput():
                self._inputs.drop(command.input_id, command.reason, at)
            case commands.JudgePause():
                self._inputs.judge(command.input_id, command.read_at)
            case commands.SubmitTurns():
                self._submit(command, at)
            case commands.StartSpeculation() | commands.DropSpeculation():
                self._speculate(command, at)
            case commands.DuckPlayback() | commands.ResumePlayback() | commands.StopPlayback():
                self._speak(command, at)
            case _:
                assert_never(command)

    def _submit(self, command: commands.SubmitTurns, at: float) -> None:
        turns = self._inputs.take(command.input_ids, command.addressed)
        if not turns:
            return
        answer = any(turn.addressed for turn in turns)
        speculation_id = self._speculations.adopted(turns, answer=answer, at=at)
        burst = SpokenBurst(
            turns=turns, answer=answer, goes_on=command.goes_on, speculation_id=speculation_id
        )
        self._feed(
            TurnsSubmitted(
                input_ids=tuple(turn.input_id for turn in turns),
                user_ids=tuple(turn.user_id for turn in turns),
                answer=answer,
                at=at,
            )
        )
        self._line.put(burst)

    def _speculate(self, command: commands.StartSpeculation | commands.DropSpeculation, at: float) -> None:
        one = self._inputs.by_id(command.input_id)
        if isinstance(command, commands.DropSpeculation):
            self._speculations.end(command.input_id, SpeculationEnd.SPEECH_WENT_ON, at)
        elif one is not None:
            self._speculations.start(
                input_id=command.input_id,
                user_id=one.speaker.user_id,
                text=command.text.strip(),
                language=command.language,
                at=at,
            )

    def _speak(
        self, command: commands.DuckPlayback | commands.ResumePlayback | commands.StopPlayback, at: float
    ) -> None:
        mouth, audible = self._speaking.mouth, self._speaking.audible
        match command:
            case commands.DuckPlayback():
                if mouth is not None and mouth.duck():
                    self._feed(PlaybackDucked(user_id=command.user_id, at=at))
            case commands.ResumePlayback():
                if mouth is not None:
                    mouth.resume()
                    self._feed(PlaybackResumed(at=at))
            case commands.StopPlayback():
                if audible is not None:
                    self.interrupt([audible], InterruptionCause.BARGE_IN, by=command.user_id)
                    self._feed(PlaybackStopped(user_id=command.user_id, at=at))

    async def _record(
        self, receipts: tuple[TurnInterrupted, ...], record: RecordInterruption, interruption: Interruption
    ) -> None:
        try:
            for receipt in receipts:
                await record(receipt)
        except Exception as error:  # noqa: BLE001 - the reply is silent already; what failed is told
            self._recorded.difference_update(one.event_id for one in receipts)
            self._work.failed("record interruption", error)
            interruption.settle(delivered=False)
        else:
            interruption.settle(delivered=True)
        finally:
            interruption.settle(delivered=False)

    def _refused(self, owner: str, command: Command) -> None:
        _log.warning("a command without its grant", plugin=owner, command=type(command).__name__)

    def _plugin_failed(self, stage: str, error: Exception, input_id: str | None) -> None:
        self._work.failed(stage, error, input_id)

    def _rule_failed(self, owner: str, error: Exception) -> None:
        _log.error("a rule broke and is left out", plugin=owner, exc_info=error)
        self._work.failed("rule", error)

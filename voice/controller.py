"""VoiceController: one call's conversation, from what is heard to what is submitted (VOX-10 to VOX-20).

    async with VoiceController(call_id=..., session_id=..., ears=Ears(...), clock=..., submit=...) as voice:
        voice.watch(listener)                    # every event, in order
        voice.set_room(room)                     # who is there, how to behave
        async with VoiceOutput(mouth=call, service=tts, clock=clock, tell=voice.output_told) as output:
            voice.speak_through(output)
            await voice.listen(call.heard())     # until the call ends

Rules decide (`voice/policy/`); this carries out: it begins and ends inputs, has them transcribed, pauses the
bot's voice, and hands settled turns over in the order of their ends, each exactly once. It never closes the
sound that it is given.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection
from dataclasses import dataclass
from types import TracebackType
from typing import Self

import structlog

from core.clock import Clock
from voice.audio.frames import HeardEvent, HeardFrame, SpeakerLeft, TransmissionStarted
from voice.input.heard_sound import HeardSound
from voice.input.input_work import InputWork
from voice.input.inputs import Inputs
from voice.input.judges import TurnModel, VoiceActivity, WakeWord
from voice.input.speech_input import SpeechInput, SpeechInputAttempt
from voice.input.speech_to_text import SpeechFailed, SpeechToText
from voice.input.spoken_turns import SubmitBurst
from voice.interruption import Interruption, InterruptionCause, RecordInterruption
from voice.latency import LatencyTraces
from voice.listening_clock import ListeningClock
from voice.output.output_events import OutputEvent
from voice.performing import Performer
from voice.plugins.host import PluginHost
from voice.plugins.plugin import Plugin
from voice.policy.commands import Command, Grant
from voice.policy.events import (
    ReplyEnded,
    RoomChanged,
    SpeculationEnd,
    SpeechActivity,
    TalkRequested,
    VoiceEvent,
)
from voice.policy.first_party import first_party_rules
from voice.policy.room import Room
from voice.policy.rule_engine import RuleEngine
from voice.policy.settings import TurnTakingSettings
from voice.receipts import Receipts
from voice.speaking import Mouth, Response, Speaking
from voice.submission import Speculations, SubmissionLine
from voice.turn import TurnRef

_log = structlog.stdlib.get_logger(__name__)
_REPORT_EVERY_S = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Ears:
    """What listening needs.

    Without `voice_activity` loudness stands in, without `turn_model` the text; without `wake_word` the bot is
    called by what was recognised alone.
    """

    speech_to_text: SpeechToText
    voice_activity: VoiceActivity | None = None
    turn_model: TurnModel | None = None
    wake_word: WakeWord | None = None


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
        self._tasks = asyncio.TaskGroup()
        self._submitting: asyncio.Task[None] | None = None
        self._judge_failed_at: float | None = None
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
            wake_word=ears.wake_word,
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
        self._receipts = Receipts(
            record=record_interruption,
            tasks=self._tasks,
            failed=lambda error: self._work.failed("record interruption", error),
        )
        self._performer = Performer(
            inputs=self._inputs,
            speculations=self._speculations,
            line=self._line,
            speaking=self._speaking,
            interrupt=lambda turn, cause, by: self.interrupt([turn], cause, by=by),
            feed=self._feed,
        )
        self._listening = ListeningClock(
            tasks=self._tasks,
            clock=clock,
            sound=HeardSound(
                judge=ears.voice_activity,
                deliver=self._deliver,
                feed=self._heard,
                failed=self._judge_failed,
            ),
            deadline=lambda: self._engine.deadline,
            open_inputs=lambda: self._inputs.open_count,
            tick=self._feed,
        )
        self.latency = LatencyTraces()
        """How long each part of the turns took (VOX-27)."""
        for watcher in (self.latency.told, self._inputs.told, self._performer.follow):
            self._engine.watch(watcher)

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
        return self._receipts.deliver(self._speaking.interrupt(turns, cause, by=by))

    # life

    async def __aenter__(self) -> Self:
        await self._tasks.__aenter__()
        self._submitting = self._tasks.create_task(self._line.run(), name="submissions")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._inputs.cancel_all("closed")
        self._inputs.drop_all("closed")
        self._speculations.end_all(self._now())
        self._engine.close()
        self._plugins.close()
        self._listening.close()
        if self._submitting is not None:
            self._submitting.cancel()
        await self._work.aclose()
        await self._tasks.__aexit__(kind, error, trace)

    async def listen(self, heard: AsyncIterator[HeardEvent]) -> None:
        """Listens until the sound ends, then settles and submits what was said.

        Cancelled, it leaves what was said to the end of the context, which drops it.
        """
        self.replace_audio(heard)
        await self._listening.run()
        for one in self._inputs.open:
            self._feed(SpeakerLeft(user_id=one.speaker.user_id, at=self._now()))
        self._inputs.cancel_all("call over")
        await self._work.settled()
        await self._line.empty()

    def replace_audio(self, heard: AsyncIterator[HeardEvent]) -> None:
        """Sound comes from elsewhere from now on (VOX-33): what captures is cancelled, plugins go on."""
        self._inputs.cancel_all("audio replaced")
        self._plugins.audio_replaced()
        self._listening.hear(heard)

    @property
    def unheard_dropped(self) -> int:
        """Heard events that were left out because voice activity could not follow."""
        return self._listening.dropped

    # inside

    def _now(self) -> float:
        return self._clock.monotonic()

    def _feed(self, event: VoiceEvent) -> None:
        self._engine.feed(event)

    def _carry_out(self, command: Command, at: float) -> None:
        self._performer.perform(command, at)

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

    def _refused(self, owner: str, command: Command) -> None:
        _log.warning("a command without its grant", plugin=owner, command=type(command).__name__)

    def _plugin_failed(self, stage: str, error: Exception, input_id: str | None) -> None:
        self._work.failed(stage, error, input_id)

    def _rule_failed(self, owner: str, error: Exception) -> None:
        _log.error("a rule broke and is left out", plugin=owner, exc_info=error)
        self._work.failed("rule", error)

"""A conversation in virtual time: who speaks when, through the real controller, against a scripted voice."""

import asyncio
from collections.abc import AsyncIterator, Callable, Collection, Coroutine, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tests.scripted_speech import (
    NOISE,
    ScriptedSpeechToText,
    ScriptedTurnModel,
    ScriptedVoiceActivity,
    Vocabulary,
    frame,
)
from tests.virtual_time import LoopClock
from voice.audio.frames import (
    FRAME_S,
    FRAME_TIMESTAMPS,
    HEARD_FRAME_SAMPLES,
    HeardEvent,
    HeardFrame,
    SpeakerLeft,
    TransmissionEnded,
    TransmissionStarted,
)
from voice.controller import Ears, VoiceController
from voice.input.judges import VoiceActivity, WakeWord
from voice.input.spoken_turns import SpokenBurst
from voice.interruption import TurnInterrupted
from voice.output.output_events import (
    Cause,
    Heard,
    OutputEvent,
    Purpose,
    ResponseEnded,
    ResponseInterrupted,
    SpeechBegan,
)
from voice.plugins.plugin import Plugin
from voice.policy.commands import Grant
from voice.policy.events import SpeculationEnd, VoiceEvent
from voice.policy.room import Room, VoiceMode
from voice.policy.settings import TurnTakingSettings
from voice.turn import TurnRef

TRAILING_SILENCE_S = 0.1
"""Clients send five silence frames before the transport tells that a transmission ended."""

_SENDS_THROUGH_MS = 300
_FRAME_BYTES = 2 * HEARD_FRAME_SAMPLES


class Timeline:
    """What a call hears, in order of time."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.events: list[tuple[float, HeardEvent]] = []
        self._positions: dict[int, int] = {}

    def says(
        self, user_id: int, at: float, text: str, *, word_ms: int = 240, keeps_sending_ms: int = 0
    ) -> float:
        """The words one after another; returns when the last one ends.

        "<400>" is a pause of 400 ms; from 300 ms on the client stops to send in it. `keeps_sending_ms`: an
        open microphone sends noise behind the words.
        """
        values: list[int] = []
        for word in text.split():
            if word.startswith("<"):
                pause_ms = int(word.strip("<>"))
                if pause_ms < _SENDS_THROUGH_MS:
                    values += [0] * (pause_ms // 20)
                else:
                    end = self._transmits(user_id, at, values)
                    at, values = end + FRAME_S + pause_ms / 1000, []
            else:
                values += [self.vocabulary.value_of(word)] * max(1, word_ms // 20)
        end = self._transmits(user_id, at, values + [NOISE] * (keeps_sending_ms // 20))
        return end - keeps_sending_ms / 1000

    def sounds(self, user_id: int, at: float, ms: int, *, voiced_ms: int = 0) -> float:
        """No speech; its first `voiced_ms` fool voice activity, as a cough or laughter may."""
        voiced = [self.vocabulary.value_of("")] * (voiced_ms // 20)
        return self._transmits(user_id, at, voiced + [NOISE] * ((ms - voiced_ms) // 20))

    def plays(self, user_id: int, at: float, pcm: bytes, understood: str, spoken: int) -> float:
        """Real sound (int16, 16 kHz, mono), in whose first `spoken` bytes these words are recognised.

        A little noise keeps all frames apart.
        """
        noise = np.random.default_rng((user_id, int(1_000 * at))).integers(-3, 4, len(pcm) // 2)
        whole = (np.frombuffer(pcm, "<i2") + noise).astype("<i2").tobytes()
        whole = whole[: len(whole) // _FRAME_BYTES * _FRAME_BYTES]
        self.vocabulary.learn(whole[:spoken], understood)
        frames = [whole[start : start + _FRAME_BYTES] for start in range(0, len(whole), _FRAME_BYTES)]
        return self._sends(user_id, at, frames)

    def leaves(self, user_id: int, at: float) -> None:
        """No frame of theirs follows; what would have come later is cut off."""
        self.events = [(when, one) for when, one in self.events if one.user_id != user_id or when < at]
        self.events.append((at, SpeakerLeft(user_id=user_id, at=at)))

    async def heard(self) -> AsyncIterator[HeardEvent]:
        """Each event at its time."""
        loop = asyncio.get_running_loop()
        for at, event in sorted(self.events, key=lambda one: one[0]):
            if at > loop.time():
                await asyncio.sleep(at - loop.time())
            yield event

    def _transmits(self, user_id: int, at: float, values: Iterable[int]) -> float:
        return self._sends(user_id, at, map(frame, values))

    def _sends(self, user_id: int, at: float, frames: Iterable[bytes]) -> float:
        ssrc = user_id + 100
        self.events.append((at, TransmissionStarted(user_id=user_id, ssrc=ssrc, at=at)))
        position = self._positions.get(user_id, 0)
        end = at
        for number, pcm in enumerate(frames):
            when = at + number * FRAME_S
            heard = HeardFrame(user_id=user_id, ssrc=ssrc, pcm=pcm, position=position, at=when)
            self.events.append((when, heard))
            position += FRAME_TIMESTAMPS
            end = when
        self._positions[user_id] = position
        over = end + TRAILING_SILENCE_S
        self.events.append((over, TransmissionEnded(user_id=user_id, ssrc=ssrc, at=over)))
        return end


class ScriptedResponse:
    """A reply that lasts a while; ducking stops its time."""

    def __init__(
        self, turn: TurnRef, lasts_s: float, tell: Callable[[OutputEvent], None], *, asks_s: float = 0.0
    ) -> None:
        self.turn = turn
        self.asks_from_s = lasts_s - asks_s
        self.left_s = lasts_s
        self.played_s = 0.0
        self.is_over = False
        self.is_ducked = False
        self._tell = tell
        self._changed = asyncio.Event()
        self._plays_since: float | None = None

    @property
    def heard_s(self) -> float:
        """How much of it was heard."""
        since = self._plays_since
        return self.played_s + (0.0 if since is None else asyncio.get_running_loop().time() - since)

    @property
    def asks(self) -> bool:
        """Its last `asks_s` are a question."""
        return not self.is_over and self.heard_s >= self.asks_from_s

    async def play(self) -> None:
        loop = asyncio.get_running_loop()
        self._tell(SpeechBegan(turn_id=self.turn.turn_id, purpose=Purpose.ANSWER, at=loop.time()))
        while self.left_s > 1e-6 and not self.is_over:
            began = loop.time()
            self._plays_since = None if self.is_ducked else began
            self._changed.clear()
            try:
                async with asyncio.timeout(None if self.is_ducked else self.left_s):
                    was_ducked = self.is_ducked
                    await self._changed.wait()
            except TimeoutError:
                was_ducked = False
            if not was_ducked:
                self.left_s -= loop.time() - began
                self.played_s += loop.time() - began
            self._plays_since = None
        if not self.is_over:
            self.is_over = True
            heard = Heard(text=f"{self.played_s:.2f} s")
            self._tell(ResponseEnded(turn_id=self.turn.turn_id, heard=heard, at=loop.time()))

    def duck(self, *, ducked: bool) -> None:
        self.is_ducked = ducked
        self._changed.set()

    def interrupt(self, cause: Cause) -> Heard:
        self.is_over = True
        self._changed.set()
        heard = Heard(text=f"{self.heard_s:.2f} s", interrupted=True, cause=cause)
        at = asyncio.get_running_loop().time()
        self._tell(ResponseInterrupted(turn_id=self.turn.turn_id, heard=heard, at=at))
        return heard


class ScriptedMouth:
    def __init__(self) -> None:
        self.response: ScriptedResponse | None = None

    def duck(self) -> bool:
        if self.response is None or self.response.is_over:
            return False
        self.response.duck(ducked=True)
        return True

    def resume(self) -> None:
        if self.response is not None:
            self.response.duck(ducked=False)


@dataclass
class Talk:
    """One conversation. `run` returns when all is said, settled and handed over."""

    people: dict[int, str] = field(default_factory=lambda: {1: "Ann"})
    mode: VoiceMode = VoiceMode.AUTOMATIC
    bot_names: tuple[str, ...] = ("Parley",)
    settings: TurnTakingSettings = field(default_factory=TurnTakingSettings)
    replies_after_s: float | None = None
    """The bot answers each burst that wants it after this long; None: it says nothing by itself."""
    reply_s: float = 2.0
    has_turn_model: bool = True
    speculates: bool = True
    wake_word: WakeWord | None = None
    voice_activity: VoiceActivity | None = None
    """What judges real sound; None: the scripted one."""

    def __post_init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.timeline = Timeline(self.vocabulary)
        self.stt = ScriptedSpeechToText(self.vocabulary)
        self.vad = ScriptedVoiceActivity()
        self.turn_model = ScriptedTurnModel(self.vocabulary)
        self.events: list[VoiceEvent] = []
        self.bursts: list[tuple[float, SpokenBurst]] = []
        self.receipts: list[TurnInterrupted] = []
        self.mouth = ScriptedMouth()
        self.later: list[tuple[float, Callable[[VoiceController], None]]] = []
        self.speculation_ends: dict[SpeculationEnd, int] = {}
        self._tasks: asyncio.TaskGroup
        self._names = dict(self.people)
        self.plugins: list[tuple[Plugin, Collection[Grant]]] = []
        self._count = 0
        self.reply_opened: Callable[[VoiceController, ScriptedResponse], None] = lambda voice, response: None
        self._one_at_a_time = asyncio.Lock()
        self._replying: asyncio.Task[None] | None = None

    @property
    def names(self) -> dict[int, str]:
        """Everybody who was ever there."""
        return self._names

    @property
    def voice(self) -> VoiceController:
        """While it runs."""
        return self._voice

    def at(self, when: float, act: Callable[[VoiceController], None]) -> None:
        """Does something to the controller at that time."""
        self.later.append((when, act))

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Beside the talk, from something that is done `at` a time."""
        self._tasks.create_task(work)

    def bot_speaks(self, at: float, seconds: float, *answering: int, asks_s: float = 0.0) -> None:
        """A reply that was asked for before the talk began."""
        self.at(at, lambda voice: self._begin_reply(voice, seconds, frozenset(answering), asks_s=asks_s))

    def room(self, people: dict[int, str] | None = None, mode: VoiceMode | None = None) -> Room:
        """As it is with these people; and who they are is remembered."""
        self._names.update(people or {})
        return Room(
            people=self.people if people is None else people,
            bot_names=self.bot_names,
            mode=mode or self.mode,
        )

    async def run(self, *, quiet_after_s: float = 10.0) -> "Talk":
        ears = Ears(
            speech_to_text=self.stt,
            voice_activity=self.voice_activity or self.vad,
            turn_model=self.turn_model if self.has_turn_model else None,
            wake_word=self.wake_word,
        )
        async with (
            asyncio.TaskGroup() as self._tasks,
            VoiceController(
                call_id="call",
                session_id="session",
                ears=ears,
                clock=LoopClock(),
                submit=self._submit,
                record_interruption=self.record,
                settings=self.settings,
                room=self.room(),
                speculates=self.speculates,
            ) as voice,
        ):
            self._voice = voice
            voice.watch(self.events.append)
            for plugin, grants in self.plugins:
                voice.use(plugin, grants=grants)
            voice.speak_through(self.mouth)
            acting = [self._tasks.create_task(self._act(when, act)) for when, act in self.later]
            await voice.listen(self._heard(quiet_after_s))
            for task in acting:
                await task
            self.speculation_ends = voice.speculation_ends
            self.latency = voice.latency
        return self

    async def _heard(self, quiet_after_s: float) -> AsyncIterator[HeardEvent]:
        async for event in self.timeline.heard():
            yield event
        await asyncio.sleep(quiet_after_s)

    async def _act(self, when: float, act: Callable[[VoiceController], None]) -> None:
        await asyncio.sleep(when)
        act(self._voice)

    async def _submit(self, burst: SpokenBurst) -> None:
        at = asyncio.get_running_loop().time()
        self.bursts.append((at, burst))
        if burst.answer and self.replies_after_s is not None:
            answering = frozenset(turn.user_id for turn in burst.turns if turn.addressed)
            if burst.goes_on and self._replying is not None:
                self._replying.cancel()  # as a run that begins anew
            self._replying = self._tasks.create_task(self._reply(self.replies_after_s, answering))

    async def record(self, event: TurnInterrupted) -> None:
        self.receipts.append(event)

    async def _reply(self, after_s: float, answering: frozenset[int]) -> None:
        await asyncio.sleep(after_s)
        self._begin_reply(self._voice, self.reply_s, answering)

    def _begin_reply(
        self, voice: VoiceController, seconds: float, answering: frozenset[int], *, asks_s: float = 0.0
    ) -> None:
        self._count += 1
        turn = TurnRef(session_id="session", turn_id=f"reply-{self._count}")
        response = ScriptedResponse(turn, seconds, voice.output_told, asks_s=asks_s)
        voice.response_opened(turn, response, answering=answering)
        self.reply_opened(voice, response)
        self._tasks.create_task(self._play(response))

    async def _play(self, response: ScriptedResponse) -> None:
        async with self._one_at_a_time:
            if not response.is_over:
                self.mouth.response = response
                await response.play()

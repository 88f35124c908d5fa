"""Talks in virtual time over the real orchestrator and speculation: what fails around them ends none."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Never

import pytest

from bot.speech_services import SpeechServices
from bot.voice_scenes.admissions import Admission, Admitted
from bot.voice_scenes.answering import Answering
from bot.voice_scenes.heard_line import HeardLine
from bot.voice_scenes.talk import Talk
from bot.voice_scenes.talk_parts import ChatOfTalk, TalkParts, TalkSettings
from bot.voice_scenes.voice_modes import VoiceModes
from bot.voice_scenes.voice_talks import VoiceTalks
from core.conversation.turns import InvokedSkill, Speaker
from core.orchestration.hooks import Hooks
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.runs import Runner
from core.orchestration.speculation import Speculation
from core.prompts.identity import Persona
from sessions.ambient import AmbientMessage
from sessions.bindings import Binding, ChannelBinding
from sessions.failures import StorageFailed
from sessions.in_memory import scenes_in_memory
from sessions.scene import Session
from tests.orchestration import CountedIds, KeptPlace, PlainPlanner, World, says
from tests.scripted_speech import ScriptedSpeechToText, ScriptedTurnModel, ScriptedVoiceActivity, Vocabulary
from tests.scripted_voice import Script, ScriptedTextToSpeech, SpokenLine, spoken_line
from tests.virtual_time import LoopClock, run_virtually
from tests.voice_talk import Timeline
from voice.audio.frames import HeardEvent
from voice.audio.playback_queue import Playback
from voice.calls import CallEnded, CallStatistics
from voice.interruption import TurnInterrupted
from voice.policy.room import VoiceMode

ANN = 1
GUILD, CHANNEL = 10, 20


@dataclass
class ScriptedCall:
    timeline: Timeline
    lasts_s: float = 20.0
    guild_id: int = GUILD
    channel_id: int = CHANNEL
    line: SpokenLine | None = None

    async def heard(self) -> AsyncIterator[HeardEvent]:
        async for event in self.timeline.heard():
            yield event
        await asyncio.sleep(self.lasts_s)

    def begin_playback(self) -> Playback:
        assert self.line is not None
        return self.line.begin_playback()

    def ignore(self, user_ids: Collection[int]) -> None: ...

    def listen_to(self, user_id: int, *, wanted: bool) -> None: ...

    def hear_full_band(self, *, wanted: bool) -> None: ...

    def stay_when_alone(self, *, stays: bool) -> None: ...

    def statistics(self) -> CallStatistics:
        raise NotImplementedError

    async def leave(self) -> None: ...

    async def ended(self) -> CallEnded:
        raise NotImplementedError


@dataclass
class Surroundings:
    """Everything that a talk asks; `before_opening` runs with each look for the session."""

    generation: int = 0
    opened: int = 0
    before_opening: Callable[[int], None] = lambda _count: None
    told: list[str] = field(default_factory=list[str])
    overheard: list[str] = field(default_factory=list[str])
    shows_after_s: float = 0.0
    messages: dict[str, str] = field(default_factory=dict[str, str])
    edits: int = 0
    foreseen: Admitted = Admitted.ANSWERED
    invoked: tuple[InvokedSkill, ...] = ()
    pinned: str | None = None
    mode_asked: Callable[[], None] = lambda: None

    async def open(self, binding: Binding, now: datetime) -> Session:
        self.opened += 1
        self.before_opening(self.opened)
        return Session(binding=binding, generation=self.generation, created_at=now)

    async def reset(self, session_id: str, now: datetime) -> Never:
        raise NotImplementedError

    async def direct(self, limit: int) -> tuple[Session, ...]:
        return ()

    async def close(self, session_id: str, now: datetime) -> None: ...

    async def foresee(self, place: ChannelBinding, speaker: Speaker, at: datetime) -> Admitted:
        return self.foreseen

    async def decide(self, place: ChannelBinding, speaker: Speaker, at: datetime) -> Admission:
        return Admission(admitted=self.foreseen)

    async def skills(self, session_id: str, speaker: Speaker, text: str) -> tuple[InvokedSkill, ...]:
        return self.invoked

    def heard(self, session_id: str, message: AmbientMessage) -> None:
        self.overheard.append(message.text)

    def names(self, channel_id: int) -> Mapping[int, str]:
        return {ANN: "Ann"}

    def own_name(self, channel_id: int) -> str | None:
        return None

    async def mode(self, guild_id: int, channel_id: int) -> VoiceMode:
        self.mode_asked()
        return VoiceMode.ALWAYS

    async def voice(self, guild_id: int, channel_id: int) -> str | None:
        return None

    async def language(self, guild_id: int, channel_id: int) -> str | None:
        return self.pinned

    async def bot_names(self, session_id: str) -> tuple[str, ...]:
        return ("Parley",)

    async def tell(self, channel_id: int, text: str) -> None:
        self.told.append(text)

    async def show_said(
        self, channel_id: int, name: str, text: str, *, key: str, message_id: int | None, is_last: bool
    ) -> int | None:
        await asyncio.sleep(self.shows_after_s)
        self.edits += message_id is not None
        self.messages[key] = f"{name}: {text}" if text else ""
        return list(self.messages).index(key)

    @property
    def shown(self) -> list[str]:
        """The messages that stand there, in the order in which they were posted."""
        return [message for message in self.messages.values() if message]


class NoPersonas:
    async def of(self, session_id: str) -> Persona:
        raise NotImplementedError


class TalkWorld:
    """One person, one call, and a model that says "fine"."""

    def __init__(self) -> None:
        self.vocabulary = Vocabulary()
        self.timeline = Timeline(self.vocabulary)
        self.around = Surroundings()
        self.world = World()
        self.place = KeptPlace()
        self.settings = TalkSettings()
        self.guessed = 0
        self.voice: ScriptedTextToSpeech | None = None
        self.lasts_s = 20.0

    async def run(self, act: Callable[[TalkParts], Awaitable[None]] | None = None) -> None:
        act = act or self.talk
        world, clock, new_id = self.world, LoopClock(), CountedIds()
        planner = PlainPlanner()
        speculation = Speculation(
            generation=world.generation, planner=planner, journal=world.journal, clock=clock, new_id=new_id
        )
        runner = Runner(
            generation=speculation,
            planner=speculation,
            journal=world.journal,
            hooks=world.hooks,
            clock=clock,
            new_id=new_id,
        )
        async with speculation, Orchestrator(runner) as orchestrator:
            await act(self._parts(orchestrator, speculation))
        self.guessed = speculation.counts.begun

    async def talk(self, parts: TalkParts) -> None:
        async with spoken_line() as spoken, asyncio.TaskGroup() as tasks:
            call = ScriptedCall(self.timeline, lasts_s=self.lasts_s, line=spoken)
            line = HeardLine(call.heard())
            tasks.create_task(line.fill())
            await Talk(parts, call).run(line)

    @property
    def replies(self) -> list[str]:
        return [sink.text for sink in self.place.sinks.values()]

    def _parts(self, orchestrator: Orchestrator, speculation: Speculation) -> TalkParts:
        async def nothing_to_load() -> None: ...

        services = SpeechServices(
            speech_to_text=ScriptedSpeechToText(self.vocabulary),
            text_to_speech=self.voice,
            voice_activity=ScriptedVoiceActivity(),
            turn_model=ScriptedTurnModel(self.vocabulary),
            language=None,
            hears_by="script",
            speaks_by="",
            missing=(),
            warm_up=nothing_to_load,
        )
        around = self.around
        return TalkParts(
            services=services,
            orchestrator=orchestrator,
            speculation=speculation,
            sessions=around,
            admissions=around,
            skills=around,
            overhearing=around,
            people=around,
            manners=around,
            notices=around,
            said_in=lambda _language, said: said,
            chat=self.place,
            settings=self.settings,
            clock=LoopClock(),
            new_id=CountedIds(),
        )


def test_a_store_that_fails_costs_a_guess_or_one_utterance_and_never_the_talk() -> None:
    """VOX-25: the guess is made without it, what cannot be submitted is told, the next one is answered."""
    talk = TalkWorld()
    end = talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    end = talk.timeline.says(ANN, end + 3.0, "What is the capital of Spain?")
    talk.timeline.says(ANN, end + 3.0, "What is the capital of Italy?")

    def fails(count: int) -> None:
        if count in {2, 4, 5}:  # 1: the start, 2 and 3: guess and request, 4 and 5: the second ones
            raise StorageFailed("scripted")

    talk.around.before_opening = fails
    run_virtually(talk.run())
    assert talk.replies == ["fine", "fine"]
    assert talk.around.told == ["I could not save that. Please try again in a moment."]


def test_what_was_begun_before_a_reset_is_asked_anew_after_it() -> None:
    """VOX-16, SCENE-3: an utterance that ends after the reset belongs to the new scene, and is answered."""
    talk = TalkWorld()
    talk.timeline.says(ANN, 1.0, "What is the capital of France?")

    def resets(count: int) -> None:
        if count == 3:  # the request; the guess has looked before
            talk.around.generation = 1
            talk.world.journal.generations[f"discord:channel:{CHANNEL}"] = 1

    talk.around.before_opening = resets
    run_virtually(talk.run())
    assert talk.replies == ["fine"]


def test_manners_that_cannot_be_read_change_nothing() -> None:
    """VOX-25: the talk goes on as it was."""
    talk = TalkWorld()
    talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    asked = 0

    def fails_later() -> None:
        nonlocal asked
        asked += 1
        if asked > 1:
            raise StorageFailed("scripted")

    talk.around.mode_asked = fails_later
    run_virtually(talk.run())
    assert asked > 1
    assert talk.replies == ["fine"]


def test_a_call_that_ends_late_leaves_the_next_one_its_talk() -> None:
    """VOX-7: the bot is called again before the talk of the first call has cleared up."""
    talk = TalkWorld()

    async def twice(parts: TalkParts) -> None:
        modes = VoiceModes(
            scenes_in_memory().settings,
            personas=NoPersonas(),
            wake_words=(),
            default=VoiceMode.ALWAYS,
        )
        talks = VoiceTalks(parts, modes, Hooks(lambda _event, _error: None))
        async with asyncio.TaskGroup() as tasks:
            first = tasks.create_task(talks.attend(ScriptedCall(talk.timeline)))
            await asyncio.sleep(1.0)
            second = tasks.create_task(talks.attend(ScriptedCall(talk.timeline)))
            await asyncio.sleep(1.0)
            first.cancel()
            await asyncio.wait([first])
            assert talks.control_of(GUILD) is not None
            second.cancel()
        assert talks.control_of(GUILD) is None

    run_virtually(talk.run(twice))


def test_a_chat_that_is_slow_keeps_back_no_reply() -> None:
    """VOX-26: Discord lets the bot write again in ten seconds: the transcript comes then, the answer now."""
    talk = TalkWorld()
    talk.settings = TalkSettings(chat=ChatOfTalk.ALL)
    talk.around.shows_after_s = 10.0
    end = talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    replies_in_time: list[str] = []

    async def watched(parts: TalkParts) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(talk.talk(parts))
            await asyncio.sleep(end + 2.0)
            replies_in_time.extend(talk.replies)

    run_virtually(talk.run(watched))
    assert replies_in_time == ["fine"]
    assert talk.around.shown == ["Ann: What is the capital of France?"]


def test_what_is_said_is_one_message_that_grows_with_it() -> None:
    """VOX-26: posted with the first words, edited, whole in the end; a cough leaves nothing behind."""
    talk = TalkWorld()
    talk.settings = TalkSettings(chat=ChatOfTalk.ALL)
    end = talk.timeline.says(
        ANN, 1.0, "I have a long question about the capital of France , if I may ask it ."
    )
    seen: list[list[str]] = []

    async def watched(parts: TalkParts) -> None:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(talk.talk(parts))
            await asyncio.sleep(end - 1.0)
            seen.append(talk.around.shown)
            assert talk.replies == []

    run_virtually(talk.run(watched))
    ((growing,),) = seen
    (whole,) = talk.around.shown
    assert whole.startswith(growing)
    assert len(growing) < len(whole)
    assert 1 <= talk.around.edits <= 4


def test_nothing_of_whom_a_list_leaves_out_is_shown() -> None:
    """VOX-26, TEXT-9: not for a moment."""
    talk = TalkWorld()
    talk.settings = TalkSettings(chat=ChatOfTalk.ALL)
    talk.around.foreseen = Admitted.IGNORED
    talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    run_virtually(talk.run())
    assert talk.around.messages == {}
    assert talk.replies == []


def test_words_that_invoke_something_are_not_guessed_at() -> None:
    """VOX-16: to plan their reply may begin what they ask for; nothing begins before the turn is over."""
    talk = TalkWorld()
    talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    talk.around.invoked = (InvokedSkill(name="research", text=""),)
    run_virtually(talk.run())
    assert talk.replies == ["fine"]
    assert len(talk.world.generation.requests) == 1
    assert talk.guessed == 0


def test_a_guess_is_one_request() -> None:
    """VOX-16: begun at the pause, adopted at the end."""
    talk = TalkWorld()
    talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    run_virtually(talk.run())
    assert talk.replies == ["fine"]
    assert len(talk.world.generation.requests) == 1
    assert talk.guessed == 1


def test_a_voice_that_hangs_leaves_the_answers_in_the_chat_and_the_talk_goes_on() -> None:
    """VOX-25: over the whole road: one sentence for the room, every answer as text, nobody waits for ever."""
    talk = TalkWorld()
    talk.voice = ScriptedTextToSpeech(lambda _: Script(hangs=True))
    talk.lasts_s = 60.0
    end = talk.timeline.says(ANN, 1.0, "What is the capital of France?")
    talk.timeline.says(ANN, end + 5.0, "What is the capital of Spain?")
    run_virtually(talk.run())
    assert talk.replies == ["fine", "fine"]
    assert talk.around.told == ["I cannot speak at the moment; my answer is in the chat."]


def test_an_interruption_is_recorded_once_what_was_heard_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """VOX-10, VOX-32: the receipt is durable: the run has kept the reply as far as it was heard."""
    story = "one two three four five six seven eight nine ten eleven twelve."
    talk = TalkWorld()
    talk.voice = ScriptedTextToSpeech()
    talk.world.generation.scripts.append(says(story))
    kept: list[tuple[str, str]] = []
    record = Answering.record_interruption

    async def recorded(answering: Answering, event: TurnInterrupted) -> None:
        await record(answering, event)
        (reply,) = (one.reply for one in talk.world.journal.records if one.reply_id == event.turn.turn_id)
        assert reply is not None
        kept.append((event.heard, reply.text))

    monkeypatch.setattr(Answering, "record_interruption", recorded)
    end = talk.timeline.says(ANN, 1.0, "Tell me a story.")
    talk.timeline.says(ANN, end + 2.0, "No , another one please.")
    run_virtually(talk.run())
    ((heard, remembered),) = kept
    assert remembered == heard
    assert story.startswith(heard)
    assert 0 < len(heard) < len(story)


def test_a_language_that_is_pinned_is_told_to_the_ear_and_spoken_by_the_voice() -> None:
    """VOX-19: pinned per channel; else whatever the ear recognises is spoken."""
    languages: list[list[str | None]] = []
    for pinned in ("de", None):
        talk = TalkWorld()
        talk.voice = ScriptedTextToSpeech()
        talk.around.pinned = pinned
        talk.timeline.says(ANN, 1.0, "What is the capital of France?")
        run_virtually(talk.run())
        languages.append(talk.voice.languages)
    assert languages == [["de"], ["en"]]

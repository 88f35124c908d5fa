"""Replies on the two roads of a call, in virtual time: the chat shows them, the voice says them."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from core.conversation.content import Text
from core.conversation.turns import UserTurn
from core.orchestration.hooks import Hooks
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.replies import (
    Delivered,
    Ending,
    PauseAsked,
    ReplyEnded,
    ReplyEvent,
    ReplySink,
    ReplyTextGrew,
    ToolBegan,
    ToolSettled,
)
from core.orchestration.reply_channel import ReplyChannel
from core.orchestration.runs import Runner
from core.orchestration.sends import Send
from tests.orchestration import AT, CountedIds, ListJournal, PlainPlanner, ScriptedGeneration, says
from tests.scripted_voice import Script, ScriptedTextToSpeech, SpokenLine, spoken_line
from tests.virtual_time import LoopClock, run_virtually
from voice.output.output_events import Cause, Heard
from voice.output.say_and_show_rules import SayLimits
from voice.output.two_sinks import Counts, TwoSinks
from voice.output.voice_output import VoiceOutput
from voice.output.voice_sink import SpokenReplies, SpokenReplySettings, VoiceSink


class Nowhere:
    """The place of a send that nobody opens."""

    def open_sink(self, send: Send) -> ReplySink:
        raise AssertionError


SEND = Send(session_id="1", generation=0, reply_id="r", turns=(), place=Nowhere())
COMPLETED = ReplyEnded(ending=Ending.COMPLETED)


def text(*parts: str) -> list[ReplyEvent]:
    return [ReplyTextGrew(text=part) for part in parts]


@dataclass
class Chat:
    """A chat that takes `edit_s` for each event."""

    edit_s: float = 0.0
    breaks: bool = False
    shown: list[ReplyEvent] = field(default_factory=list)
    done_at: float = 0.0
    marks: int = 0

    async def deliver(self, events: AsyncIterator[ReplyEvent]) -> Delivered:
        async for event in events:
            if self.breaks:
                raise RuntimeError("the channel is gone")
            self.shown.append(event)
            await asyncio.sleep(self.edit_s)
        self.done_at = LoopClock().monotonic()
        return Delivered(text=self.text)

    async def mark_stopped(self) -> None:
        self.marks += 1

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.shown if isinstance(event, ReplyTextGrew))

    @property
    def ending(self) -> Ending | None:
        last = self.shown[-1] if self.shown else None
        return last.ending if isinstance(last, ReplyEnded) else None


class Scene:
    """A call, and replies on their way to it."""

    def __init__(self, line: SpokenLine, output: VoiceOutput, service: ScriptedTextToSpeech) -> None:
        self.line = line
        self.output = output
        self.service = service

    def voice(self, *, limits: SayLimits | None = None) -> VoiceSink:
        return VoiceSink(
            open_response=lambda: self.output.open_response(turn_id="turn", language="en", say_limits=limits),
            clock=LoopClock(),
            acknowledgement="Let me check.",
            acknowledge_after_s=1.0,
        )

    async def sent(self, frames: int) -> None:
        while len(self.line.sound) < frames:
            await asyncio.sleep(0.001)


@asynccontextmanager
async def scene(service: ScriptedTextToSpeech | None = None) -> AsyncIterator[Scene]:
    speaker = service or ScriptedTextToSpeech()
    async with (
        spoken_line() as line,
        VoiceOutput(mouth=line, service=speaker, clock=LoopClock()) as output,
    ):
        yield Scene(line, output, speaker)


async def told(*events: ReplyEvent | float) -> AsyncIterator[ReplyEvent]:
    """Events; a number is a wait in seconds."""
    for event in events:
        if isinstance(event, float | int):
            await asyncio.sleep(event)
        else:
            yield event


def test_a_reply_is_spoken_while_it_is_written() -> None:
    """VOX-37: deliver returns with the last packet; markers of pauses keep their place."""

    async def talk() -> None:
        async with scene() as here:
            words = told(*text("One two. Th"), 2.0, *text("ree."), PauseAsked(seconds=0.5), COMPLETED)
            assert await here.voice().deliver(words) == Delivered(text="One two. Three.")
            assert here.line.sound[0].at < 0.2
            assert here.line.numbers == [1, 2]
            assert LoopClock().monotonic() >= here.line.sound[-1].at + 0.4

    run_virtually(talk())


@pytest.mark.parametrize(
    ("works_s", "said"), [(0.8, ["Here it is."]), (1.5, ["Let me check.", "Here it is."])]
)
def test_a_long_tool_is_bridged_by_a_few_words(works_s: float, said: list[str]) -> None:
    """VOX-20: after one second of a tool's work; not for a short one."""

    async def talk() -> None:
        async with scene() as here:
            tool = (ToolBegan(name="search"), works_s, ToolSettled(name="search", failed=False))
            reply = told(*tool, 0.5, *text("Here it is."), COMPLETED)
            assert await here.voice().deliver(reply) == Delivered(text="Here it is.")
            assert here.service.asked == said
            assert here.line.numbers == list(range(1, len(said) + 1))

    run_virtually(talk())


def test_words_before_a_tool_are_said_at_once_and_stand_for_the_acknowledgement() -> None:
    async def talk() -> None:
        async with scene() as here:
            reply = told(*text("Looking it up"), ToolBegan(name="search"), 3.0, *text(". Done."), COMPLETED)
            await here.voice().deliver(reply)
            assert here.service.asked[0] == "Looking it up"
            assert "Let me check." not in here.service.asked
            assert here.line.sound[0].at < 0.2

    run_virtually(talk())


def test_a_reply_that_failed_is_told() -> None:
    """VOX-25: also the ear learns of it; the words are not part of the answer."""

    async def talk() -> None:
        async with scene() as here:
            ended = ReplyEnded(ending=Ending.FAILED, advice="Please try again.")
            assert await here.voice().deliver(told(ended)) == Delivered(text="")
            assert here.service.asked == ["Please try again."]
            assert len(here.line.sound) == 45

    run_virtually(talk())


@pytest.mark.parametrize("ending", [Ending.STOPPED, Ending.SUPERSEDED, Ending.WITHDRAWN])
def test_a_reply_that_is_stopped_falls_silent_at_once(ending: Ending) -> None:
    async def talk() -> None:
        async with scene() as here:
            reply = told(*text("One two three four. Five."), 0.75, ReplyEnded(ending=ending))
            assert await here.voice().deliver(reply) == Delivered(text="One two", cut=True)
            at = LoopClock().monotonic()
            assert at == pytest.approx(0.75, abs=0.01)
            await asyncio.sleep(1)
            assert all(frame.at <= at for frame in here.line.sound)

    run_virtually(talk())


def test_a_long_answer_that_comes_at_once_is_shown_whole_and_said_in_part() -> None:
    """VOX-28: a hundred thousand characters at once are shown; the first part is said."""

    async def talk() -> None:
        async with scene() as here:
            long = "This sentence has exactly fifty letters, count it. " * 2_000
            voice = here.voice(limits=SayLimits(most_said=200))
            delivered = await voice.deliver(told(*text(long), COMPLETED))
            assert delivered == Delivered(text=long)
            assert here.service.asked[-1] == "The rest is in the chat."
            assert len(here.service.asked) == 5

    run_virtually(talk())


def test_silence_says_nothing() -> None:
    async def talk() -> None:
        async with scene() as here:
            assert await here.voice().deliver(told(ReplyEnded(ending=Ending.SILENT))) == Delivered(text="")
            assert here.line.sent == []

    run_virtually(talk())


def test_both_sinks_get_the_whole_reply_and_neither_waits_for_the_other() -> None:
    """VOX-37: a chat that takes 3 s an edit holds back no speech; the chat waits for a head start alone."""

    async def talk() -> None:
        async with scene() as here:
            slow, fast = Chat(edit_s=3.0), Chat()
            reply = [*text("One two. ", "Three."), COMPLETED]
            assert await TwoSinks(chat=slow, voice=here.voice()).deliver(told(*reply)) == Delivered(
                text="One two. Three."
            )
            assert here.line.sound[-1].at < 1.5
            assert slow.done_at >= 6.0
            begin = LoopClock().monotonic()
            await TwoSinks(chat=fast, voice=here.voice()).deliver(told(*text("Four five six."), COMPLETED))
            assert fast.done_at == pytest.approx(begin + 0.010)
            assert len(here.line.sound) == 90

    run_virtually(talk())


@pytest.mark.parametrize("counts", list(Counts))
def test_an_interruption_stops_the_chat_and_keeps_what_it_shows(counts: Counts) -> None:
    """VOX-32, VOX-37: text stays where it is, marked as stopped; the history keeps what was heard."""

    async def talk() -> None:
        async with scene() as here:
            chat, channel = Chat(), ReplyChannel()
            for event in text("One two three. Four five six. Seven"):
                await channel.put(event)
            async with asyncio.TaskGroup() as tasks:
                both = TwoSinks(chat=chat, voice=here.voice(), counts=counts)
                delivering = tasks.create_task(both.deliver(channel.events()))
                await here.sent(64)
                here.output.interrupt(Cause.BARGE_IN)
                delivered = await delivering
            assert chat.text == "One two three. Four five six. Seven"
            assert (chat.ending, chat.marks) == (Ending.STOPPED, 0)
            heard = Delivered(text="One two three. Four", cut=True)
            assert delivered == (heard if counts is Counts.HEARD else Delivered(text=chat.text))

    run_virtually(talk())


def test_an_interruption_after_the_text_was_complete_marks_what_the_chat_shows() -> None:
    """VOX-32: nothing posted is taken back; who reads it sees that it was stopped."""

    async def talk() -> None:
        async with scene() as here:
            chat = Chat()
            async with asyncio.TaskGroup() as tasks:
                both = TwoSinks(chat=chat, voice=here.voice())
                delivering = tasks.create_task(both.deliver(told(*text("One two three."), COMPLETED)))
                await here.sent(20)
                here.output.interrupt(Cause.BARGE_IN)
                assert await delivering == Delivered(text="One", cut=True)
            assert (chat.ending, chat.marks) == (Ending.COMPLETED, 1)

    run_virtually(talk())


def test_the_chat_goes_on_when_the_call_ends_or_nothing_can_be_said() -> None:
    """VOX-25, VOX-37: leaving voice never cancels a reply."""

    async def talk() -> None:
        async with scene() as here:
            reply = told(*text("One two three. "), 1.0, *text("Four."), COMPLETED)
            async with asyncio.TaskGroup() as tasks:
                delivering = tasks.create_task(TwoSinks(chat=Chat(), voice=here.voice()).deliver(reply))
                await here.sent(10)
                here.line.queue.close()
                assert await delivering == Delivered(text="One two three. Four.")
        async with scene(ScriptedTextToSpeech(lambda _: Script(fails=True))) as here:
            both = TwoSinks(chat=Chat(), voice=here.voice())
            assert await both.deliver(told(*text("One. Two."), COMPLETED)) == Delivered(text="One. Two.")
            assert await here.voice().deliver(told(*text("One."), COMPLETED)) == Delivered(text="", cut=True)

    run_virtually(talk())


def test_who_generates_learns_of_interruptions_that_end_the_reply_alone() -> None:
    """VOX-32, VOX-37: a barge-in is a signal to stop; the end of a call or of the process is none."""

    async def talk() -> None:
        for cause in Cause:
            causes: list[Cause] = []
            async with scene() as here:
                place = SpokenReplies(
                    output=here.output,
                    clock=LoopClock(),
                    language=lambda _: "en",
                    settings=SpokenReplySettings(say_limits=None),
                    interrupted=lambda _, cause, told=causes: told.append(cause),
                )
                async with asyncio.TaskGroup() as tasks:
                    sink = place.open_sink(SEND)
                    delivering = tasks.create_task(sink.deliver(told(*text("One two. Three"), 9.0)))
                    await here.sent(5)
                    here.output.interrupt(cause)
                    assert (await delivering).cut
            assert causes == ([cause] if cause in {Cause.BARGE_IN, Cause.STOPPED, Cause.SUPERSEDED} else [])

    run_virtually(talk())


@pytest.mark.parametrize("reset", [True, False])
def test_a_stop_or_a_reset_silences_what_is_said_after_the_text_was_complete(reset: bool) -> None:
    """VOX-32, VOX-37: the generation is long over; `/stop` and a reset still reach the voice."""

    async def talk() -> None:
        async with scene() as here:
            chat, journal = Chat(), ListJournal()
            both = TwoSinks(chat=chat, voice=here.voice())

            class Place:
                def open_sink(self, send: Send) -> ReplySink:
                    return both

            runner = Runner(
                generation=ScriptedGeneration(says("One two three. Four five six.")),
                planner=PlainPlanner(),
                journal=journal,
                hooks=Hooks(lambda _event, _error: None),
                clock=LoopClock(),
                new_id=CountedIds(),
            )
            async with Orchestrator(runner) as orchestrator:
                send = replace(
                    SEND, turns=(UserTurn(id="t", at=AT, content=(Text(text="Hello?"),)),), place=Place()
                )
                ticket = orchestrator.submit(send)
                await here.sent(64)
                assert chat.ending is Ending.COMPLETED
                before = LoopClock().monotonic()
                if reset:
                    orchestrator.reset("1", 1)
                else:
                    assert orchestrator.stop("1")
                await ticket.outcome()
                await here.output.quiet()
                assert LoopClock().monotonic() - before < 0.05
                assert not orchestrator.stop("1")
            (record,) = journal.records
            kept = None if record.reply is None else record.reply.text
            assert kept == (None if reset else "One two three. Four")

    run_virtually(talk())


def test_the_voice_goes_on_when_the_chat_is_gone() -> None:
    """VOX-37: and what was heard is what the history keeps; with neither, the failure is the run's."""

    async def talk() -> None:
        async with scene() as here:
            both = TwoSinks(chat=Chat(breaks=True), voice=here.voice())
            assert await both.deliver(told(*text("One two."), COMPLETED)) == Delivered(
                text="One two.", cut=True
            )
            here.line.queue.close()
            with pytest.raises(RuntimeError, match="gone"):
                await TwoSinks(chat=Chat(breaks=True), voice=here.voice()).deliver(told(COMPLETED))

    run_virtually(talk())


def test_a_chat_that_stands_still_costs_a_bounded_backlog() -> None:
    """VOX-37: twenty thousand signs and letters are one text and some hundred signs."""

    async def talk() -> None:
        class Quiet:
            async def speak(self, events: AsyncIterator[ReplyEvent]) -> Heard:
                async for _ in events:
                    pass
                return Heard(text="")

            def stop(self) -> bool:
                return False

        chat = Chat(edit_s=1.0)
        many: list[ReplyEvent] = []
        for _ in range(10_000):
            many += [ReplyTextGrew(text="a"), ToolBegan(name="x")]
        delivered = await TwoSinks(chat=chat, voice=Quiet()).deliver(told(*many, COMPLETED))
        assert delivered == Delivered(text="a" * 10_000)
        assert len(chat.shown) < 300

    run_virtually(talk())


def test_a_process_that_ends_leaves_no_speech_behind() -> None:
    async def talk() -> None:
        async with scene() as here:
            async with asyncio.TaskGroup() as tasks:
                delivering = tasks.create_task(here.voice().deliver(told(*text("One two three. Four"), 60.0)))
                await here.sent(5)
                delivering.cancel()
            assert not here.output.is_speaking
            await here.output.quiet()

    run_virtually(talk())

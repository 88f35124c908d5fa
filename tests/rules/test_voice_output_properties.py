"""Any order of writing, ducking, interrupting and failing: what people hear keeps its promises."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.scripted_voice import WORD_S, Script, ScriptedTextToSpeech, SpokenLine, spoken_line
from tests.virtual_time import LoopClock, run_virtually
from voice.audio.frames import FRAME_S
from voice.output.output_events import (
    Cause,
    OutputEvent,
    Purpose,
    ResponseEnded,
    ResponseInterrupted,
    SpeechDucked,
    SpeechResumed,
)
from voice.output.speech_stream import SpeechStream
from voice.output.voice_output import VoiceOutput
from voice.output.voice_response import VoiceResponse


@dataclass(frozen=True, slots=True)
class Talk:
    """A response: for each of its streams, segments of one word each; and what happens to it when."""

    streams: tuple[int, ...]
    ducks: tuple[tuple[float, float], ...]
    interrupted_after_s: float | None


TALKS = st.lists(
    st.builds(
        Talk,
        st.lists(st.integers(0, 4), min_size=1, max_size=3).map(tuple),
        st.lists(st.tuples(st.floats(0, 1.5), st.floats(0.01, 1.0)), max_size=2).map(tuple),
        st.none() | st.floats(0, 3),
    ),
    min_size=1,
    max_size=3,
)


_RESPONSES, _STREAMS, _SEGMENTS = "BKR", "aeu", "bgkmz"


class Stage:
    """Runs talks at random paces. Each segment is a word that names its place."""

    def __init__(self, seed: int, failing: float) -> None:
        self.chance = Random(seed)
        self.failing = failing
        self.events: list[OutputEvent] = []
        self.service = ScriptedTextToSpeech(self._script)

    def _script(self, _: str) -> Script:
        chance = self.chance
        return Script(
            first_after_s=chance.uniform(0.0, 0.4),
            speed=chance.choice([0.7, 2.0, 50.0]),
            fails=chance.random() < self.failing,
        )

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[tuple[SpokenLine, VoiceOutput]]:
        async with (
            spoken_line() as line,
            VoiceOutput(
                mouth=line, service=self.service, clock=LoopClock(), tell=self.events.append
            ) as output,
        ):
            yield line, output

    async def perform(self, number: int, talk: Talk, output: VoiceOutput) -> VoiceResponse:
        response = output.open_response(turn_id=str(number), language="en")
        streams = [response.open_speech(Purpose.ANSWER) for _ in talk.streams]
        async with asyncio.TaskGroup() as tasks:
            for place, (stream, segments) in enumerate(zip(streams, talk.streams, strict=True)):
                tasks.create_task(self._write(stream, number, place, segments))
            for at, lasts in talk.ducks:
                tasks.create_task(self._duck(response, at, lasts))
            if talk.interrupted_after_s is not None:
                tasks.create_task(self._interrupt(response, talk.interrupted_after_s))
        await response.finish()
        return response

    async def _write(self, stream: SpeechStream, number: int, place: int, segments: int) -> None:
        for segment in range(segments):
            await asyncio.sleep(self.chance.uniform(0, 0.3))
            stream.write(f"{_RESPONSES[number]}{_STREAMS[place]}{_SEGMENTS[segment]}onn. ")
        stream.end()

    async def _duck(self, response: VoiceResponse, at: float, lasts: float) -> None:
        await asyncio.sleep(at)
        response.duck()
        await asyncio.sleep(lasts)
        response.resume()

    async def _interrupt(self, response: VoiceResponse, after_s: float) -> None:
        await asyncio.sleep(after_s)
        response.interrupt(Cause.BARGE_IN)


def place_of(word: str) -> tuple[int, ...]:
    """Response, stream and segment of a word."""
    return _RESPONSES.index(word[0]), _STREAMS.index(word[1]), _SEGMENTS.index(word[2])


def heard_places(stage: Stage, line: SpokenLine) -> list[tuple[int, ...]]:
    return [place_of(stage.service.asked[number - 1]) for number in line.numbers]


@given(TALKS, st.integers(0, 2**32), st.sampled_from([0.0, 0.0, 0.3]))
@settings(max_examples=60)
def test_order_once_silence_and_position_hold_in_any_order(
    talks: list[Talk], seed: int, failing: float
) -> None:
    """VOX-10, VOX-17, VOX-32: reservation order, one response at a time, nothing after an interruption.

    While a response is ducked no frame leaves after the slot that was due. What is told as heard is what
    left. Every response ends exactly once, and no synthesis outlives it.
    """

    async def play() -> None:
        stage = Stage(seed, failing)
        async with stage.opened() as (line, output):
            performances = [stage.perform(number, talk, output) for number, talk in enumerate(talks)]
            responses = await asyncio.gather(*performances)
            await output.quiet()
            places = heard_places(stage, line)
            assert places == sorted(set(places))
            check_ends(stage, line)
            check_ducks(stage, line)
            for number, (talk, response) in enumerate(zip(talks, responses, strict=True)):
                check_heard(stage, line, number, talk, response)
            assert stage.service.running == 0

    run_virtually(play())


def check_ends(stage: Stage, line: SpokenLine) -> None:
    ends = [event for event in stage.events if isinstance(event, ResponseEnded | ResponseInterrupted)]
    assert len({event.turn_id for event in ends}) == len(ends)
    last = {event.turn_id: event for event in stage.events}
    assert [last[end.turn_id] for end in ends] == ends
    for end in ends:
        of_it = [
            frame.at
            for frame in line.sound
            if place_of(stage.service.asked[frame.number - 1])[0] == int(end.turn_id)
        ]
        assert all(at <= end.at for at in of_it)


def check_ducks(stage: Stage, line: SpokenLine) -> None:
    changes = [event for event in stage.events if isinstance(event, SpeechDucked | SpeechResumed)]
    ends = {e.turn_id: e.at for e in stage.events if isinstance(e, ResponseEnded | ResponseInterrupted)}
    for duck, after in pairwise([*changes, None]):
        if not isinstance(duck, SpeechDucked):
            continue
        until = min(after.at if after else 1e9, ends[duck.turn_id])
        own = [
            frame.at
            for frame in line.sound
            if place_of(stage.service.asked[frame.number - 1])[0] == int(duck.turn_id)
        ]
        assert not [at for at in own if duck.at + 1e-9 < at < until]


def check_heard(stage: Stage, line: SpokenLine, number: int, talk: Talk, response: VoiceResponse) -> None:
    frames = [place_of(stage.service.asked[frame.number - 1]) for frame in line.sound]
    own = [place for place in frames if place[0] == number]
    whole = {place for place in own if own.count(place) * FRAME_S >= WORD_S - 0.021}
    told = {place_of(word) for word in response.heard.text.split()}
    assert told <= {
        place for place in own if own.count(place) * FRAME_S >= WORD_S * 6 / 7 - 0.021
    }  # its full stop
    assert len(whole - told) <= (response.heard.interrupted and 1)  # its synthesis had not said that it ended
    if talk.interrupted_after_s is None and not stage.failing:
        assert len(whole) == sum(talk.streams)

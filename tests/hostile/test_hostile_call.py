"""A whole call over real sockets: the real thread, the real websocket, and a server that does as it likes."""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.fake_discord.voice import Human
from tests.flows.voice_scene import FAST, VoiceScene, voice_scene
from tests.hostile.budgets import Budget, examples, go_on
from tests.hostile.containers import sizes
from tests.hostile.mutations import EDITS, WRONG_FIELDS, Edit, WrongField, edited, wrong
from tests.rules.test_hearing import SOUND
from voice.audio.frames import HeardFrame, Origin
from voice.calls import Call
from voice.transport.gateway_messages import MalformedMessage, parse_binary, parse_text
from voice.transport.transport_crypto import AES256_GCM, PREFERRED_MODES

_WAITS = replace(FAST, connect_timeout_s=0.8, resume_timeout_s=0.3, leave_wait_s=0.05, watchdog_every_s=30.0)
_MOST_OF_A_KIND = 512
_MOST_EVENTS = 3_000
_PATIENCE_S = 20.0
"""Behind a flood on a busy machine."""
_ANY = st.integers(0, 10_000)


class Frame(NamedTuple):
    """Mallory sends: Opus changed before, the frame after it was encrypted."""

    before: list[Edit]
    after: list[Edit]
    ssrc: int
    step: int


class Datagram(NamedTuple):
    """One that came before comes again, changed."""

    which: int
    edits: list[Edit]


class Said(NamedTuple):
    """What the gateway said before, wrong in some places."""

    which: int
    edits: list[Edit]
    fields: list[WrongField]


class Garbled(NamedTuple):
    """The same, as far as it is no message any more."""

    said: Said


class SaidAgain(NamedTuple):
    """What the gateway said before, as it was."""

    which: int


class Flood(NamedTuple):
    """Many of a kind, each with another number; below 0 they are none."""

    op: int
    start: int


class Ends(NamedTuple):
    """The gateway ends the websocket; None without a word."""

    code: int | None


class Talk(NamedTuple):
    """Ada speaks."""

    frames: int


_NO_EDITS = st.just(list[Edit]())
_SAID = st.builds(Said, _ANY, EDITS, st.lists(WRONG_FIELDS, min_size=1, max_size=2))
_HARMLESS = st.one_of(
    st.builds(
        Frame,
        st.one_of(_NO_EDITS, EDITS),
        st.one_of(_NO_EDITS, EDITS),
        st.sampled_from([0, 0, 7]),
        st.integers(-2, 300),
    ),
    st.builds(Datagram, _ANY, EDITS),
    st.builds(Garbled, _SAID),
    st.builds(Talk, st.integers(1, 4)),
)
_GATEWAY = st.one_of(
    _HARMLESS,
    _SAID,
    _SAID,
    st.builds(SaidAgain, _ANY),
    st.builds(Flood, st.sampled_from([5, 11, 12, 13, 21, 99]), st.integers(-60_000, 60_000)),
    st.builds(Ends, st.sampled_from([None, 1000, 4000, 4006, 4009, 4015, 4999])),
)


class Attacked:
    """A call with Ada, who is honest, and Mallory. `datagrams` are those that were sent to the bot."""

    def __init__(self, scene: VoiceScene, call: Call, ada: Human, mallory: Human) -> None:
        self.scene, self.call, self.ada, self.mallory = scene, call, ada, mallory
        self.datagrams: list[bytes] = []
        self.said = 0
        self.ends = 0

    async def take(self, step: object) -> None:
        wire = self.scene.voice.wire(self.scene.channel)
        match step:
            case Talk(frames):
                for _ in range(frames):
                    self.talk()
                    await asyncio.sleep(0.001)
            case Frame():
                self.send(step)
            case Datagram(which, edits):
                if self.datagrams:
                    wire.datagram(edited(self.datagrams[which % len(self.datagrams)], edits))
            case SaidAgain(which):
                wire.raw(wire._log[which % len(wire._log)][1])
            case Said():
                wire.raw(self.changed(step))
            case Garbled(said):
                message = self.changed(said)
                try:
                    parse_text(message) if isinstance(message, str) else parse_binary(message)
                except MalformedMessage:
                    wire.raw(message)
            case Flood(op, start):
                for number in range(start, start + 600):
                    data = {"user_id": str(number), "ssrc": number, "audio_ssrc": number, "speaking": 1}
                    data |= {"user_ids": [str(number)], "transition_id": number, "protocol_version": 1}
                    wire.raw(json.dumps({"op": op, "d": data}))
            case Ends(code):
                self.ends += 1
                if self.ends > 3:
                    pass
                elif code is None:
                    wire.cut()
                else:
                    self.scene.voice.close(self.scene.channel, code)
        await asyncio.sleep(0)

    def changed(self, said: Said) -> str | bytes:
        log = self.scene.voice.wire(self.scene.channel)._log
        message = log[said.which % len(log)][1]
        if isinstance(message, bytes):
            return message[:3] + edited(message[3:], said.edits)
        return wrong(json.loads(message), said.fields)

    def talk(self) -> None:
        self.ada.frame(SOUND[self.said % len(SOUND)])
        self.said += 1

    def send(self, step: Frame) -> None:
        with suppress(ValueError):  # Mallory has no key now
            opus = edited(SOUND[step.step % len(SOUND)], step.before) or b"\0"
            payload = edited(self.mallory.encrypt(opus) if self.mallory.version else opus, step.after)
            self.mallory._sequence += step.step
            self.mallory.send(payload, ssrc=self.mallory.ssrc + step.ssrc)

    def heard(self) -> int:
        frames = [one for one in self.scene.frames(self.ada) if isinstance(one, HeardFrame)]
        return sum(one.origin is Origin.DECODED and one.ssrc == self.ada.ssrc for one in frames)

    async def is_ready(self) -> None:
        await self.scene.until(
            lambda: (
                self.call.statistics().connected
                and self.ada.ready
                and self.call.statistics().dave_ready
                and self.call.statistics().dave_epoch == self.ada.epoch
            ),
            _PATIENCE_S,
        )

    def holds(self) -> None:
        """Nothing was raised that nobody expected, and what may grow is bounded."""
        refused = self.call.statistics().refused
        assert not [one for one in refused if one.startswith(("receiver", "gateway message"))], refused
        assert len(refused) <= 40
        for way, size in sizes(self.call).items():
            assert size <= (_MOST_EVENTS if "events" in way or "users" in way else _MOST_OF_A_KIND), way


def receivers() -> int:
    return sum(one.name == "voice-receiver" for one in threading.enumerate())


@asynccontextmanager
async def attacked(steps: list[object], mode: str) -> AsyncIterator[Attacked]:
    """A call after these steps."""
    async with voice_scene(_WAITS) as scene:
        scene.voice.modes = [mode]
        ada, mallory = scene.human(scene.discord.ada), scene.human(scene.discord.grace)
        attack = Attacked(scene, await scene.join(), ada, mallory)
        await attack.is_ready()
        ada.announce()
        wire = scene.voice.wire(scene.channel)
        send = wire.datagram

        def keep(data: bytes) -> None:
            attack.datagrams.append(data)
            send(data)

        wire.datagram = keep
        for step in steps:
            await attack.take(step)
        yield attack


async def survives_noise(steps: list[object], mode: str) -> None:
    async with attacked(steps, mode) as attack:
        await attack.take(Talk(4))
        await attack.scene.until(lambda: attack.heard() == attack.said, _PATIENCE_S)
        attack.holds()
        assert receivers() == 1
        assert attack.call.statistics().sessions == 1
        assert attack.call.statistics().resumes == 0


async def survives_gateway(steps: list[object], mode: str) -> None:
    async with attacked(steps, mode) as attack:
        scene, call = attack.scene, attack.call
        sessions = call.statistics().sessions
        await scene.until(lambda: call.statistics().connected, _PATIENCE_S)
        attack.holds()
        scene.voice.close(scene.channel, 4006)
        await scene.until(
            lambda: call.statistics().sessions > sessions and call.statistics().connected, _PATIENCE_S
        )
        group = scene.voice.room(scene.channel).group
        group.downgrade()
        await scene.until(lambda: call.statistics().dave_version == attack.ada.version == 0, _PATIENCE_S)
        group.upgrade()
        await attack.is_ready()
        before = attack.heard()
        await attack.take(Talk(8))
        await scene.until(lambda: attack.heard() == before + 8, _PATIENCE_S)
        attack.holds()
        assert receivers() == 1


def attack_by_noise(budget: Budget, mode: str = AES256_GCM) -> None:
    @budget
    @given(steps=st.lists(_HARMLESS, min_size=20, max_size=120))
    def holds(steps: list[object]) -> None:
        asyncio.run(survives_noise(steps, mode))

    holds()


def attack_by_gateway(budget: Budget, mode: str = AES256_GCM) -> None:
    @budget
    @given(steps=st.lists(_GATEWAY, min_size=10, max_size=60))
    def holds(steps: list[object]) -> None:
        asyncio.run(survives_gateway(steps, mode))

    holds()


@pytest.mark.parametrize("mode", PREFERRED_MODES)
@pytest.mark.timeout(300)
def test_no_noise_disturbs_a_call(mode: str) -> None:
    """VOX-5: packets of a member, messages that are none: the session stays, the other one is heard whole."""
    go_on(partial(attack_by_noise, mode=mode), examples(20), 4)


@pytest.mark.parametrize("mode", PREFERRED_MODES)
@pytest.mark.timeout(300)
def test_no_gateway_breaks_a_call(mode: str) -> None:
    """VOX-5, VOX-7: whatever a voice server told, the next one is talked with, and the speaker is heard."""
    go_on(partial(attack_by_gateway, mode=mode), examples(25), 9)

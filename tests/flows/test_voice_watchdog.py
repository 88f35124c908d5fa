"""When somebody speaks and nothing is heard: noticed, named, repaired, in bounds; and hostile company."""

import asyncio
import os
import random
from dataclasses import replace

import pytest

from tests.fake_discord.voice import Human
from tests.flows.voice_scene import FAST, VoiceScene, at_16_khz, similarity, speech, voice_scene
from voice.audio.frames import SpeakerLeft
from voice.calls import Call
from voice.transport import deafness_rules
from voice.transport.heard_events import HeardEvents
from voice.transport.speaker_log import Problem, SpeakerLog


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds become a tenth."""
    monkeypatch.setattr(deafness_rules, "DEAF_AFTER_S", 0.1)


async def ready(scene: VoiceScene, human: Human) -> Call:
    call = await scene.join()
    await scene.until(lambda: human.ready and call.statistics().dave_ready)
    return call


def cause(call: Call, human: Human) -> str | None:
    return next(
        (one.deaf_because for one in call.statistics().speakers if one.user_id == human.user_id), None
    )


async def mumble(human: Human, count: int) -> None:
    """Frames that look encrypted and are not."""
    human.announce()
    for _ in range(count):
        human._sequence += 1
        human._timestamp += 960
        human.send(os.urandom(50) + b"\x0c\xfa\xfa")
        await asyncio.sleep(0.01)


async def test_a_speaker_without_a_key_is_noticed_and_a_fresh_session_hears() -> None:
    """VOX-29: the cause is named and counted, one fresh voice session, and the sound is back."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready(scene, ada)
        await mumble(ada, 20)
        await scene.until(lambda: call.statistics().sessions == 2)
        await scene.until(lambda: call.statistics().dave_ready and call.statistics().dave_epoch == ada.epoch)
        said = speech(0.3)
        await ada.speak(said)
        await scene.until(lambda: len(scene.frames(ada)) == 15)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        assert cause(call, ada) is None


async def test_repairs_are_bounded_and_the_cause_stays_visible() -> None:
    """VOX-29: whoever sends nonsense for ever costs three sessions in ten minutes, and is named."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready(scene, ada)
        for _ in range(6):
            await mumble(ada, 15)
            await asyncio.sleep(0.15)
        await scene.until(lambda: call.statistics().connected)
        assert call.statistics().sessions <= 4
        await mumble(ada, 15)
        await scene.until(lambda: cause(call, ada) == "no key")
        assert call.statistics().sessions == 4


async def test_speaking_without_packets_is_noticed() -> None:
    """VOX-29: opcode 5 and then nothing over UDP."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready(scene, ada)
        ada.announce()
        await scene.until(lambda: call.statistics().sessions == 2)


async def test_a_bot_that_a_moderator_deafened_is_not_deaf_by_a_fault() -> None:
    """VOX-29: no session is renewed while nothing is sent to it, nor for what was told meanwhile."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready(scene, ada)
        state = scene.guild.voice_states[scene.discord.bot.id]
        for deaf in (True, False):
            state.deaf = deaf
            scene.voice._dispatch_state(scene.guild, state)
            await asyncio.sleep(0.05)
            if deaf:
                ada.announce()
            await asyncio.sleep(0.3)
            assert (call.statistics().sessions, cause(call, ada)) == (1, None)
        ada.announce()
        await scene.until(lambda: call.statistics().sessions == 2)


async def test_a_word_that_is_over_before_speaking_is_told_is_no_sign() -> None:
    """VOX-29, VOX-3: heard from the packets that were kept; no fresh session is due."""
    async with voice_scene() as scene:
        scene.voice.dave = False
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await ada.speak(speech(0.16), announced=False)
        await asyncio.sleep(0.05)
        ada.announce()
        await scene.until(lambda: len(scene.frames(ada)) == 8)
        await asyncio.sleep(0.3)
        assert call.statistics().sessions == 1


def test_the_rule_by_the_clock() -> None:
    """VOX-29: what counts as deaf, moment by moment."""
    log = SpeakerLog(1)
    assert deafness_rules.deaf_because(log, 100.0) is None
    log.announced_at = 100.0
    assert deafness_rules.deaf_because(log, 100.05) is None
    assert deafness_rules.deaf_because(log, 100.2) is not None
    for number in range(10):
        log.sound_came(100.3 + number / 50)
    assert deafness_rules.deaf_because(log, 100.35) is None
    assert deafness_rules.deaf_because(log, 100.6) is not None
    log.sound_decoded(100.7)
    assert deafness_rules.deaf_because(log, 200.0) is None
    log.announced_at = 300.0
    log.last_packet_at = 200.0
    assert deafness_rules.deaf_because(log, 301.0) is Problem.NO_PACKETS
    log.last_packet_at = 299.5  # the sound was quicker than the word of it
    assert deafness_rules.deaf_because(log, 301.0) is None
    log.last_packet_at, log.last_sound_at = None, 300.01  # it came as nobody's, and was decoded as theirs
    assert deafness_rules.deaf_because(log, 301.0) is None
    assert deafness_rules.may_repair([1.0, 2.0], 3.0)
    assert not deafness_rules.may_repair([1.0, 2.0, 3.0], 4.0)
    assert deafness_rules.may_repair([1.0, 2.0, 3.0], 700.0)


async def test_hostile_datagrams_and_messages_do_not_end_the_call() -> None:
    """VOX-5: noise at both doors, then a voice: both ends live on, all is counted."""
    chance = random.Random(5)
    async with voice_scene(replace(FAST, watchdog_every_s=10.0)) as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready(scene, ada)
        wire = scene.voice.wire(scene.channel)
        for _ in range(300):
            kind = chance.randrange(3)
            noise = chance.randbytes(chance.randrange(1, 300))
            wire.datagram(noise if kind == 0 else b"\x80\x78" + noise if kind == 1 else b"\x9f\xf8" + noise)
            await asyncio.sleep(0)
        wire.datagram(bytes(60_000))
        wire.datagram(b"")
        for text in (
            "",
            "null",
            "[]",
            '{"op":4,"d":{}}',
            '{"op":2,"d":null}',
            '{"op":5,"d":{"ssrc":-1}}',
            "[" * 5_000,
        ):
            wire.raw(text)
        for _ in range(50):
            wire.raw(b"\xff\xff" + bytes([chance.choice((1, 99, 200))]) + chance.randbytes(30))
        said = speech(0.4)
        await ada.speak(said)
        await scene.until(lambda: len(scene.frames(ada)) == 20)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        refused = call.statistics().refused
        assert refused["noise"] > 50
        assert sum(count for reason, count in refused.items() if reason.startswith("gateway")) >= 7
        assert call.statistics().sessions == 1


async def test_nobody_fetching_costs_the_oldest_events_only() -> None:
    """VOX-5: a consumer that stands still: bounded memory, the newest events, all counted."""
    events = HeardEvents(capacity=50)
    said = [SpeakerLeft(user_id=number, at=0.0) for number in range(120)]
    await asyncio.to_thread(lambda: [events.put(one) for one in said])
    events.close()
    assert [one async for one in events.events()] == said[70:]
    assert events.dropped == 70

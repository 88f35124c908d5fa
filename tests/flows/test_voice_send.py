"""PCM or Opus out at the bot, decoded at the humans and compared; nothing leaves in the clear under DAVE."""

import asyncio
import time
from dataclasses import replace

import pytest

from tests.fake_discord.voice import Human
from tests.flows.voice_scene import FAST, VoiceScene, mono_48_khz, similarity, speech, voice_scene
from voice.audio.frames import OPUS_SILENCE, SENT_FRAME_BYTES
from voice.audio.opus import Encoder
from voice.audio.playback_queue import PlaybackStopped
from voice.calls import Call
from voice.transport.voice_call import VoiceCall

FRAME = SENT_FRAME_BYTES


async def ready_call(scene: VoiceScene, *humans: Human) -> Call:
    call = await scene.join()
    await scene.until(lambda: call.statistics().dave_ready and all(human.ready for human in humans))
    return call


def heard_by(human: Human, scene: VoiceScene) -> bytes:
    return bytes(human.heard.get(scene.voice.wire(scene.channel).ssrc, b""))


async def test_pcm_is_heard_by_everybody() -> None:
    """VOX-6: PCM of any length in, the same sound out at two humans; a partial last frame is padded."""
    said = speech(0.9)[: 44 * FRAME + 1_000]
    async with voice_scene() as scene:
        ada, grace = scene.human(scene.discord.ada), scene.human(scene.discord.grace)
        call = await ready_call(scene, ada, grace)
        playback = call.begin_playback()
        for start in range(0, len(said), 10_000):
            await playback.write_pcm(said[start : start + 10_000])
        playback.finish()
        await playback.played()
        assert playback.played_s == pytest.approx(0.9)
        for human in (ada, grace):
            await scene.until(lambda human=human: len(heard_by(human, scene)) == 45 * FRAME)
            assert similarity(mono_48_khz(said), mono_48_khz(heard_by(human, scene))) > 0.95
            assert human.undecryptable == 0
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: wire.speaking[-1] == 0 and len(wire.sent) == 50)
        assert wire.speaking == [0, 1, 0]
        assert [packet.payload for packet in wire.sent[-5:]] == [OPUS_SILENCE] * 5
        sequences = [packet.sequence for packet in wire.sent]
        assert sequences == list(range(sequences[0], sequences[0] + 50))
        stamps = [packet.timestamp for packet in wire.sent]
        assert stamps == list(range(stamps[0], stamps[0] + 50 * 960, 960))
        assert wire.bad_datagrams == 0
        assert call.statistics().sent_frames == 45


async def test_opus_is_passed_on_as_it_is() -> None:
    encoder = Encoder()
    said = speech(0.3)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        playback = call.begin_playback()
        for start in range(0, len(said), FRAME):
            await playback.write_opus(encoder.encode(said[start : start + FRAME]))
        playback.finish()
        await scene.until(lambda: len(heard_by(ada, scene)) == 15 * FRAME)
        assert similarity(mono_48_khz(said), mono_48_khz(heard_by(ada, scene))) > 0.95


async def test_the_greeting_waits_for_a_key_and_nothing_leaves_in_the_clear() -> None:
    """VOX-1, VOX-6: alone in a DAVE call there is nobody to encrypt for: held, then played in full."""
    said = speech(0.3)
    async with voice_scene() as scene:
        call = await scene.join()
        playback = call.begin_playback()
        await playback.write_pcm(said)
        playback.finish()
        await asyncio.sleep(0.1)
        wire = scene.voice.wire(scene.channel)
        assert wire.sent == []
        ada = scene.human(scene.discord.ada)
        await playback.played()
        await scene.until(lambda: len(heard_by(ada, scene)) == 15 * FRAME)
        assert similarity(mono_48_khz(said), mono_48_khz(heard_by(ada, scene))) > 0.95
        assert all(one.payload.endswith(b"\xfa\xfa") or one.payload == OPUS_SILENCE for one in wire.sent)


async def test_nothing_leaves_in_the_clear_when_the_last_human_goes() -> None:
    """VOX-6: a sole-member reset in the middle of speech closes the gate; the next human hears the rest."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.4))
        playback.finish()
        await scene.until(lambda: len(scene.voice.wire(scene.channel).sent) >= 5)
        scene.voice.leave(scene.channel, ada)
        await scene.until(lambda: not call.statistics().dave_ready)
        await asyncio.sleep(0.15)
        assert playback.played_s < 0.4
        grace = scene.human(scene.discord.grace)
        await playback.played()
        await scene.until(lambda: len(heard_by(grace, scene)) > 0)
        assert call.statistics().dave_recoveries == 0
        wire = scene.voice.wire(scene.channel)
        assert all(one.payload.endswith(b"\xfa\xfa") or one.payload == OPUS_SILENCE for one in wire.sent)


async def test_barge_in_stops_within_a_frame() -> None:
    """VOX-6: after a stop nothing of that speech leaves but the frame that was due, and no write gets in."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        wire = scene.voice.wire(scene.channel)
        playback = call.begin_playback()
        async with asyncio.TaskGroup() as tasks:
            writing = tasks.create_task(write_until_stopped(playback.write_pcm(speech(5))))
            await scene.until(lambda: len(wire.sent) >= 10)
            playback.stop()
            before = playback.taken
            assert await writing
        await scene.until(lambda: wire.speaking[-1] == 0)
        sound = [one for one in wire.sent if one.payload != OPUS_SILENCE]
        assert before <= len(sound) <= before + 1
        assert len(wire.sent) - len(sound) == 5
        after = call.begin_playback()
        await after.write_pcm(speech(0.1))
        after.finish()
        await after.played()


async def write_until_stopped(write: object) -> bool:
    try:
        await write  # type: ignore[misc] # a coroutine
    except PlaybackStopped:
        return True
    return False


async def test_a_pause_resumes_with_the_very_next_frame() -> None:
    said = speech(0.5)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        wire = scene.voice.wire(scene.channel)
        playback = call.begin_playback()
        await playback.write_pcm(said)
        playback.finish()
        await scene.until(lambda: len(wire.sent) >= 8)
        playback.pause()
        await scene.until(lambda: wire.speaking[-1] == 0)
        played = playback.played_s
        assert played < 0.5
        playback.resume()
        await playback.played()
        await scene.until(lambda: len(heard_by(ada, scene)) == 25 * FRAME)
        assert similarity(mono_48_khz(said), mono_48_khz(heard_by(ada, scene))) > 0.9


async def test_a_slow_producer_is_bridged_and_goes_on() -> None:
    """VOX-6: underrun: silence frames, then the next words; sequence without a hole, time without a lie."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        wire = scene.voice.wire(scene.channel)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.1))
        await scene.until(lambda: any(one.payload == OPUS_SILENCE for one in wire.sent))
        await playback.write_pcm(speech(0.1))
        playback.finish()
        await playback.played()
        await scene.until(lambda: wire.speaking[-1] == 0)
        sequences = [packet.sequence for packet in wire.sent]
        assert sequences == list(range(sequences[0], sequences[0] + len(sequences)))
        assert call.statistics().underruns == 1
        assert len([one for one in wire.sent if one.payload != OPUS_SILENCE]) == 10


async def test_who_joins_late_learns_the_bots_ssrc() -> None:
    """VOX-6: SPEAKING is told again when somebody joins, so that they can tell whose sound it is."""
    said = speech(0.8)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        playback = call.begin_playback()
        await playback.write_pcm(said[: 25 * FRAME])
        grace = scene.human(scene.discord.grace)
        await playback.write_pcm(said[25 * FRAME :])
        playback.finish()
        await playback.played()
        assert grace.told_ssrcs[scene.voice.wire(scene.channel).ssrc] == scene.discord.bot.id
        await scene.until(lambda: len(heard_by(ada, scene)) == 40 * FRAME)
        assert similarity(mono_48_khz(said), mono_48_khz(heard_by(ada, scene))) > 0.95
        assert len(heard_by(grace, scene)) > 5 * FRAME


async def test_the_way_stays_open_while_nobody_speaks() -> None:
    """VOX-29: the keepalive begins with the session."""
    async with voice_scene() as scene:
        await scene.join()
        await scene.until(lambda: scene.voice.wire(scene.channel).keepalives > 0)


async def test_a_busy_event_loop_does_not_delay_speech() -> None:
    """VOX-6: the sender's thread owns its clock; MLS or anything else on the loop does not touch it."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.5))
        playback.finish()
        await scene.until(lambda: playback.taken >= 3)
        before = playback.taken
        time.sleep(0.2)  # noqa: ASYNC251 - the loop is busy, that is the point
        assert playback.taken >= before + 8
        await playback.played()
        assert isinstance(call, VoiceCall)
        assert call._parts.channel.counts.worst_gap_s < 0.1


async def test_sender_reports_go_along_where_they_are_wanted() -> None:
    """VOX-6: RTCP beside the sound, sealed as it is: when a timestamp was, and what was sent by then."""
    async with voice_scene(replace(FAST, sender_reports=True)) as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.2))
        playback.finish()
        await playback.played()
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: len(wire.sent) == 15)
        (report,) = wire.reports
        first = wire.sent[0]
        version, kind, words, ssrc, ntp, timestamp, packets, octets = report
        assert (version, kind, words, ssrc) == (0x80, 200, 6, wire.ssrc)
        assert abs(ntp / 2**32 - 2_208_988_800 - time.time()) < 5
        assert (timestamp, packets, octets) == (first.timestamp, 1, len(first.payload))
        assert wire.bad_datagrams == 0

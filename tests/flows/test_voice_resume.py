"""A websocket that was lost is resumed (VOX-7): no sound is lost, and what was missed comes.

What the bot told it last may be lost with it, and is told again: nobody asks for it, so a group without it
would wait for ever.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.fake_discord.voice import Human
from tests.flows.voice_scene import FAST, VoiceScene, at_16_khz, heard_again, similarity, speech, voice_scene
from voice.calls import Call
from voice.transport.gateway_messages import Opcode


async def talking(scene: VoiceScene) -> tuple[Human, Call]:
    """Ada and the bot, who hears her."""
    ada = scene.human(scene.discord.ada)
    call = await scene.join()
    await heard_again(scene, ada, 1)
    return ada, call


async def alone(scene: VoiceScene) -> Call:
    """The bot, ready for whoever comes: there first, so that nobody else commits."""
    call = await scene.join()
    wire = scene.voice.wire(scene.channel)
    await scene.until(lambda: any(op == Opcode.MLS_KEY_PACKAGE for op, _ in wire.said))
    return call


async def lost_with_the_websocket(scene: VoiceScene, call: Call) -> None:
    """Once all that is to be lost was said, the websocket is lost too, and the session goes on without it."""
    await scene.until(lambda: scene.voice.loses <= {*scene.voice.lost} and call.statistics().connected)
    scene.voice.cut(scene.channel)
    scene.voice.loses.clear()
    await scene.until(lambda: call.statistics().resumes == 1)


@pytest.mark.parametrize("loss", ["4015", "cut", "1001", "zombie"])
async def test_a_lost_websocket_is_resumed_without_losing_sound(loss: str) -> None:
    """VOX-7: 4015, a TCP reset, a restart, a gateway that answers no heartbeat.

    RESUME, not one frame lost.
    """
    said = speech(2)
    async with voice_scene() as scene:
        if loss == "zombie":
            scene.voice.heartbeat_interval_ms = 100
        ada, call = await talking(scene)
        before = len(scene.frames(ada))

        def lose(number: int) -> None:
            if number == 30:
                if loss == "cut":
                    scene.voice.cut(scene.channel)
                elif loss == "zombie":
                    scene.voice.acknowledges_heartbeats = False
                else:
                    scene.voice.close(scene.channel, int(loss))

        await ada.speak(said, before=lose)
        await scene.until(lambda: call.statistics().resumes == 1 and scene.voice.resumes)
        scene.voice.acknowledges_heartbeats = True
        await scene.until(lambda: len(scene.frames(ada)) == before + 100)
        assert similarity(at_16_khz(said), scene.pcm(ada)[before * 640 :]) > 0.95
        assert call.statistics().sessions == 1
        assert scene.voice.resumes[0]["seq_ack"] > 0
        await heard_again(scene, ada, 3)


async def test_what_was_missed_during_a_resume_comes_after_it() -> None:
    """VOX-7, VOX-2: an epoch changes while the websocket is away; its messages are repeated."""
    async with voice_scene() as scene:
        ada, call = await talking(scene)
        scene.voice.cut(scene.channel)
        grace = scene.human(scene.discord.grace)
        await scene.until(lambda: call.statistics().resumes == 1)
        await heard_again(scene, grace, 2)
        await heard_again(scene, ada, 3)
        assert call.statistics().sessions == 1


async def test_a_refused_resume_becomes_a_new_session() -> None:
    async with voice_scene() as scene:
        ada, call = await talking(scene)
        scene.voice.refuses_resumes = True
        scene.voice.cut(scene.channel)
        await scene.until(lambda: call.statistics().sessions == 2)
        await heard_again(scene, ada, 2)


async def test_an_unanswered_resume_becomes_a_new_session() -> None:
    """VOX-7: silence is an answer after a while, for RESUME and for IDENTIFY."""
    settings = replace(FAST, connect_timeout_s=0.3, resume_timeout_s=0.2)
    async with voice_scene(settings) as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        scene.voice.answers_identify = False
        scene.voice.close(scene.channel, 4006)
        await scene.until(lambda: len(scene.voice.identifies) >= 3)
        scene.voice.answers_identify = True
        await heard_again(scene, ada, 2)
        assert call.statistics().connected


async def test_the_key_package_is_told_again() -> None:
    """VOX-2: lost as the bot comes into a channel that is already talking."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        scene.voice.loses = {Opcode.MLS_KEY_PACKAGE}
        call = await scene.join()
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 1)
        assert call.statistics().sessions == 1


async def test_the_commit_is_told_again() -> None:
    """VOX-2: of whoever joins a bot that was alone."""
    async with voice_scene() as scene:
        call = await alone(scene)
        scene.voice.loses = {Opcode.MLS_COMMIT_WELCOME}
        ada = scene.human(scene.discord.ada)
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 1)
        assert call.statistics().sessions == 1


async def test_that_it_is_ready_is_told_again() -> None:
    """VOX-2: the whole call waits for the slowest before a transition is executed."""
    async with voice_scene() as scene:
        _, call = await talking(scene)
        group = scene.voice.room(scene.channel).group
        executed = len(group.executed)
        scene.voice.loses = {Opcode.DAVE_TRANSITION_READY}
        grace = scene.human(scene.discord.grace)
        await scene.until(lambda: scene.voice.lost)
        assert len(group.executed) == executed
        await lost_with_the_websocket(scene, call)
        await scene.until(lambda: len(group.executed) > executed)
        await heard_again(scene, grace, 2)
        assert call.statistics().sessions == 1


async def test_that_a_commit_was_invalid_is_told_again() -> None:
    """VOX-2: with the key package that lets the bot back in."""
    async with voice_scene() as scene:
        ada, call = await talking(scene)
        scene.voice.loses = {Opcode.MLS_INVALID_COMMIT_WELCOME, Opcode.MLS_KEY_PACKAGE}
        scene.voice.wire(scene.channel).binary(Opcode.MLS_ANNOUNCE_COMMIT, b"\0\1" + bytes(50))
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 2)
        assert call.statistics().sessions == 1


async def test_a_round_that_was_given_up_leaves_nothing_in_the_next() -> None:
    """VOX-2: told again that a commit was invalid, the gateway founds the group anew, with somebody else."""
    async with voice_scene() as scene:
        call = await alone(scene)
        lost = {Opcode.MLS_INVALID_COMMIT_WELCOME, Opcode.MLS_KEY_PACKAGE, Opcode.MLS_COMMIT_WELCOME}
        scene.voice.loses = {*lost}
        scene.voice.wire(scene.channel).binary(Opcode.MLS_ANNOUNCE_COMMIT, b"\0\1" + bytes(50))
        await scene.until(lambda: Opcode.MLS_KEY_PACKAGE in scene.voice.lost)
        ada = scene.human(scene.discord.ada)
        await scene.until(lambda: Opcode.MLS_COMMIT_WELCOME in scene.voice.lost)
        scene.voice.leave(scene.channel, ada)
        grace = scene.human(scene.discord.grace)
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, grace, 1)
        assert call.statistics().sessions == 1


async def test_a_downgrade_while_the_websocket_is_away_stays() -> None:
    """VOX-2: READY for the group that it ended is told no more: its transition would come after."""
    async with voice_scene() as scene:
        ada, call = await talking(scene)
        group = scene.voice.room(scene.channel).group
        scene.voice.loses = {Opcode.DAVE_TRANSITION_READY}
        scene.human(scene.discord.grace)
        await scene.until(lambda: scene.voice.lost)
        scene.voice.cut(scene.channel)
        scene.voice.loses.clear()
        group.downgrade()
        await scene.until(lambda: call.statistics().resumes == 1 and group.executed)
        await scene.until(lambda: call.statistics().dave_version == 0)
        await heard_again(scene, ada, 2)
        assert call.statistics().dave_version == 0
        assert call.statistics().sessions == 1


async def test_what_was_answered_is_not_told_again() -> None:
    """VOX-2: a second key package would have the bot leave and join the group."""
    async with voice_scene() as scene:
        ada, call = await talking(scene)
        wire = scene.voice.wire(scene.channel)
        told = len(wire.said)
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 2)
        assert {op for op, _ in wire.said[told:]} == {Opcode.SPEAKING}
        assert call.statistics().sessions == 1


async def test_speaking_is_told_again_after_a_resume() -> None:
    """VOX-6: else nobody knows whose sound it is."""
    async with voice_scene() as scene:
        _, call = await talking(scene)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.4))
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: wire.speaking[-1] == 1)
        told = len(wire.speaking)
        scene.voice.cut(scene.channel)
        await scene.until(lambda: len(wire.speaking) > told)
        assert wire.speaking[told] == 1
        playback.stop()

"""What the bot told a websocket that was lost may be lost with it: it is told again after the RESUME (VOX-7).

Nobody asks for any of it again, so a group without it would wait for ever.
"""

from __future__ import annotations

from tests.flows.test_voice_life_cycle import heard_again
from tests.flows.voice_scene import VoiceScene, speech, voice_scene
from voice.calls import Call
from voice.transport.gateway_messages import Opcode


async def lost_with_the_websocket(scene: VoiceScene, call: Call) -> None:
    """Once all that is to be lost was said, the websocket is lost too, and the session goes on without it."""
    await scene.until(lambda: scene.voice.loses <= {*scene.voice.lost} and call.statistics().connected)
    scene.voice.cut(scene.channel)
    scene.voice.loses.clear()
    await scene.until(lambda: call.statistics().resumes == 1)


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
    """VOX-2: the bot was there first, so that nobody else commits whoever joins."""
    async with voice_scene() as scene:
        call = await scene.join()
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: any(op == Opcode.MLS_KEY_PACKAGE for op, _ in wire.said))
        scene.voice.loses = {Opcode.MLS_COMMIT_WELCOME}
        ada = scene.human(scene.discord.ada)
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 1)
        assert call.statistics().sessions == 1


async def test_that_it_is_ready_is_told_again() -> None:
    """VOX-2: the whole call waits for the slowest before a transition is executed."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
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
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        scene.voice.loses = {Opcode.MLS_INVALID_COMMIT_WELCOME, Opcode.MLS_KEY_PACKAGE}
        scene.voice.wire(scene.channel).binary(Opcode.MLS_ANNOUNCE_COMMIT, b"\0\1" + bytes(50))
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 2)
        assert call.statistics().sessions == 1


async def test_a_round_that_was_given_up_leaves_nothing_in_the_next() -> None:
    """VOX-2: told again that a commit was invalid, the gateway founds the group anew, with somebody else."""
    async with voice_scene() as scene:
        call = await scene.join()
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: any(op == Opcode.MLS_KEY_PACKAGE for op, _ in wire.said))
        lost = {Opcode.MLS_INVALID_COMMIT_WELCOME, Opcode.MLS_KEY_PACKAGE, Opcode.MLS_COMMIT_WELCOME}
        scene.voice.loses = {*lost}
        wire.binary(Opcode.MLS_ANNOUNCE_COMMIT, b"\0\1" + bytes(50))
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
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
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
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        wire = scene.voice.wire(scene.channel)
        told = len(wire.said)
        await lost_with_the_websocket(scene, call)
        await heard_again(scene, ada, 2)
        assert {op for op, _ in wire.said[told:]} == {Opcode.SPEAKING}
        assert call.statistics().sessions == 1


async def test_speaking_is_told_again_after_a_resume() -> None:
    """VOX-6: else nobody knows whose sound it is."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.4))
        wire = scene.voice.wire(scene.channel)
        await scene.until(lambda: wire.speaking[-1] == 1)
        told = len(wire.speaking)
        scene.voice.cut(scene.channel)
        await scene.until(lambda: len(wire.speaking) > told)
        assert wire.speaking[told] == 1
        playback.stop()

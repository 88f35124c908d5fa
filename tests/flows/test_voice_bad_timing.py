"""What comes too late, in the other order, or again and again: the call is where Discord put it, or over."""

import asyncio
from contextlib import suppress
from dataclasses import replace

import pytest

from tests.fake_discord.voice import Human
from tests.flows.voice_scene import FAST, ended, heard_again, speech, voice_scene
from voice.audio.frames import OPUS_SILENCE
from voice.calls import CannotJoin, EndReason


async def test_a_move_whose_voice_state_comes_last() -> None:
    """VOX-7, VOX-2: the server is told before the channel: the key package goes to the new one's group."""
    async with voice_scene() as scene:
        call = await scene.join()
        former = scene.voice.wire(scene.channel)
        scene.voice.tell_server(scene.guild, scene.other)
        await scene.until(lambda: call.statistics().sessions == 2 and call.statistics().connected)
        scene.voice._bot_state(scene.guild, scene.other)
        scene.voice._drop(former, 4014)
        await scene.until(lambda: call.channel_id == scene.other.id)
        grace = scene.human(scene.discord.grace, scene.other)
        await heard_again(scene, grace, 1)
        assert call.statistics().sessions == 2


async def test_two_moves_at_once() -> None:
    """VOX-7: moved on before the first move was followed: the bot is in the last channel."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        scene.voice.move_bot(scene.guild, scene.other)
        scene.voice.move_bot(scene.guild, scene.channel)
        await scene.until(lambda: call.statistics().sessions >= 2)
        await heard_again(scene, ada, 1)
        assert call.channel_id == scene.channel.id


@pytest.mark.parametrize("code", [4006, 4014])
async def test_a_new_session_of_the_main_gateway(code: int) -> None:
    """VOX-7: discord.py forgets its voice clients then; the call asks anew and hears of its server again."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        began = len(scene.discord.recorder.events("READY"))
        scene.discord.gateway.invalidate()
        await scene.until(lambda: len(scene.discord.recorder.events("READY")) > began, 10.0)
        scene.voice.close(scene.channel, code)
        await scene.until(lambda: call.statistics().sessions == 2)
        await heard_again(scene, ada, 2)
        scene.voice.kick_bot(scene.guild)
        assert await ended(call) is EndReason.DISCONNECTED


async def test_kicked_while_it_connects() -> None:
    """VOX-7: who called it is told so, and it does not come again."""
    async with voice_scene() as scene:
        scene.voice.answers_identify = False

        async def kick() -> None:
            await scene.until(lambda: scene.voice.identifies)
            scene.voice._bot_state(scene.guild, None)

        scene.tasks.create_task(kick())
        with pytest.raises(CannotJoin) as refused:
            await scene.join()
        assert refused.value.ended is not None
        assert refused.value.ended.reason is EndReason.DISCONNECTED
        assert len(scene.voice.identifies) == 1
        assert scene.discord.bot.id not in scene.guild.voice_states


async def test_kicked_while_it_waits_to_try_again() -> None:
    """VOX-7: a kick ends the call also while there is no voice session, and at once."""
    async with voice_scene(replace(FAST, backoff_factor=2.0)) as scene:
        call = await scene.join()
        scene.voice.refuses_with = [4006]
        scene.voice.close(scene.channel, 4006)
        await scene.until(lambda: not scene.voice.refuses_with and not call.statistics().connected)
        await asyncio.sleep(0.05)
        scene.voice.kick_bot(scene.guild)
        assert await ended(call, 0.5) is EndReason.DISCONNECTED
        assert scene.discord.bot.id not in scene.guild.voice_states


async def test_kicked_while_it_joins_anew() -> None:
    """VOX-7: it left by itself to be told a server, and came back; who sends it out then means it."""
    async with voice_scene() as scene:
        call = await scene.join()
        scene.voice.tells_server = False
        said = len(scene.discord.recorder.events("VOICE_STATE_UPDATE"))
        scene.voice.close(scene.channel, 4006)
        await scene.until(lambda: len(scene.discord.recorder.events("VOICE_STATE_UPDATE")) == said + 3)
        scene.voice._bot_state(scene.guild, None)
        assert await ended(call, 0.5) is EndReason.DISCONNECTED
        assert scene.discord.bot.id not in scene.guild.voice_states


async def test_kicked_in_the_moment_in_which_it_is_called_elsewhere() -> None:
    """VOX-7, VOX-9: the kick counts; who called it is told so, and it listens nowhere."""
    async with voice_scene() as scene:
        call = await scene.join()

        async def kick() -> None:
            scene.voice._bot_state(scene.guild, None)
            scene.voice._bot_channels.clear()

        scene.tasks.create_task(kick())
        with pytest.raises(CannotJoin):
            await scene.calls.join(scene.guild.id, scene.other.id)
        assert await ended(call) is EndReason.DISCONNECTED
        await scene.until(lambda: scene.discord.bot.id not in scene.guild.voice_states)
        await scene.join(scene.other)
        await heard_again(scene, scene.human(scene.discord.ada, scene.other), 1)


async def test_another_server_while_it_waits_to_try_again() -> None:
    """VOX-7: the new server is tried at once, and the session of the old one is not resumed."""
    async with voice_scene(replace(FAST, backoff_factor=4.0)) as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        scene.voice.cut(scene.channel)
        await scene.until(lambda: len(scene.voice.resumes) == 1)
        await heard_again(scene, ada, 2)
        scene.voice.cut(scene.channel)
        await asyncio.sleep(0.1)
        scene.voice.change_server(scene.guild)
        await scene.until(lambda: call.statistics().sessions == 2, 1.0)
        scene.voice.refuses_with = [4006]
        await heard_again(scene, ada, 3)
        scene.voice.close(scene.channel, 4009)
        await scene.until(lambda: not scene.voice.refuses_with)
        await asyncio.sleep(0.1)
        scene.voice.change_server(scene.guild)
        await scene.until(lambda: call.statistics().sessions == 4, 1.0)
        await heard_again(scene, ada, 4)
        assert call.statistics().resumes == 1


async def test_a_server_that_ends_every_session_at_once() -> None:
    """VOX-7: a session that ends as soon as it is ready is a failure, too: backoff, then the end."""
    async with voice_scene(replace(FAST, backoff_factor=0.0)) as scene:
        call = await scene.join()

        async def refuse() -> None:
            for number in range(1, 100):
                await scene.until(
                    lambda number=number: call.statistics().sessions == number and call.statistics().connected
                )
                scene.voice.close(scene.channel, 4006)

        refusing = scene.tasks.create_task(refuse())
        assert await ended(call) is EndReason.UNREACHABLE
        refusing.cancel()


async def test_losses_that_lie_far_apart_are_each_resumed() -> None:
    """VOX-7: a session that stood for a while may be resumed as often as at first."""
    async with voice_scene(replace(FAST, settled_after_s=0.05)) as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        for number in range(1, 5):
            await heard_again(scene, ada, number)
            await asyncio.sleep(0.1)
            scene.voice.cut(scene.channel)
            await scene.until(lambda number=number: len(scene.voice.resumes) == number)
        assert call.statistics().sessions == 1


async def test_what_was_resumed_on_another_server_does_not_count() -> None:
    """VOX-7: a session on a new server is resumed when it is lost, as often as any."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        for number in (1, 2):
            await heard_again(scene, ada, number)
            scene.voice.cut(scene.channel)
            await scene.until(lambda number=number: len(scene.voice.resumes) == number)
        await heard_again(scene, ada, 3)
        scene.voice.change_server(scene.guild)
        await scene.until(lambda: call.statistics().sessions == 2)
        await heard_again(scene, ada, 4)
        scene.voice.cut(scene.channel)
        await scene.until(lambda: len(scene.voice.resumes) == 3)
        await heard_again(scene, ada, 5)
        assert call.statistics().sessions == 2


async def test_a_move_that_discord_does_not_make(monkeypatch: pytest.MonkeyPatch) -> None:
    """VOX-7: who asked is told so, and the call goes on where it is."""
    async with voice_scene(replace(FAST, connect_timeout_s=0.2)) as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        monkeypatch.setattr(scene.discord.gateway, "_change_voice_state", lambda *_: None)
        with pytest.raises(CannotJoin):
            await scene.calls.join(scene.guild.id, scene.other.id)
        monkeypatch.undo()
        assert call.channel_id == scene.channel.id
        await heard_again(scene, ada, 1)


async def test_left_before_discord_answered() -> None:
    """VOX-7: the answer comes after all, and no bot is left behind in the channel."""
    async with voice_scene() as scene:

        async def join() -> None:
            with suppress(CannotJoin):
                await scene.join()

        joining = scene.tasks.create_task(join())
        while (call := scene.calls.call_in(scene.guild.id)) is None:
            await asyncio.sleep(0)
        await asyncio.sleep(0)
        await call.leave()
        await joining
        await scene.until(lambda: scene.discord.recorder.events("VOICE_STATE_UPDATE"))
        await scene.until(lambda: scene.discord.bot.id not in scene.guild.voice_states)


async def test_a_bot_that_the_main_gateway_tells_of_late() -> None:
    """VOX-3: the voice gateway is quicker: heard as somebody at first, and ignored as soon as it is known."""
    async with voice_scene() as scene:
        robot = scene.discord.world.add_user("robot", bot=True)
        scene.discord.world.add_member(scene.guild, robot)
        call = await scene.join()
        other = Human(robot.id, scene.voice.room(scene.channel))
        other.enter()
        await heard_again(scene, other, 1)
        scene.voice._tell_voice_state(scene.channel, robot, "session")
        await scene.until(lambda: scene.calls._client.get_user(robot.id))
        await asyncio.sleep(2 * FAST.watchdog_every_s)
        before = len(scene.frames(robot))
        await other.speak(speech(0.2))
        ada = scene.human(scene.discord.ada)
        await scene.until(lambda: ada.ready and ada.epoch == call.statistics().dave_epoch)
        await ada.speak(speech(0.2))
        await scene.until(lambda: len(scene.frames(ada)) == 10)
        assert len(scene.frames(robot)) == before


async def test_speech_waits_for_the_next_server() -> None:
    """VOX-6, VOX-7: while there is no session nothing is said into the void; what was counted is kept."""
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await scene.join()
        await heard_again(scene, ada, 1)
        scene.voice.wire(scene.channel).binary(29, b"\0\1nonsense")
        await scene.until(lambda: call.statistics().dave_recoveries == 1)
        await heard_again(scene, ada, 2)
        former = scene.voice.wire(scene.channel)
        playback = call.begin_playback()
        await playback.write_pcm(speech(0.5))
        playback.finish()
        await scene.until(lambda: len(former.sent) >= 5)
        scene.voice.answers_discovery = False
        scene.voice.change_server(scene.guild)
        await scene.until(lambda: scene.voice.wire(scene.channel) is not former)
        await asyncio.sleep(0.1)
        scene.voice.answers_discovery = True
        await playback.played()
        await scene.until(lambda: scene.voice.wire(scene.channel).sent)
        wires = (former, scene.voice.wire(scene.channel))
        said = [one for wire in wires for one in wire.sent if one.payload != OPUS_SILENCE]
        assert len(said) >= 24  # one may have been on its way
        assert call.statistics().dave_recoveries == 1

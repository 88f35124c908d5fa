"""Voices that nobody here wrote: Discord's own libdave in C++, and @discordjs/voice in Node 22."""

import asyncio

from tests.fake_discord.voice.libdave_human import LibdaveHuman
from tests.flows.voice_scene import at_16_khz, mono_48_khz, similarity, speech, voice_scene
from voice.transport.voice_call import VoiceCall


async def test_libdave_is_heard_and_hears() -> None:
    """VOX-1: a member with Discord's own DAVE library, and one with davey, through an epoch change."""
    said, answer = speech(0.6, seed=3), speech(0.6, seed=4)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada, kind=LibdaveHuman)
        call = await scene.join()
        await scene.until(lambda: ada.ready and call.statistics().dave_ready)
        await ada.speak(said)
        await scene.until(lambda: len(scene.frames(ada)) == 30)
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95
        grace = scene.human(scene.discord.grace)
        await scene.until(lambda: grace.ready and call.statistics().dave_epoch == 2)
        await grace.speak(answer)
        await ada.speak(answer)
        await scene.until(lambda: len(scene.frames(grace)) == 30 and len(scene.frames(ada)) == 60)
        playback = call.begin_playback()
        await playback.write_pcm(answer)
        playback.finish()
        await playback.played()
        ssrc = scene.voice.wire(scene.channel).ssrc
        for human in (ada, grace):
            await scene.until(lambda human=human: len(human.heard.get(ssrc, b"")) == 30 * 3_840)
            assert similarity(mono_48_khz(answer), mono_48_khz(bytes(human.heard[ssrc]))) > 0.95
        assert ada.failures == [] if isinstance(ada, LibdaveHuman) else True


async def test_libdave_joins_the_bots_group_and_leaves_it() -> None:
    """VOX-2: the bot founds the group and adds libdave; then libdave commits the bot's rejoin."""
    async with voice_scene() as scene:
        call = await scene.join()
        ada = scene.human(scene.discord.ada, kind=LibdaveHuman)
        await scene.until(lambda: ada.ready and call.statistics().dave_ready)
        await ada.speak(speech(0.3))
        await scene.until(lambda: len(scene.frames(ada)) == 15)
        scene.voice.close(scene.channel, 4006)
        await scene.until(lambda: call.statistics().sessions == 2)
        await scene.until(lambda: call.statistics().dave_ready and scene.voice.room(scene.channel).group.epoch)
        await asyncio.sleep(0.1)
        await ada.speak(speech(0.3))
        await scene.until(lambda: len(scene.frames(ada)) == 30)
        assert isinstance(call, VoiceCall)

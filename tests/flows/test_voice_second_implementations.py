"""Voices that nobody here wrote: Discord's own libdave in C++, and @discordjs/voice in Node 22."""

import asyncio
from pathlib import Path

import pytest

from tests.fake_discord.voice.libdave_human import LibdaveHuman
from tests.flows import discordjs
from tests.flows.voice_scene import at_16_khz, mono_48_khz, similarity, speech, voice_scene
from voice.audio.opus import Decoder, Encoder
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
        await scene.until(
            lambda: call.statistics().dave_ready and scene.voice.room(scene.channel).group.epoch
        )
        await asyncio.sleep(0.1)
        await ada.speak(speech(0.3))
        await scene.until(lambda: len(scene.frames(ada)) == 30)
        assert isinstance(call, VoiceCall)


@pytest.mark.skipif(discordjs.missing() is not None, reason=str(discordjs.missing()))
async def test_discordjs_is_heard_and_hears(tmp_path: Path) -> None:
    """VOX-1: @discordjs/voice over its own sockets: its voice at the bot, the bot's voice at it."""
    said, answer = speech(0.8, seed=5), speech(0.8, seed=6)
    authority = tmp_path / "authority.pem"
    async with voice_scene() as scene:
        authority.write_text(scene.voice.authority_pem)
        grace, bot = scene.discord.grace, scene.discord.bot
        call = await scene.join()
        async with discordjs.participant(
            scene.voice, scene.channel, grace, listen=[bot.id], authority=authority
        ) as other:
            await scene.until(lambda: call.statistics().dave_ready, 10.0)
            await other.say(packets_of(said))
            await scene.until(lambda: len(scene.frames(grace)) >= 40, 15.0)
            assert similarity(at_16_khz(said), scene.pcm(grace)) > 0.95
            playback = call.begin_playback()
            await playback.write_pcm(answer)
            playback.finish()
            await playback.played()
            await scene.until(lambda: len(other.heard.get(bot.id, [])) >= 40, 10.0)
            decoder = Decoder(rate_hz=48_000, channels=2)
            heard = b"".join(decoder.decode(opus) for opus in other.heard[bot.id])
            assert similarity(mono_48_khz(answer), mono_48_khz(heard)) > 0.95
            assert other.errors == []
            ada = scene.human(scene.discord.ada)  # a third member: every side changes its epoch
            await scene.until(lambda: ada.ready and call.statistics().dave_epoch == 2)
            await other.say(packets_of(said))
            await ada.speak(said)
            await scene.until(lambda: len(scene.frames(ada)) == 40 and len(scene.frames(grace)) >= 80, 15.0)


def packets_of(pcm: bytes) -> list[bytes]:
    encoder = Encoder()
    return [encoder.encode(pcm[start : start + 3_840]) for start in range(0, len(pcm), 3_840)]

from tests.flows.voice_scene import at_16_khz, similarity, speech, voice_scene


async def test_one_speaker_is_heard() -> None:
    """VOX-1: WAV in at a human, PCM out at the bot, under DAVE."""
    said = speech(2)
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        await scene.join()
        await scene.until(lambda: ada.ready)
        await ada.speak(said)
        await scene.until(lambda: len(scene.frames(ada)) >= 100)
        print(similarity(at_16_khz(said), scene.pcm(ada)))
        print(scene.calls.call_in(scene.guild.id).statistics())
        assert similarity(at_16_khz(said), scene.pcm(ada)) > 0.95

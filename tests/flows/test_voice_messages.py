"""TEXT-4: what is said in a voice message reaches the model, by the service that hears calls."""

import asyncio
from pathlib import Path

import numpy as np

from bot.wiring.discord_bot import running_discord
from tests.fake_discord import MessageFlag
from tests.fake_models import Answer
from tests.flows.scripted_services import Recogniser, speech_of
from tests.flows.text_room import TextRoom
from voice.audio.opus_file import OpusFile
from voice.audio.sound_file import sound_of
from voice.input.speech_to_text import SpeechFailed

_RATE = 16_000


def recorded(folder: Path, *, seconds: int) -> bytes:
    """A tone in Ogg with Opus, as Discord's clients record."""
    path = folder / "voice-message.ogg"
    tone = (8_000 * np.sin(np.arange(seconds * 48_000) * 0.07)).astype("<i2")
    file = OpusFile(path)
    file.write(tone.tobytes())
    file.close()
    return path.read_bytes()


def say(room: TextRoom, content: bytes, *, name: str = "voice-message.ogg", voice: bool = True) -> None:
    direct = room.discord.world.dm(room.ada)
    details = {"duration_s": 2.0, "content_type": "audio/ogg"} if voice else {}
    file = room.discord.humans.attach(direct, name, content, **details)
    flags = MessageFlag.VOICE_MESSAGE if voice else 0
    room.discord.humans.say(direct, room.ada, "", attachments=[file], flags=flags)


def test_sound_comes_out_of_a_file_as_it_is_heard(tmp_path: Path) -> None:
    """TEXT-4: 16 kHz, mono, int16; cut at the bound."""
    content = recorded(tmp_path, seconds=2)
    pcm = np.frombuffer(sound_of(content, most_s=60), "<i2")
    assert abs(len(pcm) - 2 * _RATE) < _RATE // 10
    assert np.abs(pcm[_RATE // 2 :]).max() > 4_000
    assert len(sound_of(content, most_s=0.5)) == _RATE


async def test_a_voice_message_is_transcribed(room: TextRoom, tmp_path: Path) -> None:
    """TEXT-4, VOX-21: the real road from Discord's file to the prompt; a failure is a label and an answer."""
    content = await asyncio.to_thread(recorded, tmp_path, seconds=30)
    hearing = Recogniser(
        texts=[
            "Meet me",
            "at the mill.",
            SpeechFailed("Speech to text does not answer.", reason="scripted"),
        ]
    )
    room.models.script(*(Answer(text=(f"Answer {number}.",)) for number in range(3)))
    direct = room.discord.world.dm(room.ada)
    bot = running_discord(room.settings(), asyncio.Event(), grace_s=5, speech=speech_of(hearing))
    async with bot as core:
        await room.discord.until(lambda: bool(room.discord.recorder.events("READY")), within_s=10)
        say(room, content)
        await room.answer("Answer 0.", channel=direct)
        await room.quiet(core)
        say(room, content[: len(content) // 2])
        await room.answer("Answer 1.", channel=direct)
        await room.quiet(core)
        say(room, b"OggS and no more")
        await room.answer("Answer 2.", channel=direct)
        await room.quiet(core)
    read = [str(request.body["messages"][-1]["content"]) for request in room.models.requests]
    assert "[voice message, 2 s: transcribed]\nMeet me at the mill.\n[end of what was said]" in read[0]
    assert "[voice message, 2 s: no words heard]" in read[1]
    assert "[voice message, 2 s: no words heard]" in read[2]
    assert len(hearing.begun) == 3
    assert sum(len(one.pcm) for one in hearing.begun[:2]) > 29 * _RATE * 2
    assert all(one.closed for one in hearing.begun)

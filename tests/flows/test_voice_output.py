"""A response over the whole road: spoken, ducked, resumed and interrupted, as a human's recorder has it."""

import numpy as np

from core.clock import SystemClock
from tests.fake_discord.voice import Human
from tests.flows.test_voice_send import heard_by, ready_call
from tests.flows.voice_scene import VoiceScene, voice_scene
from tests.scripted_voice import Script, ScriptedTextToSpeech
from voice.audio.frames import FRAME_S, OPUS_SILENCE, SENT_FRAME_BYTES
from voice.output.output_events import Cause, Heard, OutputEvent, Purpose, SpeechBegan
from voice.output.voice_output import VoiceOutput
from voice.output.voice_response import VoiceResponse

QUICK = Script(first_after_s=0.01, speed=50.0)
TWO = "One two. Three four five six seven eight nine ten."


def sound_sent(scene: VoiceScene) -> int:
    """Packets with sound that left."""
    return sum(packet.payload != OPUS_SILENCE for packet in scene.voice.wire(scene.channel).sent)


def frames_of(response: VoiceResponse) -> int:
    """Packets of the response that left."""
    return round(response.position_s / FRAME_S)


def frames_heard(human: Human, scene: VoiceScene) -> int:
    return len(heard_by(human, scene)) // SENT_FRAME_BYTES


async def test_a_response_is_ducked_resumed_and_interrupted_within_a_frame() -> None:
    """VOX-17, VOX-32, VOX-27: what the human's recorder shows, slot by slot."""
    events: list[OutputEvent] = []
    async with voice_scene() as scene:
        ada = scene.human(scene.discord.ada)
        call = await ready_call(scene, ada)
        service = ScriptedTextToSpeech(lambda _: QUICK)
        async with VoiceOutput(
            mouth=call, service=service, clock=SystemClock(), tell=events.append
        ) as output:
            response = output.open_response(turn_id="1", language="en")
            answer = response.open_speech(Purpose.ANSWER)
            answer.write(TWO)
            answer.end()
            wire = scene.voice.wire(scene.channel)
            await scene.until(lambda: sound_sent(scene) >= 10)
            output.duck()
            ducked_at = frames_of(response)
            await scene.until(lambda: wire.speaking[-1] == 0)
            standing = frames_of(response)
            assert standing <= ducked_at + 1
            await scene.until(lambda: sound_sent(scene) == standing)
            output.resume()
            await scene.until(lambda: sound_sent(scene) >= 50)
            heard = output.interrupt(Cause.BARGE_IN)
            interrupted_at = frames_of(response)
            assert (await response.finish()).cause is Cause.BARGE_IN
            assert heard is not None
            assert heard.text.startswith("One two. Three")
            assert len(heard.text) < len(TWO)
            await scene.until(lambda: wire.speaking[-1] == 0)
            assert frames_of(response) <= interrupted_at + 1
            await scene.until(lambda: sound_sent(scene) == frames_of(response))
            await scene.until(lambda: frames_heard(ada, scene) == sound_sent(scene))
            assert [packet.sequence for packet in wire.sent] == list(
                range(wire.sent[0].sequence, wire.sent[0].sequence + len(wire.sent))
            )
            assert isinstance(events[1], SpeechBegan)
            after = output.open_response(turn_id="2", language="en")
            words = after.open_speech(Purpose.ANSWER)
            words.write("Yes.")
            assert await after.finish() == Heard(text="Yes.")
            await scene.until(lambda: frames_heard(ada, scene) == sound_sent(scene))
            assert np.frombuffer(heard_by(ada, scene), "<i2").any()
            assert ada.undecryptable == 0
        assert output.current is None

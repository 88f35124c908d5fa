"""Speech services on loopback: the paths of OpenAI and the websockets of ElevenLabs, told what to answer."""

from tests.fake_speech.server import FakeSpeech, Refusal, Sound, Text

__all__ = ["FakeSpeech", "Refusal", "Sound", "Text"]

"""The speech services that a contract is held against: scripted ones, and the adapters over scripted ends."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.fake_speech import FakeSpeech, Sound, Text
from tests.scripted_speech import ScriptedSpeechToText, Vocabulary, frame
from tests.scripted_voice import ScriptedTextToSpeech
from tests.speech_sounds import tone
from voice.input.speech_to_text import SpeechToText
from voice.output.text_to_speech import TextToSpeech
from voice.providers.elevenlabs_scribe import elevenlabs_scribe
from voice.providers.elevenlabs_voice import ElevenLabsVoice, elevenlabs_text_to_speech
from voice.providers.fallback import FallbackSpeechToText, FallbackTextToSpeech
from voice.providers.faster_whisper import WhisperPacing, faster_whisper
from voice.providers.openai_speech import OpenAIVoice, openai_speech_to_text, openai_text_to_speech
from voice.providers.piper import PiperSettings, piper
from voice.providers.service_connection import ServiceAddress
from voice.providers.whisper_decoder import Decode, Request
from voice.providers.whisper_rules import Decoded

EARS = ["scripted", "whisper", "openai", "scribe", "fallback"]
MOUTHS = ["scripted", "piper", "openai", "elevenlabs", "fallback"]
PIPER_PROGRAM = Path(__file__).parents[1] / "adapters" / "scripted_piper.py"
UTTERANCES = 4
"""So many transcriptions a service is prepared for."""


@dataclass(frozen=True, kw_only=True)
class Ear:
    """A service, 0.6 s of sound that it understands, and what it understands."""

    service: SpeechToText
    sound: bytes
    text: str


@asynccontextmanager
async def opened_ear(adapter: str) -> AsyncIterator[Ear]:
    """A service by its name."""
    async with FakeSpeech.running() as hosted:
        match adapter:
            case "scripted":
                vocabulary = Vocabulary()
                sound = frame(vocabulary.value_of("Hello.")) * 30
                scripted = ScriptedSpeechToText(vocabulary, lag_s=0.01)
                yield Ear(service=scripted, sound=sound, text="Hello.")
            case "whisper":
                async with faster_whisper(_whisper, WhisperPacing(partial_every_s=0.05)) as whisper:
                    yield Ear(service=whisper, sound=tone(0.6), text="Hello.")
            case "openai" | "fallback":
                hosted.script(*[Text(body={"text": "Hello."})] * UTTERANCES)
                async with openai_speech_to_text(_address(hosted, "/v1"), model="m") as openai:
                    ear = openai if adapter == "openai" else FallbackSpeechToText(openai, openai)
                    yield Ear(service=ear, sound=tone(0.6), text="Hello.")
            case _:
                hosted.script(*[Text(commits=("Hello.",))] * UTTERANCES)
                async with elevenlabs_scribe(_address(hosted), model="m") as scribe:
                    yield Ear(service=scribe, sound=tone(0.6), text="Hello.")


@asynccontextmanager
async def opened_mouth(adapter: str) -> AsyncIterator[TextToSpeech]:
    """A service by its name that says anything in half a second or so."""
    half_second = tone(0.5, rate_hz=24_000)
    async with FakeSpeech.running() as hosted:
        hosted.script(*[Sound(chunks=(half_second[:10_001], half_second[10_001:]))] * UTTERANCES)
        match adapter:
            case "scripted":
                yield ScriptedTextToSpeech()
            case "piper":
                async with piper(PiperSettings(voice=Path("voice.onnx"), program=PIPER_PROGRAM)) as local:
                    yield local
            case "openai" | "fallback":
                voice = OpenAIVoice(model="m", voice="v")
                async with openai_text_to_speech(_address(hosted, "/v1"), voice) as openai:
                    yield openai if adapter == "openai" else FallbackTextToSpeech(openai, openai)
            case _:
                eleven = ElevenLabsVoice(voice_id="v", model="m")
                async with elevenlabs_text_to_speech(_address(hosted), eleven) as service:
                    yield service


def _address(hosted: FakeSpeech, path: str = "") -> ServiceAddress:
    return ServiceAddress(base_url=hosted.base_url + path)


def _whisper() -> Decode:
    def decoded(request: Request) -> Decoded:
        text = "Hello." if request.pcm else ""
        return Decoded(text=text, seconds=request.seconds, log_probability=-0.1, no_speech=0, language="en")

    return lambda requests: [decoded(request) for request in requests]

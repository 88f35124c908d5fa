"""settings -> what hears and speaks (VOX-21 to VOX-25)."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar, assert_never

import structlog
from pydantic import SecretStr

from bot.doctor.speech_probe import HostedService
from bot.settings import OPENAI_ADDRESS, Settings
from bot.speech_services import SpeechServices
from bot.speech_settings import Service, SpeechSettings
from voice import (
    SpeechFailed,
    SpeechToText,
    TextToSpeech,
    TurnModel,
    VoiceActivity,
    VoicedTextToSpeech,
    Voices,
    WakeWord,
)
from voice.providers.elevenlabs_scribe import elevenlabs_scribe
from voice.providers.elevenlabs_voice import ElevenLabsVoice, elevenlabs_text_to_speech
from voice.providers.fallback import FallbackSpeechToText, FallbackTextToSpeech, VoicesWithSpare
from voice.providers.faster_whisper import faster_whisper
from voice.providers.open_wake_word import open_wake_word, wake_word_files
from voice.providers.openai_speech import OpenAIVoice, openai_speech_to_text, openai_text_to_speech
from voice.providers.packaged_files import (
    PIPER_ENGINE,
    PIPER_VOICE,
    SILERO,
    SMART_TURN,
    ModelMissing,
    is_installed,
    packaged_file,
)
from voice.providers.piper import PiperSettings, piper
from voice.providers.service_connection import ServiceAddress
from voice.providers.silero import silero_voice_activity
from voice.providers.smart_turn import smart_turn
from voice.providers.whisper_decoder import whisper_decoder
from voice.providers.whisper_weights import WhisperSettings, check_whisper

_log = structlog.get_logger()
_OPENAI_HEARS = "whisper-1"
_OPENAI_SPEAKS = "gpt-4o-mini-tts"
_OPENAI_VOICE = "alloy"
Made = TypeVar("Made")


@asynccontextmanager
async def speech_services(settings: Settings) -> AsyncGenerator[SpeechServices]:
    """The services until the block ends.

    Models are loaded with the first need, or by `warm_up`; nothing is downloaded.
    """
    async with AsyncExitStack() as stack:
        making = _Making(settings=settings, stack=stack)
        hearing, hears_by = await making.hearing()
        speaking, voices, speaks_by = await making.speaking()
        activity = await making.voice_activity() if hearing else None
        turns = await making.turn_model() if hearing else None
        wake_word = await making.wake_word() if hearing else None
        yield SpeechServices(
            speech_to_text=hearing,
            text_to_speech=speaking,
            voice_activity=activity,
            turn_model=turns,
            language=settings.speech.language,
            hears_by=hears_by,
            speaks_by=speaks_by,
            missing=tuple(making.missing),
            warm_up=making.warm_up,
            voices=voices,
            wake_word=wake_word,
        )


def local_voice(settings: Settings) -> Path:
    """The file of the voice on this machine. Blocks.

    Raises:
        ModelMissing: there is none.
    """
    if not is_installed(PIPER_ENGINE):
        raise ModelMissing(f"{PIPER_ENGINE} is not installed: run `make install`")
    asked = settings.speech.piper_voice
    if asked is None:
        return packaged_file(*PIPER_VOICE)
    if not (asked.is_file() and asked.with_name(asked.name + ".json").is_file()):
        raise ModelMissing(f"PIPER_VOICE names no voice with its .json beside it: {asked}")
    return asked


def local_hearing(settings: Settings) -> WhisperSettings:
    """What hears on this machine."""
    speech = settings.speech
    return WhisperSettings(
        model=speech.whisper_model, device=speech.whisper_device, compute_type=speech.whisper_compute_type
    )


@dataclass(slots=True, kw_only=True)
class _Making:
    """The services of one run, as they are made; what cannot be is told in `missing`."""

    settings: Settings
    stack: AsyncExitStack
    missing: list[str] = field(default_factory=list[str])
    to_warm: list[Callable[[], Awaitable[None]]] = field(default_factory=list[Callable[[], Awaitable[None]]])

    async def warm_up(self) -> None:
        """One after the other: each takes all there is."""
        for warm in self.to_warm:
            try:
                await warm()
            except (ModelMissing, SpeechFailed) as failed:
                _log.warning("a speech model is not ready", reason=str(failed))
            except Exception as error:  # noqa: BLE001 - it is tried again with the first need
                _log.warning("a speech model is not ready", reason=type(error).__name__)

    async def hearing(self) -> tuple[SpeechToText | None, str]:
        """Who hears, with who takes over, and their names."""
        speech = self.settings.speech
        if speech.hears_by == "off":
            return None, ""
        try:
            first, name = await self._hears(speech.hears_by)
        except ModelMissing as missing:
            self.missing.append(f"Nobody can be heard in voice channels: {missing}.")
            return None, ""
        if speech.stt_fallback in {"off", speech.hears_by}:
            return first, name
        try:
            second, other = await self._spare(self._hears(speech.stt_fallback))
        except ModelMissing:  # a spare part that is not here is not missed
            return first, name
        return FallbackSpeechToText(first, second), f"{name}; if that fails, {other}"

    async def speaking(self) -> tuple[TextToSpeech | None, Voices | None, str]:
        """Who speaks, with who takes over, in which voices, and their names."""
        speech = self.settings.speech
        if speech.speaks_by == "off":
            return None, None, ""
        try:
            first, name = await self._speaks(speech.speaks_by)
        except ModelMissing as missing:
            self.missing.append(f"Nothing can be said in voice channels: {missing}.")
            return None, None, ""
        if speech.tts_fallback in {"off", speech.speaks_by}:
            return first, first, name
        try:
            second, other = await self._spare(self._speaks(speech.tts_fallback))
        except ModelMissing:
            return first, first, name
        voices = VoicesWithSpare(first, second)
        return FallbackTextToSpeech(first, second), voices, f"{name}; if that fails, {other}"

    async def voice_activity(self) -> VoiceActivity | None:
        """Silero."""
        try:
            model = await asyncio.to_thread(packaged_file, *SILERO)
        except ModelMissing as missing:
            self.missing.append(f"Speech is not told from noise: {missing}.")
            return None
        silero = await self.stack.enter_async_context(silero_voice_activity(model))
        self.to_warm.append(silero.prepare)
        return silero

    async def turn_model(self) -> TurnModel | None:
        """smart-turn."""
        try:
            model = await asyncio.to_thread(packaged_file, *SMART_TURN)
        except ModelMissing as missing:
            self.missing.append(f"Ends of sentences are told by pauses alone: {missing}.")
            return None
        turns = await self.stack.enter_async_context(smart_turn(model))
        self.to_warm.append(turns.prepare)
        return turns

    async def wake_word(self) -> WakeWord | None:
        """Models of openWakeWord, where a phrase is named."""
        phrase = self.settings.talk.wake_word_model
        if phrase is None:
            return None
        try:
            files = await asyncio.to_thread(wake_word_files, phrase)
        except ModelMissing as missing:
            self.missing.append(f"No wake word is listened for: {missing}.")
            return None
        wake_word = await self.stack.enter_async_context(open_wake_word(files))
        self.to_warm.append(wake_word.prepare)
        return wake_word

    async def _spare(self, made: Awaitable[tuple[Made, str]]) -> tuple[Made, str]:
        """A part that may never be needed is not loaded in advance."""
        in_use = len(self.to_warm)
        part = await made
        del self.to_warm[in_use:]
        return part

    async def _hears(self, service: Service) -> tuple[SpeechToText, str]:
        speech = self.settings.speech
        match service:
            case "local":
                whisper = local_hearing(self.settings)
                name = await asyncio.to_thread(check_whisper, whisper)
                local = await self.stack.enter_async_context(
                    faster_whisper(partial(whisper_decoder, whisper))
                )
                self.to_warm.append(local.prepare)
                return local, name
            case "openai":
                address = openai_address(
                    self.settings, base_url=speech.stt_api_base_url, key=speech.stt_api_key
                )
                model = speech.stt_model or _OPENAI_HEARS
                hosted = await self.stack.enter_async_context(openai_speech_to_text(address, model=model))
                return hosted, f"{model} at {address.base_url}"
            case "elevenlabs":
                model = speech.elevenlabs_stt_model
                scribe = elevenlabs_scribe(self._elevenlabs("STT"), model=model)
                return await self.stack.enter_async_context(scribe), f"{model} at ElevenLabs"
            case "off":
                raise ModelMissing("it is switched off")
            case _:
                assert_never(service)

    async def _speaks(self, service: Service) -> tuple[VoicedTextToSpeech, str]:
        speech = self.settings.speech
        match service:
            case "local":
                voice = await asyncio.to_thread(local_voice, self.settings)
                local = await self.stack.enter_async_context(piper(PiperSettings(voice=voice)))
                self.to_warm.append(local.prepare)
                return local, f"Piper with {voice.stem}"
            case "openai":
                address = openai_address(
                    self.settings, base_url=speech.tts_api_base_url, key=speech.tts_api_key
                )
                spoken = OpenAIVoice(
                    model=speech.tts_model or _OPENAI_SPEAKS, voice=speech.tts_voice or _OPENAI_VOICE
                )
                hosted = await self.stack.enter_async_context(openai_text_to_speech(address, spoken))
                return hosted, f"{spoken.model} at {address.base_url}"
            case "elevenlabs":
                eleven = ElevenLabsVoice(voice_id=speech.elevenlabs_voice, model=speech.elevenlabs_tts_model)
                service_of = elevenlabs_text_to_speech(self._elevenlabs("TTS"), eleven)
                return await self.stack.enter_async_context(service_of), f"{eleven.model} at ElevenLabs"
            case "off":
                raise ModelMissing("it is switched off")
            case _:
                assert_never(service)

    def _elevenlabs(self, slot: str) -> ServiceAddress:
        speech = self.settings.speech
        if speech.elevenlabs_api_key is None:
            raise ModelMissing(f"{slot}_PROVIDER=elevenlabs needs ELEVENLABS_API_KEY")
        return elevenlabs_address(speech, speech.elevenlabs_api_key)


def openai_address(settings: Settings, *, base_url: str | None, key: SecretStr | None) -> ServiceAddress:
    """Where an OpenAI-compatible speech service is.

    The language model's key serves for speech where both are at OpenAI, and is shown to nobody else.
    """
    address = base_url or OPENAI_ADDRESS
    if key is None and address == OPENAI_ADDRESS and settings.model.endpoint == OPENAI_ADDRESS:
        key = settings.model.api_key
    headers = {"Authorization": f"Bearer {key.get_secret_value()}"} if key else {}
    return ServiceAddress(base_url=address, headers=headers, silence_s=settings.speech.timeout_s)


def hosted_services(settings: Settings) -> list[HostedService]:
    """What the doctor asks of the hosted services that the settings name."""
    speech = settings.speech
    hosted: list[HostedService] = []
    for check, service, slot, base_url, key in (
        ("Hearing", speech.hears_by, "STT", speech.stt_api_base_url, speech.stt_api_key),
        ("Voice", speech.speaks_by, "TTS", speech.tts_api_base_url, speech.tts_api_key),
    ):
        if service == "openai":
            address = openai_address(settings, base_url=base_url, key=key)
            url, name = f"{address.base_url}/models", f"OPENAI_{slot}_API"
        elif service == "elevenlabs" and speech.elevenlabs_api_key is not None:
            address = elevenlabs_address(speech, speech.elevenlabs_api_key)
            url, name = f"{address.base_url}/v1/models", "ELEVENLABS_API"
        else:
            continue
        hosted.append(
            HostedService(
                check=check,
                url=url,
                headers=address.headers,
                key_setting=f"{name}_KEY",
                address_setting=f"{name}_BASE_URL",
            )
        )
    return hosted


def elevenlabs_address(speech: SpeechSettings, key: SecretStr) -> ServiceAddress:
    """Where ElevenLabs is."""
    return ServiceAddress(
        base_url=speech.elevenlabs_api_base_url,
        headers={"xi-api-key": key.get_secret_value()},
        silence_s=speech.timeout_s,
    )

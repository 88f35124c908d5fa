"""Settings of speech: which services hear and speak, and how they are reached (VOX-21, VOX-22, VOX-25)."""

from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr

from bot.setting_slices import HttpAddress, Seconds, Slice

Provider = Literal["auto", "local", "openai", "elevenlabs", "off"]
Service = Literal["local", "openai", "elevenlabs", "off"]


class SpeechSettings(Slice):
    """Which services hear and speak in voice channels."""

    stt_provider: Provider = Field(
        default="auto",
        validation_alias="STT_PROVIDER",
        description=(
            "Who turns speech into text. auto: openai where one of the OPENAI_STT_ settings is set, else"
            " elevenlabs with its key, else local."
        ),
    )
    tts_provider: Provider = Field(
        default="auto",
        validation_alias="TTS_PROVIDER",
        description=(
            "Who turns text into speech. auto: openai where one of the OPENAI_TTS_ settings is set, else"
            " elevenlabs with its key, else local."
        ),
    )
    stt_fallback: Service = Field(
        default="local",
        validation_alias="STT_FALLBACK",
        description="Who takes over an utterance when the first one fails.",
    )
    tts_fallback: Service = Field(
        default="local",
        validation_alias="TTS_FALLBACK",
        description="Who takes over when the first one fails before anything was heard.",
    )
    language: str | None = Field(
        default=None,
        pattern=r"^[A-Za-z]{2,3}(-[A-Za-z0-9]+)*$",
        validation_alias="SPEECH_LANGUAGE",
        description="The language that is spoken (en, de, ja, ...); recognised from the speech when empty.",
    )
    timeout_s: Seconds = Field(
        default=15,
        validation_alias="SPEECH_TIMEOUT_S",
        description="Seconds that a speech service may be silent.",
    )
    whisper_model: str | None = Field(
        default=None,
        validation_alias="STT_MODEL",
        description=(
            "For local: a folder with a CTranslate2 Whisper model, or a model's name (small, large-v3-turbo,"
            " ...) that is on this machine already; the one that was installed when empty."
        ),
    )
    whisper_device: Literal["auto", "cpu", "cuda"] = Field(
        default="auto", validation_alias="STT_DEVICE", description="For local: what the model runs on."
    )
    whisper_compute_type: str | None = Field(
        default=None,
        validation_alias="STT_COMPUTE_TYPE",
        description="For local: int8, float16, ...; int8 on a CPU and float16 on a GPU when empty.",
    )
    piper_voice: Path | None = Field(
        default=None,
        validation_alias="PIPER_VOICE",
        description="For local: a Piper voice (.onnx, .onnx.json beside it); the installed one when empty.",
    )
    stt_model: str | None = Field(
        default=None,
        validation_alias="OPENAI_STT_MODEL",
        description="The speech-to-text model at an OpenAI-compatible endpoint; whisper-1 when empty.",
    )
    stt_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_STT_API_KEY",
        description="Its key; for OpenAI itself OPENAI_API_KEY when empty.",
    )
    stt_api_base_url: HttpAddress | None = Field(
        default=None,
        validation_alias="OPENAI_STT_API_BASE_URL",
        description="Its endpoint, with its /v1; https://api.openai.com/v1 when empty.",
    )
    tts_model: str | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_MODEL",
        description="The text-to-speech model at an OpenAI-compatible endpoint; gpt-4o-mini-tts when empty.",
    )
    tts_voice: str | None = Field(
        default=None, validation_alias="OPENAI_TTS_VOICE", description="Its voice; alloy when empty."
    )
    tts_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_API_KEY",
        description="Its key; for OpenAI itself OPENAI_API_KEY when empty.",
    )
    tts_api_base_url: HttpAddress | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_API_BASE_URL",
        description="Its endpoint, with its /v1; https://api.openai.com/v1 when empty.",
    )
    elevenlabs_api_key: SecretStr | None = Field(
        default=None, validation_alias="ELEVENLABS_API_KEY", description="The key of ElevenLabs."
    )
    elevenlabs_api_base_url: HttpAddress = Field(
        default="https://api.elevenlabs.io",
        validation_alias="ELEVENLABS_API_BASE_URL",
        description="Its address, for another region or a proxy.",
    )
    elevenlabs_voice: str = Field(
        default="21m00Tcm4TlvDq8ikWAM",
        validation_alias="ELEVENLABS_VOICE_ID",
        description="The id of its voice.",
    )
    elevenlabs_tts_model: str = Field(
        default="eleven_flash_v2_5",
        validation_alias="ELEVENLABS_TTS_MODEL",
        description="Its text-to-speech model.",
    )
    elevenlabs_stt_model: str = Field(
        default="scribe_v2_realtime",
        validation_alias="ELEVENLABS_STT_MODEL",
        description="Its speech-to-text model, one that works in real time.",
    )

    @property
    def hears_by(self) -> Service:
        """Who hears, with auto resolved."""
        is_openai = self.stt_model or self.stt_api_key or self.stt_api_base_url
        return self._resolved(self.stt_provider, is_openai=bool(is_openai))

    @property
    def speaks_by(self) -> Service:
        """Who speaks, with auto resolved."""
        is_openai = self.tts_model or self.tts_voice or self.tts_api_key or self.tts_api_base_url
        return self._resolved(self.tts_provider, is_openai=bool(is_openai))

    def _resolved(self, asked: Provider, *, is_openai: bool) -> Service:
        if asked != "auto":
            return asked
        if is_openai:
            return "openai"
        return "elevenlabs" if self.elevenlabs_api_key else "local"

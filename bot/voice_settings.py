"""Settings of voice: the channels that the bot sits in, and the providers of speech."""

from pydantic import Field, SecretStr

from bot.setting_slices import HttpAddress, Slice


class VoiceRoomSettings(Slice):
    """How the bot behaves in a voice channel."""

    enabled: bool = Field(
        default=True,
        validation_alias="VOICE_CHANNELS",
        description="Whether the bot joins voice channels.",
    )
    leave_when_alone_s: float = Field(
        default=300,
        ge=0,
        le=86_400,
        validation_alias="VOICE_LEAVE_WHEN_ALONE_S",
        description="After so many seconds without a person in the channel the bot leaves it; 0: never.",
    )


class VoiceSettings(Slice):
    """Speech providers. Accepted now; used by voice, later."""

    elevenlabs_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="ELEVENLABS_API_KEY",
        description="Key for ElevenLabs (used by voice, later).",
    )
    elevenlabs_api_base_url: HttpAddress | None = Field(
        default=None,
        validation_alias="ELEVENLABS_API_BASE_URL",
        description="Another address for ElevenLabs (used by voice, later).",
    )
    stt_model: str | None = Field(
        default=None,
        validation_alias="OPENAI_STT_MODEL",
        description="Speech-to-text model (used by voice, later).",
    )
    stt_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_STT_API_KEY",
        description="Its key (used by voice, later).",
    )
    stt_api_base_url: HttpAddress | None = Field(
        default=None,
        validation_alias="OPENAI_STT_API_BASE_URL",
        description="Its endpoint (used by voice, later).",
    )
    tts_model: str | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_MODEL",
        description="Text-to-speech model (used by voice, later).",
    )
    tts_voice: str | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_VOICE",
        description="Its voice (used by voice, later).",
    )
    tts_api_key: SecretStr | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_API_KEY",
        description="Its key (used by voice, later).",
    )
    tts_api_base_url: HttpAddress | None = Field(
        default=None,
        validation_alias="OPENAI_TTS_API_BASE_URL",
        description="Its endpoint (used by voice, later).",
    )

"""Settings of voice: the channels that the bot sits in."""

from pydantic import Field

from bot.setting_slices import Slice


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
    sender_reports: bool = Field(
        default=False,
        validation_alias="VOICE_SENDER_REPORTS",
        description="Whether the bot sends RTCP reports: try it where people hear it a second late.",
    )
    recording_minutes: float = Field(
        default=60,
        gt=0,
        le=600,
        validation_alias="VOICE_RECORDING_MAX_MINUTES",
        description="How long a recording (`/voice record start`) may be.",
    )
    recordings_mb: int = Field(
        default=500,
        ge=1,
        validation_alias="VOICE_RECORDINGS_MAX_MB",
        description=(
            "Room for recordings that were too large to be sent, in DATA_DIR, in MB; the oldest go first."
        ),
    )
    recordings_days: int = Field(
        default=7,
        ge=1,
        validation_alias="VOICE_RECORDINGS_KEEP_DAYS",
        description="How many days such recordings are kept.",
    )

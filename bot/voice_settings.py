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

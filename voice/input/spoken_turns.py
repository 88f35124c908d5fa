"""What is handed to the session (VOX-14, VOX-30): settled inputs in order of their ends."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from voice.input.transcript_document import TranscriptDocument


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenTurn:
    """One person's turn. `addressed`: it is for the bot. Times in monotonic seconds; ids never come twice."""

    input_id: str
    session_id: str
    user_id: int
    text: str
    language: str | None
    document: TranscriptDocument
    speech_began_at: float
    speech_ended_at: float
    sealed_at: float
    addressed: bool
    failed: bool = False
    """Its transcription broke off; this is what there was."""
    attachments: Mapping[str, object] = field(default_factory=dict[str, object])


@dataclass(frozen=True, slots=True, kw_only=True)
class SpokenBurst:
    """One hand-over. With `answer`, one reply answers all of it; without, it is only kept.

    `goes_on`: a speaker goes on with what a reply that is not audible yet answers; that reply may begin anew.
    `speculation_id`: the request that was begun on exactly this text may be adopted (VOX-16).
    """

    turns: tuple[SpokenTurn, ...]
    answer: bool
    goes_on: bool = False
    speculation_id: str | None = None


class SubmitBurst(Protocol):
    """Where turns go; called one after another, in order."""

    async def __call__(self, burst: SpokenBurst) -> None:
        """Keeps the turns, or submits them for an answer; returns once they are safe, not when answered.

        Cancelled when the conversation closes. What it raises is reported and costs this burst alone.
        """
        ...

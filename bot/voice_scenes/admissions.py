"""Whether who speaks to the bot is answered: the lists and limits of messages hold here, too (TEXT-9)."""

from dataclasses import dataclass
from datetime import datetime
from enum import Enum, auto
from typing import Protocol

from core.conversation.turns import Speaker
from sessions.bindings import ChannelBinding


class Admitted(Enum):
    """What becomes of what somebody said."""

    ANSWERED = auto()
    OVERHEARD = auto()
    """A limit is reached: it is kept as what the room said, and not answered."""
    IGNORED = auto()
    """A list leaves the person or the place out: nothing of it is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Admission:
    """The decision, and a sentence for the person where there is something to tell."""

    admitted: Admitted
    notice: str = ""


class Admissions(Protocol):
    """Decides about speech. Raises `Failure` when it cannot be found out."""

    async def foresee(self, place: ChannelBinding, speaker: Speaker, at: datetime) -> Admitted:
        """What would be decided now; nothing is counted and nobody told."""
        ...

    async def decide(self, place: ChannelBinding, speaker: Speaker, at: datetime) -> Admission:
        """For speech that wants an answer, once; what is answered counts."""
        ...

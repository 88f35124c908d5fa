"""The one button under a reply: Stop while it is written, Retry when it broke off (TEXT-6)."""

from dataclasses import dataclass
from enum import StrEnum


class ReplyAct(StrEnum):
    """What a press asks for."""

    STOP = "stop"
    RETRY = "retry"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyButton:
    """`reply` is the message that names the reply, so that a press after a restart finds it."""

    act: ReplyAct
    reply: str

    @property
    def custom_id(self) -> str:
        """What Discord sends back with a press."""
        return f"reply:{self.act.value}:{self.reply}"

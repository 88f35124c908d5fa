"""How text that no person said is marked in a request (CORE-20)."""

from typing import Final

from core.conversation.turns import Notice
from core.prompts.names import plain_line

_OPENING: Final = "[Notice from {source}, not a message from the owner.]"
_HOW_TO_STAY_QUIET: Final = "[To stay quiet, answer with <|SILENT|> and nothing else.]"
_SILENCE_OFFERED: Final = "[Speak about this notice only if it fits now, or stay quiet.]"
_SOURCE_LENGTH: Final = 100


def compose_notice(notice: Notice, text: str) -> str:
    """`text` under its mark, in the words of the seed; the offer of silence stands last, where it is made."""
    opening = _OPENING.format(source=plain_line(notice.source, limit=_SOURCE_LENGTH))
    offer = (_HOW_TO_STAY_QUIET, _SILENCE_OFFERED) if notice.silence_allowed else ()
    return "\n".join((opening, text, *offer))

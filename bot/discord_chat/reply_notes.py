"""The small print under a reply, or in its place: why it is not whole, what was done for it."""

from typing import Final, assert_never

from discord.utils import escape_markdown

from bot.discord_chat.languages import told
from bot.discord_chat.message_chunks import split_message
from bot.discord_chat.message_length import MESSAGE_LIMIT, discord_length
from core.failures import UNEXPECTED
from core.orchestration.replies import Ending, ReplyEnded
from core.prompts.plain_line import plain_line
from core.sentences import sentence

STOPPED: Final = sentence("-# Stopped.")
_MOST_WORK: Final = 5
_WORK_LENGTH: Final = 80


def closing_note(ended: ReplyEnded, spoken: str) -> str:
    """What follows the text `spoken` of a reply that is not whole, or stands in its place."""
    match ended.ending:
        case Ending.COMPLETED | Ending.SILENT | Ending.SUPERSEDED | Ending.WITHDRAWN:
            return ""
        case Ending.STOPPED:
            note = told(STOPPED)
        case Ending.FAILED:
            note = told(ended.advice or UNEXPECTED)
            note = f"{note} (`{ended.error_id}`)" if ended.error_id else note
            note = f"-# {note}" if spoken.strip() else note
        case _:
            assert_never(ended.ending)
    return _under(spoken, note) if spoken.strip() else note


def work_note(lines: tuple[str, ...], spoken: str) -> str:
    """What follows a whole reply: what was done for it."""
    words = (escape_markdown(plain_line(told(line), limit=_WORK_LENGTH)) for line in lines[:_MOST_WORK])
    return _under(spoken, f"-# {' · '.join(words)}") if lines else ""


def noted(text: str, note: str, limit: int = MESSAGE_LIMIT) -> str:
    """A message with `note` under as much of `text` as leaves room for it."""
    room = limit - discord_length(note) - 1
    return f"{split_message(text, room)[0].text}\n{note}"


def _under(spoken: str, note: str) -> str:
    return f"\n```\n{note}" if spoken.count("```") % 2 else f"\n\n{note}"

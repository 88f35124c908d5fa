"""One short sentence for the room about each way in which a model can fail, with what to do (CORE-30)."""

from typing import assert_never

from core.generation.timeout_rules import Overdue
from core.sentences import sentence

_LONGEST_TOLD_S = 3 * 86_400.0

UNREACHABLE = sentence(
    "The model's server cannot be reached. Ask the bot's owner to check OPENAI_API_BASE_URL."
)
MALFORMED = sentence("The model's address or key is malformed. Ask the bot's owner to check the settings.")
BROKE_OFF = sentence("The model's answer broke off. Please try again.")
NOT_A_STREAM = sentence(
    "The model's server speaks another protocol. Ask the bot's owner to check OPENAI_API_BASE_URL."
)
UNREADABLE = sentence("The model's answer could not be read. Please try again.")
ENDLESS = sentence("The model did not come to an end. Please ask for less at once.")
TOO_LONG_LINE = sentence("The model's answer was too large to read. Please ask for less at once.")
PROVIDER_TROUBLE = sentence("The model's provider has trouble. Please try again in a minute.")
NO_CREDIT = sentence("The model's account has no credit left. Ask the bot's owner to top it up.")
BUSY = sentence("The model is busy. Please try again in a minute.")
FILTERED = sentence("The provider's filter stopped the answer. Please put it in other words.")
CUT_SHORT = sentence("The answer was longer than allowed. Please ask for a shorter one.")
CONTEXT_FULL = sentence("The conversation is too long for the model. Please start anew with /session reset.")
AUDIO_REFUSED = sentence(
    "This model cannot listen to audio. Send text, or ask the bot's owner for another model."
)
FILE_ID_REFUSED = sentence("A file that lives at another provider cannot be sent. Please upload it here.")
MEDIA_FORM_REFUSED = sentence(
    "This model cannot take that attachment in this form. Please upload the file itself."
)


def for_status(status: int, *, asked_wait_s: float | None = None) -> str:
    """What to do about an HTTP error status."""
    if asked_wait_s is not None:
        return sentence("The model is busy. Please try again in {span}.", span=_duration(asked_wait_s))
    match status:
        case 401:
            return sentence("The model's key is refused. Ask the bot's owner to check OPENAI_API_KEY.")
        case 402:
            return NO_CREDIT
        case 403:
            return sentence("The model's key has no access. Ask the bot's owner to check its rights.")
        case 404:
            return sentence("The model was not found. Ask the bot's owner to check OPENAI_MODEL.")
        case 413:
            return CONTEXT_FULL
        case 429:
            return BUSY
        case _ if status >= 500 or status == 408:
            return PROVIDER_TROUBLE
        case _:
            return sentence("The model refused the request. Ask the bot's owner to read the log.")


def for_overdue(overdue: Overdue) -> str:
    """What to do about an answer that does not come."""
    match overdue:
        case Overdue.FIRST_TOKEN:
            return sentence("The model did not answer in time. Please try again in a minute.")
        case Overdue.IDLE:
            return sentence("The model stopped in the middle of its answer. Please try again.")
        case Overdue.TOTAL:
            return sentence("The answer took too long. Please ask for less at once.")
        case _:
            assert_never(overdue)


def _duration(seconds: float) -> str:
    if seconds > _LONGEST_TOLD_S:
        return sentence("a few days")
    minutes = -(-seconds // 60)
    if minutes <= 1:
        return sentence("a minute")
    return (
        sentence("{minutes:.0f} minutes", minutes=minutes)
        if minutes < 120
        else sentence("{hours:.0f} hours", hours=minutes / 60)
    )

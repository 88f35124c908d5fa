"""What a person is told who stops a reply or asks again, by command or by button."""

from collections.abc import Mapping
from typing import Final

from bot.discord_chat.reply_controls import RetryResult, StopResult
from core.sentences import sentence

STOPPED: Final[Mapping[StopResult, str]] = {
    StopResult.STOPPED: sentence("Stopped."),
    StopResult.NOTHING_RUNS: sentence("Nothing is being answered here."),
    StopResult.NOT_YOURS: sentence(
        "Only the person who asked, or a member with Manage Server, can stop this reply."
    ),
}
RETRIED: Final[Mapping[RetryResult, str]] = {
    RetryResult.ASKED_AGAIN: sentence("I try again."),
    RetryResult.BUSY: sentence("A reply is being written here; wait for it, or use `/stop`."),
    RetryResult.ALL_ANSWERED: sentence(
        "The last question here has its answer; there is nothing to try again."
    ),
    RetryResult.TOO_MUCH: sentence(
        "I may not answer you again now: a list or limit of the bot's owner says no. Please try again later."
    ),
    RetryResult.NOT_YOURS: sentence(
        "Only the person who asked, or a member with Manage Server, can try this again."
    ),
}

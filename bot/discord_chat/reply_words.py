"""What a person is told who stops a reply or asks again, by command or by button."""

from collections.abc import Mapping
from typing import Final

from bot.discord_chat.reply_controls import RetryResult, StopResult

STOPPED: Final[Mapping[StopResult, str]] = {
    StopResult.STOPPED: "Stopped.",
    StopResult.NOTHING_RUNS: "Nothing is being answered here.",
    StopResult.NOT_YOURS: "Only the person who asked, or a member with Manage Server, can stop this reply.",
}
RETRIED: Final[Mapping[RetryResult, str]] = {
    RetryResult.ASKED_AGAIN: "I try again.",
    RetryResult.BUSY: "A reply is being written here; wait for it, or use `/stop`.",
    RetryResult.ALL_ANSWERED: "The last question here has its answer; there is nothing to try again.",
    RetryResult.NOT_YOURS: "Only the person who asked, or a member with Manage Server, can try this again.",
}

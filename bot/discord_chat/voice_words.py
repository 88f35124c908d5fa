"""What the bot says about its calls: the notice, why it is gone, why it cannot come (VOX-7, VOX-9)."""

from collections.abc import Mapping, Sequence
from typing import Final

from core.sentences import Sentence, listed, sentence
from voice import (
    CallEnded,
    EndReason,
)

NOTICE: Final = sentence("""\
I am listening in this voice channel, to understand who talks to me. Sound is not kept; what is said to me \
and my answers are, as in a text channel (`/privacy show`). What you say to each other I forget when I stop.
-# `/voice optout`: I drop your sound unheard. `/voice leave`: I go. `/voice doctor`: what I hear.""")

_SUMMON: Final = sentence("`/summon` brings me back.")
_GONE: Final[Mapping[EndReason, str]] = {
    EndReason.DISCONNECTED: sentence("I was disconnected from this voice channel. {summon}", summon=_SUMMON),
    EndReason.CALL_TERMINATED: sentence("Discord ended this call. {summon}", summon=_SUMMON),
    EndReason.ENCRYPTION_REQUIRED: (
        sentence(
            "Discord wants end-to-end encryption that I cannot give, so I left."
            " Who runs me finds out more with `python -m bot doctor`."
        )
    ),
    EndReason.NO_COMMON_ENCRYPTION: (
        sentence(
            "The voice server offers no encryption that I know, so I left. Another voice region may help."
        )
    ),
    EndReason.RATE_LIMITED: sentence(
        "Discord asks me to slow down, so I left. Call me again in a few minutes."
    ),
    EndReason.ALONE: sentence("Nobody was here any more, so I left. {summon}", summon=_SUMMON),
    EndReason.UNREACHABLE: sentence(
        "I lost the voice server and could not reach it again. Try `/summon` in a minute."
    ),
}
_GONE_FOR_A_WHILE: Final[Mapping[EndReason, str]] = {
    EndReason.RATE_LIMITED: sentence(
        "Discord asks me to slow down, so I left. I come back by myself in a few minutes."
    ),
    EndReason.UNREACHABLE: sentence(
        "I lost the voice server and could not reach it again. I keep trying and come back by myself."
    ),
}
_NO_ANSWER: Final = sentence("Discord let nobody in just now. Try again in a minute.")
_NO_ANSWER_YET: Final = sentence("Discord let nobody in just now. I try again by myself.")
RECORDING_BEGINS: Final = sentence("""\
**I record this call from now on**, because <@{user_id}> asked for it: a file for each speaker, posted \
here at the end. Who opted out (`/voice optout`) is not recorded. `/voice record stop` ends it; anyone \
here can.""")
RECORDING_GOES_ON: Final = sentence("<@{user_id}>, this call is recorded. `/voice optout` leaves you out.")
RECORDING_ENDED: Final = sentence("I stopped recording.")
RECORDED_NOBODY: Final = sentence("I stopped recording. Nobody was heard, so there is no file.")
RECORDING_FAILED: Final = sentence("I stopped recording: my disk does not take it. Tell who runs me.")
ATTENDANT_FAILED: Final = sentence("Something went wrong on my side, so I left. {summon}", summon=_SUMMON)


def what_is_kept(files: int, days: int) -> Sentence:
    """The sentence for files of a recording that could not be posted."""
    if files == 1:
        return sentence(
            "One file is too large to post; who runs me finds it in the data folder for {days} days.",
            days=days,
        )
    return sentence(
        "{files} files are too large to post; who runs me finds them in the data folder for {days} days.",
        files=files,
        days=days,
    )


def why_gone(ended: CallEnded, *, comes_back: bool) -> str | None:
    """The sentence for the channel that the bot has left; None where nobody needs one.

    `comes_back`: after an end that nobody wanted it returns by itself (`voice_returns.py`).
    """
    for_a_while = _GONE_FOR_A_WHILE.get(ended.reason) if comes_back else None
    return for_a_while or _GONE.get(ended.reason)


def why_not_joined(ended: CallEnded | None) -> str:
    """The sentence for who called; `ended` None: no answer in time."""
    if ended is None:
        return _NO_ANSWER
    return {
        EndReason.LEFT: sentence("I was sent away as I came in."),
        EndReason.DISCONNECTED: sentence(
            "I was disconnected as I came in. Call me again if that was a mistake."
        ),
        EndReason.CALL_TERMINATED: sentence("Discord ended the call as I came in. Try again in a minute."),
        EndReason.ENCRYPTION_REQUIRED: (
            sentence(
                "Discord wants end-to-end encryption that I cannot give."
                " Who runs me finds out more with `python -m bot doctor`."
            )
        ),
        EndReason.NO_COMMON_ENCRYPTION: (
            sentence("The voice server offers no encryption that I know. Another voice region may help.")
        ),
        EndReason.RATE_LIMITED: sentence("Discord asks me to slow down. Call me again in a few minutes."),
        EndReason.UNREACHABLE: sentence("I could not reach the voice server. Try again in a minute."),
    }.get(ended.reason, _NO_ANSWER)


def why_not_back(ended: CallEnded | None) -> str | None:
    """The sentence where nobody called and the bot tries again by itself; None: that for who calls serves."""
    if ended is None:
        return _NO_ANSWER_YET
    return {
        EndReason.CALL_TERMINATED: sentence("Discord ended the call as I came in. I try again by myself."),
        EndReason.RATE_LIMITED: sentence("Discord asks me to slow down. I try again by myself in a while."),
        EndReason.UNREACHABLE: sentence("I could not reach the voice server. I try again by myself."),
    }.get(ended.reason)


def what_is_missing(permissions: Sequence[str], channel_id: int) -> str:
    """The sentence for permissions that the bot lacks (TEXT-7)."""
    words = listed(permissions)
    several = sentence("permissions") if len(permissions) > 1 else sentence("permission")
    return sentence(
        "I lack the {several} {words} in <#{channel_id}>."
        " Who manages the channel can give it to me: Edit Channel, Permissions.",
        several=several,
        words=words,
        channel_id=channel_id,
    )

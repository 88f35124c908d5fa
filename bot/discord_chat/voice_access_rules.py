"""Who may call the bot into a voice channel, and who may send it away. Pure: where people are is data.

Whoever is in a channel may call the bot there and send it away; a manager may do both from anywhere, and
take it away from others.
"""

from dataclasses import dataclass

from core.sentences import sentence


class VoiceRefused(Exception):
    """It is not done; the message is the sentence for the person.

    `unasked` is the sentence where nobody asked and the bot tries again by itself; else the message serves.
    """

    def __init__(self, said: str, *, unasked: str | None = None) -> None:
        super().__init__(said)
        self.unasked = unasked or said


@dataclass(frozen=True, slots=True, kw_only=True)
class Asking:
    """Who asks. `in_channel_id`: the voice channel of this server that they are in."""

    user_id: int
    in_channel_id: int | None
    is_manager: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """Where the bot is in this server, and whether people are there."""

    channel_id: int
    with_people: bool


def channel_to_join(asking: Asking, wanted_id: int | None, present: Present | None) -> int:
    """The channel that the bot should go to; `wanted_id` None means where the person is.

    Raises:
        VoiceRefused: the person is nowhere, or may not.
    """
    channel_id = asking.in_channel_id if wanted_id is None else wanted_id
    if channel_id is None:
        raise VoiceRefused(sentence("Go into a voice channel first, then call me again."))
    if asking.is_manager:
        return channel_id
    if channel_id != asking.in_channel_id:
        raise VoiceRefused(
            sentence("Go into that voice channel first; only managers call me to where they are not.")
        )
    if present is not None and present.with_people and present.channel_id != channel_id:
        raise VoiceRefused(
            sentence(
                "I am with people in <#{channel_id}>; somebody there can let me go with `/voice leave`.",
                channel_id=present.channel_id,
            )
        )
    return channel_id


def require_may_dismiss(asking: Asking, present: Present | None) -> None:
    """Pass who may send the bot away.

    Raises:
        VoiceRefused: it is in no channel, or the person is not in that one.
    """
    if present is None:
        raise VoiceRefused(sentence("I am in no voice channel here."))
    if not asking.is_manager and asking.in_channel_id != present.channel_id:
        raise VoiceRefused(
            sentence(
                "Only who is in <#{channel_id}>, or a manager, can do this.", channel_id=present.channel_id
            )
        )

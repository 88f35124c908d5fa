"""Discord's errors by what a caller can do about them (TEXT-7, TEXT-8).

    DeliveryError
    ├── ChannelGone         deleted, or out of the bot's sight: the scene is over
    ├── NotAllowed          a permission is missing, or the person takes no direct messages
    │   ├── ThreadArchived      open it again, then repeat
    │   └── ReplyNotAllowed     repeat without the reference
    ├── MessageGone         the message to edit was deleted
    ├── MessageRejected     Discord will not take this content; another content may pass
    │   └── MessageBlocked      a rule of the server stands against it
    └── Unavailable         Discord does not answer now; the same request may pass later

Source: https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes
"""

from collections.abc import Mapping


class DeliveryError(Exception):
    """Discord did not do what was asked."""


class ChannelGone(DeliveryError):
    """The channel is deleted or hidden from the bot."""


class NotAllowed(DeliveryError):
    """A permission is missing, or direct messages are closed."""


class ThreadArchived(NotAllowed):
    """The thread is archived: it takes nothing until somebody opens it again."""


class ReplyNotAllowed(NotAllowed):
    """Replies need the permission Read Message History; plain messages do not."""


class MessageGone(DeliveryError):
    """The message was deleted by somebody."""


class MessageRejected(DeliveryError):
    """The content is not acceptable as it is."""


class MessageBlocked(MessageRejected):
    """AutoMod or another filter stands against the content."""


class Unavailable(DeliveryError):
    """Discord failed after discord.py's own retries, or the network did."""


KINDS: Mapping[int, type[DeliveryError]] = {
    10003: ChannelGone,  # unknown channel
    10004: ChannelGone,  # unknown server
    10008: MessageGone,  # unknown message
    20009: MessageBlocked,  # explicit content
    20016: Unavailable,  # slow mode
    20022: Unavailable,  # too many edits of an announcement
    20026: NotAllowed,  # the application is quarantined
    20028: Unavailable,  # write limit of the channel
    40003: Unavailable,  # direct messages opened too fast
    40005: MessageRejected,  # the file is too large
    40062: Unavailable,  # the service is limited
    40333: Unavailable,  # Discord's own network
    50001: ChannelGone,  # missing access
    50006: MessageRejected,  # empty message
    50007: NotAllowed,  # direct messages are closed
    50008: NotAllowed,  # no channel for text
    50013: NotAllowed,  # missing permissions
    50024: NotAllowed,  # wrong kind of channel
    50035: MessageRejected,  # invalid form body
    50083: ThreadArchived,
    50278: NotAllowed,  # no server in common
    130000: Unavailable,  # overloaded
    160002: ReplyNotAllowed,
    160005: NotAllowed,  # the thread is locked
    200000: MessageBlocked,  # AutoMod
    200001: MessageBlocked,  # AutoMod, a title
    240000: MessageBlocked,  # harmful links
}


def kind_of_error(status: int, code: int) -> type[DeliveryError]:
    """What an answer of Discord means: by its code, else by its HTTP status."""
    if status >= 500 or status == 429:
        return Unavailable
    known = KINDS.get(code)
    if known is not None:
        return known
    return {403: NotAllowed, 404: ChannelGone}.get(status, MessageRejected)

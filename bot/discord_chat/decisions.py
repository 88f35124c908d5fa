"""Why messages were answered or not, kept for whoever asks: bounded, without their words (CMD-3)."""

from collections import OrderedDict
from dataclasses import dataclass
from datetime import datetime

from bot.discord_chat.incoming_message import IncomingMessage
from bot.discord_chat.trigger_rules import Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedDecision:
    """What was decided for one message."""

    message_id: int
    author_id: int
    at: datetime
    decision: Decision


class Decisions:
    """The latest decisions: at most `per_channel` in each of the `channels` most recently active ones."""

    def __init__(self, *, per_channel: int = 50, channels: int = 1_000) -> None:
        self._per_channel = per_channel
        self._channels = channels
        self._rooms: OrderedDict[int, OrderedDict[int, RecordedDecision]] = OrderedDict()

    def record(self, message: IncomingMessage, decision: Decision) -> None:
        """Keep the decision, in place of an earlier one about the same message."""
        room = self._rooms.setdefault(message.channel_id, OrderedDict())
        self._rooms.move_to_end(message.channel_id)
        room[message.id] = RecordedDecision(
            message_id=message.id, author_id=message.author.id, at=message.at, decision=decision
        )
        room.move_to_end(message.id)
        if len(room) > self._per_channel:
            room.popitem(last=False)
        if len(self._rooms) > self._channels:
            self._rooms.popitem(last=False)

    def of(self, channel_id: int, message_id: int) -> RecordedDecision | None:
        """The decision about one message."""
        return self._rooms.get(channel_id, OrderedDict()).get(message_id)

    def latest(self, channel_id: int, *, author_id: int) -> RecordedDecision | None:
        """The newest decision about a message of this person, else about anybody's."""
        room = tuple(self._rooms.get(channel_id, OrderedDict()).values())
        own = [one for one in room if one.author_id == author_id]
        return (own or room or (None,))[-1]

    def forget(self, channel_id: int) -> None:
        """The channel is gone."""
        self._rooms.pop(channel_id, None)

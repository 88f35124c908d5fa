"""What people changed, told from updates that repeat it: a link preview, a pin, a thread (TEXT-4)."""

from collections import OrderedDict
from datetime import datetime

from bot.discord_chat.incoming_message import IncomingMessage


class LatestEdits:
    """When each of the `most` messages that changed last was changed."""

    def __init__(self, *, most: int = 1_000) -> None:
        self._most = most
        self._edited_at: OrderedDict[int, datetime | None] = OrderedDict()

    def is_new(self, message: IncomingMessage) -> bool:
        """Whether its author has changed it since it was asked about last."""
        if self._edited_at.get(message.id) == message.edited_at:
            return False
        self._edited_at[message.id] = message.edited_at
        self._edited_at.move_to_end(message.id)
        if len(self._edited_at) > self._most:
            self._edited_at.popitem(last=False)
        return True

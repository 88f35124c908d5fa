"""Which later questions an edited message became: its next edit and its deletion reach them (TEXT-6)."""

from collections import OrderedDict


class FollowUps:
    """Of the `most` messages that were asked again last; a restart forgets them."""

    def __init__(self, *, most: int = 1_000) -> None:
        self._most = most
        self._ids: OrderedDict[int, tuple[int, ...]] = OrderedDict()

    def add(self, message_id: int, follow_up_id: int) -> None:
        """The edited message is asked again under this id."""
        self._ids[message_id] = (*self._ids.get(message_id, ()), follow_up_id)
        self._ids.move_to_end(message_id)
        if len(self._ids) > self._most:
            self._ids.popitem(last=False)

    def of(self, message_id: int) -> tuple[int, ...]:
        """The ids under which the message was asked, the one that it came with first."""
        return (message_id, *self._ids.get(message_id, ()))

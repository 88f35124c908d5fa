"""The messages of one channel by id and in order."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fake_discord.entities import Message, User


class MessageLog:
    """Finding one costs a look-up, a page a bisection."""

    def __init__(self) -> None:
        self._by_id: dict[int, Message] = {}
        self._order: list[int] = []

    def __len__(self) -> int:
        return len(self._order)

    def __iter__(self) -> Iterator[Message]:
        return (self._by_id[number] for number in self._order)

    def __getitem__(self, index: int) -> Message:
        return self._by_id[self._order[index]]

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._by_id

    def get(self, message_id: int) -> Message | None:
        return self._by_id.get(message_id)

    def add(self, message: Message) -> None:
        self._by_id[message.id] = message
        if not self._order or self._order[-1] < message.id:
            self._order.append(message.id)
        else:
            insort(self._order, message.id)

    def remove(self, message: Message) -> None:
        del self._by_id[message.id]
        del self._order[bisect_left(self._order, message.id)]

    def by(self, author: User) -> list[Message]:
        return [message for message in self if message.author is author]

    def page(
        self, *, limit: int, before: int | None = None, after: int | None = None, around: int | None = None
    ) -> list[Message]:
        """One page, the newest first, chosen as Discord chooses."""
        order = self._order
        if around is not None:
            middle = bisect_left(order, around)
            chosen = order[max(0, middle - limit // 2) : middle + (limit + 1) // 2]
        elif after is not None:
            start = bisect_right(order, after)
            chosen = order[start : start + limit]
        else:
            end = len(order) if before is None else bisect_left(order, before)
            chosen = order[max(0, end - limit) : end]
        return [self._by_id[number] for number in reversed(chosen)]

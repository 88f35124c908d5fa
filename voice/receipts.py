"""Receipts of interruptions on their way to where they last (VOX-32): each event id once."""

import asyncio
from collections.abc import Callable, Collection

from voice.interruption import Interruption, RecordInterruption, TurnInterrupted

_MOST_KNOWN = 1_000
"""Ids that are remembered here; the receiver keeps each one once, for ever."""


class Receipts:
    """`record` may be absent: then nobody keeps receipts. `failed` is told of one that could not be kept."""

    def __init__(
        self,
        *,
        record: RecordInterruption | None,
        tasks: asyncio.TaskGroup,
        failed: Callable[[Exception], None],
    ) -> None:
        self._record = record
        self._tasks = tasks
        self._failed = failed
        self._known: dict[str, None] = {}

    def deliver(self, receipts: Collection[TurnInterrupted]) -> Interruption:
        """Sends what is new; returns at once."""
        interruption = Interruption(tuple(one.turn for one in receipts))
        new = tuple(one for one in receipts if one.event_id not in self._known)
        self._known.update(dict.fromkeys(one.event_id for one in new))
        while len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]
        if new and self._record is not None:
            self._tasks.create_task(self._send(new, self._record, interruption), name="receipts")
        else:
            interruption.settle(delivered=True)
        return interruption

    async def _send(
        self, receipts: tuple[TurnInterrupted, ...], record: RecordInterruption, interruption: Interruption
    ) -> None:
        try:
            for receipt in receipts:
                await record(receipt)
            interruption.settle(delivered=True)
        except Exception as error:  # noqa: BLE001 - the reply is silent already; what failed is told
            for receipt in receipts:
                self._known.pop(receipt.event_id, None)
            self._failed(error)
        finally:
            interruption.settle(delivered=False)

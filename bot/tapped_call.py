"""A call that is heard by somebody else as well: its sound has one consumer, and a recording wants it too.

Of people who are not told yet nothing is heard (VOX-9).
"""

from collections.abc import AsyncIterator, Callable, Collection

from voice import (
    Call,
    CallEnded,
    CallStatistics,
    HeardEvent,
    HeardFrame,
    Playback,
)


class TappedCall:
    """A `Call` that is another one. `tap` gets the guild and each event first; it never waits.

    Sound from before `told_at`, in seconds of the monotonic clock, is nobody's.
    """

    def __init__(
        self, call: Call, tap: Callable[[int, HeardEvent], None], *, told_at: Callable[[], float]
    ) -> None:
        self._call = call
        self._tap = tap
        self._told_at = told_at

    @property
    def guild_id(self) -> int:
        """See `Call`."""
        return self._call.guild_id

    @property
    def channel_id(self) -> int:
        """See `Call`."""
        return self._call.channel_id

    async def heard(self) -> AsyncIterator[HeardEvent]:
        """See `Call`."""
        async for event in self._call.heard():
            if isinstance(event, HeardFrame) and event.at < self._told_at():
                continue
            self._tap(self._call.guild_id, event)
            yield event

    def begin_playback(self) -> Playback:
        """See `Call`."""
        return self._call.begin_playback()

    def ignore(self, user_ids: Collection[int]) -> None:
        """See `Call`."""
        self._call.ignore(user_ids)

    def listen_to(self, user_id: int, *, wanted: bool) -> None:
        """See `Call`."""
        self._call.listen_to(user_id, wanted=wanted)

    def hear_full_band(self, *, wanted: bool) -> None:
        """See `Call`."""
        self._call.hear_full_band(wanted=wanted)

    def stay_when_alone(self, *, stays: bool) -> None:
        """See `Call`."""
        self._call.stay_when_alone(stays=stays)

    def statistics(self) -> CallStatistics:
        """See `Call`."""
        return self._call.statistics()

    async def leave(self) -> None:
        """See `Call`."""
        await self._call.leave()

    async def ended(self) -> CallEnded:
        """See `Call`."""
        return await self._call.ended()

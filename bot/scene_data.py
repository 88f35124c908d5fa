"""What conversations hold of a person, files included (MEM-6)."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from pathlib import PurePath

from core.clock import Clock
from sessions.personal_data import ScenePersons


class SceneData:
    """The `PersonalData` of conversations. `forget_files` deletes files of messages."""

    def __init__(
        self,
        persons: ScenePersons,
        *,
        forget_files: Callable[[Sequence[PurePath]], Awaitable[None]],
        clock: Clock,
    ) -> None:
        self._persons = persons
        self._forget_files = forget_files
        self._clock = clock

    @property
    def tables(self) -> frozenset[str]:
        """See `PersonalData`."""
        return self._persons.tables

    async def export(self, user_id: str) -> Mapping[str, object]:
        """See `PersonalData`."""
        return {"conversations": list(await self._persons.export(user_id))}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """See `PersonalData`."""
        forgotten = await self._persons.forget(user_id, self._clock.now())
        await self._forget_files(forgotten.media)
        return {**forgotten.counts, "files": len(forgotten.media)}

"""What was overheard of a person and is still in memory (MEM-6)."""

from collections.abc import Mapping

from sessions.ambient import AmbientContext


class OverheardData:
    """The `PersonalData` of the context of rooms, typed and spoken; it has no table."""

    def __init__(self, ambient: AmbientContext) -> None:
        self._ambient = ambient

    @property
    def tables(self) -> frozenset[str]:
        """See `PersonalData`."""
        return frozenset()

    async def export(self, user_id: str) -> Mapping[str, object]:
        """See `PersonalData`."""
        overheard = self._ambient.of_speaker(user_id)
        return {"overheard": [{"at": one.at.isoformat(), "text": one.text} for one in overheard]}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """See `PersonalData`."""
        return {"overheard": self._ambient.forget_speaker(user_id)}

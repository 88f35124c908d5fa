"""How long settled work is remembered: long enough to know a message that arrives twice, not for ever."""

from datetime import datetime
from typing import Protocol


class Retention(Protocol):
    """Forgets what is no longer needed. Histories are not its business."""

    async def forget_settled(self, before: datetime) -> int:
        """Deletes settled inbox rows and reply pieces from before that moment; returns how many."""
        ...

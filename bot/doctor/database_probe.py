"""Checks the database by opening it as a start does."""

from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

from bot.doctor.findings import Finding, State
from core.failures import Failure


class DatabaseProbe:
    """Opens the database, which brings its tables up to date, and closes it again."""

    check = "Database"

    def __init__(self, opened: Callable[[], AbstractAsyncContextManager[object]], *, where: str) -> None:
        """`where` names the database without its password."""
        self._opened = opened
        self._where = where

    async def findings(self) -> Sequence[Finding]:
        """One row."""
        try:
            async with self._opened():
                pass
        except Failure as failure:
            found = f"{self._where}: {failure.reason}"
            return [Finding(check=self.check, state=State.FAILED, found=found, fix=failure.advice)]
        found = f"{self._where} opens, its tables are up to date"
        return [Finding(check=self.check, state=State.FINE, found=found)]

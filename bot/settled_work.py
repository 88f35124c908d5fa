"""Forgets settled work at the start and once a day, so that the database does not grow with every message.

A settled row has one use left: to know a message that arrives twice. Discord repeats within minutes, and what
was missed is looked for `ANSWER_MISSED_WITHIN_S` back at most, which is less than rows are kept.
"""

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

import structlog

from core.clock import Clock
from core.failures import Failure
from sessions.retention import Retention

_log = structlog.get_logger()

KEPT: Final = timedelta(days=45)
_A_DAY_S: Final = 86_400.0


async def forget_settled_daily(retentions: Sequence[Retention], clock: Clock) -> None:
    """Runs until it is cancelled; a failure of one costs it one day."""
    while True:
        for retention in retentions:
            try:
                forgotten = await retention.forget_settled(clock.now() - KEPT)
            except Failure as failure:
                _log.warning("settled work not forgotten", reason=failure.reason)
            else:
                _log.info("settled work forgotten", rows=forgotten)
        await clock.sleep(_A_DAY_S)

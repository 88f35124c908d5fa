"""Tasks that serve a block, which whoever uses the block need not know of."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager


@asynccontextmanager
async def serving_tasks() -> AsyncGenerator[asyncio.TaskGroup]:
    """A group of tasks whose block raises what it raises itself, not an exception group around it.

    The block ends its tasks.
    """
    raised: Exception | None = None
    async with asyncio.TaskGroup() as tasks:
        try:
            yield tasks
        except Exception as error:  # noqa: BLE001 - raised again below, outside of the group
            raised = error
    if raised is not None:
        raise raised

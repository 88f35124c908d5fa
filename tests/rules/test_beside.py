"""What goes on beside a talk ends with it, whatever it was about to do."""

import asyncio

from bot.beside import Beside


async def test_what_is_cut_before_its_first_step_leaves_no_coroutine() -> None:
    """A coroutine that is never awaited is a warning, and warnings are errors here."""
    begun: list[str] = []

    async def work() -> None:
        begun.append("work")
        await asyncio.Event().wait()

    async with Beside("discord:channel:1") as beside:
        beside.run(work(), "work")
    assert begun == []

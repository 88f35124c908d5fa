"""Requests beside the replies count, too: a summary, what is worth remembering, the work of a task (TEXT-9).

They count for the room that they serve. Nobody asked for the first two, so they count for no person; a task
counts for its requester.
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import TypeAlias

from core.conversation.turns import Usage
from core.generation.events import StreamEvent, UsageReported
from core.generation.requests import GenerationInput
from core.orchestration.run_ports import Generation


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """For whom a request is made; `person` None: nobody asked for it."""

    session_id: str
    person: str | None = None


Spent: TypeAlias = Callable[[Served, Sequence[Usage]], Awaitable[None]]
"""Told of what the rounds of a request took."""


async def named_by_conversation(request: GenerationInput) -> Served:
    """Of a request whose conversation is called `<session id>:<word>`."""
    return Served(session_id=request.conversation.id.rpartition(":")[0])


class CountedGeneration:
    """A `Generation` whose requests are counted; `served` None: for nobody that is known any more."""

    def __init__(
        self,
        generation: Generation,
        spent: Spent,
        served: Callable[[GenerationInput], Awaitable[Served | None]] = named_by_conversation,
    ) -> None:
        self._generation = generation
        self._spent = spent
        self._served = served

    async def stream_from(self, request: GenerationInput) -> AsyncGenerator[StreamEvent]:
        """See `Generation`; counted also when it fails half way."""
        usages: list[Usage] = []
        try:
            async with aclosing(self._generation.stream_from(request)) as events:
                async for event in events:
                    if isinstance(event, UsageReported):
                        usages.append(event.usage)
                    yield event
        finally:
            if usages and (served := await self._served(request)) is not None:
                await self._spent(served, usages)

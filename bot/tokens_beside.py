"""Requests beside the replies (a summary, what is worth remembering) count for the room that they serve.

Nobody asked for them, so they count for no person (TEXT-9).
"""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import TypeAlias

from core.conversation.turns import Usage
from core.generation.events import StreamEvent, UsageReported
from core.generation.requests import GenerationInput
from core.orchestration.run_ports import Generation

Spent: TypeAlias = Callable[[str, Sequence[Usage]], Awaitable[None]]
"""Told of a session and what the rounds of a request for it took."""


class CountedGeneration:
    """A `Generation` whose requests are counted; their conversations are called `<session id>:<word>`."""

    def __init__(self, generation: Generation, spent: Spent) -> None:
        self._generation = generation
        self._spent = spent

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
            if usages:
                await self._spent(request.conversation.id.rpartition(":")[0], usages)

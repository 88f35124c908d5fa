"""What a person has said that is not answered yet (MEM-6): it is taken back before the rest is forgotten.

Else a reply that comes later would bring back what was forgotten. A reply that is being written to them alone
is taken back, too; one that cannot be is ended, and goes with what is stored.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from bot.discord_chat.incoming_message import IncomingMessage, from_json
from core.conversation.turns import UserTurn
from core.orchestration.orchestrator import Orchestrator
from sessions.inbox import Inbox

_NO_TABLES: Final = frozenset[str]()  # the inbox is answered for with the rest of the scenes


class WaitingData:
    """The `PersonalData` of what waits. `take_back`: the message of a channel is answered no more."""

    def __init__(
        self,
        *,
        inbox: Inbox,
        orchestrator: Orchestrator,
        take_back: Callable[[int, int], Awaitable[None]],
    ) -> None:
        self._inbox = inbox
        self._orchestrator = orchestrator
        self._take_back = take_back

    @property
    def tables(self) -> frozenset[str]:
        """See `PersonalData`."""
        return _NO_TABLES

    async def export(self, user_id: str) -> Mapping[str, object]:
        """See `PersonalData`. What is spoken is answered at once; messages can wait."""
        messages = await self._messages(user_id)
        return {"not_answered_yet": [{"at": one.at.isoformat(), "text": one.text} for one in messages]}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """See `PersonalData`."""
        messages = await self._messages(user_id)
        for message in reversed(messages):  # what waits goes before what is being answered
            await self._take_back(message.channel_id, message.id)
        spoken = self._orchestrator.asked_by(user_id)
        for session_id, turn in spoken:
            await self._end(session_id, turn)
        return {"waiting_messages": len(messages) + len(spoken)}

    async def _messages(self, user_id: str) -> list[IncomingMessage]:
        found: list[IncomingMessage] = []
        for row in await self._inbox.unfinished():
            try:
                message = from_json(row.payload)
            except ValueError:
                continue  # forgotten, or written by something else
            if str(message.author.id) == user_id:
                found.append(message)
        return found

    async def _end(self, session_id: str, turn: UserTurn) -> None:
        """It was spoken, or its reply has used a tool for several people."""
        running = self._orchestrator.running(session_id)
        if self._orchestrator.withdraw(session_id, turn.id) or running is None:
            return
        if not await self._orchestrator.discard(session_id, turn.id, running.place):
            await self._orchestrator.end(session_id)

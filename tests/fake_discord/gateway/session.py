"""A gateway session: what outlives its sockets.

The events of a session are numbered and kept, so that another socket, also of another process, can resume it.
"""

from __future__ import annotations

import json
import secrets
from collections import deque
from typing import TYPE_CHECKING

from tests.fake_discord.entities import Json, User
from tests.fake_discord.gateway import intents as rules
from tests.fake_discord.gateway.intents import Intent

if TYPE_CHECKING:
    from tests.fake_discord.gateway.connection import Connection

_WITH_CONTENT = ("MESSAGE_CREATE", "MESSAGE_UPDATE")
KEPT = 20_000
"""Events kept for a resume."""


class Session:
    def __init__(self, *, intents: int, shard: tuple[int, int], bot: User) -> None:
        self.id = secrets.token_hex(16)
        self.intents = intents
        self.shard = shard
        self.sequence = 0
        self.connection: Connection | None = None
        self.resumed_times = 0
        self.unresumable = False
        self._bot = bot
        self._kept: deque[tuple[int, str, str]] = deque(maxlen=KEPT)

    def serves(self, guild_id: int | None) -> bool:
        """Direct messages go to shard 0, guilds by their id."""
        number, count = self.shard
        return number == (0 if guild_id is None else (guild_id >> 22) % count)

    def hears(self, event: str, *, in_guild: bool) -> bool:
        wanted = rules.needed(event, in_guild=in_guild)
        return not wanted or bool(self.intents & wanted)

    def dispatch(self, event: str, data: Json) -> None:
        """Numbers, keeps and, when a socket is there, sends one event."""
        limited = event in _WITH_CONTENT and not self.intents & Intent.MESSAGE_CONTENT
        if limited and not rules.may_read_content(data, self._bot):
            data = rules.without_content(data)
        self.sequence += 1
        text = json.dumps({"op": 0, "s": self.sequence, "t": event, "d": data}, separators=(",", ":"))
        self._kept.append((self.sequence, event, text))
        if self.connection is not None:
            self.connection.send_text(text, op=0, event=event, sequence=self.sequence, data=data)

    def missed_since(self, sequence: int) -> list[tuple[int, str, str]] | None:
        """(sequence, event, text) after that number; None when some are no longer kept."""
        if sequence > self.sequence:
            return None
        if self._kept and sequence < self._kept[0][0] - 1:
            return None
        return [entry for entry in self._kept if entry[0] > sequence]

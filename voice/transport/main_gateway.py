"""What a call needs of Discord's main gateway: a port to ask it, and the facts that it tells.

Voice states and server updates come in any order and may repeat; each server update gets a number, so
that "newer than this session's" is a comparison and not a race.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

from voice.transport.call_parts import Credentials


class ChannelGone(Exception):
    """There is no such channel any more, or the bot is no member of its server."""


class MainGateway(Protocol):
    """Asks the main gateway; its answers come as `CallFacts`."""

    @property
    def user_id(self) -> int: ...

    async def set_channel(self, channel_id: int | None) -> None:
        """Opcode 4: joins, moves or leaves. Raises `ChannelGone`, and anything while the gateway is away."""
        ...

    async def ask_to_speak(self, channel_id: int) -> None:
        """In a stage channel: speaks if the bot may, else raises its hand. Raises anything."""
        ...


class Company(Protocol):
    """Who the others are."""

    def is_bot(self, user_id: int) -> bool: ...

    def others_present(self, channel_id: int) -> bool:
        """Whether a person is in that channel besides bots."""
        ...


class CallFacts:
    """The bot's own voice state and voice server in one guild, as told last."""

    def __init__(self, *, guild_id: int, user_id: int, channel_id: int) -> None:
        self.guild_id = guild_id
        self.user_id = user_id
        self.wanted_channel_id = channel_id
        """Where the bot is or should be."""
        self.channel_id: int | None = None
        self.server_number = 0
        self._session_id: str | None = None
        self._token: str | None = None
        self._endpoint: str | None = None
        self._news = asyncio.Event()

    def voice_state(self, channel_id: int | None, session_id: str) -> None:
        """VOICE_STATE_UPDATE of the bot itself."""
        self.channel_id = channel_id
        if channel_id is not None:
            self.wanted_channel_id = channel_id
            self._session_id = session_id
        self._news.set()

    def voice_server(self, token: str, endpoint: str | None) -> None:
        """VOICE_SERVER_UPDATE; without an endpoint the server is gone and another one will be told."""
        self._token, self._endpoint = token, endpoint
        if endpoint is not None:
            self.server_number += 1
        self._news.set()

    def credentials(self) -> Credentials | None:
        """All that a session needs, None while a part is missing."""
        if None in (self.channel_id, self._session_id, self._token, self._endpoint):
            return None
        assert self.channel_id is not None and self._session_id is not None  # noqa: S101, PT018 - just seen
        assert self._token is not None and self._endpoint is not None  # noqa: S101, PT018 - just seen
        return Credentials(
            guild_id=self.guild_id,
            channel_id=self.channel_id,
            user_id=self.user_id,
            session_id=self._session_id,
            token=self._token,
            endpoint=self._endpoint.removeprefix("wss://"),
            server_number=self.server_number,
        )

    def newer_than(self, number: int) -> Credentials | None:
        """Credentials with a server update after that number."""
        return self.credentials() if self.server_number > number else None

    async def until(self, holds: Callable[[], bool], timeout_s: float) -> bool:
        """Waits for facts that make the condition hold; False when they did not come in time."""
        try:
            async with asyncio.timeout(timeout_s):
                while not holds():
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            return holds()
        return True

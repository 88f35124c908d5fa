"""Bindings: which persistent session an input belongs to (SCENE-1, SCENE-8).

An adapter at the door makes the binding; nothing further in guesses one. External input without a binding is
refused, so that it can never join the owner's own session.
"""

import re
from dataclasses import dataclass
from typing import TypeVar

from sessions.failures import UnboundInput

_CHANNEL_SESSION = re.compile(r"discord:channel:([1-9][0-9]*)", re.ASCII)
_CONSOLE_SESSION = "console:local"


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleBinding:
    """The owner's own chat in the terminal."""

    @property
    def session_id(self) -> str:
        """Always `console:local`."""
        return _CONSOLE_SESSION


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelBinding:
    """A Discord channel of any kind: text, voice, thread, forum post, direct message.

    A voice channel's typed messages and its talk share the one session of its channel id. `guild_id` is None
    in direct messages only.

    Raises:
        ValueError: an id that Discord cannot have given.
    """

    channel_id: int
    guild_id: int | None = None

    def __post_init__(self) -> None:
        if self.channel_id <= 0 or (self.guild_id is not None and self.guild_id <= 0):
            raise ValueError("a Discord id is a positive number")

    @property
    def session_id(self) -> str:
        """`discord:channel:<id>`; stays the same when the channel is renamed, moved or archived."""
        return f"discord:channel:{self.channel_id}"


Binding = ConsoleBinding | ChannelBinding

_Bound = TypeVar("_Bound", ConsoleBinding, ChannelBinding, Binding)


def require_binding(binding: _Bound | None) -> _Bound:
    """The binding itself.

    Raises:
        UnboundInput: there is none (SCENE-8).
    """
    if binding is None:
        raise UnboundInput("external input named no binding")
    return binding


def read_binding(session_id: str, guild_id: int | None = None) -> Binding:
    """The binding that a stored session id stands for.

    Raises:
        UnboundInput: the id has no known form.
    """
    if session_id == _CONSOLE_SESSION:
        return ConsoleBinding()
    match = _CHANNEL_SESSION.fullmatch(session_id)
    if match is None:
        raise UnboundInput("a session id of no known form")
    return ChannelBinding(channel_id=int(match[1]), guild_id=guild_id)

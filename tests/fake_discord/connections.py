"""How a connection breaks: at once, without a word, as a network does."""

from __future__ import annotations

import asyncio
import socket
import struct

_LINGER_ZERO = struct.pack("ii", 1, 0)


def reset(transport: asyncio.BaseTransport | None) -> None:
    """Ends a TCP connection by a reset; the other side sees ECONNRESET instead of an end of stream."""
    if transport is None or transport.is_closing():
        return
    raw = transport.get_extra_info("socket")
    if raw is not None:
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _LINGER_ZERO)
    if isinstance(transport, asyncio.WriteTransport):
        transport.abort()

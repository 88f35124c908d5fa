"""The UDP socket of a voice session: connected to the server, not blocking, with its address found out."""

import asyncio
import ipaddress
import socket

from voice.transport.rtp import DISCOVERY_SIZE, MalformedPacket, discovery_request, parse_discovery

_TRIES = 6
_TRY_S = 0.5
_RECEIVE_BUFFER = 1 << 20


class NoMediaPath(Exception):
    """The voice server does not answer over UDP, or gave no usable address."""


def open_socket(ip: str, port: int) -> socket.socket:
    """A socket that talks with that address alone. Raises `NoMediaPath`."""
    try:
        version = ipaddress.ip_address(ip).version
        made = socket.socket(socket.AF_INET if version == 4 else socket.AF_INET6, socket.SOCK_DGRAM)
    except (ValueError, OSError) as error:
        raise NoMediaPath(f"no socket: {error}") from error
    try:
        made.settimeout(0)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, _RECEIVE_BUFFER)
        made.connect((ip, port))
    except OSError as error:
        made.close()
        raise NoMediaPath(f"no way to the voice server: {error}") from error
    return made


async def own_address(udp: socket.socket, ssrc: int) -> tuple[str, int]:
    """How the voice server sees this socket; asked again while packets get lost. Raises `NoMediaPath`."""
    loop = asyncio.get_running_loop()
    for _ in range(_TRIES):
        try:
            await loop.sock_sendall(udp, discovery_request(ssrc))
            async with asyncio.timeout(_TRY_S):
                while True:
                    datagram = await loop.sock_recv(udp, DISCOVERY_SIZE + 1)
                    try:
                        return parse_discovery(datagram)
                    except MalformedPacket:
                        continue
        except TimeoutError:
            continue
        except OSError as error:
            raise NoMediaPath(f"discovery: {type(error).__name__}") from error
    raise NoMediaPath("discovery: no answer")

"""The way of the sound over both versions of IP, against a voice server that only answers discovery."""

import asyncio
import socket
import struct

import pytest

from voice.transport.rtp import DISCOVERY_SIZE
from voice.transport.udp import NoMediaPath, open_socket, own_address


class Server(asyncio.DatagramProtocol):
    """Tells everybody their address; what comes first is no answer."""

    def connection_made(self, transport: asyncio.DatagramTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        kind, size, ssrc = struct.unpack(">HHI", data[:8])
        assert (kind, size, len(data)) == (1, DISCOVERY_SIZE - 4, DISCOVERY_SIZE)
        answer = struct.pack(">HHI", 2, size, ssrc) + addr[0].encode().ljust(64, b"\0")
        self._transport.sendto(bytes(8), addr)
        self._transport.sendto(answer + addr[1].to_bytes(2, "big"), addr)


@pytest.mark.parametrize("ip", ["127.0.0.1", "::1"])
async def test_the_own_address_is_found_out(ip: str) -> None:
    """VOX-1: over IPv6 as over IPv4."""
    if ip == "::1" and not has_ipv6():
        pytest.skip("no IPv6 on this machine")
    loop = asyncio.get_running_loop()
    transport, _ = await loop.create_datagram_endpoint(Server, local_addr=(ip, 0))
    with open_socket(ip, transport.get_extra_info("sockname")[1]) as udp:
        assert await own_address(udp, 7) == udp.getsockname()[:2]
    transport.close()


@pytest.mark.parametrize("address", [("voice.example", 1), ("300.1.1.1", 1), ("127.0.0.1\0", 1), ("", 1)])
def test_what_is_no_address_opens_nothing(address: tuple[str, int]) -> None:
    """VOX-5: no name is looked up for a voice server."""
    with pytest.raises(NoMediaPath):
        open_socket(*address)


def has_ipv6() -> bool:
    try:
        with socket.socket(socket.AF_INET6, socket.SOCK_DGRAM) as tried:
            tried.bind(("::1", 0))
    except OSError:
        return False
    return True

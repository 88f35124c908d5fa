"""Where a session's sound passes: its UDP socket, the thread that reads it, the line that writes to it.

Opened at READY, carrying sound from the session description on, closed once: then no thread uses the socket
any more. Keys are `DaveCall`'s; what is heard goes to the call's events, what is said comes from its channel.
"""

import socket
from collections.abc import Callable

from voice.transport.call_parts import CallParts
from voice.transport.dave import DaveCall
from voice.transport.gateway_events import Ready, SessionDescription
from voice.transport.hearing import Hearing
from voice.transport.receiver import Receiver
from voice.transport.sender import SendingLine
from voice.transport.transport_crypto import cipher_for
from voice.transport.udp import NoMediaPath, open_socket, own_address


class MediaPath:
    """Everything here is called by the event loop."""

    def __init__(self, parts: CallParts) -> None:
        self._parts = parts
        self._udp: socket.socket | None = None
        self._receiver: Receiver | None = None
        self.ssrc = 0

    async def open(self, ready: Ready) -> tuple[str, int]:
        """A socket to the voice server; gives the address it is seen by. Raises `NoMediaPath`."""
        await self.close()
        self.ssrc = ready.ssrc
        self._udp = open_socket(ready.ip, ready.port)
        return await own_address(self._udp, ready.ssrc)

    async def begin(
        self, description: SessionDescription, dave: DaveCall, speaking: Callable[[bool], None]
    ) -> None:
        """Sound may pass. Raises `UnknownMode` and `NoMediaPath`."""
        if self._udp is None:
            raise NoMediaPath("a session description before READY")
        await self._stop_receiver()
        parts = self._parts
        hearing = Hearing(
            own_ssrc=self.ssrc,
            cipher=cipher_for(description.mode, description.key),
            keys=dave,
            roster=parts.roster,
            logs=parts.logs,
            emit=parts.events.put,
        )
        line = SendingLine(
            udp=self._udp,
            ssrc=self.ssrc,
            cipher=cipher_for(description.mode, description.key),
            encrypt=dave.encrypt,
            speaking=speaking,
            reports=parts.settings.sender_reports,
        )
        self._receiver = Receiver(self._udp, hearing, parts.logs, after_batch=parts.events.wake)
        parts.channel.connect(line)

    def keys_changed(self) -> None:
        """A key or the user of an SSRC became known."""
        if self._receiver is not None:
            self._receiver.keys_changed()

    def user_left(self, user_id: int) -> None:
        """The user is gone from the call."""
        if self._receiver is not None:
            self._receiver.user_left(user_id)

    async def close(self) -> None:
        """No thread and no socket is left."""
        self._parts.channel.connect(None)
        try:
            await self._stop_receiver()
        finally:
            if self._udp is not None:
                self._udp.close()
                self._udp = None

    async def _stop_receiver(self) -> None:
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.stop()
            await receiver.stopped()

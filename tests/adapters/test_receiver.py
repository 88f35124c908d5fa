"""The thread that hears, over a real socket: what breaks it, and what does not."""

import asyncio
import socket
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.rules.test_hearing import KEY, OWN, SOUND, SPEAKER, SSRC, Ears
from voice.audio.frames import HeardEvent, HeardFrame
from voice.transport.gateway_events import Speaking
from voice.transport.hearing import Hearing
from voice.transport.receiver import Receiver
from voice.transport.transport_crypto import AES256_GCM, cipher_for

BREAKS, HOLDS = b"break it", b"hold it"


class Fragile(Hearing):
    """Has an error that one datagram finds, and another one that holds it."""

    held, goes_on = threading.Event(), threading.Event()

    def feed(self, datagram: bytes, at: float) -> None:
        if datagram == BREAKS:
            raise RuntimeError("as nobody expected")
        if datagram == HOLDS:
            self.held.set()
            self.goes_on.wait(5)
        super().feed(datagram, at)


@asynccontextmanager
async def receiving(ears: Ears, heard: list[HeardEvent]) -> AsyncIterator[tuple[Receiver, socket.socket]]:
    """Gives the receiver and the other end."""
    Fragile.held.clear()
    Fragile.goes_on.clear()
    there, here = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    with there, here:
        here.bind(("127.0.0.1", 0))
        here.settimeout(0)
        there.connect(here.getsockname())
        hearing = Fragile(
            own_ssrc=OWN,
            cipher=cipher_for(AES256_GCM, KEY),
            keys=ears.pair.call,
            roster=ears.roster,
            logs=ears.logs,
            emit=heard.append,
        )
        receiver = Receiver(here, hearing, ears.logs, after_batch=lambda: None)
        yield receiver, there
        receiver.stop()
        async with asyncio.timeout(5):
            await receiver.stopped()


async def until(count: int, heard: list[HeardEvent]) -> None:
    async with asyncio.timeout(5):
        while sum(isinstance(one, HeardFrame) for one in heard) < count:
            await asyncio.sleep(0.005)


async def test_no_number_of_packets_that_break_it_ends_the_thread() -> None:
    """VOX-5: an error costs its packet alone, before and after sound; it is counted."""
    ears, heard = Ears(), list[HeardEvent]()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    async with receiving(ears, heard) as (_, there):
        for number in range(10):
            for _ in range(40):
                there.send(BREAKS)
            frame = ears.pair.speaker.encrypt_opus(SOUND[number])
            there.send(ears.packet(frame, sequence=number, timestamp=number * 960))
            await until(number - 1, heard)
        await until(10, heard)
    assert ears.logs.refused == {"receiver: RuntimeError": 400}


async def test_who_leaves_while_the_thread_is_busy_takes_a_bounded_place() -> None:
    """VOX-5: a gateway that lets ever other users leave; the latest are told of."""
    ears, heard = Ears(), list[HeardEvent]()
    async with receiving(ears, heard) as (receiver, there):
        there.send(HOLDS)
        await asyncio.to_thread(Fragile.held.wait, 5)
        for user_id in range(2_000):
            receiver.user_left(user_id)
        Fragile.goes_on.set()
        async with asyncio.timeout(5):
            while not heard or heard[-1].user_id < 1_999:
                await asyncio.sleep(0.005)
    assert [one.user_id for one in heard] == list(range(2_000 - 512, 2_000))


async def test_a_socket_that_closes_as_it_stops_is_no_defect() -> None:
    """VOX-5: a call that is cut short waits for nothing; the thread ends, and there is nothing to tell."""
    ears, heard = Ears(), list[HeardEvent]()
    async with receiving(ears, heard) as (receiver, there):
        there.send(HOLDS)
        await asyncio.to_thread(Fragile.held.wait, 5)
        receiver.stop()
        receiver._udp.close()
        Fragile.goes_on.set()
    assert ears.logs.refused == {"noise": 1}

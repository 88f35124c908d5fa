"""Speakers for the voice benchmarks: real Opus, real DAVE, sealed RTP, sent in real time."""

import socket
import struct
import time

import davey
import numpy as np

from tests.fake_discord.voice.mls import ExternalSender, vector
from voice.audio.opus import Encoder
from voice.transport.rtp import build_header
from voice.transport.transport_crypto import cipher_for

CHANNEL_ID, BOT_ID, FIRST_SSRC = 77, 1, 1_000
KEY = bytes(range(32))


def spoken_frames(seconds: float) -> list[bytes]:
    """Opus packets of something like speech."""
    count = int(seconds * 48_000)
    at = np.arange(count) / 48_000
    phase = 2 * np.pi * np.cumsum(140 + 30 * np.sin(2 * np.pi * at)) / 48_000
    sound = sum(np.sin(number * phase) / number for number in range(1, 20))
    envelope = 0.2 + 0.8 * np.sin(2 * np.pi * 1.5 * at) ** 2
    pcm = np.repeat((sound * envelope * 9_000).astype("<i2"), 2).tobytes()
    encoder = Encoder()
    return [encoder.encode(pcm[start : start + 3_840]) for start in range(0, len(pcm) - 3_839, 3_840)]


class Speakers:
    """`count` members of one DAVE group, or of a call without DAVE."""

    def __init__(self, count: int, *, mode: str, extension: bool = True) -> None:
        self.count = count
        self.ssrcs = [FIRST_SSRC + number for number in range(count)]
        self.user_ids = [100 + number for number in range(count)]
        self._cipher = cipher_for(mode, KEY)
        self._extension = struct.pack(">HHI", 0xBEDE, 1, 0x10FF0000) if extension else b""
        self._sessions: list[davey.DaveSession] = []
        self.gateway = ExternalSender(CHANNEL_ID)

    def found_group(self, bot_key_package: bytes) -> bytes:
        """Everybody and the bot in one group; gives the bot's welcome."""
        for user_id in self.user_ids:
            session = davey.DaveSession(1, user_id, CHANNEL_ID)
            session.set_external_sender(self.gateway.package)
            self._sessions.append(session)
        founder, *others = self._sessions
        packages = [one.get_serialized_key_package() for one in others]
        adds = b"".join(self.gateway.add(0, package) for package in [*packages, bot_key_package])
        made = founder.process_proposals(
            davey.ProposalsOperationType.append, vector(adds), [BOT_ID, *self.user_ids]
        )
        assert made is not None
        assert made.welcome is not None
        founder.process_commit(made.commit)
        for one in others:
            one.process_welcome(made.welcome)
        return made.welcome

    def packets(self, seconds: float) -> list[list[bytes]]:
        """One list of datagrams per slot of 20 ms."""
        frames = spoken_frames(min(seconds, 4.0))
        slots: list[list[bytes]] = []
        for number in range(int(seconds * 50)):
            slot: list[bytes] = []
            for index, ssrc in enumerate(self.ssrcs):
                opus = frames[(number + 7 * index) % len(frames)]
                payload = self._sessions[index].encrypt_opus(opus) if self._sessions else opus
                header = build_header(sequence=number, timestamp=number * 960, ssrc=ssrc)
                if self._extension:
                    header = bytes([header[0] | 0x10]) + header[1:] + self._extension[:4]
                    payload = self._extension[4:] + payload
                slot.append(self._cipher.seal(header, payload))
            slots.append(slot)
        return slots


def send_in_real_time(port: int, slots: list[list[bytes]]) -> None:
    """Every 20 ms one datagram of each speaker, spread over the slot as clients do."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect(("127.0.0.1", port))
        start = time.monotonic()
        for number, slot in enumerate(slots):
            for index, datagram in enumerate(slot):
                due = start + number * 0.02 + index * 0.02 / len(slot)
                wait = due - time.monotonic()
                if wait > 0:
                    time.sleep(wait)
                udp.send(datagram)

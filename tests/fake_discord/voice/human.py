"""A human in a call, who speaks what the test gives, hears, and has a DAVE session of their own.

`Human` uses `davey`; `libdave_human.py` has one with Discord's own C++ library. They sit in the server's
process: the server calls them as it would send to them.
"""

from __future__ import annotations

import asyncio
import wave
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import davey

from tests.fake_discord.voice import dave_group as ops
from tests.fake_discord.voice.media import MediaPacket
from tests.fake_discord.voice.room import Room
from voice.audio.frames import FRAME_TIMESTAMPS, OPUS_SILENCE, SENT_FRAME_BYTES
from voice.audio.opus import BadOpus, Decoder, Encoder

_AUDIO = davey.MediaType.audio


class Human:
    """Takes part as soon as `enter` is called."""

    with_dave = True

    def __init__(self, user_id: int, room: Room) -> None:
        self.user_id = user_id
        self.room = room
        self.ssrc = room.new_ssrc()
        self.version = 0
        self.heard: dict[int, bytearray] = {}
        """PCM by SSRC, 48 kHz stereo int16, of what could be decrypted, in order of arrival."""
        self.heard_packets: list[MediaPacket] = []
        self.undecryptable = 0
        self.told_ssrcs: dict[int, int] = {}
        self.processes_commits = True
        """False: op 29 and 30 are kept until `catch_up`, as by a slow client."""
        self._waiting: list[tuple[int, bytes]] = []
        self._versions: dict[int, int] = {}
        self._failures = 0
        """In a row."""
        self._users: set[int] = set()
        self._sequence = 65_000
        self._timestamp = 2**32 - 48_000
        self._encoder = Encoder()
        self._decoders: dict[int, Decoder] = {}
        self.begin_session()

    def begin_session(self) -> None:
        self._session = davey.DaveSession(1, self.user_id, self.room.channel_id)

    def enter(self) -> None:
        self.version = self.room.group.version if self.with_dave else 0
        self.room.enter(self)
        self.room.begin_dave(self)

    def exit(self) -> None:
        self.room.exit(self)

    # the gateway

    def text(self, op: int, data: Any) -> None:
        if op == 5:
            self.told_ssrcs[int(data["ssrc"])] = int(data["user_id"])
        elif op == 11:
            self._users |= {int(user) for user in data["user_ids"]}
        elif op == 13:
            self._users.discard(int(data["user_id"]))
        elif op == ops.PREPARE_TRANSITION:
            self._versions[data["transition_id"]] = data["protocol_version"]
            self._send_ready(data["transition_id"])
        elif op == ops.EXECUTE_TRANSITION:
            self.version = self._versions.pop(data["transition_id"], self.version)
        elif op == ops.PREPARE_EPOCH and data["epoch"] == 1:
            self.version = data["protocol_version"]
            self._failures = 0
            self.begin_session()

    def binary(self, op: int, payload: bytes) -> None:
        if op in (ops.ANNOUNCE_COMMIT, ops.WELCOME) and not self.processes_commits:
            self._waiting.append((op, payload))
            return
        self._mls(op, payload)

    def catch_up(self) -> None:
        """Processes what was kept."""
        self.processes_commits = True
        waiting, self._waiting = self._waiting, []
        for op, payload in waiting:
            self._mls(op, payload)

    def _mls(self, op: int, payload: bytes) -> None:
        group = self.room.group
        if op == ops.EXTERNAL_SENDER:
            self.set_external_sender(payload)
            self.later(lambda: group.take_binary(self.user_id, ops.KEY_PACKAGE, self.key_package()))
        elif op == ops.PROPOSALS:
            made = None
            with suppress(ValueError):  # proposals to a group that is gone by now are nobody's business
                made = self.commit(payload)
            if made is not None:
                self.later(lambda: group.take_binary(self.user_id, ops.COMMIT_WELCOME, made))
        else:
            number = int.from_bytes(payload[:2], "big")
            try:
                if op == ops.ANNOUNCE_COMMIT:
                    self.process_commit(payload[2:])
                else:
                    self.process_welcome(payload[2:])
            except ValueError:
                self._failures += 1
                if self._failures > 10:
                    return  # nobody ever joins a group whose founder was told another external sender
                self.later(lambda: group.take_text(self.user_id, ops.INVALID, {"transition_id": number}))
                self.begin_session()
                self.set_external_sender(group.sender.package)
                self.later(lambda: group.take_binary(self.user_id, ops.KEY_PACKAGE, self.key_package()))
                return
            self._failures = 0
            if number:
                self._versions[number] = 1
                self._send_ready(number)

    def _send_ready(self, number: int) -> None:
        self.later(lambda: self.room.group.take_text(self.user_id, ops.READY, {"transition_id": number}))

    def later(self, step: Callable[[], None]) -> None:
        """A client's message reaches the server after what the server is doing now."""
        asyncio.get_running_loop().call_soon(step)

    # DAVE, replaced by the other implementation

    @property
    def ready(self) -> bool:
        return self.version == 0 or self._session.ready

    @property
    def epoch(self) -> int | None:
        return self._session.epoch

    def set_external_sender(self, package: bytes) -> None:
        self._session.set_external_sender(package)

    def key_package(self) -> bytes:
        return self._session.get_serialized_key_package()

    def commit(self, proposals: bytes) -> bytes | None:
        kind = davey.ProposalsOperationType.revoke if proposals[0] else davey.ProposalsOperationType.append
        users = [self.user_id, *self._users]
        made = self._session.process_proposals(kind, proposals[1:], users)
        return None if made is None else made.commit + (made.welcome or b"")

    def process_commit(self, commit: bytes) -> None:
        self._session.process_commit(commit)

    def process_welcome(self, welcome: bytes) -> None:
        self._session.process_welcome(welcome)

    def encrypt(self, opus: bytes) -> bytes:
        return self._session.encrypt_opus(opus)

    def decrypt(self, user_id: int, frame: bytes) -> bytes:
        return self._session.decrypt(user_id, _AUDIO, frame)

    # sound

    def announce(self, flags: int = 1) -> None:
        """SPEAKING."""
        self.room.speaking(self, flags)

    def frame(self, opus: bytes, *, encrypted: bool = True, **fields: Any) -> None:
        """Sends one Opus packet of 20 ms."""
        self._sequence += 1
        self._timestamp += FRAME_TIMESTAMPS
        payload = self.encrypt(opus) if encrypted and self.version and opus != OPUS_SILENCE else opus
        self.send(payload, **fields)

    def send(self, payload: bytes, **fields: Any) -> None:
        """Sends any bytes as the payload of the present sequence number."""
        values: dict[str, Any] = {
            "ssrc": self.ssrc,
            "sequence": self._sequence,
            "timestamp": self._timestamp,
            "payload": payload,
            **fields,
        }
        self.room.relay(self, MediaPacket(**values))

    async def speak(
        self,
        pcm: bytes,
        *,
        pace_s: float = 0.0,
        announced: bool = True,
        silence: int = 5,
        before: Callable[[int], Awaitable[None] | None] | None = None,
    ) -> None:
        """PCM, 48 kHz stereo int16; `pace_s` 0.02 is real time, 0 as fast as the sockets take it.

        `before` is called with each frame's number before it is sent.
        """
        if announced:
            self.announce()
        for number, start in enumerate(range(0, len(pcm), SENT_FRAME_BYTES)):
            if before is not None and (waited := before(number)) is not None:
                await waited
            self.frame(
                self._encoder.encode(pcm[start : start + SENT_FRAME_BYTES].ljust(SENT_FRAME_BYTES, b"\0"))
            )
            await asyncio.sleep(pace_s or 0.0005 * (number % 4 == 0))
        for _ in range(silence):
            self.frame(OPUS_SILENCE)
            await asyncio.sleep(pace_s)

    def pause(self, seconds: float) -> None:
        """Time passes on this human's media clock without packets."""
        self._timestamp += round(seconds * 48_000)

    def reconnect(self) -> None:
        """A new device: another SSRC, other counters."""
        self.ssrc = self.room.new_ssrc()
        self._sequence, self._timestamp = 5, 1_000

    def hear(self, packet: MediaPacket) -> None:
        self.heard_packets.append(packet)
        user_id = self.told_ssrcs.get(packet.ssrc)
        payload = packet.payload
        if payload == OPUS_SILENCE or user_id is None:
            return
        if self.version or payload.endswith(b"\xfa\xfa"):
            try:
                payload = self.decrypt(user_id, payload)
            except ValueError:
                self.undecryptable += 1
                return
        if packet.ssrc not in self._decoders:
            self._decoders[packet.ssrc] = Decoder(rate_hz=48_000, channels=2)
        try:
            pcm = self._decoders[packet.ssrc].decode(payload)
        except BadOpus:
            self.undecryptable += 1
            return
        self.heard.setdefault(packet.ssrc, bytearray()).extend(pcm)


def read_wav(path: Path) -> bytes:
    """PCM of a WAV file of 48 kHz and 16 bits, mono or stereo, as stereo."""
    with wave.open(str(path), "rb") as file:
        if (file.getframerate(), file.getsampwidth()) != (48_000, 2):
            raise ValueError("48 kHz and 16 bits, please")
        pcm = file.readframes(file.getnframes())
        if file.getnchannels() == 2:
            return pcm
    return b"".join(pcm[at : at + 2] * 2 for at in range(0, len(pcm), 2))

"""One voice channel's call: who takes part, what they are told of each other, and the way of the sound."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Protocol

from tests.fake_discord.voice.dave_group import DaveGroup
from tests.fake_discord.voice.media import MediaPacket, Network

SPEAKING, CLIENTS_CONNECT, CLIENT_DISCONNECT = 5, 11, 13


class Participant(Protocol):
    """A human of the test, a second implementation, or the bot behind its sockets."""

    user_id: int
    ssrc: int
    with_dave: bool

    def text(self, op: int, data: object) -> None: ...
    def binary(self, op: int, payload: bytes) -> None: ...
    def hear(self, packet: MediaPacket) -> None: ...


class Room:
    """Packets go from each participant to each other one, every way with its own `Network`."""

    def __init__(self, channel_id: int, *, ssrcs: Iterator[int], seed: int = 1, dave: bool = True) -> None:
        self.channel_id = channel_id
        self.participants: dict[int, Participant] = {}
        self.group = DaveGroup(channel_id, version=1 if dave else 0)
        self.tells_ssrcs = True
        """False: nobody hears of SPEAKING, as someone who joins late may not."""
        self.packets: dict[int, int] = {}
        """Packets that each SSRC sent."""
        self._ssrcs = ssrcs
        self._seed = seed
        self._networks: dict[tuple[int, int], Network] = {}

    def new_ssrc(self) -> int:
        return next(self._ssrcs)

    def network(self, sender_id: int, receiver_id: int) -> Network:
        """The way of one participant's sound to another; set its fields."""
        key = (sender_id, receiver_id)
        if key not in self._networks:
            self._networks[key] = Network(chance=random.Random(f"{self._seed} {key}"))
        return self._networks[key]

    def enter(self, participant: Participant) -> None:
        """Tells the others; whoever enters hears who is there. DAVE begins with the session description."""
        others = [user for user in self.participants if user != participant.user_id]
        self.participants[participant.user_id] = participant
        for user in others:
            self.participants[user].text(CLIENTS_CONNECT, {"user_ids": [str(participant.user_id)]})
        if others:
            participant.text(CLIENTS_CONNECT, {"user_ids": [str(user) for user in others]})

    def begin_dave(self, participant: Participant) -> None:
        if participant.with_dave:
            self.group.join(participant)

    def exit(self, participant: Participant) -> None:
        if self.participants.get(participant.user_id) is not participant:
            return
        del self.participants[participant.user_id]
        for other in tuple(self.participants.values()):
            other.text(CLIENT_DISCONNECT, {"user_id": str(participant.user_id)})
        self.group.leave(participant.user_id)

    def speaking(self, participant: Participant, flags: int, ssrc: int | None = None) -> None:
        if not self.tells_ssrcs:
            return
        data = {
            "user_id": str(participant.user_id),
            "ssrc": participant.ssrc if ssrc is None else ssrc,
            "speaking": flags,
        }
        for other in tuple(self.participants.values()):
            if other is not participant:
                other.text(SPEAKING, data)

    def relay(self, sender: Participant, packet: MediaPacket) -> None:
        self.packets[packet.ssrc] = self.packets.get(packet.ssrc, 0) + 1
        for other in tuple(self.participants.values()):
            if other is not sender:
                self.network(sender.user_id, other.user_id).carry(packet, other.hear)

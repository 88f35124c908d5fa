"""Two real DAVE sessions in one group without any server: a sender and a `DaveCall` that hears it."""

from __future__ import annotations

import struct
from collections.abc import Callable

import davey

from tests.fake_discord.voice.mls import ExternalSender, vector
from voice.transport.dave import DaveCall
from voice.transport.gateway_events import (
    ExternalSenderGiven,
    Welcomed,
)
from voice.transport.gateway_messages import (
    SendBinary,
)

CHANNEL, BOT, SPEAKER = 77, 1, 2


class DavePair:
    """`speaker` encrypts for `call`; `add` brings a third party in, a new epoch."""

    def __init__(self, *, clock: Callable[[], float] = lambda: 0.0, speaker_id: int = SPEAKER) -> None:
        self.gateway = ExternalSender(CHANNEL)
        self.speaker_id = speaker_id
        self.speaker = davey.DaveSession(1, speaker_id, CHANNEL)
        self.speaker.set_external_sender(self.gateway.package)
        self.call = DaveCall(user_id=BOT, channel_id=CHANNEL, clock=clock)
        (package,) = self.call.begin(1).sends
        self.call.take(ExternalSenderGiven(self.gateway.package), [])
        assert isinstance(package, SendBinary)
        self.key_package = package.payload
        self.epoch = 0

    def establish(self) -> None:
        """The speaker adds the bot."""
        _, welcome = self.commit(self.gateway.add(0, self.key_package))
        assert welcome is not None
        outcome = self.call.take(Welcomed(0, welcome), [])
        assert outcome.problem is None

    def commit(self, *proposals: bytes, users: tuple[int, ...] = (BOT, 3)) -> tuple[bytes, bytes | None]:
        """The speaker commits and moves to the next epoch; the call does not know yet."""
        kind = davey.ProposalsOperationType.append
        made = self.speaker.process_proposals(kind, vector(b"".join(proposals)), [self.speaker_id, *users])
        assert made is not None
        self.speaker.process_commit(made.commit)
        self.epoch += 1
        return made.commit, made.welcome

    def third_key_package(self, user_id: int = 3) -> bytes:
        third = davey.DaveSession(1, user_id, CHANNEL)
        third.set_external_sender(self.gateway.package)
        return third.get_serialized_key_package()


def established(clock: Callable[[], float] = lambda: 0.0) -> DavePair:
    pair = DavePair(clock=clock)
    pair.establish()
    return pair


def transition(number: int) -> bytes:
    return struct.pack(">H", number)

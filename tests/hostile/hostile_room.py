"""A voice channel in one thread and virtual time: real DAVE sessions, and the bot's end of it.

What the gateway tells the bot lies in `Listener.coming`, as it would go over the wire, until somebody decides
what becomes of it.
"""

from __future__ import annotations

import json
import struct
from collections import deque
from collections.abc import Callable
from itertools import count

from tests.fake_discord.voice.human import Human
from tests.fake_discord.voice.media import MediaPacket
from tests.fake_discord.voice.room import Room
from voice.audio.frames import HeardEvent
from voice.transport.dave import DaveCall, KeysChanged, Outcome
from voice.transport.gateway_events import (
    ClientConnected,
    ClientDisconnected,
    ClientsConnected,
    CommitAnnounced,
    EpochPrepared,
    ExternalSenderGiven,
    Proposed,
    Speaking,
    TransitionExecuted,
    TransitionPrepared,
    Welcomed,
)
from voice.transport.gateway_messages import MalformedMessage, Send, SendText, parse_binary, parse_text
from voice.transport.hearing import Hearing
from voice.transport.roster import Roster
from voice.transport.speaker_log import SpeakerLogs
from voice.transport.transport_crypto import cipher_for

CHANNEL, BOT = 77, 1
KEY = bytes(range(32))
_ROSTER = (Speaking, ClientsConnected, ClientConnected, ClientDisconnected)
_DAVE = (
    TransitionPrepared,
    TransitionExecuted,
    EpochPrepared,
    ExternalSenderGiven,
    Proposed,
    CommitAnnounced,
    Welcomed,
)


class Someone(Human):
    """A human whose answers wait until the room settles."""

    room: HostileRoom

    def later(self, step: Callable[[], None]) -> None:
        self.room.steps.append(step)

    def hear(self, packet: MediaPacket) -> None:
        """Nobody but the bot listens here."""


class HostileRoom(Room):
    """`settle` lets everybody answer until nobody has anything to say."""

    def __init__(self, *, mode: str, dave: bool = True) -> None:
        super().__init__(CHANNEL, ssrcs=count(500), dave=dave)
        self.now = 100.0
        self.steps: deque[Callable[[], None]] = deque()
        self.bot = Listener(self, mode)
        self.enter(self.bot)
        self.begin_dave(self.bot)

    def someone(self, user_id: int) -> Someone:
        human = Someone(user_id, self)
        human.enter()
        human.announce()
        return human

    def change_version(self) -> None:
        """To version 0, or from there to a new group."""
        if self.group.version:
            self.group.downgrade()
        else:
            self.group.upgrade()

    def settle(self) -> None:
        for _ in range(2_000):
            if self.steps:
                self.steps.popleft()()
            elif self.bot.coming:
                self.bot.take(self.bot.coming.popleft())
            else:
                return
        raise AssertionError("they never come to an end")

    def pass_s(self, seconds: float) -> None:
        """Virtual time, with every deadline of hearing kept."""
        end = self.now + seconds
        hearing = self.bot.hearing
        for _ in range(100_000):
            due = hearing.deadline
            if due is None or due > end:
                break
            self.now = max(self.now, due)
            hearing.advance(due)
        else:
            raise AssertionError("deadlines without end")
        self.now = end


class Listener:
    """The bot: DAVE, roster and hearing, without sockets. `refused` counts messages that were no messages."""

    user_id, with_dave = BOT, True

    def __init__(self, room: HostileRoom, mode: str) -> None:
        self.room = room
        self.ssrc = room.new_ssrc()
        self.coming: deque[str | bytes] = deque()
        self.told: list[str | bytes] = []
        """All that was ever on its way."""
        self.datagram = b""
        """The last one that came."""
        self.events: list[HeardEvent] = []
        self.refused = 0
        self.is_heard = True
        """False: what it says is lost, as on a websocket that is about to be."""
        self.problems: list[str] = []
        self.roster = Roster(BOT)
        self.logs = SpeakerLogs()
        self.sealing = cipher_for(mode, KEY)
        self.call = DaveCall(user_id=BOT, channel_id=CHANNEL, clock=lambda: room.now)
        self.hearing = Hearing(
            own_ssrc=self.ssrc,
            cipher=cipher_for(mode, KEY),
            keys=self.call,
            roster=self.roster,
            logs=self.logs,
            emit=self.events.append,
        )
        self._sequence = 0
        room.steps.append(lambda: self._carry_out(self.call.begin(room.group.version)))

    # from the gateway

    def text(self, op: int, data: object) -> None:
        self._sequence += 1
        self._tell(json.dumps({"op": op, "d": data, "seq": self._sequence}))

    def binary(self, op: int, payload: bytes) -> None:
        self._sequence += 1
        self._tell(struct.pack(">HB", self._sequence & 0xFFFF, op) + payload)

    def _tell(self, message: str | bytes) -> None:
        self.coming.append(message)
        self.told.append(message)

    def take(self, message: str | bytes) -> None:
        """As the session does with what its websocket brings."""
        try:
            event = (parse_text(message) if isinstance(message, str) else parse_binary(message)).event
        except MalformedMessage:
            self.refused += 1
            return
        if isinstance(event, _ROSTER):
            left = self.roster.apply(event)
            if left is not None:
                self.hearing.user_left(left, self.room.now)
            self.hearing.advance(self.room.now, all_ears=True)
        elif isinstance(event, _DAVE):
            self._carry_out(self.call.take(event, self.roster.expected_users))

    def _carry_out(self, outcome: Outcome) -> None:
        if outcome.problem is not None:
            self.problems.append(outcome.problem)
        if outcome.keys is KeysChanged.YES:
            self.hearing.advance(self.room.now, all_ears=True)
        for send in outcome.sends:
            self.say(send)

    def say(self, send: Send) -> None:
        if not self.is_heard:
            return
        if isinstance(send, SendText):
            self.room.group.take_text(BOT, send.opcode, send.data)
        else:
            self.room.group.take_binary(BOT, send.opcode, send.payload)

    # sound

    def hear(self, packet: MediaPacket) -> None:
        self.datagram = self.sealing.seal(*packet.rtp())
        self.hearing.feed(self.datagram, self.room.now)

"""The voice gateway's messages, version 8, as values: text and binary in, text and binary out.

Hostile-proof: whatever comes in becomes a value of the closed union `GatewayEvent`, or `MalformedMessage`. An
opcode that is not known here is `Ignored`, as Discord adds new ones. Binary messages carry DAVE's MLS parts:
`sequence (2) | opcode (1) | payload`. Source: discord.com/developers/docs/topics/voice-connections;
daveprotocol.com, "Voice Gateway Opcodes"; `wire/discord-voice.md`.
"""

import json
from dataclasses import dataclass
from enum import IntEnum
from typing import Any, cast

from voice.transport.gateway_events import (
    ClientConnected,
    ClientDisconnected,
    ClientsConnected,
    CommitAnnounced,
    EpochPrepared,
    ExternalSenderGiven,
    GatewayEvent,
    HeartbeatAck,
    Hello,
    Ignored,
    Numbered,
    Proposed,
    Ready,
    Resumed,
    SessionDescription,
    Speaking,
    TransitionExecuted,
    TransitionPrepared,
    Welcomed,
)
from voice.transport.transport_crypto import KEY_SIZE


class Opcode(IntEnum):
    """Those that are sent or understood here."""

    IDENTIFY = 0
    SELECT_PROTOCOL = 1
    READY = 2
    HEARTBEAT = 3
    SESSION_DESCRIPTION = 4
    SPEAKING = 5
    HEARTBEAT_ACK = 6
    RESUME = 7
    HELLO = 8
    RESUMED = 9
    CLIENTS_CONNECT = 11
    CLIENT_CONNECT = 12
    CLIENT_DISCONNECT = 13
    DAVE_PREPARE_TRANSITION = 21
    DAVE_EXECUTE_TRANSITION = 22
    DAVE_TRANSITION_READY = 23
    DAVE_PREPARE_EPOCH = 24
    MLS_EXTERNAL_SENDER = 25
    MLS_KEY_PACKAGE = 26
    MLS_PROPOSALS = 27
    MLS_COMMIT_WELCOME = 28
    MLS_ANNOUNCE_COMMIT = 29
    MLS_WELCOME = 30
    MLS_INVALID_COMMIT_WELCOME = 31


class MalformedMessage(ValueError):
    """The message does not have its opcode's form."""


@dataclass(frozen=True, slots=True, repr=False)
class SendText:
    """A JSON message to the gateway; `data` may hold a token."""

    opcode: Opcode
    data: Any

    def encoded(self) -> str:
        return json.dumps({"op": int(self.opcode), "d": self.data}, separators=(",", ":"))


@dataclass(frozen=True, slots=True, repr=False)
class SendBinary:
    """A binary message to the gateway: the opcode's byte and the payload."""

    opcode: Opcode
    payload: bytes

    def encoded(self) -> bytes:
        return bytes([self.opcode]) + self.payload


Send = SendText | SendBinary


def parse_text(text: str) -> Numbered:
    """One JSON message. Raises `MalformedMessage`."""
    try:
        message = _object(json.loads(text))
        opcode = _integer(message.get("op"), 0, 255)
        sequence = message.get("seq")
        number = None if sequence is None else _integer(sequence, 0, 1 << 31)
        return Numbered(_event(opcode, message.get("d")), number)
    except MalformedMessage:
        raise
    except (ValueError, TypeError, RecursionError, OverflowError) as error:
        raise MalformedMessage("no JSON message") from error


def parse_binary(message: bytes) -> Numbered:
    """One binary message. Raises `MalformedMessage`."""
    if len(message) < 3:
        raise MalformedMessage("truncated binary message")
    sequence, opcode, payload = int.from_bytes(message[:2], "big"), message[2], message[3:]
    return Numbered(_binary_event(opcode, payload), sequence)


def _event(opcode: int, data: Any) -> GatewayEvent:  # noqa: C901, PLR0912 - one line per opcode
    if opcode == Opcode.HEARTBEAT_ACK:
        nonce = cast("dict[str, Any]", data).get("t") if isinstance(data, dict) else data
        return HeartbeatAck(_integer(nonce, 0, 1 << 62) if nonce is not None else 0)
    if opcode == Opcode.RESUMED:
        return Resumed()
    if opcode not in _OBJECTS:
        return Ignored(opcode)
    fields = _object(data)
    match opcode:
        case Opcode.HELLO:
            interval = fields.get("heartbeat_interval")
            if not isinstance(interval, int | float) or not 100 <= interval <= 600_000:
                raise MalformedMessage("heartbeat interval")
            return Hello(interval / 1000)
        case Opcode.READY:
            modes = _list(fields.get("modes"))
            return Ready(
                _ssrc(fields.get("ssrc")),
                _text(fields.get("ip"), 255),
                _integer(fields.get("port"), 1, 65_535),
                tuple(_text(mode, 100) for mode in modes),
            )
        case Opcode.SESSION_DESCRIPTION:
            key = bytes(_integer(one, 0, 255) for one in _list(fields.get("secret_key")))
            if len(key) != KEY_SIZE:
                raise MalformedMessage("secret key")
            version = _integer(fields.get("dave_protocol_version", 0), 0, 65_535)
            return SessionDescription(_text(fields.get("mode"), 100), key, version)
        case Opcode.SPEAKING:
            return Speaking(
                _user(fields.get("user_id")),
                _ssrc(fields.get("ssrc")),
                _integer(fields.get("speaking"), 0, 255),
            )
        case Opcode.CLIENTS_CONNECT:
            return ClientsConnected(tuple(_user(one) for one in _list(fields.get("user_ids"))))
        case Opcode.CLIENT_CONNECT:
            audio = fields.get("audio_ssrc")
            return ClientConnected(_user(fields.get("user_id")), _ssrc(audio) if audio else None)
        case Opcode.CLIENT_DISCONNECT:
            return ClientDisconnected(_user(fields.get("user_id")))
        case Opcode.DAVE_PREPARE_TRANSITION:
            return TransitionPrepared(_transition(fields), _version(fields))
        case Opcode.DAVE_EXECUTE_TRANSITION:
            return TransitionExecuted(_transition(fields))
        case _:
            return EpochPrepared(_integer(fields.get("epoch"), 0, 1 << 62), _version(fields))


_OBJECTS = frozenset(
    {
        Opcode.HELLO,
        Opcode.READY,
        Opcode.SESSION_DESCRIPTION,
        Opcode.SPEAKING,
        Opcode.CLIENTS_CONNECT,
        Opcode.CLIENT_CONNECT,
        Opcode.CLIENT_DISCONNECT,
        Opcode.DAVE_PREPARE_TRANSITION,
        Opcode.DAVE_EXECUTE_TRANSITION,
        Opcode.DAVE_PREPARE_EPOCH,
    }
)


def _binary_event(opcode: int, payload: bytes) -> GatewayEvent:
    match opcode:
        case Opcode.MLS_EXTERNAL_SENDER:
            return ExternalSenderGiven(payload)
        case Opcode.MLS_PROPOSALS:
            if not payload or payload[0] > 1:
                raise MalformedMessage("kind of proposals")
            return Proposed(bool(payload[0]), payload[1:])
        case Opcode.MLS_ANNOUNCE_COMMIT | Opcode.MLS_WELCOME:
            if len(payload) < 2:
                raise MalformedMessage("transition id")
            transition_id, rest = int.from_bytes(payload[:2], "big"), payload[2:]
            made = CommitAnnounced if opcode == Opcode.MLS_ANNOUNCE_COMMIT else Welcomed
            return made(transition_id, rest)
        case _:
            return Ignored(opcode)


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise MalformedMessage("no object")
    return cast("dict[str, Any]", value)


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list) or len(cast("list[Any]", value)) > 1_000:
        raise MalformedMessage("no list")
    return cast("list[Any]", value)


def _integer(value: Any, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise MalformedMessage("no number in range")
    return value


def _text(value: Any, longest: int) -> str:
    if not isinstance(value, str) or not 0 < len(value) <= longest:
        raise MalformedMessage("no text")
    return value


def _user(value: Any) -> int:
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= 20:
        value = int(value)
    return _integer(value, 1, (1 << 64) - 1)


def _ssrc(value: Any) -> int:
    return _integer(value, 0, (1 << 32) - 1)


def _transition(fields: dict[str, Any]) -> int:
    return _integer(fields.get("transition_id"), 0, 65_535)


def _version(fields: dict[str, Any]) -> int:
    return _integer(fields.get("protocol_version"), 0, 65_535)

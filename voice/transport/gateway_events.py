"""What the voice gateway tells, version 8, as values of the closed union `GatewayEvent`.

Source: discord.com/developers/docs/topics/voice-connections; daveprotocol.com, "Voice Gateway Opcodes".
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Hello:
    """How often the gateway wants a heartbeat."""

    heartbeat_interval_s: float


@dataclass(frozen=True, slots=True)
class Ready:
    """The server's UDP address and the SSRC that is ours until the session ends."""

    ssrc: int
    ip: str
    port: int
    modes: tuple[str, ...]


@dataclass(frozen=True, slots=True, repr=False)
class SessionDescription:
    """`key` is secret and therefore not in the repr."""

    mode: str
    key: bytes
    dave_version: int


@dataclass(frozen=True, slots=True)
class HeartbeatAck:
    """Answers the heartbeat of that nonce."""

    nonce: int


@dataclass(frozen=True, slots=True)
class Resumed:
    """The RESUME was accepted; missed messages were or will be repeated."""


@dataclass(frozen=True, slots=True)
class Speaking:
    """`speaking` is a bit set: 1 voice, 2 soundshare, 4 priority."""

    user_id: int
    ssrc: int
    speaking: int


@dataclass(frozen=True, slots=True)
class ClientsConnected:
    """Who is in the call."""

    user_ids: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ClientConnected:
    """`audio_ssrc` is None when the message does not tell one."""

    user_id: int
    audio_ssrc: int | None


@dataclass(frozen=True, slots=True)
class ClientDisconnected:
    """Who left the call."""

    user_id: int


@dataclass(frozen=True, slots=True)
class TransitionPrepared:
    """A change of the protocol version is coming; 0 means without DAVE."""

    transition_id: int
    version: int


@dataclass(frozen=True, slots=True)
class TransitionExecuted:
    """The prepared transition is in force."""

    transition_id: int


@dataclass(frozen=True, slots=True)
class EpochPrepared:
    """Epoch 1 asks for a new group."""

    epoch: int
    version: int


@dataclass(frozen=True, slots=True)
class ExternalSenderGiven:
    """The gateway's own MLS credential, which signs its proposals."""

    package: bytes


@dataclass(frozen=True, slots=True)
class Proposed:
    """`revoked` tells proposals that are taken back from new ones."""

    revoked: bool
    proposals: bytes


@dataclass(frozen=True, slots=True)
class CommitAnnounced:
    """The commit that every member of the group processes."""

    transition_id: int
    commit: bytes


@dataclass(frozen=True, slots=True)
class Welcomed:
    """The way into the group for who was just added."""

    transition_id: int
    welcome: bytes


@dataclass(frozen=True, slots=True)
class Ignored:
    """An opcode that means nothing here."""

    opcode: int


DaveEvent = (
    TransitionPrepared
    | TransitionExecuted
    | EpochPrepared
    | ExternalSenderGiven
    | Proposed
    | CommitAnnounced
    | Welcomed
)
RosterEvent = Speaking | ClientsConnected | ClientConnected | ClientDisconnected
GatewayEvent = Hello | Ready | SessionDescription | HeartbeatAck | Resumed | RosterEvent | DaveEvent | Ignored


@dataclass(frozen=True, slots=True)
class Numbered:
    """An event and the sequence number that a RESUME acknowledges; None for messages without one."""

    event: GatewayEvent
    sequence: int | None

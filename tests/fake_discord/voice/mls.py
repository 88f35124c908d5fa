"""MLS as the voice gateway needs it: an external sender that proposes, and where a commit ends.

The gateway is no member of the group. It signs Add and Remove proposals as an external sender, and it
forwards commits and welcomes without being able to read them. Encoded by hand; `cryptography` signs.
Source: RFC 9420, sections 2.1.2 (vectors), 5.1.2 (SignWithLabel), 6 (framing), 7.2 (leaf nodes), 12
(proposals).
"""

from __future__ import annotations

import struct
from hashlib import sha256

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_MLS10, _PUBLIC_MESSAGE, _BASIC = 1, 1, 1
_MEMBER, _EXTERNAL = 1, 2
_PROPOSAL, _COMMIT = 2, 3
_ADD, _REMOVE = 1, 3
_REFERENCE = 2


def vector(content: bytes) -> bytes:
    """Content with its length before it, in the RFC's variable-size encoding."""
    size = len(content)
    if size < 1 << 6:
        return bytes([size]) + content
    if size < 1 << 14:
        return struct.pack(">H", 0x4000 | size) + content
    return struct.pack(">I", 0x80000000 | size) + content


class ExternalSender:
    """The gateway's identity in one channel's groups."""

    def __init__(self, channel_id: int) -> None:
        self._group = struct.pack(">Q", channel_id)
        self._key = ec.generate_private_key(ec.SECP256R1())

    @property
    def package(self) -> bytes:
        """What opcode 25 carries: signature key and credential."""
        public = self._key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return vector(public) + struct.pack(">H", _BASIC) + vector(b"voice gateway")

    def add(self, epoch: int, key_package: bytes) -> bytes:
        """A signed proposal to add the owner of the key package."""
        return self._message(epoch, struct.pack(">H", _ADD) + key_package)

    def remove(self, epoch: int, leaf: int) -> bytes:
        """A signed proposal to remove the member at the leaf."""
        return self._message(epoch, struct.pack(">HI", _REMOVE, leaf))

    def _message(self, epoch: int, proposal: bytes) -> bytes:
        content = (
            vector(self._group)
            + struct.pack(">Q", epoch)
            + struct.pack(">BI", _EXTERNAL, 0)
            + vector(b"")
            + bytes([_PROPOSAL])
            + proposal
        )
        framed = struct.pack(">HH", _MLS10, _PUBLIC_MESSAGE) + content
        signed = vector(b"MLS 1.0 FramedContentTBS") + vector(framed)
        return framed + vector(self._key.sign(signed, ec.ECDSA(hashes.SHA256())))


def split_commit_welcome(payload: bytes) -> tuple[bytes, bytes]:
    """The commit message and the welcome (empty when there is none) of opcode 28."""
    reader = _Reader(payload)
    reader.skip(4)  # version, wire format
    reader.vector()  # group
    reader.skip(8)  # epoch
    if reader.byte() != _MEMBER:
        raise ValueError("a commit comes from a member")
    reader.skip(4)  # leaf
    reader.vector()  # authenticated data
    if reader.byte() != _COMMIT:
        raise ValueError("no commit")
    reader.vector()  # proposals
    if reader.byte():
        _skip_update_path(reader)
    reader.vector()  # signature
    reader.vector()  # confirmation tag
    reader.vector()  # membership tag
    return payload[: reader.at], payload[reader.at :]


def commit_epoch(payload: bytes) -> int:
    """The epoch that the commit of opcode 28 ends."""
    reader = _Reader(payload)
    reader.skip(4)  # version, wire format
    reader.vector()  # group
    return int.from_bytes(reader.skip(8), "big")


def commit_references(payload: bytes) -> set[bytes]:
    """Which proposals the commit of opcode 28 is made of (RFC 9420, 12.4); Discord has no others."""
    reader = _Reader(payload)
    reader.skip(4)  # version, wire format
    reader.vector()  # group
    reader.skip(8 + 1 + 4)  # epoch, a member, leaf
    reader.vector()  # authenticated data
    reader.skip(1)  # a commit
    proposals = _Reader(reader.vector())
    found: set[bytes] = set()
    while not proposals.is_at_the_end:
        if proposals.byte() != _REFERENCE:
            raise ValueError("a proposal that nobody was told of")
        found.add(proposals.vector())
    return found


def proposal_reference(message: bytes) -> bytes:
    """By what a commit names the proposal of an external sender (RFC 9420, 5.2)."""
    return sha256(vector(b"MLS 1.0 Proposal Reference") + vector(message[2:])).digest()


def _skip_update_path(reader: _Reader) -> None:
    reader.vector()  # encryption key
    reader.vector()  # signature key
    reader.skip(2)  # credential type
    reader.vector()  # identity
    for _ in range(5):
        reader.vector()  # capabilities
    source = reader.byte()
    if source == 1:
        reader.skip(16)  # lifetime
    elif source == 3:
        reader.vector()  # parent hash
    reader.vector()  # extensions
    reader.vector()  # signature
    reader.vector()  # nodes


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self.at = 0

    @property
    def is_at_the_end(self) -> bool:
        return self.at == len(self._data)

    def skip(self, size: int) -> bytes:
        if self.at + size > len(self._data):
            raise ValueError("truncated")
        self.at += size
        return self._data[self.at - size : self.at]

    def byte(self) -> int:
        return self.skip(1)[0]

    def vector(self) -> bytes:
        first = self.byte()
        size = first & 0x3F
        for _ in range((1 << (first >> 6)) - 1):
            size = size << 8 | self.byte()
        return self.skip(size)

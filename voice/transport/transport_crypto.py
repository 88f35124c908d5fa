"""Encryption between a client and the voice server (VOX-1): the two `rtpsize` modes that Discord still has.

A sealed packet is `clear header | ciphertext and tag | nonce of 4 bytes`. The nonce counts up per key, is
padded with zeros at its end, and the clear header is authenticated. AES-256-GCM costs a fifth of XChaCha20
here, so it is asked for first. Source: `wire/discord-voice.md`.
"""

import struct
from collections.abc import Sequence
from typing import Protocol

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from nacl.bindings import (
    crypto_aead_xchacha20poly1305_ietf_decrypt,
    crypto_aead_xchacha20poly1305_ietf_encrypt,
)
from nacl.exceptions import CryptoError

AES256_GCM = "aead_aes256_gcm_rtpsize"
XCHACHA20_POLY1305 = "aead_xchacha20_poly1305_rtpsize"
PREFERRED_MODES = (AES256_GCM, XCHACHA20_POLY1305)
KEY_SIZE = 32
TAG_SIZE = 16
NONCE_SUFFIX_SIZE = 4
_NONCES = 1 << 32


class NotAuthentic(ValueError):
    """The packet was not sealed with this key, or was changed on its way."""


class NonceExhausted(RuntimeError):
    """2**32 packets were sealed under one key; the session must be renewed before another one is."""


class UnknownMode(ValueError):
    """The voice server chose or offers no mode that is known here."""


class TransportCipher(Protocol):
    """Seals and opens the packets of one key.

    Sealing belongs to one thread, opening may happen in another.
    """

    def seal(self, clear: bytes, payload: bytes) -> bytes:
        """The whole packet. Raises `NonceExhausted`."""
        ...

    def open(self, packet: bytes, clear_size: int) -> bytes:
        """The plaintext behind the clear header. Raises `NotAuthentic`."""
        ...


def choose_mode(offered: Sequence[str]) -> str:
    """The best mode of an offer. Raises `UnknownMode`."""
    for mode in PREFERRED_MODES:
        if mode in offered:
            return mode
    raise UnknownMode(f"none of {len(offered)} offered modes is known")


def cipher_for(mode: str, key: bytes) -> TransportCipher:
    """A cipher that starts to count its nonces at 0. Raises `UnknownMode`."""
    if len(key) != KEY_SIZE:
        raise UnknownMode("the key has the wrong size")
    if mode == AES256_GCM:
        return AesGcm(key)
    if mode == XCHACHA20_POLY1305:
        return XChaCha20(key)
    raise UnknownMode(mode)


class _NonceCounter:
    """Suffixes of 4 bytes, each one once."""

    __slots__ = ("_next",)

    def __init__(self) -> None:
        self._next = 0

    def take(self) -> bytes:
        if self._next >= _NONCES:
            raise NonceExhausted("every nonce of this key is used")
        suffix = struct.pack(">I", self._next)
        self._next += 1
        return suffix


class AesGcm:
    """`aead_aes256_gcm_rtpsize`: nonces of 12 bytes."""

    __slots__ = ("_aead", "_nonces")
    _PAD = bytes(12 - NONCE_SUFFIX_SIZE)

    def __init__(self, key: bytes) -> None:
        self._aead = AESGCM(key)
        self._nonces = _NonceCounter()

    def seal(self, clear: bytes, payload: bytes) -> bytes:
        suffix = self._nonces.take()
        return clear + self._aead.encrypt(suffix + self._PAD, payload, clear) + suffix

    def open(self, packet: bytes, clear_size: int) -> bytes:
        _check_size(packet, clear_size)
        try:
            return self._aead.decrypt(packet[-4:] + self._PAD, packet[clear_size:-4], packet[:clear_size])
        except InvalidTag as error:
            raise NotAuthentic("wrong tag") from error


class XChaCha20:
    """`aead_xchacha20_poly1305_rtpsize`: nonces of 24 bytes."""

    __slots__ = ("_key", "_nonces")
    _PAD = bytes(24 - NONCE_SUFFIX_SIZE)

    def __init__(self, key: bytes) -> None:
        self._key = key
        self._nonces = _NonceCounter()

    def seal(self, clear: bytes, payload: bytes) -> bytes:
        suffix = self._nonces.take()
        nonce = suffix + self._PAD
        return clear + crypto_aead_xchacha20poly1305_ietf_encrypt(payload, clear, nonce, self._key) + suffix

    def open(self, packet: bytes, clear_size: int) -> bytes:
        _check_size(packet, clear_size)
        nonce = packet[-4:] + self._PAD
        try:
            return crypto_aead_xchacha20poly1305_ietf_decrypt(
                packet[clear_size:-4], packet[:clear_size], nonce, self._key
            )
        except CryptoError as error:
            raise NotAuthentic("wrong tag") from error


def _check_size(packet: bytes, clear_size: int) -> None:
    if len(packet) < clear_size + TAG_SIZE + NONCE_SUFFIX_SIZE:
        raise NotAuthentic("truncated packet")

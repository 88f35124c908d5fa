"""Opus through libopus: decoding straight to what recognition takes, encoding at the measured settings.

`discord.opus` decodes to 48 kHz stereo (161 us a frame, and a resampler after it) and encodes with
in-band FEC at 15 % expected loss (658 us). Decoding to 16 kHz mono costs 39 us. Encoding costs a quarter of
that with FEC off, 1 % expected loss, complexity 5 (9 costs a third more, for a correlation with the sound of
0.9991 instead of 0.9986) and the signal type left to libopus ("voice" brings the slow hybrid mode back).
libopus is taken from the system, else from where PyAV carries it. Source: opus_decoder and opus_encoder of
libopus 1.3; RFC 6716 section 3.1 (the first byte); issue of the voice transport, item 6.
"""

import ctypes
import sys
from collections.abc import Iterator
from enum import IntEnum
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from voice.audio.frames import HEARD_RATE_HZ, SENT_CHANNELS, SENT_FRAME_BYTES, SENT_RATE_HZ

MAXIMUM_PACKET = 1_500
_MAXIMUM_FRAME_MS = 120
_OPUS_OK = 0
_SYSTEM_NAMES = {
    "linux": ("libopus.so.0",),
    "darwin": ("libopus.0.dylib", "/opt/homebrew/lib/libopus.0.dylib"),
    "win32": ("opus.dll", "libopus-0.dll"),
}


class OpusMissing(RuntimeError):
    """libopus is neither on this system nor inside the installed PyAV."""


class BadOpus(ValueError):
    """libopus refused these bytes."""


class _Request(IntEnum):
    """CTL requests of `opus_defines.h`."""

    SET_BITRATE = 4002
    SET_COMPLEXITY = 4010
    SET_INBAND_FEC = 4012
    SET_PACKET_LOSS_PERC = 4014


_APPLICATION_AUDIO = 2049


@cache
def libopus() -> ctypes.CDLL:
    """The library, loaded once. Raises `OpusMissing`."""
    return _declared(ctypes.CDLL(library_path()))


@cache
def library_path() -> str:
    """What the library was found by: a name that the system knows, or a path. Raises `OpusMissing`."""
    for candidate in _candidates():
        try:
            ctypes.CDLL(candidate)
        except OSError:
            continue
        return candidate
    raise OpusMissing("libopus was not found: install the system's package of it, or PyAV")


def version() -> str:
    """What libopus calls itself, for `/voice doctor`. Raises `OpusMissing`."""
    return str(libopus().opus_get_version_string().decode("ascii", "replace"))


def _candidates() -> Iterator[str]:
    yield from _SYSTEM_NAMES.get(sys.platform, ("libopus.so.0", "libopus.so"))
    found = find_spec("av")
    if found is None or found.origin is None:
        return
    package = Path(found.origin).parent
    for folder in (package.parent / "av.libs", package / ".dylibs"):
        yield from (str(file) for file in sorted(folder.glob("*opus*")))


def _declared(library: ctypes.CDLL) -> ctypes.CDLL:
    pointer, integer, data = ctypes.c_void_p, ctypes.c_int, ctypes.c_char_p
    out = ctypes.POINTER(integer)
    signatures: dict[str, tuple[object, list[object]]] = {
        "opus_get_version_string": (data, []),
        "opus_decoder_create": (pointer, [ctypes.c_int32, integer, out]),
        "opus_decoder_destroy": (None, [pointer]),
        "opus_decode": (integer, [pointer, data, ctypes.c_int32, pointer, integer, integer]),
        "opus_packet_get_nb_samples": (integer, [data, ctypes.c_int32, ctypes.c_int32]),
        "opus_encoder_create": (pointer, [ctypes.c_int32, integer, integer, out]),
        "opus_encoder_destroy": (None, [pointer]),
        "opus_encode": (ctypes.c_int32, [pointer, data, integer, pointer, ctypes.c_int32]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    library.opus_encoder_ctl.restype = integer
    return library


class Decoder:
    """One speaker's decoder, by default to 16 kHz mono int16. Not thread-safe; a frame is at most 120 ms."""

    def __init__(self, *, rate_hz: int = HEARD_RATE_HZ, channels: int = 1) -> None:
        self._library = libopus()
        self._rate_hz = rate_hz
        self._frame_bytes = channels * 2
        self._capacity = rate_hz * _MAXIMUM_FRAME_MS // 1000
        self._buffer = ctypes.create_string_buffer(self._capacity * self._frame_bytes)
        error = ctypes.c_int()
        self._state: int | None = self._library.opus_decoder_create(rate_hz, channels, ctypes.byref(error))
        if error.value != _OPUS_OK or not self._state:
            raise OpusMissing(f"libopus made no decoder ({error.value})")

    def close(self) -> None:
        """Frees the decoder's memory; it must not be used after."""
        state, self._state = self._state, None
        if state:
            self._library.opus_decoder_destroy(state)

    def __del__(self) -> None:
        if getattr(self, "_state", None):
            self.close()

    def decode(self, packet: bytes) -> bytes:
        """PCM of the packet. Raises `BadOpus`."""
        return self._run(packet, self._capacity, fec=0)

    def recover(self, next_packet: bytes, samples: int) -> bytes:
        """PCM of the lost frame before `next_packet`, from its redundancy if it has any, else concealed."""
        return self._run(next_packet, samples, fec=1)

    def conceal(self, samples: int) -> bytes:
        """PCM in place of a lost frame, made up from what was heard before."""
        return self._run(None, samples, fec=0)

    def _run(self, packet: bytes | None, samples: int, *, fec: int) -> bytes:
        size = 0
        if packet is not None:
            size = len(packet)
            if not 0 < size <= MAXIMUM_PACKET:
                raise BadOpus("an Opus packet has 1 to 1,500 bytes")
        done = self._library.opus_decode(self._state, packet, size, self._buffer, samples, fec)
        if done < 0:
            raise BadOpus(f"libopus error {done}")
        return ctypes.string_at(self._buffer, done * self._frame_bytes)


def packet_samples(packet: bytes, rate_hz: int = HEARD_RATE_HZ) -> int:
    """Samples per channel that the packet decodes to. Raises `BadOpus`."""
    samples = libopus().opus_packet_get_nb_samples(packet, len(packet), rate_hz) if packet else 0
    if samples <= 0 or samples > rate_hz * _MAXIMUM_FRAME_MS // 1000:
        raise BadOpus("no Opus packet")
    return int(samples)


class Encoder:
    """48 kHz stereo int16 to Opus, 20 ms a frame. Not thread-safe."""

    def __init__(
        self,
        *,
        bitrate: int = 64_000,
        in_band_fec: bool = False,
        expected_loss_percent: int = 1,
        complexity: int = 5,
    ) -> None:
        self._library = libopus()
        self._buffer = ctypes.create_string_buffer(MAXIMUM_PACKET)
        error = ctypes.c_int()
        self._state: int | None = self._library.opus_encoder_create(
            SENT_RATE_HZ, SENT_CHANNELS, _APPLICATION_AUDIO, ctypes.byref(error)
        )
        if error.value != _OPUS_OK or not self._state:
            raise OpusMissing(f"libopus made no encoder ({error.value})")
        for request, value in (
            (_Request.SET_BITRATE, bitrate),
            (_Request.SET_COMPLEXITY, complexity),
            (_Request.SET_INBAND_FEC, int(in_band_fec)),
            (_Request.SET_PACKET_LOSS_PERC, expected_loss_percent),
        ):
            self._control(request, value)

    def close(self) -> None:
        """Frees the encoder's memory; it must not be used after."""
        state, self._state = self._state, None
        if state:
            self._library.opus_encoder_destroy(state)

    def __del__(self) -> None:
        if getattr(self, "_state", None):
            self.close()

    def encode(self, pcm: bytes) -> bytes:
        """One packet from 3,840 bytes of PCM. Raises `BadOpus`."""
        if len(pcm) != SENT_FRAME_BYTES:
            raise BadOpus(f"a frame has {SENT_FRAME_BYTES} bytes, not {len(pcm)}")
        samples = SENT_FRAME_BYTES // (2 * SENT_CHANNELS)
        done = self._library.opus_encode(self._state, pcm, samples, self._buffer, MAXIMUM_PACKET)
        if done < 0:
            raise BadOpus(f"libopus error {done}")
        return ctypes.string_at(self._buffer, done)

    def _control(self, request: _Request, value: int) -> None:
        state = ctypes.c_void_p(self._state)
        done = self._library.opus_encoder_ctl(state, ctypes.c_int(request), ctypes.c_int32(value))
        if done != _OPUS_OK:
            raise BadOpus(f"libopus refused {request.name} = {value}")

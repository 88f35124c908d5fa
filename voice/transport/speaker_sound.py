"""One SSRC's Opus packets as frames of 20 ms (VOX-4): decoded, losses concealed, cut to one length.

Straight to 16 kHz mono, as recognition takes it; while somebody asks for it, by a second decoder to 48 kHz
mono as well, so that the road of recognition is the same with and without. Belongs to the receiver's thread.
"""

from collections.abc import Callable

from voice.audio.frames import (
    FRAME_TIMESTAMPS,
    FULL_BAND_RATE_HZ,
    HEARD_FRAME_BYTES,
    HEARD_FRAME_SAMPLES,
    HEARD_RATE_HZ,
    RTP_CLOCK_HZ,
    HeardEvent,
    HeardFrame,
    Origin,
)
from voice.audio.opus import BadOpus, Decoder
from voice.transport.roster import Roster
from voice.transport.speaker_log import Problem, SpeakerLog

_STRETCH = RTP_CLOCK_HZ // HEARD_RATE_HZ
_FULLER = FULL_BAND_RATE_HZ // HEARD_RATE_HZ


class SpeakerSound:
    """`to_conceal` frames are missing before the next packet."""

    def __init__(self, ssrc: int, *, roster: Roster, emit: Callable[[HeardEvent], None]) -> None:
        self._ssrc = ssrc
        self._roster = roster
        self._emit = emit
        self._decoder: Decoder | None = None
        self._full_band: Decoder | None = None
        self._carry = self._full_carry = b""
        self._expected: int | None = None
        self.to_conceal = 0

    def hear(self, opus: bytes, position: int, *, user_id: int, at: float, log: SpeakerLog) -> None:
        """Emits what is missing before the packet, as far as it is worth it, and what is in it."""
        decoder = self._decoder
        if decoder is None:
            decoder = self._decoder = Decoder()
        if self._roster.full_band is not (self._full_band is not None):
            self._change_band()
        full_band = self._full_band
        try:
            if self.to_conceal:
                self._conceal(opus, position, decoder, user_id=user_id, at=at, log=log)
            pcm = decoder.decode(opus)
            full = b"" if full_band is None else full_band.decode(opus)
        except BadOpus:
            log.decode_errors += 1
            log.problem = Problem.DECODE_ERRORS
            return
        log.sound_decoded(at)
        self._frames(pcm, full, position, Origin.DECODED, user_id, at)

    def close(self) -> None:
        """Frees the decoders' memory."""
        for decoder in (self._decoder, self._full_band):
            if decoder is not None:
                decoder.close()
        self._decoder = self._full_band = None

    def _change_band(self) -> None:
        if self._full_band is not None:
            self._full_band.close()
            self._full_band, self._full_carry = None, b""
        else:
            self._full_band = Decoder(rate_hz=FULL_BAND_RATE_HZ)
            self._full_carry = bytes(_FULLER * len(self._carry))

    def _conceal(
        self, opus: bytes, position: int, decoder: Decoder, *, user_id: int, at: float, log: SpeakerLog
    ) -> None:
        """Made up, but for the last frame, which the next packet may carry a copy of."""
        missing, self.to_conceal = self.to_conceal, 0
        start = position - missing * FRAME_TIMESTAMPS
        full_band = self._full_band
        samples, full, full_samples = HEARD_FRAME_SAMPLES, b"", HEARD_FRAME_SAMPLES * _FULLER
        for left in range(missing, 0, -1):
            if left > 1:
                pcm, origin = decoder.conceal(samples), Origin.CONCEALED
                if full_band is not None:
                    full = full_band.conceal(full_samples)
            else:
                pcm, origin = decoder.recover(opus, samples), Origin.RECOVERED
                if full_band is not None:
                    full = full_band.recover(opus, full_samples)
            log.concealed += 1
            self._frames(pcm, full, start, origin, user_id, at)
            start += FRAME_TIMESTAMPS

    def _frames(
        self, pcm: bytes, full: bytes, position: int, origin: Origin, user_id: int, at: float
    ) -> None:
        start, skipped = position, 0
        if self._expected is not None:
            heard_until = self._expected + len(self._carry) // 2 * _STRETCH
            if position > heard_until:
                skipped, self._carry, self._full_carry = position - heard_until, b"", b""
            else:
                start = self._expected
        if self._carry:
            pcm, full = self._carry + pcm, self._full_carry + full
        end = len(pcm) - len(pcm) % HEARD_FRAME_BYTES
        for offset in range(0, end, HEARD_FRAME_BYTES):
            after = offset + HEARD_FRAME_BYTES
            self._emit(
                HeardFrame(
                    user_id,
                    self._ssrc,
                    pcm[offset:after],
                    start,
                    at,
                    origin,
                    skipped,
                    full[_FULLER * offset : _FULLER * after],
                )
            )
            skipped = 0
            start += FRAME_TIMESTAMPS
        self._carry, self._full_carry = pcm[end:], full[_FULLER * end :]
        self._expected = start

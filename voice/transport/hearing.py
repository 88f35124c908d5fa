"""From datagrams to what people say: one voice session's hearing, without sockets or threads; time is data.

Belongs to the receiver's thread. A datagram passes: what it is, RTP, whose SSRC, is that user ignored
(then nothing of it is decrypted, VOX-9), transport encryption, extension and padding, silence, and then
the SSRC's own ear. No datagram raises; what is refused is counted by reason (VOX-5). At most `_MOST_EARS`
SSRCs are listened to.
"""

from collections.abc import Callable

from voice.audio.frames import OPUS_SILENCE, HeardEvent, SpeakerLeft
from voice.audio.jitter_buffer import Arrived
from voice.transport import rtp
from voice.transport.roster import Roster
from voice.transport.rtp import DatagramKind, MalformedPacket
from voice.transport.speaker_ear import FrameKeys, SpeakerEar
from voice.transport.speaker_log import SpeakerLogs
from voice.transport.transport_crypto import NotAuthentic, TransportCipher

_MOST_EARS = 128
_IDLE_S = 60.0
_STEP_S = 0.005
"""Deadlines of many SSRCs within this time are kept together."""


class Hearing:
    """See the module. `emit` gets the events in order per speaker."""

    def __init__(
        self,
        *,
        own_ssrc: int,
        cipher: TransportCipher,
        keys: FrameKeys,
        roster: Roster,
        logs: SpeakerLogs,
        emit: Callable[[HeardEvent], None],
    ) -> None:
        self._own_ssrc = own_ssrc
        self._cipher = cipher
        self._keys = keys
        self._roster = roster
        self._logs = logs
        self._emit = emit
        self._ears: dict[int, SpeakerEar] = {}
        self.deadline: float | None = None
        """When `advance` is due, or earlier; None while nothing waits."""

    @property
    def ears(self) -> int:
        """SSRCs that are listened to."""
        return len(self._ears)

    def feed(self, datagram: bytes, at: float) -> None:
        """Takes one datagram; never raises."""
        kind = rtp.datagram_kind(datagram)
        if kind is not DatagramKind.RTP:
            if kind is DatagramKind.NOISE:
                self._logs.refuse("noise")
            return
        try:
            self._feed_rtp(datagram, at)
        except (MalformedPacket, NotAuthentic) as error:
            self._logs.refuse(str(error))

    def _feed_rtp(self, datagram: bytes, at: float) -> None:
        header = rtp.parse_header(datagram)
        if header.ssrc == self._own_ssrc:
            return
        if header.payload_type != rtp.OPUS_PAYLOAD_TYPE:
            self._logs.refuse("not audio")
            return
        ear = self._ears.get(header.ssrc)
        user_id = self._user_of(header.ssrc, ear)
        if ear is not None and self._is_over(ear, user_id):
            self._forget(header.ssrc)
            ear = None
        if user_id in self._roster.ignored:
            return
        payload = rtp.payload_of(header, self._cipher.open(datagram, header.clear_size))
        if not payload:
            self._logs.refuse("empty payload")
            return
        if ear is None:
            if user_id is None and payload == OPUS_SILENCE:
                return
            ear = self._new_ear(header.ssrc)
        if user_id is not None:
            ear.belongs_to(user_id)
        ear.hear(Arrived(header.sequence, header.timestamp, payload, payload == OPUS_SILENCE, at))
        due = ear.deadline
        if due is not None and (self.deadline is None or due < self.deadline):
            self.deadline = due

    def advance(self, at: float, *, all_ears: bool = False) -> None:
        """Time passed: what is due leaves, idle SSRCs are forgotten.

        With `all_ears` a key or a user became known, and every held frame is worth another try.
        """
        for ssrc, ear in tuple(self._ears.items()):
            due = ear.deadline
            if all_ears or (due is not None and due <= at):
                user_id = self._user_of(ssrc, ear)
                if self._is_over(ear, user_id):
                    self._forget(ssrc)
                    continue
                if user_id is not None:
                    ear.belongs_to(user_id)
                ear.advance(at)
            if at - ear.last_packet_at > _IDLE_S:
                self._forget(ssrc)
        waiting = [due for ear in self._ears.values() if (due := ear.deadline) is not None]
        soonest = min(waiting, default=at + _IDLE_S if self._ears else None)
        self.deadline = None if soonest is None else max(soonest, at + _STEP_S)

    def user_left(self, user_id: int, at: float) -> None:
        """The user is gone: what waits of theirs leaves now."""
        for ssrc, ear in tuple(self._ears.items()):
            if ear.user_id == user_id:
                self._forget(ssrc)
        self._emit(SpeakerLeft(user_id=user_id, at=at))

    def close(self) -> None:
        """The session is over."""
        for ssrc in tuple(self._ears):
            self._forget(ssrc)

    def _new_ear(self, ssrc: int) -> SpeakerEar:
        if len(self._ears) >= _MOST_EARS:
            self._forget(min(self._ears, key=self._worth))
        ear = SpeakerEar(ssrc, keys=self._keys, roster=self._roster, logs=self._logs, emit=self._emit)
        self._ears[ssrc] = ear
        return ear

    def _worth(self, ssrc: int) -> tuple[bool, float]:
        """No flood of SSRCs that are nobody's costs a speaker theirs."""
        ear = self._ears[ssrc]
        return ear.user_id is not None, ear.last_packet_at

    def _user_of(self, ssrc: int, ear: SpeakerEar | None) -> int | None:
        told = self._roster.user_of(ssrc)
        return told if told is not None or ear is None else ear.user_id

    def _is_over(self, ear: SpeakerEar, user_id: int | None) -> bool:
        """The SSRC was given to somebody else, or its user is not to be heard any more."""
        return ear.user_id not in (None, user_id) or user_id in self._roster.ignored

    def _forget(self, ssrc: int) -> None:
        ear = self._ears.pop(ssrc)
        if {ear.user_id, self._roster.user_of(ssrc)} & self._roster.ignored:
            ear.discard()
        else:
            ear.close()

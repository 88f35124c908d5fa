"""Hearing without sockets: a long talk, hostile datagrams, floods; memory stays bounded, sound goes on."""

import json
import os
import random
import struct
import time
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.flows.voice_scene import at_16_khz, mono_48_khz, similarity, speech
from tests.hostile.budgets import SOAK_MINUTES
from tests.rules.dave_pair import BOT, SPEAKER, DavePair, established
from voice.audio.frames import (
    OPUS_SILENCE,
    HeardEvent,
    HeardFrame,
    Origin,
    SpeakerLeft,
    TransmissionEnded,
    TransmissionStarted,
)
from voice.audio.opus import Encoder, libopus
from voice.transport.gateway_events import (
    ClientDisconnected,
    ClientsConnected,
    Speaking,
)
from voice.transport.gateway_messages import MalformedMessage, parse_binary, parse_text
from voice.transport.hearing import Hearing
from voice.transport.roster import Roster
from voice.transport.rtp import build_header
from voice.transport.speaker_log import SpeakerLogs
from voice.transport.transport_crypto import AES256_GCM, cipher_for

KEY, SSRC, OWN = bytes(32), 500, 400
FRAME_S = 0.02


class Ears:
    """A `Hearing` with everything around it, fed in virtual time."""

    def __init__(self, pair: DavePair | None = None) -> None:
        self.pair = pair or established()
        self.events: list[HeardEvent] = []
        self.logs = SpeakerLogs()
        self.roster = Roster(BOT)
        self.sealing = cipher_for(AES256_GCM, KEY)
        self.hearing = Hearing(
            own_ssrc=OWN,
            cipher=cipher_for(AES256_GCM, KEY),
            keys=self.pair.call,
            roster=self.roster,
            logs=self.logs,
            emit=self.events.append,
        )
        self.at = 0.0

    def packet(self, payload: bytes, *, sequence: int, timestamp: int, ssrc: int = SSRC) -> bytes:
        header = build_header(sequence=sequence, timestamp=timestamp, ssrc=ssrc)
        return self.sealing.seal(header, payload)

    def feed(self, datagram: bytes, at: float | None = None) -> None:
        """At this moment, with every deadline before it kept."""
        self.pass_until(self.at if at is None else at)
        self.hearing.feed(datagram, self.at)

    def pass_until(self, at: float) -> None:
        for _ in range(10_000):
            due = self.hearing.deadline
            if due is None or due > at:
                break
            self.hearing.advance(due)
        else:
            raise AssertionError("deadlines without end")
        self.at = max(self.at, at)

    def frames(self) -> list[HeardFrame]:
        return [one for one in self.events if isinstance(one, HeardFrame)]


def encoded(pcm: bytes) -> list[bytes]:
    encoder = Encoder()
    return [encoder.encode(pcm[start : start + 3_840]) for start in range(0, len(pcm), 3_840)]


SOUND = encoded(speech(1.0))


def say(ears: Ears, count: int, *, start: int = 0) -> None:
    for number in range(start, start + count):
        frame = ears.pair.speaker.encrypt_opus(SOUND[number % len(SOUND)])
        ears.feed(ears.packet(frame, sequence=number, timestamp=number * 960), number * FRAME_S)


def long_talk(minutes: float) -> None:
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    count = int(minutes * 3_000)
    chance = random.Random(7)
    said = lost = 0
    ended = 0
    shift = 0
    for number in range(count):
        at = number * FRAME_S
        if number % 500 >= 495:
            frame = OPUS_SILENCE
        else:
            frame = ears.pair.speaker.encrypt_opus(SOUND[number % len(SOUND)])
            said += 1
        if number % 500 == 0 and number:
            shift += 48_000  # a pause on the speaker's clock
            ended += 1
        if 3 < number % 500 < 490 and chance.random() < 0.02:
            lost += 1
            continue
        stamp = (2**32 - 480_000 + number * 960 + shift) % 2**32
        ears.feed(ears.packet(frame, sequence=(64_000 + number) % 65_536, timestamp=stamp), at)
        if len(ears.events) > 20_000:
            check_and_forget(ears)
    ears.pass_until(count * FRAME_S + 5)
    log = ears.logs.of(SPEAKER)
    assert log.lost == lost
    assert log.decoded == said - lost
    assert log.undecryptable == log.decode_errors == log.late == 0
    assert log.concealed > lost * 0.9
    check_and_forget(ears)


def check_and_forget(ears: Ears) -> None:
    frames = ears.frames()
    positions = [frame.position for frame in frames]
    assert positions == sorted(set(positions))
    ears.events.clear()


def test_two_minutes_cross_every_wrap() -> None:
    """VOX-4: sequence and timestamp wrap, pauses, losses.

    Every frame under one clock that never runs back.
    """
    long_talk(2)


@pytest.mark.soak
def test_thirty_minutes_cross_every_wrap() -> None:
    """VOX-4: thirty minutes of talk, in simulated time, with real keys and real Opus."""
    long_talk(30)


def test_order_of_events_and_sound() -> None:
    """VOX-4: started, frames, ended; the sound is what was said."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 50)
    for number in range(50, 55):
        ears.feed(ears.packet(OPUS_SILENCE, sequence=number, timestamp=number * 960), number * FRAME_S)
    kinds = [type(one) for one in ears.events]
    assert kinds == [TransmissionStarted] + [HeardFrame] * 50 + [TransmissionEnded]
    pcm = b"".join(one.pcm for one in ears.frames())
    assert similarity(at_16_khz(speech(1.0)), pcm) > 0.95
    ears.roster.apply(ClientDisconnected(SPEAKER))
    ears.hearing.user_left(SPEAKER, ears.at)
    assert isinstance(ears.events[-1], SpeakerLeft)
    assert ears.hearing.ears == 0


def test_frames_of_other_lengths_become_frames_of_20_ms() -> None:
    """VOX-4: 10, 40 and 60 ms packets: the same sound in frames of 320 samples."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    stamp = 0
    for number in range(60):
        samples = (480, 960, 1_920, 2_880)[number % 4]
        opus = of_length(samples)
        frame = ears.pair.speaker.encrypt_opus(opus)
        ears.feed(ears.packet(frame, sequence=number, timestamp=stamp), stamp / 48_000)
        stamp += samples
    frames = ears.frames()
    assert len(frames) == stamp // 960
    assert all(len(one.pcm) == 640 for one in frames)
    assert [one.position - frames[0].position for one in frames] == list(range(0, 960 * len(frames), 960))


def test_full_band_is_heard_beside_while_it_is_wanted() -> None:
    """VOX-4: at 48 kHz on request alone, aligned frame by frame, losses and odd lengths included."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 50)
    assert {one.full_band for one in ears.frames()} == {b""}
    ears.events.clear()
    ears.roster.full_band = True
    say(ears, 20, start=50)
    say(ears, 27, start=73)  # three are lost
    frames = ears.frames()
    assert [len(one.full_band) for one in frames] == [1_920] * 50
    assert [one.origin for one in frames].count(Origin.DECODED) == 47
    full = b"".join(one.full_band for one in frames[2:20] + frames[24:])
    parts = mono_48_khz(speech(1.0)).reshape(50, 960)
    assert similarity(np.concatenate((*parts[2:20], *parts[24:])), full) > 0.95
    stamp = 100 * 960
    for number in range(100, 104):
        samples = (480, 1_920)[number % 2]
        frame = ears.pair.speaker.encrypt_opus(of_length(samples))
        ears.feed(ears.packet(frame, sequence=number, timestamp=stamp), 2 + number * FRAME_S)
        stamp += samples
    assert {len(one.full_band) for one in ears.frames()} == {1_920}
    ears.roster.full_band = False
    ears.events.clear()
    say(ears, 3, start=104)
    assert {one.full_band for one in ears.frames()} == {b""}


def of_length(samples: int) -> bytes:
    """An Opus packet of that many samples at 48 kHz, in the clear."""
    import ctypes  # noqa: PLC0415 - only here

    library = libopus()
    error = ctypes.c_int()
    state = library.opus_encoder_create(48_000, 2, 2049, ctypes.byref(error))
    out = ctypes.create_string_buffer(1_500)
    size = library.opus_encode(state, bytes(samples * 4), samples, out, 1_500)
    library.opus_encoder_destroy(state)
    return out.raw[:size]


def test_a_frame_that_never_opens_is_overtaken() -> None:
    """VOX-2: one damaged frame costs itself only; what follows does not wait for it."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 10)
    damaged = bytearray(ears.pair.speaker.encrypt_opus(SOUND[10]))
    damaged[5] ^= 1
    ears.feed(ears.packet(bytes(damaged), sequence=10, timestamp=9_600), 0.2)
    say(ears, 10, start=11)
    assert len(ears.frames()) == 20
    assert ears.logs.of(SPEAKER).undecryptable == 1


def test_held_frames_are_given_up_after_a_second() -> None:
    """VOX-2: the wait for a key is bounded in time and in frames."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    for number in range(300):
        frame = os.urandom(60) + b"\xfa\xfa"
        ears.feed(ears.packet(frame, sequence=number, timestamp=number * 960), number * FRAME_S)
    ears.pass_until(10)
    assert ears.frames() == []
    assert ears.logs.of(SPEAKER).undecryptable == 300
    assert ears.hearing._ears[SSRC]._held == type(ears.hearing._ears[SSRC]._held)()
    say_from = 300
    for number in range(say_from, say_from + 5):
        frame = ears.pair.speaker.encrypt_opus(SOUND[number % 50])
        ears.feed(ears.packet(frame, sequence=number, timestamp=number * 960), 10 + number * FRAME_S)
    assert len(ears.frames()) == 5


def test_what_was_held_for_nobody_is_given_up_at_its_user_with_its_reason() -> None:
    """VOX-2, VOX-5: frames in the clear came first; then a key of the group shows whose SSRC it is."""
    ears = Ears()
    ears.roster.apply(ClientsConnected((SPEAKER,)))
    for number in range(10):
        ears.feed(ears.packet(SOUND[number], sequence=number, timestamp=number * 960), number * FRAME_S)
    say(ears, 5, start=10)
    ears.pass_until(1)
    log = ears.logs.of(SPEAKER)
    assert len(ears.frames()) == 5
    assert (log.undecryptable, log.undecryptable_reason) == (10, "in the clear")


def test_a_flood_between_two_frames_costs_a_speaker_nothing() -> None:
    """VOX-5: more SSRCs at once than are listened to; whose nobody is gives way first."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 10)
    for number in range(300):
        ears.feed(ears.packet(b"\1" * 40 + b"\xfa\xfa", sequence=1, timestamp=1, ssrc=1_000 + number))
    assert ears.hearing.ears == 128
    say(ears, 10, start=10)
    assert [type(one) for one in ears.events] == [TransmissionStarted] + [HeardFrame] * 20


def test_a_transmission_ends_for_whom_it_started_once() -> None:
    """VOX-4, VOX-5: its end waits behind a frame without a key when its user is ignored."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 5)
    frames = [b"\1" * 40 + b"\xfa\xfa", *[OPUS_SILENCE] * 5]
    for number, frame in enumerate(frames, 5):
        ears.feed(ears.packet(frame, sequence=number, timestamp=number * 960), number * FRAME_S)
    assert type(ears.events[-1]) is HeardFrame
    ears.roster.ignored = frozenset({SPEAKER})
    ears.hearing.advance(ears.at, all_ears=True)
    kinds = [type(one) for one in ears.events]
    assert kinds == [TransmissionStarted] + [HeardFrame] * 5 + [TransmissionEnded]


def test_an_ssrc_that_changes_hands_in_a_talk_ends_it() -> None:
    """VOX-3, VOX-5: started and ended come in pairs of one user, whatever the gateway tells between them."""
    ears = Ears()
    ears.pair.call.begin(0)
    for user_id in (SPEAKER, 99, SPEAKER):
        ears.roster.apply(Speaking(user_id, SSRC, 1))
        for number in range(5):
            sequence = len(ears.frames()) + number
            ears.feed(
                ears.packet(SOUND[number], sequence=sequence, timestamp=sequence * 960), sequence * FRAME_S
            )
    ears.pass_until(5)
    told = [one for one in ears.events if isinstance(one, TransmissionStarted | TransmissionEnded)]
    pairs = [(TransmissionStarted, TransmissionEnded)[number % 2] for number in range(6)]
    assert [type(one) for one in told] == pairs
    assert [one.user_id for one in told] == [SPEAKER, SPEAKER, 99, 99, SPEAKER, SPEAKER]


def test_a_flood_of_ssrcs_is_bounded_and_cheap() -> None:
    """VOX-5: thousands of SSRCs that are nobody's: bounded memory, bounded trials, the speaker is heard."""
    ears = Ears()
    ears.roster.apply(ClientsConnected((SPEAKER,)))
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    started = time.process_time()
    for number in range(3_000):
        flood = ears.packet(
            os.urandom(40) + b"\xfa\xfa", sequence=number, timestamp=number, ssrc=10_000 + number
        )
        ears.feed(flood, number / 1_000)
        if number % 20 == 0:
            frame = ears.pair.speaker.encrypt_opus(SOUND[number // 20 % 50])
            ears.feed(ears.packet(frame, sequence=number // 20, timestamp=number // 20 * 960))
    assert ears.hearing.ears <= 128
    assert len(ears.frames()) == 150
    assert time.process_time() - started < 10


def test_replayed_packets_are_heard_once() -> None:
    """VOX-5: everything twice, and everything again later: one transmission."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    packets = []
    for number in range(100):
        frame = ears.pair.speaker.encrypt_opus(SOUND[number % 50])
        packets.append(ears.packet(frame, sequence=number, timestamp=number * 960))
    for number, packet in enumerate(packets):
        ears.feed(packet, number * FRAME_S)
        ears.feed(packet)
    for packet in packets:
        ears.feed(packet, 3.0)
    ears.pass_until(10)
    assert len(ears.frames()) == 100


_DATAGRAM = st.one_of(
    st.binary(max_size=100),
    st.builds(lambda rest: b"\x80\x78" + rest, st.binary(max_size=100)),
    st.builds(
        lambda first, kind, rest: bytes([0x80 | first, kind]) + rest,
        st.integers(0, 63),
        st.integers(0, 255),
        st.binary(max_size=100),
    ),
)
_SEALED = st.tuples(
    st.binary(max_size=120),
    st.integers(0, 65_535),
    st.integers(0, 2**32 - 1),
    st.sampled_from([SSRC, OWN, 600, 601]),
    st.sampled_from(["as is", "marked", "silence", "real", "own opus"]),
)


@given(
    steps=st.lists(st.tuples(st.one_of(_DATAGRAM, _SEALED), st.floats(0, 0.4, allow_nan=False)), max_size=60),
    full_band=st.booleans(),
)
@settings(max_examples=1_000, deadline=None, derandomize=True)
@pytest.mark.timeout(300)
def test_no_datagrams_break_it(steps: list[tuple[object, float]], full_band: bool) -> None:
    """VOX-5: any bytes, and any sealed payloads of a hostile member.

    Nothing raised, all bounded, then sound.
    """
    ears = Ears(_SHARED)
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    ears.roster.full_band = full_band
    at = 0.0
    for step, wait in steps:
        at += wait
        if isinstance(step, bytes):
            ears.feed(step, at)
            continue
        payload, sequence, timestamp, ssrc, how = step  # type: ignore[misc] # a drawn tuple
        if how == "marked":
            payload += struct.pack("B", len(payload) % 256) + b"\xfa\xfa"
        elif how == "silence":
            payload = OPUS_SILENCE
        elif how == "real":
            payload = ears.pair.speaker.encrypt_opus(SOUND[0])
        elif how == "own opus":
            payload = ears.pair.speaker.encrypt_opus(payload or b"\0")
        ears.feed(ears.packet(payload, sequence=sequence, timestamp=timestamp, ssrc=ssrc), at)
    ears.pass_until(at + 10)
    assert ears.hearing.ears <= 4
    assert all(ear._jitter.waiting == 0 and not ear._held for ear in ears.hearing._ears.values())
    assert all(len(one.pcm) == 640 for one in ears.frames())
    assert {len(one.full_band) for one in ears.frames()} <= {1_920 if full_band else 0}
    before = len(ears.frames())
    used = {step[1] for step, _ in steps if isinstance(step, tuple)}
    first = next(one for one in range(500, 65_000, 100) if used.isdisjoint(range(one - 300, one + 300)))
    for number in range(8):
        frame = ears.pair.speaker.encrypt_opus(SOUND[number])
        ears.feed(
            ears.packet(frame, sequence=first + number, timestamp=number * 960, ssrc=SSRC),
            at + 10 + number * FRAME_S,
        )
    ears.pass_until(at + 20)
    assert len(ears.frames()) >= before + 7


_SHARED = established()
_FIELDS = (
    *("ssrc", "audio_ssrc", "user_id", "user_ids", "speaking", "ip", "port", "modes", "mode", "secret_key"),
    *("heartbeat_interval", "transition_id", "protocol_version", "epoch", "dave_protocol_version", "t"),
)
_VALUES = (None, True, -1, 0, 1, 2**64, 1.5, "", "7", "x" * 50, [], ["7", 7], [300], {}, {"ssrc": 1})


def random_message(chance: random.Random) -> str:
    """JSON that looks like a message of the gateway, or hardly."""
    fields = chance.sample(_FIELDS, chance.randrange(len(_FIELDS)))
    data = {name: chance.choice(_VALUES) for name in fields}
    message = {"op": chance.randrange(40), "d": data, "seq": chance.choice(_VALUES)}
    text = json.dumps(message)
    return text if chance.random() < 0.9 else text[: chance.randrange(len(text))]


@pytest.mark.soak
def test_random_datagrams_at_length() -> None:
    """VOX-5: random hostile traffic, ten minutes of the hour that tests/hostile/ has."""
    end = time.monotonic() + 10 * SOAK_MINUTES
    seed = 0
    while time.monotonic() < end:
        seed += 1
        chance = random.Random(seed)
        ears = Ears(_SHARED)
        ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
        for _ in range(2_000):
            payload = chance.randbytes(chance.randrange(0, 200))
            how = chance.randrange(6)
            if how == 1:
                payload = ears.pair.speaker.encrypt_opus(payload or b"\0")
            elif how == 2:
                payload += bytes([chance.randrange(256)]) + b"\xfa\xfa"
            datagram = ears.packet(
                payload,
                sequence=chance.randrange(65_536),
                timestamp=chance.randrange(2**32),
                ssrc=chance.choice([SSRC, 600, chance.randrange(2**32)]),
            )
            if how == 3:
                damaged = bytearray(datagram)
                damaged[chance.randrange(len(damaged))] ^= 1 << chance.randrange(8)
                datagram = bytes(damaged[: chance.randrange(len(damaged) + 1)])
            ears.feed(datagram, ears.at + chance.random() * 0.05)
            with suppress(MalformedMessage):
                parse_binary(payload)
            with suppress(MalformedMessage):
                parse_text(random_message(chance))
        assert ears.hearing.ears <= 128, seed

"""The numbers that bound hearing, as the specification and the protocol give them."""

import os

import numpy as np
import pytest

from tests.flows.voice_scene import speech
from tests.rules.dave_pair import SPEAKER, established
from tests.rules.test_dave_call import Time
from tests.rules.test_hearing import OWN, SOUND, SSRC, Ears, say
from tests.rules.test_jitter_buffer import packet, run
from voice.audio.frames import Origin, TransmissionEnded
from voice.audio.jitter_buffer import Ended
from voice.audio.opus import Decoder, Encoder
from voice.transport.dave import DaveCall, Undecryptable
from voice.transport.gateway_events import EpochPrepared, Speaking, TransitionExecuted, TransitionPrepared


def test_another_epoch_of_the_group_is_no_new_group() -> None:
    """VOX-2: opcode 24 begins anew for epoch 1 alone; at any other the keys stay."""
    pair = established()
    outcome = pair.call.take(EpochPrepared(2, 1), [])
    assert outcome.sends == ()
    assert pair.call.can_send
    assert pair.call.decrypt(SPEAKER, pair.speaker.encrypt_opus(b"sound")) == b"sound"


def test_plaintext_passes_for_ten_seconds_after_a_change() -> None:
    """VOX-2, trap 9: the window of the protocol, in seconds."""
    time = Time()
    call = established(time).call
    call.take(TransitionPrepared(9, 0), [])
    call.take(TransitionExecuted(9), [])
    call.take(EpochPrepared(1, 1), [])
    time.now += 9.9
    assert call.decrypt(SPEAKER, b"plain") == b"plain"
    time.now += 0.2
    with pytest.raises(Undecryptable):
        call.decrypt(SPEAKER, b"plain")


def test_without_dave_sound_may_look_encrypted() -> None:
    """VOX-1: an Opus packet may end in any two bytes; where there never was a key it is no secret."""
    call = DaveCall(user_id=1, channel_id=2, clock=lambda: 0.0)
    call.begin(0)
    assert call.decrypt(SPEAKER, b"opus\xfa\xfa") == b"opus\xfa\xfa"


def test_the_bot_does_not_hear_itself() -> None:
    """VOX-3: a packet of its own SSRC that comes back is nobody's, and costs no ear."""
    ears = Ears()
    for number in range(5):
        ears.feed(ears.packet(SOUND[number], sequence=number, timestamp=number * 960, ssrc=OWN))
    assert ears.hearing.ears == 0
    assert ears.logs.nobody.packets == 0


def test_an_ssrc_that_is_quiet_for_a_minute_is_forgotten() -> None:
    """VOX-5: its decoder's memory goes with it."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 10)
    ears.pass_until(59)
    assert ears.hearing.ears == 1
    ears.pass_until(130)
    assert ears.hearing.ears == 0


def test_no_more_than_64_frames_wait_for_a_key() -> None:
    """VOX-2, VOX-5: a burst within the second that a frame may wait."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    for number in range(200):
        frame = os.urandom(60) + b"\xfa\xfa"
        ears.feed(ears.packet(frame, sequence=number, timestamp=number * 960), number * 0.001)
    (ear,) = ears.hearing._ears.values()
    assert len(ear._held) == 64
    assert ears.logs.of(SPEAKER).undecryptable == 200 - 64


def test_a_long_loss_is_concealed_for_a_tenth_of_a_second() -> None:
    """VOX-4: five frames before the sound goes on are made up; of the others it is told that they passed."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    say(ears, 10)
    say(ears, 10, start=17)
    ears.pass_until(1)
    made_up = [frame for frame in ears.frames() if frame.origin is not Origin.DECODED]
    assert len(made_up) == 5
    assert made_up[0].skipped == 2 * 960
    log = ears.logs.of(SPEAKER)
    assert (log.lost, log.concealed) == (7, 5)


def test_a_lost_packet_is_recovered_from_the_one_after_it() -> None:
    """VOX-4: where the sender's Opus carries a copy of it, that is nearer to what was said than a guess."""
    pcm = speech(1.0, softest=0.5)
    encoder, decoder = Encoder(in_band_fec=True, expected_loss_percent=30, bitrate=20_000), Decoder()
    packets = [encoder.encode(pcm[start : start + 3_840]) for start in range(0, len(pcm), 3_840)]
    said = [np.frombuffer(decoder.decode(one), "<i2") for one in packets]
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    for number, opus in enumerate(packets):
        frame = ears.pair.speaker.encrypt_opus(opus)
        if number % 6 != 5:
            ears.feed(ears.packet(frame, sequence=number, timestamp=number * 960), number * 0.02)
    ears.pass_until(3)
    heard = [np.frombuffer(one.pcm, "<i2") for one in ears.frames() if one.origin is Origin.RECOVERED]
    alike = [np.corrcoef(one, said[6 * place + 5])[0, 1] for place, one in enumerate(heard)]
    assert len(alike) == 8
    assert np.mean(alike) > 0.87


def test_quiet_ends_a_transmission() -> None:
    """VOX-4: 200 ms without a packet (DTX, a dead client), 100 ms when a silence frame came before."""
    talk = [packet(number, number * 0.02) for number in range(10)]
    quiet, silent = run(talk)[-1], run([*talk, packet(10, 0.2, silent=True)])[-1]
    assert isinstance(quiet, Ended)
    assert isinstance(silent, Ended)
    assert (quiet.at, silent.at) == (pytest.approx(0.38), pytest.approx(0.3))


def test_comfort_noise_every_400_ms_is_no_speech_that_goes_on() -> None:
    """VOX-4: DTX: a packet now and then; each one is heard, and none holds the transmission open."""
    ears = Ears()
    ears.roster.apply(Speaking(SPEAKER, SSRC, 1))
    for number in range(5):
        frame = ears.pair.speaker.encrypt_opus(SOUND[number])
        ears.feed(ears.packet(frame, sequence=number, timestamp=number * 20 * 960), number * 0.4)
    ears.pass_until(5)
    assert len(ears.frames()) == 5
    assert sum(isinstance(event, TransmissionEnded) for event in ears.events) == 5
    assert ears.logs.of(SPEAKER).concealed == 0

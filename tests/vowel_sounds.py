"""Sounds made of sine and noise that a real judge of voices takes for what they are (VOX-23).

A person's voice is a train of pulses through the resonances of vowels, a whisper is noise through the same,
laughter is short breathy vowels; a cough, a keyboard and music are none of these. All are int16 mono at
`rate_hz`, and the same each time.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import soxr

_Floats = npt.NDArray[np.float64]
_FORMANTS_HZ = {
    "a": (730, 1_090, 2_440),
    "e": (530, 1_840, 2_480),
    "i": (270, 2_290, 3_010),
    "o": (570, 840, 2_410),
    "u": (300, 870, 2_240),
}
_BANDWIDTHS_HZ = (80, 100, 140)
RATE_HZ = 16_000


def vowels(spoken: str, *, pitch_hz: float = 200, syllable_s: float = 0.16, loudness: int = 9_000) -> bytes:
    """A voice that says these vowels; a space is a pause of one syllable."""
    return _pcm([_syllable(vowel, pitch_hz, syllable_s) for vowel in spoken], loudness)


def whispered(spoken: str, *, syllable_s: float = 0.2, loudness: int = 900) -> bytes:
    """The same vowels without a voice."""
    return _pcm([_syllable(vowel, None, syllable_s) for vowel in spoken], loudness)


def laughter(seconds: float) -> bytes:
    """Ha, ha, ha: a breath, then a short high vowel that falls."""
    calls = [
        sound
        for number in range(int(seconds / 0.2))
        for sound in (_syllable("a", None, 0.08) * 0.4, _syllable("a", 330 - 12 * number, 0.12))
    ]
    return _pcm(calls, 9_000)


def cough() -> bytes:
    """A burst of noise that dies away within 300 ms."""
    count = int(0.3 * RATE_HZ)
    noise = np.random.default_rng(3).standard_normal(count)
    return _pcm([_resonant(noise, 500, 400) * np.exp(-np.arange(count) / (0.06 * RATE_HZ))], 9_500)


def keyboard(seconds: float) -> bytes:
    """Somebody types: ten clicks a second, each of a few milliseconds."""
    chance, count = np.random.default_rng(4), int(0.012 * RATE_HZ)
    sound = np.zeros(int(seconds * RATE_HZ))
    for at_s in np.arange(0.02, seconds - 0.05, 0.1):
        start = int((at_s + chance.uniform(0, 0.03)) * RATE_HZ)
        click = chance.standard_normal(count) * np.exp(-np.arange(count) / (0.002 * RATE_HZ))
        sound[start : start + count] += click
    return _pcm([sound], 9_500)


def music(seconds: float) -> bytes:
    """Chords of plucked strings, one each 400 ms."""
    chords = ((262, 330, 392), (220, 262, 330), (175, 220, 262), (196, 247, 294))
    count = int(0.4 * RATE_HZ)
    at = np.arange(count) / RATE_HZ
    played = [
        sum(np.sin(2 * np.pi * tone * k * at) / k for tone in chord for k in (1, 2, 3)) * np.exp(-at / 0.3)
        for chord in chords
    ]
    return _pcm([np.asarray(played[number % 4]) for number in range(int(seconds / 0.4))], 9_000)


def pause(seconds: float) -> bytes:
    """A quiet room."""
    return (np.random.default_rng(7).standard_normal(int(seconds * RATE_HZ)) * 15).astype("<i2").tobytes()


_BY_NAME = {"laughter": laughter, "keyboard": keyboard, "music": music, "pause": pause}


def played(named: Sequence[str]) -> bytes:
    """Sounds by their names and arguments, one after another: "vowels aei", "cough", "music 2.5"."""
    sounds: list[bytes] = []
    for name, _, argument in (one.partition(" ") for one in named):
        match name:
            case "vowels":
                sounds.append(vowels(argument))
            case "whispered":
                sounds.append(whispered(argument))
            case "cough":
                sounds.append(cough())
            case _:
                sounds.append(_BY_NAME[name](float(argument)))
    return b"".join(sounds)


def mixed(pcm: bytes, under: bytes) -> bytes:
    """The first over a quieter second one, as long as the longer of them."""
    size = max(len(pcm), len(under))
    first, second = (np.frombuffer(one.ljust(size, b"\0"), "<i2").astype(np.int32) for one in (pcm, under))
    return (first + second // 4).clip(-9_900, 9_900).astype("<i2").tobytes()


def at_a_headset(pcm: bytes) -> bytes:
    """The same at 48 kHz, stereo, as a client sends it."""
    wide = soxr.resample(np.frombuffer(pcm, "<i2"), RATE_HZ, 48_000)
    return np.repeat(wide.astype("<i2"), 2).tobytes()


def _syllable(vowel: str, pitch_hz: float | None, seconds: float) -> _Floats:
    count = int(seconds * RATE_HZ)
    if vowel == " ":
        return np.zeros(count)
    at = np.arange(count) / RATE_HZ
    noise = np.random.default_rng(ord(vowel)).standard_normal(count)
    if pitch_hz is None:
        sound = noise
    else:
        turns = (
            np.cumsum(pitch_hz * (1.05 - 0.1 * at / seconds + 0.03 * np.sin(2 * np.pi * 5 * at))) / RATE_HZ
        )
        sound = np.diff(np.floor(turns), prepend=0.0) + 0.01 * noise
    for formant_hz, width_hz in zip(_FORMANTS_HZ[vowel], _BANDWIDTHS_HZ, strict=True):
        sound = _resonant(sound, formant_hz, width_hz)
    return sound * np.hanning(count) ** 0.3 / np.abs(sound).max()


def _resonant(sound: _Floats, centre_hz: float, width_hz: float) -> _Floats:
    """Through one resonance (two poles), by its frequency response."""
    radius = np.exp(-np.pi * width_hz / RATE_HZ)
    size = 1 << (len(sound) + RATE_HZ // 10).bit_length()
    turn = np.exp(-2j * np.pi * np.arange(size // 2 + 1) / size)
    response = 1 / (1 - 2 * radius * np.cos(2 * np.pi * centre_hz / RATE_HZ) * turn + radius**2 * turn**2)
    return np.fft.irfft(np.fft.rfft(sound, size) * response, size)[: len(sound)]


def _pcm(sounds: Sequence[_Floats], loudness: int) -> bytes:
    whole = np.concatenate(sounds)
    return (whole / np.abs(whole).max() * loudness).astype("<i2").tobytes()

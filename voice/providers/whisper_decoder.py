"""Whisper on a short window: it is asked about the speech and two seconds of silence instead of thirty.

That takes 0.35 to 0.45 s for an utterance instead of 1.5 to 2.2 s on one core; with one second of silence it
repeats itself. When it does so even here, copies that cannot have been said are cut off; otherwise the same
sound is looked at once more at full length, as it was trained on. Utterances that are decoded together share
one window, and its cost: two cost 30 % less processor time than one after the other, four nearly half.
Everything here blocks: `whisper_engine.py` calls it beside the loop.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from voice.input.speech_to_text import Word
from voice.providers.collected_sound import RATE_HZ
from voice.providers.onnx_session import Floats, as_floats
from voice.providers.whisper_rules import Decoded, most_tokens, repeats_itself, said_once
from voice.providers.whisper_weights import WhisperSettings, load_whisper

LONGEST_S = 28.0
"""What one request may hold: the model's window less the silence behind."""
_SILENCE_S = 2.0
_FULL_S = 30.0
_QUIET = 100 / 32_768
"""What stays below it is digital silence or the noise of a codec."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """Sound of at most `LONGEST_S` (int16, 16 kHz, mono) that shall become text.

    `thorough`: with the times of words, and with a second look where the text repeats itself.
    """

    pcm: bytes
    language: str | None
    thorough: bool

    @property
    def seconds(self) -> float:
        """The length of the sound."""
        return len(self.pcm) / 2 / RATE_HZ


Decode = Callable[[Sequence[Request]], list[Decoded]]
"""What becomes of each request, in order. Blocks; raises whatever the engine raises."""


def whisper_decoder(settings: WhisperSettings) -> Decode:
    """Loads the model, and gives what decodes with it."""
    return _Whisper(load_whisper(settings)).decode


class _Whisper:
    def __init__(self, model: Any) -> None:
        self._model = model
        self._storage: Any = import_module("ctranslate2").StorageView  # loaded before, with the model
        self._tokenizer: Any = import_module("faster_whisper.tokenizer").Tokenizer

    def decode(self, requests: Sequence[Request]) -> list[Decoded]:
        sounds = [as_floats(request.pcm) for request in requests]
        spoken = [number for number, sound in enumerate(sounds) if _is_sound(sound)]
        decoded = [_nothing(request) for request in requests]
        texts = self._decode([sounds[at] for at in spoken], [requests[at] for at in spoken])
        for at, text in zip(spoken, texts, strict=True):
            decoded[at] = self._settled(text, sounds[at], requests[at])
        return decoded

    def _settled(self, decoded: Decoded, sound: Floats, request: Request) -> Decoded:
        if not repeats_itself(decoded):
            return decoded
        once = said_once(decoded)
        if once is not None or not request.thorough:
            return once or decoded
        (whole,) = self._decode([sound], [request], window_s=_FULL_S)
        return whole

    def _decode(
        self, sounds: Sequence[Floats], requests: Sequence[Request], *, window_s: float | None = None
    ) -> list[Decoded]:
        """All in one run; `window_s` None: as long as the longest of them wants it."""
        if not sounds:
            return []
        window_s = window_s or max(request.seconds for request in requests) + _SILENCE_S
        encoded, frames = self._encoded(sounds, window_s)
        languages = self._languages(encoded, requests)
        if len(set(languages)) > 1:  # the times of words want one language a run
            return [
                self._decode([sound], [request])[0] for sound, request in zip(sounds, requests, strict=True)
            ]
        tokenizer = self._tokenizer(
            self._model.hf_tokenizer,
            self._model.model.is_multilingual,
            task="transcribe",
            language=languages[0],
        )
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        results = self._model.model.generate(
            encoded,
            [prompt] * len(sounds),
            beam_size=1,
            max_length=len(prompt) + max(most_tokens(request.seconds) for request in requests),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
            suppress_tokens=[-1],
        )
        texts = [
            [
                token
                for token in result.sequences_ids[0][: most_tokens(request.seconds)]
                if token < tokenizer.eot
            ]
            for result, request in zip(results, requests, strict=True)
        ]
        words = self._words(tokenizer, texts, encoded, frames, requests)
        return [
            Decoded(
                text=tokenizer.decode(tokens).strip(),
                seconds=request.seconds,
                log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
                no_speech=result.no_speech_prob,
                language=languages[0],
                words=of_this,
            )
            for result, request, tokens, of_this in zip(results, requests, texts, words, strict=True)
        ]

    def _encoded(self, sounds: Sequence[Floats], window_s: float) -> tuple[Any, int]:
        samples = int(min(window_s, _FULL_S) * RATE_HZ)
        bands = [
            self._model.feature_extractor(
                np.pad(sound[:samples], (0, max(0, samples - len(sound)))), padding=0
            )
            for sound in sounds
        ]
        frames = bands[0].shape[1] - bands[0].shape[1] % 2  # the encoder halves them
        window = np.ascontiguousarray(np.stack(bands)[:, :, :frames], np.float32)
        return self._model.model.encode(self._storage.from_array(window)), frames

    def _languages(self, encoded: Any, requests: Sequence[Request]) -> list[str]:
        pinned = [request.language for request in requests]
        if not self._model.model.is_multilingual:
            return ["en"] * len(pinned)
        known = [one.partition("-")[0].lower() if one else "" for one in pinned]
        if all(one in self._model.supported_languages for one in known):
            return known
        found = [guesses[0][0].strip("<|>") for guesses in self._model.model.detect_language(encoded)]
        return [
            one if one in self._model.supported_languages else heard
            for one, heard in zip(known, found, strict=True)
        ]

    def _words(
        self,
        tokenizer: Any,
        texts: list[list[int]],
        encoded: Any,
        frames: int,
        requests: Sequence[Request],
    ) -> list[tuple[Word, ...]]:
        """Words with their times, for those who want them."""
        if not any(texts) or not any(request.thorough for request in requests):
            return [()] * len(texts)
        aligned = self._model.find_alignment(tokenizer, texts, encoded, frames)
        return [
            _joined(found, request.seconds) if request.thorough else ()
            for found, request in zip(aligned, requests, strict=True)
        ]


def _is_sound(sound: Floats) -> bool:
    return len(sound) > 0 and float(np.abs(sound).max()) >= _QUIET


def _nothing(request: Request) -> Decoded:
    return Decoded(
        text="",
        seconds=request.seconds,
        log_probability=0.0,
        no_speech=1.0,
        language=request.language or "",
    )


def _joined(found: list[dict[str, Any]], seconds: float) -> tuple[Word, ...]:
    """A mark of punctuation belongs to the word before it."""
    words: list[Word] = []
    for one in found:
        text = one["word"]
        end = min(float(one["end"]), seconds)
        start = min(float(one["start"]), end)
        if words and not any(letter.isalnum() for letter in text):
            words[-1] = Word(text=words[-1].text + text.strip(), start_s=words[-1].start_s, end_s=end)
        elif text.strip():
            words.append(Word(text=text.strip(), start_s=start, end_s=end))
    return tuple(words)

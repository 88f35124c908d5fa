"""Whisper on a short window: it is asked about the speech and two seconds of silence instead of thirty.

That takes 0.35 to 0.45 s for an utterance instead of 1.5 to 2.2 s on one core; with one second of silence it
repeats itself. When it does so even here, copies that cannot have been said are cut off; otherwise the same
sound is looked at once more at full length, as it was trained on. Everything here blocks: `whisper_engine.py`
calls it beside the loop.
"""

from collections.abc import Callable
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


Decode = Callable[[Request], Decoded]
"""Blocks; raises whatever the engine raises."""


def whisper_decoder(settings: WhisperSettings) -> Decode:
    """Loads the model, and gives what decodes with it."""
    return _Whisper(load_whisper(settings)).decode


class _Whisper:
    def __init__(self, model: Any) -> None:
        self._model = model
        self._storage: Any = import_module("ctranslate2").StorageView  # loaded before, with the model
        self._tokenizer: Any = import_module("faster_whisper.tokenizer").Tokenizer

    def decode(self, request: Request) -> Decoded:
        sound = as_floats(request.pcm)
        if not len(sound) or np.abs(sound).max() < _QUIET:
            language = request.language or ""
            return Decoded(
                text="", seconds=request.seconds, log_probability=0.0, no_speech=1.0, language=language
            )
        decoded = self._decode(sound, request, window_s=request.seconds + _SILENCE_S)
        if not repeats_itself(decoded):
            return decoded
        once = said_once(decoded)
        if once is not None or not request.thorough:
            return once or decoded
        return self._decode(sound, request, window_s=_FULL_S)

    def _decode(self, sound: Floats, request: Request, *, window_s: float) -> Decoded:
        encoded, frames = self._encoded(sound, window_s)
        language = self._language(encoded, request.language)
        tokenizer = self._tokenizer(
            self._model.hf_tokenizer, self._model.model.is_multilingual, task="transcribe", language=language
        )
        prompt = [*tokenizer.sot_sequence, tokenizer.no_timestamps]
        result = self._model.model.generate(
            encoded,
            [prompt],
            beam_size=1,
            max_length=len(prompt) + most_tokens(request.seconds),
            return_scores=True,
            return_no_speech_prob=True,
            suppress_blank=True,
            suppress_tokens=[-1],
        )[0]
        tokens = [token for token in result.sequences_ids[0] if token < tokenizer.eot]
        return Decoded(
            text=tokenizer.decode(tokens).strip(),
            seconds=request.seconds,
            log_probability=result.scores[0] * len(tokens) / (len(tokens) + 1),
            no_speech=result.no_speech_prob,
            language=language,
            words=self._words(tokenizer, tokens, encoded, frames, request) if request.thorough else (),
        )

    def _encoded(self, sound: Floats, window_s: float) -> tuple[Any, int]:
        samples = int(min(window_s, _FULL_S) * RATE_HZ)
        padded = np.pad(sound[:samples], (0, max(0, samples - len(sound))))
        bands = self._model.feature_extractor(padded, padding=0)
        frames = bands.shape[1] - bands.shape[1] % 2  # the encoder halves them
        window = np.ascontiguousarray(bands[None, :, :frames], np.float32)
        return self._model.model.encode(self._storage.from_array(window)), frames

    def _language(self, encoded: Any, pinned: str | None) -> str:
        if not self._model.model.is_multilingual:
            return "en"
        known = pinned.partition("-")[0].lower() if pinned else ""
        if known in self._model.supported_languages:
            return known
        token, _ = self._model.model.detect_language(encoded)[0][0]
        return token.strip("<|>")

    def _words(
        self, tokenizer: Any, tokens: list[int], encoded: Any, frames: int, request: Request
    ) -> tuple[Word, ...]:
        """Words with their times; a mark of punctuation belongs to the word before it."""
        if not tokens:
            return ()
        words: list[Word] = []
        for found in self._model.find_alignment(tokenizer, [tokens], encoded, frames)[0]:
            text = found["word"]
            end = min(float(found["end"]), request.seconds)
            start = min(float(found["start"]), end)
            if words and not any(letter.isalnum() for letter in text):
                words[-1] = Word(text=words[-1].text + text.strip(), start_s=words[-1].start_s, end_s=end)
            elif text.strip():
                words.append(Word(text=text.strip(), start_s=start, end_s=end))
        return tuple(words)

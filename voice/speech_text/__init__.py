"""Speech text: what a voice says of what a model wrote (SPEECH-1 to SPEECH-10).

`MarkdownSegmenter` cuts a streamed answer into segments; `to_speech_text` reads a segment as words of the
language that its own words are in; `SpeechTextStream` does both and keeps markers in their places. Finding
and saying are apart: text becomes typed spans, and a locale pack says them. Everything here is pure.
"""

from voice.speech_text.discord_syntax import DisplayNames
from voice.speech_text.islands import Formula
from voice.speech_text.locale_pack import LocalePack, LocalePacks
from voice.speech_text.locales import math_speech
from voice.speech_text.maths.math_json import MathJson, to_math_json
from voice.speech_text.preprocessors import (
    SpeechContext,
    SpeechPreprocessor,
    default_speech_preprocessors,
    maths_speech_preprocessor,
    money_speech_preprocessor,
)
from voice.speech_text.segmenter import MarkdownSegmenter
from voice.speech_text.speech import Surroundings, to_speech_text
from voice.speech_text.stream import Flushed, Placed, SpeechPiece, SpeechTextStream, Spoken

__all__ = [
    "DisplayNames",
    "Flushed",
    "Formula",
    "LocalePack",
    "LocalePacks",
    "MarkdownSegmenter",
    "MathJson",
    "Placed",
    "SpeechContext",
    "SpeechPiece",
    "SpeechPreprocessor",
    "SpeechTextStream",
    "Spoken",
    "Surroundings",
    "default_speech_preprocessors",
    "math_speech",
    "maths_speech_preprocessor",
    "money_speech_preprocessor",
    "to_math_json",
    "to_speech_text",
]

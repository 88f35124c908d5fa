"""Piper's process: a program of its own, started by `piper_process.py`.

Piper is under the GPL and stays outside of the bot; it may also crash or hang there without harm. The program
takes one JSON line an order on standard input and answers on standard output in frames: one letter, the
segment's number and the payload's length as 32-bit big-endian numbers, the payload. It ends when its input
closes, which is also what the death of its parent looks like. It imports nothing of Parley.

    first order: {"voice": path of the .onnx file, "threads": count}
    then:        {"speak": number, "text": text} | {"withdraw": number}
    answers:     R rate in Hz as digits (once, number 0) | P int16 little-endian mono, one sentence
                 E end of the segment | F its failure in words (number 0: of the start)
"""

import json
import os
import queue
import re
import struct
import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

_ANSWER = struct.Struct(">cII")
_LETTER_A = re.compile(r"(?<=\b[A-Z] )A\b|\bA(?= [A-Z]\b)")
"""An A beside another letter that stands alone."""


class Speaker:
    """Speaks one segment after another, in the order in which they were asked for."""

    def __init__(self, answers: int) -> None:
        self._answers = answers
        self._orders: queue.Queue[dict[str, Any]] = queue.Queue()
        self._withdrawn: set[int] = set()

    def read_orders(self) -> None:
        """On a thread of its own, so that a segment can be withdrawn while it is spoken."""
        for line in sys.stdin:
            order = json.loads(line)
            if "withdraw" in order:
                self._withdrawn.add(order["withdraw"])
            else:
                self._orders.put(order)
        os._exit(0)

    def run(self) -> None:
        """Until the input closes."""
        try:
            voice, settings = _voice(self._orders.get())
        except Exception as error:  # noqa: BLE001 - the answer carries whatever the engine says
            self._answer(b"F", 0, f"{type(error).__name__}: {error}".encode())
            return
        self._answer(b"R", 0, str(voice.config.sample_rate).encode())
        while True:
            order = self._orders.get()
            number = order["speak"]
            try:
                for sentence in _sentences(voice, settings, order["text"]):
                    if number in self._withdrawn:
                        break
                    self._answer(b"P", number, sentence)
                self._answer(b"E", number)
            except OSError:  # the parent reads no more
                return
            except Exception as error:  # noqa: BLE001 - one segment that cannot be spoken does not end the rest
                self._answer(b"F", number, type(error).__name__.encode())
            self._withdrawn.discard(number)

    def _answer(self, kind: bytes, number: int, payload: bytes = b"") -> None:
        whole = memoryview(_ANSWER.pack(kind, number, len(payload)) + payload)
        while whole:
            whole = whole[os.write(self._answers, whole) :]


def _voice(order: dict[str, Any]) -> tuple[Any, Any]:
    piper: Any = import_module("piper.voice")  # here, since its failure is part of the answer
    configuration: Any = import_module("piper.config")
    onnxruntime: Any = import_module("onnxruntime")
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = order["threads"]
    options.inter_op_num_threads = 1
    path = Path(order["voice"])
    voice = piper.PiperVoice(
        config=configuration.PiperConfig.from_dict(json.loads(Path(f"{path}.json").read_text("utf-8"))),
        session=onnxruntime.InferenceSession(
            str(path), sess_options=options, providers=["CPUExecutionProvider"]
        ),
    )
    return voice, configuration.SynthesisConfig()


def _sentences(voice: Any, settings: Any, text: str) -> Iterator[bytes]:
    for sentence in voice.synthesize(spelled(text, voice.config.espeak_voice), settings):
        yield sentence.audio_int16_bytes


def spelled(text: str, espeak_voice: str) -> str:
    """An English voice takes the A of "N A C L" for the article; two brackets hold phonemes."""
    plain = text.replace("[[", "[ [")
    return _LETTER_A.sub("[[ˈeɪ]]", plain) if espeak_voice.startswith("en") else plain


def main() -> None:
    """Serves until standard input closes; what libraries print goes nowhere."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    speaker = Speaker(answers)
    threading.Thread(target=speaker.read_orders, daemon=True).start()
    speaker.run()


if __name__ == "__main__":
    main()

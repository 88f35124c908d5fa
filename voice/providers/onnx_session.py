"""ONNX Runtime for small models that run many times a second: one thread each, only what is asked for.

Whoever makes a session does so beside the loop: the library takes 0.2 s to load.
"""

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


class OnnxSession:
    """One model. Threads may share it; each call is computed on the caller's own thread."""

    def __init__(self, model: bytes) -> None:
        onnxruntime: Any = import_module("onnxruntime")  # see the module
        options = onnxruntime.SessionOptions()
        options.inter_op_num_threads = 1
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            model, sess_options=options, providers=["CPUExecutionProvider"]
        )
        self._run_options = onnxruntime.RunOptions()
        self._run_options.only_execute_path_to_fetches = True

    def run(self, outputs: Sequence[str], inputs: Mapping[str, Floats]) -> list[Floats]:
        """The named outputs, in order."""
        return self._session.run(list(outputs), dict(inputs), self._run_options)

    def only(self, input_: Floats) -> Floats:
        """The first output, of a model with one input, whatever their names."""
        name = self._session.get_inputs()[0].name
        return self.run((self._session.get_outputs()[0].name,), {name: input_})[0]


def as_floats(pcm: bytes) -> Floats:
    """int16 little-endian as numbers from -1 to 1."""
    return np.frombuffer(pcm, "<i2").astype(np.float32) * np.float32(1 / 32_768)

"""The embedded model's server: a program of its own, started by `embedded_model.py`.

llama.cpp runs native threads that cannot be ended, prints to the terminal from C, and may abort on a bad
file; so it lives in a child process. The child takes its orders as one JSON line on standard input, answers
one JSON line on standard output, and ends when its input closes, which is also what the death of its
parent looks like. It imports nothing of Parley, so that it starts at once.

    order:  {"weights": path, "name": text, "api_key": text, "threads": count, "context_tokens": count}
    answer: {"address": "http://127.0.0.1:port"} or {"error": text}
"""

import json
import os
import sys
import threading
from importlib import import_module
from pathlib import Path
from typing import Any


def main() -> None:
    """Serves until standard input closes."""
    answers = os.dup(1)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    order = json.loads(sys.stdin.readline())
    parent = threading.Thread(target=_end_with_input, daemon=True)
    parent.start()
    try:
        server = started_server(order)
    except Exception as error:  # noqa: BLE001 - the one answer carries whatever the engine says
        os.write(answers, json.dumps({"error": f"{type(error).__name__}: {error}"}).encode() + b"\n")
        os._exit(1)
    os.write(answers, json.dumps({"address": server.listening_address}).encode() + b"\n")
    parent.join()


def started_server(order: dict[str, Any]) -> Any:
    """A llama.cpp server on loopback at a free port; the engine has no types of its own."""
    xllamacpp: Any = import_module("xllamacpp")  # here, since its failure is part of the answer
    parameters = xllamacpp.CommonParams()
    parameters.model.path = str(Path(order["weights"]))
    parameters.model_alias = {order["name"]}
    parameters.api_keys = [order["api_key"]]
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = 0
    parameters.n_ctx = order["context_tokens"]
    parameters.n_parallel = 1
    parameters.cpuparams.n_threads = order["threads"]
    parameters.cpuparams_batch.n_threads = order["threads"]
    parameters.n_gpu_layers = 0
    parameters.warmup = False
    parameters.ui = False
    return xllamacpp.Server(parameters)


def _end_with_input() -> None:
    while sys.stdin.read(4096):
        pass
    os._exit(0)


if __name__ == "__main__":
    main()

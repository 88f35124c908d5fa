"""Stands for Piper's program where a test wants it to misbehave; the segment's text says how.

    plain text      one sentence of half a second for each full stop
    "crash"         dies in mid-segment          "hang"     says nothing more
    "garbage"       answers nonsense             "refuse"   cannot speak this
The voice's path says how it starts: "slow" sleeps, "broken" fails, anything else works.
"""

import json
import os
import struct
import sys
import time

SENTENCE = b"\x10\x00" * 11_025


def answer(kind: bytes, number: int, payload: bytes = b"") -> None:
    os.write(1, struct.pack(">cII", kind, number, len(payload)) + payload)


def main() -> None:
    start = json.loads(sys.stdin.readline())
    if "slow" in start["voice"]:
        time.sleep(60)
    if "broken" in start["voice"]:
        answer(b"F", 0, b"no such voice")
        return
    answer(b"R", 0, b"22050")
    for line in sys.stdin:
        order = json.loads(line)
        if "withdraw" in order:
            continue
        number, text = order["speak"], order["text"]
        if text == "refuse":
            answer(b"F", number, b"ValueError")
            continue
        for _ in range(max(1, text.count("."))):
            answer(b"P", number, SENTENCE)
        if text == "crash":
            os._exit(1)
        if text == "hang":
            time.sleep(60)
        if text == "garbage":
            os.write(1, b"Traceback (most recent call last)")
            time.sleep(60)
        answer(b"E", number)


main()

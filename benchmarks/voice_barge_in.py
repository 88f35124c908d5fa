"""From the decision to interrupt to the bot's last packet, over the real sender and a real socket.

    python -m benchmarks.voice_barge_in [--rounds 100] [--output benchmarks/results/voice_barge_in.json]

"Response" interrupts (or ducks) a `VoiceResponse` in the middle of its synthesis; "playback" stops (or
pauses) a bare playback of the same sound, which is the floor: what the transport itself needs. Both
alternate, at random places of the 20 ms slot. "to last" is from the call to the last packet with sound that
a socket on the other side received, 0 where none came after it; "call" is how long the call itself kept the
loop. "to first" is from the first sound of a scripted synthesiser to its first packet. Nothing is asserted.
"""

import argparse
import asyncio
import json
import random
import socket
import threading
import time
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.clock import SystemClock
from voice.audio.opus import libopus
from voice.audio.playback_queue import Gate, Playback, PlaybackStopped
from voice.output.output_events import Cause, FirstSoundReady, OutputEvent, Purpose
from voice.output.text_to_speech import SynthesisChunk
from voice.output.voice_output import VoiceOutput
from voice.transport.sender import Sender, SendingChannel, SendingLine
from voice.transport.transport_crypto import AES256_GCM, cipher_for

_CHUNK_S = 0.1
_TEXT = "This is a sentence of some length that takes a while to say. " * 3
_SILENT_BYTES = 60
"""Silence and keepalives are shorter than any packet with sound."""


class Noise:
    """A synthesiser whose first sound comes after 20 ms, the rest three times as fast as it is played."""

    def __init__(self) -> None:
        self.pcm = random.Random(1).randbytes(int(_CHUNK_S * 48_000) * 4)

    async def speak(self, text: str, *, language: str | None) -> AsyncGenerator[SynthesisChunk]:
        """Three seconds."""
        await asyncio.sleep(0.02)
        for _ in range(30):
            yield SynthesisChunk(pcm=self.pcm)
            await asyncio.sleep(_CHUNK_S / 3)


class Listener:
    """The other side: notes when each packet with sound arrives, in a thread of its own."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.moments: list[float] = []
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        with suppress(OSError):
            while True:
                if len(self.socket.recv(2_048)) > _SILENT_BYTES:
                    self.moments.append(time.monotonic())


@dataclass
class Row:
    """Milliseconds of one subject."""

    subject: str
    to_last: list[float] = field(default_factory=list)
    call: list[float] = field(default_factory=list)
    to_first: list[float] = field(default_factory=list)


class Bench:
    """One channel to one listener."""

    output: VoiceOutput

    def __init__(self, listener: Listener, channel: SendingChannel) -> None:
        self.listener = listener
        self.channel = channel
        self.chance = random.Random(7)
        self.first_sound = 0.0

    def told(self, event: OutputEvent) -> None:
        """Keeps when the first sound came."""
        if isinstance(event, FirstSoundReady):
            self.first_sound = event.at

    async def response(self, row: Row, *, duck: bool) -> None:
        """One response, cut in the middle."""
        response = self.output.open_response(turn_id="turn", language="en")
        answer = response.open_speech(Purpose.ANSWER)
        before = len(self.listener.moments)
        answer.write(_TEXT)
        await self._speaks(row, before)
        await self._measured(row, response.duck if duck else lambda: response.interrupt(Cause.BARGE_IN))
        response.interrupt(Cause.STOPPED)
        await self.output.quiet()

    async def playback(self, row: Row, *, duck: bool) -> None:
        """The same sound, cut in the middle."""
        playback = self.channel.queue.begin()
        before = len(self.listener.moments)
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(self._write(playback))
            await self._speaks(row, before)
            await self._measured(row, playback.pause if duck else playback.stop)
            playback.stop()

    async def _speaks(self, row: Row, before: int) -> None:
        while len(self.listener.moments) < before + 10:  # noqa: ASYNC110 - the listener is a thread
            await asyncio.sleep(0.005)
        row.to_first.append((self.listener.moments[before] - self.first_sound) * 1000)
        await asyncio.sleep(self.chance.uniform(0, 0.1))

    async def _write(self, playback: Playback) -> None:
        self.first_sound = 0.0
        with suppress(PlaybackStopped):
            async for chunk in Noise().speak("", language=None):
                self.first_sound = self.first_sound or time.monotonic()
                await playback.write_pcm(chunk.pcm)

    async def _measured(self, row: Row, cut: Callable[[], object]) -> None:
        decided = time.monotonic()
        cut()
        row.call.append((time.monotonic() - decided) * 1000)
        await asyncio.sleep(0.15)
        row.to_last.append(max(0.0, self.listener.moments[-1] - decided) * 1000)


async def _measure(rounds: int) -> list[Row]:
    listener, sender = Listener(), Sender()
    rows = [
        Row(f"{subject}, {kind}") for kind in ("interrupt", "duck") for subject in ("response", "playback")
    ]
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.connect(listener.socket.getsockname())
        channel = sender.open_channel()
        channel.connect(
            SendingLine(
                udp=udp,
                ssrc=1,
                cipher=cipher_for(AES256_GCM, bytes(32)),
                encrypt=lambda opus: opus,
                speaking=lambda _: None,
            )
        )
        channel.queue.hold(Gate.KEY, closed=False)
        bench = Bench(listener, channel)
        output = VoiceOutput(
            mouth=_Mouth(channel),
            service=Noise(),
            clock=SystemClock(),
            tell=bench.told,
        )
        async with output:
            bench.output = output
            for _ in range(rounds):
                for place, duck in enumerate((False, True)):
                    await bench.response(rows[2 * place], duck=duck)
                    await bench.playback(rows[2 * place + 1], duck=duck)
        await sender.aclose()
    listener.socket.close()
    return rows


class _Mouth:
    def __init__(self, channel: SendingChannel) -> None:
        self._channel = channel

    def begin_playback(self) -> Playback:
        return self._channel.queue.begin()


def _quantile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))] if values else float("nan")


def main() -> None:
    """Prints a table and writes it down."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/voice_barge_in.json"))
    arguments = parser.parse_args()
    libopus()
    rows = asyncio.run(_measure(arguments.rounds))
    told: list[dict[str, Any]] = []
    for row in rows:
        values = {"to last": row.to_last, "call": row.call, "to first": row.to_first}
        line: dict[str, Any] = {"subject": row.subject}
        for name, ms in values.items():
            line |= {f"{name} p{share}": _quantile(ms, share / 100) for share in (50, 99)}
        told.append(line)
    heads = [head for head in told[0] if head != "subject"]
    print(f"{'ms':<22}" + "".join(f"{head:>14}" for head in heads))
    for line in told:
        print(f"{line['subject']:<22}" + "".join(f"{line[head]:>14.2f}" for head in heads))
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(told, indent=2) + "\n", "utf-8")


if __name__ == "__main__":
    main()

"""CPU per sent voice frame, and how evenly frames leave, with up to thirty channels in one process.

    python -m benchmarks.voice_send [--seconds 6] [--output benchmarks/results/voice_send.json]

Each subject is a process of its own: PCM in, Opus, encryption, UDP out, every 20 ms. Beside Parley stands
discord.py's own AudioPlayer with its own encoder and encryption, as `VoiceClient.play` sets it up. The
moments are those just before each packet is given to the socket. "PCM" encodes, "Opus" only encrypts.
Nothing is asserted.
"""

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from types import SimpleNamespace
from typing import Any

import discord

from voice.audio.frames import SENT_FRAME_BYTES
from voice.audio.opus import Encoder, library_path
from voice.audio.playback_queue import Gate, Playback
from voice.transport.sender import Sender, SendingLine
from voice.transport.transport_crypto import AES256_GCM, cipher_for

PARLEY, PEER = "parley", "discord.py AudioPlayer"
_KEY = bytes(32)
_LATE_S = 0.025


class Outlet:
    """A socket that notes when packets with sound leave."""

    def __init__(self, udp: socket.socket) -> None:
        self._udp = udp
        self.moments: list[float] = []

    def send(self, packet: bytes) -> None:
        """One packet; silence and keepalives are small and not counted."""
        if len(packet) > 60:
            self.moments.append(time.monotonic())
        self._udp.send(packet)


def main() -> None:
    """Measures every subject with every number of channels, or is one subject itself."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--channels", type=int, nargs="*", default=[1, 10, 30])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/voice_send.json"))
    parser.add_argument("--subject", help=argparse.SUPPRESS)
    parser.add_argument("--opus", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.subject:
        asyncio.run(_be_subject(arguments))
        return
    rows: list[dict[str, Any]] = []
    for count in arguments.channels:
        for opus in (False, True):
            for subject in (PARLEY, PEER):
                command = [sys.executable, "-m", "benchmarks.voice_send", "--subject", subject]
                command += ["--channels", str(count), "--seconds", str(arguments.seconds)]
                told = subprocess.run(
                    [*command, "--opus"] if opus else command, capture_output=True, text=True, check=True
                )
                rows.append(json.loads(told.stdout.splitlines()[-1]))
    heads = ("kind", "channels", "us/frame", "first gap", "p99 gap", ">25 ms")
    print(f"{'subject':<24}" + "".join(f"{head:>11}" for head in heads))
    for row in rows:
        print(
            f"{row['subject']:<24}{row['kind']:>11}{row['channels']:>11}{row['us_per_frame']:>11.0f}"
            f"{row['first_gap_ms']:>11.1f}{row['p99_gap_ms']:>11.1f}{row['late_percent']:>10.1f}%"
        )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


async def _be_subject(arguments: argparse.Namespace) -> None:
    count, seconds = arguments.channels[0], arguments.seconds
    pcm = _tone(seconds)
    encoder = Encoder()
    frames = [pcm[at : at + SENT_FRAME_BYTES] for at in range(0, len(pcm), SENT_FRAME_BYTES)]
    packets = [encoder.encode(frame) for frame in frames] if arguments.opus else []
    with (
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sink,
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp,
    ):
        sink.bind(("127.0.0.1", 0))
        udp.connect(sink.getsockname())
        udp.settimeout(0)
        outlets = [Outlet(udp) for _ in range(count)]
        play = _parley if arguments.subject == PARLEY else _peer
        cpu_s = await play(outlets, frames, packets)
    gaps = [
        later - earlier
        for outlet in outlets
        for earlier, later in zip(outlet.moments, outlet.moments[1:], strict=False)
    ]
    firsts = [outlet.moments[1] - outlet.moments[0] for outlet in outlets]
    sent = sum(len(outlet.moments) for outlet in outlets)
    told = {
        "subject": arguments.subject,
        "kind": "Opus" if arguments.opus else "PCM",
        "channels": count,
        "frames": sent,
        "us_per_frame": cpu_s / sent * 1e6,
        "first_gap_ms": median(firsts) * 1000,
        "p99_gap_ms": sorted(gaps)[int(len(gaps) * 0.99)] * 1000,
        "late_percent": 100 * sum(gap > _LATE_S for gap in gaps) / len(gaps),
    }
    print(json.dumps(told))


async def _parley(outlets: list[Outlet], frames: list[bytes], packets: list[bytes]) -> float:
    sender = Sender()
    channels = [sender.open_channel() for _ in outlets]
    for number, (channel, outlet) in enumerate(zip(channels, outlets, strict=True)):
        line = SendingLine(
            udp=outlet,  # type: ignore[arg-type] # all that the line does with it
            ssrc=number,
            cipher=cipher_for(AES256_GCM, _KEY),
            encrypt=lambda opus: opus,
            speaking=lambda _: None,
        )
        channel.connect(line)
        channel.queue.hold(Gate.KEY, closed=False)
    before = time.process_time()
    async with asyncio.TaskGroup() as tasks:
        for channel in channels:
            tasks.create_task(_write(channel.queue.begin(), frames, packets))
            await asyncio.sleep(0.02 / len(channels))
    spent = time.process_time() - before
    await sender.aclose()
    return spent


async def _write(playback: Playback, frames: list[bytes], packets: list[bytes]) -> None:
    for packet in packets:
        await playback.write_opus(packet)
    for start in range(0, 0 if packets else len(frames), 10):
        await playback.write_pcm(b"".join(frames[start : start + 10]))
    playback.finish()
    await playback.played()


class _Source(discord.AudioSource):
    def __init__(self, frames: list[bytes], packets: list[bytes]) -> None:
        self._opus = bool(packets)
        self._rest = iter(packets or frames)

    def read(self) -> bytes:
        return next(self._rest, b"")

    def is_opus(self) -> bool:
        return self._opus


async def _peer(outlets: list[Outlet], frames: list[bytes], packets: list[bytes]) -> float:
    discord.opus.load_opus(library_path())
    loop = asyncio.get_running_loop()

    async def speak(_: object) -> None: ...

    done: list[asyncio.Event] = []
    before = time.process_time()
    for number, outlet in enumerate(outlets):
        client: Any = discord.VoiceClient.__new__(discord.VoiceClient)
        client.sequence = client.timestamp = 0
        client.__dict__.update(_incr_nonce=0, _player=None)
        client.client = SimpleNamespace(loop=loop)
        connection = SimpleNamespace(
            send_packet=outlet.send,
            mode="aead_xchacha20_poly1305_rtpsize",
            secret_key=list(_KEY),
            ssrc=number,
            dave_session=None,
            can_encrypt=False,
            ws=SimpleNamespace(speak=speak),
            is_connected=lambda: True,
        )
        client.__dict__["_connection"] = connection
        ended = asyncio.Event()
        done.append(ended)
        client.play(
            _Source(frames, packets),
            after=lambda _, ended=ended: loop.call_soon_threadsafe(ended.set),
        )
        await asyncio.sleep(0.02 / len(outlets))
    for ended in done:
        await ended.wait()
    return time.process_time() - before


def _tone(seconds: float) -> bytes:
    import numpy as np  # noqa: PLC0415 - only here

    count = int(seconds * 50) * 960
    at = np.arange(count) / 48_000
    phase = 2 * np.pi * np.cumsum(140 + 30 * np.sin(2 * np.pi * at)) / 48_000
    sound = np.sum([np.sin(number * phase) / number for number in range(1, 20)], axis=0)
    return np.repeat((sound * 5_000).astype("<i2"), 2).tobytes()


if __name__ == "__main__":
    main()

"""CPU per received voice packet: socket, keys, jitter buffer, Opus, frames in the event loop.

    python -m benchmarks.voice_receive [--seconds 6] [--output benchmarks/results/voice_receive.json]

Each subject is a process of its own that hears speakers over a real UDP socket in real time, and tells the
CPU time that it took. Beside Parley (16 kHz mono, with and without DAVE) stands discord-ext-voice-recv, if
it is installed: 48 kHz stereo, without DAVE, as it has none. Both consume every frame. Nothing is asserted.
"""

import argparse
import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

from benchmarks.voice_speakers import BOT_ID, CHANNEL_ID, KEY, Speakers, send_in_real_time
from voice.audio.opus import library_path
from voice.transport.dave import DaveCall
from voice.transport.gateway_events import (
    ExternalSenderGiven,
    Speaking,
    Welcomed,
)
from voice.transport.gateway_messages import (
    SendBinary,
)
from voice.transport.heard_events import HeardEvents
from voice.transport.hearing import Hearing
from voice.transport.receiver import Receiver
from voice.transport.roster import Roster
from voice.transport.speaker_log import SpeakerLogs
from voice.transport.transport_crypto import AES256_GCM, XCHACHA20_POLY1305, cipher_for

PEER = "discord-ext-voice-recv"
PARLEY, PARLEY_DAVE = "parley", "parley with DAVE"
_WARM_UP_S = 1.0
_MODES = {PARLEY: AES256_GCM, PARLEY_DAVE: AES256_GCM, PEER: XCHACHA20_POLY1305}


def main() -> None:
    """Measures every subject with every number of speakers, or is one subject itself."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=6.0)
    parser.add_argument("--speakers", type=int, nargs="*", default=[1, 8, 25])
    parser.add_argument("--output", type=Path, default=Path("benchmarks/results/voice_receive.json"))
    parser.add_argument("--subject", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.subject:
        asyncio.run(_be_subject(arguments.subject, arguments.speakers[0]))
        return
    subjects = [PARLEY, PARLEY_DAVE]
    if find_spec("discord.ext.voice_recv") is not None:
        subjects.append(PEER)
    rows = [
        _measure(subject, count, arguments.seconds) for count in arguments.speakers for subject in subjects
    ]
    print(f"{'subject':<26}{'speakers':>9}{'packets':>9}{'heard':>9}{'us/packet':>11}{'% of a core':>13}")
    for row in rows:
        print(
            f"{row['subject']:<26}{row['speakers']:>9}{row['packets']:>9}{row['heard']:>9}"
            f"{row['us_per_packet']:>11.1f}{row['core_percent']:>13.1f}"
        )
    arguments.output.parent.mkdir(parents=True, exist_ok=True)
    arguments.output.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")


def _measure(subject: str, count: int, seconds: float) -> dict[str, float | str]:
    speakers = Speakers(count, mode=_MODES[subject])
    command = [
        sys.executable,
        "-m",
        "benchmarks.voice_receive",
        "--subject",
        subject,
        "--speakers",
        str(count),
    ]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        hello = json.loads(child.stdout.readline())
        if subject == PARLEY_DAVE:
            welcome = speakers.found_group(bytes.fromhex(hello["key_package"]))
            words = {"external_sender": speakers.gateway.package.hex(), "welcome": welcome.hex()}
            child.stdin.write(json.dumps(words) + "\n")
            child.stdin.flush()
            child.stdout.readline()
        slots = speakers.packets(_WARM_UP_S + seconds)
        warm, slots = slots[: int(_WARM_UP_S * 50)], slots[int(_WARM_UP_S * 50) :]
        for part, word in ((warm, "go"), (slots, "done")):
            send_in_real_time(hello["port"], part)
            child.stdin.write(f"{word}\n")
            child.stdin.flush()
        told = json.loads(child.stdout.readline())
    packets = count * len(slots)
    return {
        "subject": subject,
        "speakers": count,
        "packets": packets,
        "heard": told["heard"],
        "us_per_packet": told["cpu_s"] / packets * 1e6,
        "core_percent": told["cpu_s"] / seconds * 100,
    }


async def _be_subject(subject: str, count: int) -> None:
    hear = _be_peer if subject == PEER else _be_parley
    await hear(subject, count)


def _tell(**facts: object) -> None:
    print(json.dumps(facts), flush=True)


async def _line() -> str:
    return await asyncio.to_thread(sys.stdin.readline)


async def _be_parley(subject: str, count: int) -> None:
    speakers = Speakers(count, mode=AES256_GCM)
    keys = DaveCall(user_id=BOT_ID, channel_id=CHANNEL_ID, clock=time.monotonic)
    roster, logs, events = Roster(BOT_ID), SpeakerLogs(), HeardEvents()
    udp = _listening()
    port = udp.getsockname()[1]
    if subject == PARLEY_DAVE:
        (package,) = keys.begin(1).sends
        assert isinstance(package, SendBinary)
        _tell(port=port, key_package=package.payload.hex())
        words = json.loads(await _line())
        keys.take(ExternalSenderGiven(bytes.fromhex(words["external_sender"])), [])
        outcome = keys.take(Welcomed(0, bytes.fromhex(words["welcome"])), [])
        assert outcome.problem is None, outcome.problem
        _tell(ready=True)
    else:
        _tell(port=port)
    for ssrc, user_id in zip(speakers.ssrcs, speakers.user_ids, strict=True):
        roster.apply(Speaking(user_id, ssrc, 1))
    hearing = Hearing(
        own_ssrc=1,
        cipher=cipher_for(AES256_GCM, KEY),
        keys=keys,
        roster=roster,
        logs=logs,
        emit=events.put,
    )
    receiver = Receiver(udp, hearing, logs, after_batch=events.wake)
    heard = 0

    async def consume() -> None:
        nonlocal heard
        async for event in events.events():
            heard += hasattr(event, "pcm")

    async with asyncio.TaskGroup() as tasks:
        tasks.create_task(consume())
        await _measured(lambda: heard)
        receiver.stop()
        await receiver.stopped()
        events.close()


async def _be_peer(_: str, count: int) -> None:
    from benchmarks.voice_peer import listen  # noqa: PLC0415 - its package may not be here

    speakers = Speakers(count, mode=XCHACHA20_POLY1305)
    udp = _listening()
    with listen(udp, speakers, libopus_path=library_path()) as heard:
        _tell(port=udp.getsockname()[1])
        await _measured(heard)


async def _measured(heard: Callable[[], int]) -> None:
    await _line()  # go
    before, heard_before = time.process_time(), heard()
    await _line()  # done
    await asyncio.sleep(0.3)
    _tell(heard=heard() - heard_before, cpu_s=time.process_time() - before)


def _listening() -> socket.socket:
    udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    udp.settimeout(0)
    udp.bind(("127.0.0.1", 0))
    return udp


if __name__ == "__main__":
    main()

"""discord-ext-voice-recv in a harness: its reader, router and decoders on discord.py's own socket reader."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import discord
from discord.voice_state import SocketReader

from benchmarks.voice_speakers import KEY, Speakers
from voice.transport.transport_crypto import XCHACHA20_POLY1305

voice_recv: Any = import_module("discord.ext.voice_recv")  # installed for this benchmark only


class _Counting(voice_recv.AudioSink):
    def __init__(self) -> None:
        super().__init__()
        self.heard = 0

    def wants_opus(self) -> bool:
        return False

    def write(self, user: Any, data: Any) -> None:
        self.heard += data.pcm is not None

    def cleanup(self) -> None: ...


@contextmanager
def listen(udp: socket.socket, speakers: Speakers, *, libopus_path: str) -> Iterator[Callable[[], int]]:
    """Gives the count of decoded frames so far."""
    discord.opus.load_opus(libopus_path)
    users = dict(zip(speakers.ssrcs, speakers.user_ids, strict=True))
    reader = SocketReader(SimpleNamespace(socket=udp))  # type: ignore[arg-type] # all that it reads
    member = SimpleNamespace(id=1)
    client = SimpleNamespace(
        _connection=SimpleNamespace(
            add_socket_listener=reader.register, remove_socket_listener=reader.unregister
        ),
        mode=XCHACHA20_POLY1305,
        secret_key=list(KEY),
        _ssrc_to_id=users,
        _get_id_from_ssrc=users.get,
        guild=SimpleNamespace(get_member=lambda _: member),
        client=SimpleNamespace(get_user=lambda _: member),
        dispatch_sink=lambda *_: None,
        stop_listening=lambda: None,
        wait_until_connected=threading.Event().wait,
    )
    sink = _Counting()
    audio = voice_recv.reader.AudioReader(sink, client)
    audio.keepalive = SimpleNamespace(start=lambda: None, stop=lambda: None)
    reader.start()
    reader.resume(force=True)
    audio.start()
    yield lambda: sink.heard
    reader.stop()

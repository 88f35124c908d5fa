"""A human whose DAVE is Discord's own C++ library, by its Python binding: a second implementation."""

from __future__ import annotations

from typing import Any

import dave

from tests.fake_discord.voice.human import Human
from tests.fake_discord.voice.room import Room

_AUDIO = dave.MediaType.audio


class LibdaveHuman(Human):
    """As `Human`; keys are handed to the encryptor and decryptors as each epoch begins."""

    def __init__(self, user_id: int, room: Room) -> None:
        self._encryptor = dave.Encryptor()
        self._decryptors: dict[int, dave.Decryptor] = {}
        self._established = False
        self.failures: list[tuple[str, str]] = []
        super().__init__(user_id, room)

    def begin_session(self) -> None:
        self._libdave = dave.Session(lambda source, reason: self.failures.append((source, reason)))
        self._libdave.init(1, self.room.channel_id, str(self.user_id), None)
        self._encryptor.assign_ssrc_to_codec(self.ssrc, dave.Codec.opus)
        self._established = False
        self._epochs = 0

    @property
    def ready(self) -> bool:
        return self.version == 0 or self._established

    @property
    def epoch(self) -> int | None:
        """Libdave tells no number; the delivery service's own is the one everybody has by then."""
        return self.room.group.epoch if self._established else None

    def set_external_sender(self, package: bytes) -> None:
        self._libdave.set_external_sender(package)

    def key_package(self) -> bytes:
        package = self._libdave.get_marshalled_key_package()
        assert package is not None
        return package

    def commit(self, proposals: bytes) -> bytes | None:
        return self._libdave.process_proposals(proposals, self._recognized())

    def process_commit(self, commit: bytes) -> None:
        result: Any = self._libdave.process_commit(commit)
        if not isinstance(result, dict):
            raise ValueError(f"commit {result}")  # noqa: TRY004 - as davey does
        self._take_keys()

    def process_welcome(self, welcome: bytes) -> None:
        if self._libdave.process_welcome(welcome, self._recognized()) is None:
            raise ValueError("welcome")
        self._take_keys()

    def encrypt(self, opus: bytes) -> bytes:
        frame = self._encryptor.encrypt(_AUDIO, self.ssrc, opus)
        if frame is None:
            raise ValueError("no frame")
        return frame

    def decrypt(self, user_id: int, frame: bytes) -> bytes:
        opus = self._decryptor(user_id).decrypt(_AUDIO, frame)
        if opus is None:
            raise ValueError("no opus")
        return opus

    def _recognized(self) -> set[str]:
        return {str(user) for user in (self.user_id, *self._users)}

    def _decryptor(self, user_id: int) -> dave.Decryptor:
        if user_id not in self._decryptors:
            self._decryptors[user_id] = dave.Decryptor()
        return self._decryptors[user_id]

    def _take_keys(self) -> None:
        self._established = True
        self._encryptor.set_key_ratchet(self._libdave.get_key_ratchet(str(self.user_id)))
        for user_id in self._users:
            ratchet = self._libdave.get_key_ratchet(str(user_id))
            if ratchet is not None:
                self._decryptor(user_id).transition_to_key_ratchet(ratchet)

"""The fake's file store: attachments under links that expire, as Discord's do."""

from __future__ import annotations

import mimetypes
import struct

from tests.fake_discord.entities import Attachment, Channel
from tests.fake_discord.snowflakes import Snowflakes

_LINK_LIFETIME_S = 24 * 3600


class Cdn:
    """`origin` ("https://127.0.0.1:PORT") is set once the server listens."""

    def __init__(self, snowflakes: Snowflakes) -> None:
        self._snowflakes = snowflakes
        self.origin = ""
        self._files: dict[int, Attachment] = {}

    def store(
        self,
        channel: Channel,
        filename: str,
        content: bytes,
        *,
        content_type: str | None = None,
        description: str | None = None,
        duration_s: float | None = None,
        waveform: str | None = None,
        ephemeral: bool = False,
    ) -> Attachment:
        """`content_type` is guessed from the name; a PNG's size is read from its header."""
        number = self._snowflakes.next()
        width, height = _png_size(content)
        made = Attachment(
            id=number,
            channel_id=channel.id,
            filename=filename,
            content=content,
            content_type=content_type or _guess(filename),
            url=f"{self.origin}/attachments/{channel.id}/{number}/{filename}",
            description=description,
            width=width,
            height=height,
            duration_s=duration_s,
            waveform=waveform,
            ephemeral=ephemeral,
        )
        self._files[number] = made
        self.refresh(made)
        return made

    def refresh(self, attachment: Attachment) -> None:
        """A new link that works; what fetching the message again does to an expired one."""
        until = int(self._snowflakes.now()) + _LINK_LIFETIME_S
        serial = self._snowflakes.next()
        attachment.url = (
            f"{attachment.url.partition('?')[0]}?ex={until:x}&is={serial:x}&hm={attachment.id:x}&"
        )
        attachment.expired = False

    def fetch(self, attachment_id: int, signature: str) -> Attachment | None:
        """The file behind a link; None when there is none or the link is no longer the valid one."""
        found = self._files.get(attachment_id)
        if found is None or found.expired or f"&is={signature}&" not in found.url:
            return None
        return found


def _guess(filename: str) -> str | None:
    kind, _ = mimetypes.guess_type(filename)
    if kind is not None and kind.startswith("text/"):
        return f"{kind}; charset=utf-8"
    return kind


def _png_size(content: bytes) -> tuple[int, int] | tuple[None, None]:
    if content[:8] != b"\x89PNG\r\n\x1a\n" or len(content) < 24:
        return None, None
    return struct.unpack(">II", content[16:24])

"""What becomes of an attached file, by its type and size, and what its first bytes really are (TEXT-4).

Discord guesses the type from the file's name. A provider refuses a whole request for one picture that is
none, and the picture would be in every later request as well: so the bytes decide, the name is only a hint.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import PurePath

from bot.discord_chat.incoming_message import IncomingAttachment
from core.prompts.user_messages import one_line

_MB = 1024 * 1024
_TEXT_TYPES = re.compile(
    r"text/|application/(?:[\w.+-]*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|x-sh|sql|csv|x-ndjson|graphql)\b"
    r"|image/svg"
)
_TEXT_ENDING = re.compile(
    r"txt|md|markdown|rst|log|csv|tsv|jsonl?|ndjson|ya?ml|toml|ini|cfg|conf|env|xml|html?|css|svg|m?js|tsx?|jsx"
    r"|pyi?|rb|rs|go|java|kt|c|h|cc|[ch]pp|cs|swift|php|pl|lua|sh|bash|zsh|ps1|bat|sql|tex|srt|vtt|diff|patch|r"
    r"|jl|hs|exs?|erl|clj|scala|dart|gradle|cmake|makefile|dockerfile|properties"
)
_IMAGE_TYPES = frozenset({"image/png", "image/jpeg", "image/webp", "image/gif"})
_AUDIO_TYPES = frozenset({"audio/wav", "audio/x-wav", "audio/wave", "audio/mpeg", "audio/mp3"})


class AttachmentKind(StrEnum):
    """How a file can be read."""

    IMAGE = "image"
    TEXT = "text"
    PDF = "pdf"
    AUDIO = "audio"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class AttachmentLimits:
    """The largest file of each kind, in bytes; the longest side of a picture, in pixels."""

    image_bytes: int = 10 * _MB
    text_bytes: int = 1 * _MB
    pdf_bytes: int = 10 * _MB
    audio_bytes: int = 10 * _MB
    image_side: int = 8_000

    def most_bytes(self, kind: AttachmentKind) -> int:
        """0 for what is never read."""
        return {
            AttachmentKind.IMAGE: self.image_bytes,
            AttachmentKind.TEXT: self.text_bytes,
            AttachmentKind.PDF: self.pdf_bytes,
            AttachmentKind.AUDIO: self.audio_bytes,
            AttachmentKind.OTHER: 0,
        }[kind]


def kind_of(file: IncomingAttachment) -> AttachmentKind:
    """By its declared type; by the ending of its name where source code is taken for something else."""
    declared = (file.media_type or "").partition(";")[0].strip().lower()
    name = PurePath(file.name.lower())
    if declared in _IMAGE_TYPES:
        return AttachmentKind.IMAGE
    if _TEXT_ENDING.fullmatch((name.suffix or name.name).lstrip(".")) or _TEXT_TYPES.match(declared):
        return AttachmentKind.TEXT
    if declared == "application/pdf" or name.suffix == ".pdf":
        return AttachmentKind.PDF
    return AttachmentKind.AUDIO if declared in _AUDIO_TYPES else AttachmentKind.OTHER


def refusal(file: IncomingAttachment, kind: AttachmentKind, limits: AttachmentLimits) -> str | None:
    """Why the file is not even fetched; None when it is."""
    if file.size > limits.most_bytes(kind):
        return f"too large to read, at most {readable_size(limits.most_bytes(kind))}"
    if kind is AttachmentKind.IMAGE and max(file.width, file.height) > limits.image_side:
        return f"too large to look at, at most {limits.image_side} pixels a side"
    return "empty" if file.size == 0 else None


def true_type(content: bytes) -> str | None:
    """The media type that the first bytes prove; None for everything that is not sent as media."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content[:4] == b"RIFF" and content[8:12] in (b"WEBP", b"WAVE"):
        return "image/webp" if content[8:12] == b"WEBP" else "audio/wav"
    if b"%PDF-" in content[:1024]:
        return "application/pdf"
    is_mp3 = content.startswith(b"ID3") or (
        content[:1] == b"\xff" and content[1:2] in (b"\xfb", b"\xf3", b"\xf2")
    )
    return "audio/mpeg" if is_mp3 else None


def ending_of(media_type: str) -> str:
    """The ending under which a file is kept; never the one that its sender chose."""
    return media_type.partition("/")[2].replace("mpeg", "mp3").replace("jpeg", "jpg")


def attachment_label(file: IncomingAttachment, note: str | None = None) -> str:
    """Words in place of a file: its name, its type, its size, and why it is not here."""
    if file.voice_s is not None:
        return f"[voice message, {round(file.voice_s)} s{f': {note}' if note else ''}]"
    kind = one_line((file.media_type or "unknown type").partition(";")[0])
    described = f", described as: {one_line(file.description)}" if file.description else ""
    words = f"{one_line(file.name)}, {kind}, {readable_size(file.size)}{described}"
    return f"[attachment: {words}{f': {note}' if note else ''}]"


def readable_size(size: int) -> str:
    """`812 bytes`, `14 kB`, `2.5 MB`."""
    if size < 1_000:
        return f"{size} bytes"
    return f"{size / 1_000:.0f} kB" if size < 1_000_000 else f"{size / 1_000_000:.1f} MB"

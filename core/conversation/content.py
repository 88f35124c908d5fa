"""What a person can put into a turn: text, images, audio, files.

Media is held by reference. The bytes stay where they are (on disk, behind a URL, at the provider) and are
read by a protocol adapter when a request is built, so that a history of pictures costs no memory.
"""

from dataclasses import dataclass
from pathlib import PurePath


@dataclass(frozen=True, slots=True, kw_only=True)
class MediaSource:
    """Where the bytes of a part are: exactly one of the three (CORE-5).

    Raises:
        ValueError: none of them, or more than one, is set.
    """

    path: PurePath | None = None
    url: str | None = None
    provider_file_id: str | None = None

    def __post_init__(self) -> None:
        named = [source for source in (self.path, self.url, self.provider_file_id) if source is not None]
        if len(named) != 1:
            message = f"a media part has exactly one source, not {len(named)}"
            raise ValueError(message)


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """Plain or Markdown text as the person wrote it."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """A picture; `caption` stands in for it where a model cannot see (CORE-16)."""

    source: MediaSource
    media_type: str
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Audio:
    """A recording; `transcript` stands in for it where a model cannot hear (CORE-16)."""

    source: MediaSource
    media_type: str
    transcript: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class File:
    """Any other attachment, by its name."""

    source: MediaSource
    media_type: str
    name: str


UserContent = Text | Image | Audio | File

"""Bytes inside a request."""

import base64
from collections.abc import Mapping
from pathlib import PurePath


def data_url(path: PurePath | None, media_type: str, media: Mapping[PurePath, bytes]) -> str | None:
    """The bytes at `path` as a `data:` URL (RFC 2397); None when there is no path or they are gone."""
    content = media.get(path) if path is not None else None
    if content is None:
        return None
    return f"data:{media_type};base64,{base64.b64encode(content).decode('ascii')}"

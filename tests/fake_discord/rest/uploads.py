"""Files of a multipart request, matched with the `attachments` of its payload."""

from __future__ import annotations

import re

from tests.fake_discord.entities import Attachment, Channel, Json, MessageFlag
from tests.fake_discord.rest.routing import Call, invalid_form

_FIELD = re.compile(r"files?\[(\d+)\]")


def store(
    call: Call, channel: Channel, form: Json, *, kept: list[Attachment] | None = None, ephemeral: bool = False
) -> list[Attachment]:
    """What the message will have attached: those of `kept` that the payload names, then the new files."""
    described: dict[str, Json] = {str(one["id"]): one for one in form.get("attachments") or ()}
    made: list[Attachment] = []
    if kept:
        named = form.get("attachments")
        made = [one for one in kept if named is None or str(one.id) in described]
    voice = bool((form.get("flags") or 0) & MessageFlag.VOICE_MESSAGE)
    for position, file in enumerate(call.exchange.files):
        found = _FIELD.fullmatch(file.field)
        about = described.get(found.group(1) if found else str(position), {})
        if voice and about.get("duration_secs") is None:
            raise invalid_form("attachments", "BASE_TYPE_REQUIRED", "This field is required")
        made.append(
            call.state.cdn.store(
                channel,
                about.get("filename") or file.filename,
                file.content,
                content_type=None if file.content_type == "application/octet-stream" else file.content_type,
                description=about.get("description"),
                duration_s=about.get("duration_secs"),
                waveform=about.get("waveform"),
                ephemeral=ephemeral,
            )
        )
    return made

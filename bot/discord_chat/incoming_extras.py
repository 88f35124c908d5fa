"""Stickers, polls, embeds and notices of Discord as one line of words each (TEXT-4)."""

from collections.abc import Iterator

import discord

from bot.discord_chat.readable_marks import readable

_LONGEST = 600
_PREVIEWS = frozenset({"link", "article", "video", "image", "gifv"})

_EVENTS: dict[discord.MessageType, str] = {
    discord.MessageType.new_member: "[joined the server]",
    discord.MessageType.pins_add: "[pinned a message]",
    discord.MessageType.thread_created: "[started a thread: {content}]",
    discord.MessageType.channel_name_change: "[renamed this channel to: {content}]",
    discord.MessageType.stage_start: "[started the stage: {content}]",
    discord.MessageType.stage_end: "[ended the stage: {content}]",
    discord.MessageType.stage_topic: "[changed the topic of the stage to: {content}]",
    discord.MessageType.stage_speaker: "[became a speaker of the stage]",
    discord.MessageType.poll_result: "[a poll has ended]",
}


def extras_of(message: discord.Message | discord.MessageSnapshot) -> tuple[str, ...]:
    """What a message or a forwarded one holds beside text and files."""
    poll = message.poll if isinstance(message, discord.Message) else None
    lines = [f"[sticker: {_short(sticker.name)}]" for sticker in message.stickers]
    if poll is not None:
        lines.append(_poll_line(poll))
    lines += [line for embed in message.embeds if (line := _embed_line(embed))]
    return tuple(lines)


def event_text(message: discord.Message) -> str | None:
    """What a system message tells about its author; None for one that no conversation needs."""
    if message.type is discord.MessageType.thread_starter_message:
        return _thread_start(message)
    said = _EVENTS.get(message.type)
    return None if said is None else said.format(content=_short(message.content))


def _thread_start(message: discord.Message) -> str | None:
    start = message.reference.resolved if message.reference is not None else None
    if not isinstance(start, discord.Message):
        return None
    said = _short(readable(start.clean_content))
    files = "".join(f" [attachment: {file.filename}]" for file in start.attachments)
    extras = "".join(f" {line}" for line in extras_of(start))
    return f"[this thread began with a message of {_short(start.author.display_name)}:] {said}{files}{extras}"


def _poll_line(poll: discord.Poll) -> str:
    answers = "; ".join(_poll_answer(answer) for answer in poll.answers)
    several = ", several may be chosen" if poll.multiple else ""
    ended = ", ended" if poll.is_finalised() else ""
    return f"[poll: {_short(poll.question)} Answers: {answers}{several}{ended}]"


def _poll_answer(answer: discord.PollAnswer) -> str:
    votes = answer.vote_count
    count = f" ({votes} {'vote' if votes == 1 else 'votes'})" if votes else ""
    emoji = answer.emoji.name if answer.emoji is not None else ""
    return f"{f'{emoji} ' if emoji else ''}{_short(answer.text or '')}{count}".strip()


def _embed_line(embed: discord.Embed) -> str:
    words = _short(". ".join(part.strip() for part in _embed_words(embed) if part.strip()))
    where = f" ({embed.url})" if embed.url else ""
    kind = "link preview" if embed.type in _PREVIEWS else "embed"
    return f"[{kind}: {words}{where}]" if words or where else ""


def _embed_words(embed: discord.Embed) -> Iterator[str]:
    yield embed.provider.name or ""
    yield embed.author.name or ""
    yield embed.title or ""
    yield embed.description or ""
    for field in embed.fields:
        yield f"{field.name}: {field.value}"
    yield embed.footer.text or ""


def _short(text: str) -> str:
    """On one line, cut where it is long."""
    line = " ".join(text.split())
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."

"""From a message to the content of its turn: files fetched, kept and made into what a model takes (TEXT-4).

image -> Image      text -> Text, in its encoding      PDF -> File      wav, mp3 -> Audio
everything else, and everything that fails -> a label that says what it was and why it is missing
"""

import asyncio
from collections.abc import Sequence
from pathlib import PurePath
from typing import Protocol, assert_never

import structlog

from bot.discord_chat.attachment_rules import (
    AttachmentKind,
    AttachmentLimits,
    attachment_label,
    ending_of,
    kind_of,
    refusal,
    true_type,
)
from bot.discord_chat.cdn import FileNotFetched, LinkExpired
from bot.discord_chat.incoming_message import IncomingAttachment, IncomingMessage
from bot.discord_chat.message_words import leading_words
from bot.discord_chat.text_decoding import decoded
from core.conversation.attached_texts import AttachedText, shown_attachment
from core.conversation.content import Audio, File, Image, MediaSource, Text, UserContent
from core.conversation.turns import InvokedSkill, Speaker, UserTurn
from core.failures import Failure
from core.prompts.user_messages import one_line
from sessions.bindings import ChannelBinding

_log = structlog.get_logger()
_AT_ONCE = 4
_PROOF = {
    AttachmentKind.IMAGE: "image/",
    AttachmentKind.PDF: "application/pdf",
    AttachmentKind.AUDIO: "audio/",
}


class FileStore(Protocol):
    """Where the files of messages are."""

    async def fetch(self, url: str, *, most_bytes: int) -> bytes:
        """The file; raises `LinkExpired` or `FileNotFetched`."""
        ...


class FreshLinks(Protocol):
    """Reads a message again, whose links then hold."""

    async def attachments(self, channel_id: int, message_id: int) -> Sequence[IncomingAttachment]:
        """All files of the message, of what it forwards and replies to; none when it is gone."""
        ...


class KeptMedia(Protocol):
    """Where files are kept."""

    async def keep(self, path: PurePath, content: bytes) -> bool:
        """Keep the file whole; False when there is no room."""
        ...

    async def forget(self, within: PurePath) -> None:
        """Delete a file, or everything below a folder."""
        ...


class Transcripts(Protocol):
    """Hears files."""

    @property
    def can_hear(self) -> bool:
        """Whether it is worth fetching one."""
        ...

    async def transcript(self, content: bytes) -> str | None:
        """What is said in a file; None where there are no words to be had."""
        ...


class MessageSkills(Protocol):
    """What the words of a message invoke."""

    async def skills(self, session_id: str, speaker: Speaker, text: str) -> tuple[InvokedSkill, ...]:
        """The skills that the speaker's own words invoke; raises `Failure` when they cannot be looked up."""
        ...


class MessageContent:
    """Makes turns of messages. `most_text`: characters of attached text files, together in one message.

    `hears`: whether a recording can be carried to a model at all. Voice messages, and what cannot be carried,
    are transcribed where `transcripts` can. `skills` None: words invoke nothing.
    """

    def __init__(
        self,
        *,
        files: FileStore,
        links: FreshLinks,
        media: KeptMedia,
        most_text: int,
        hears: bool,
        limits: AttachmentLimits | None = None,
        skills: MessageSkills | None = None,
        transcripts: Transcripts | None = None,
    ) -> None:
        self._files = files
        self._links = links
        self._media = media
        self._most_text = most_text
        self._hears = hears
        self._limits = limits or AttachmentLimits()
        self._skills = skills
        self._transcripts = transcripts
        self._places = asyncio.Semaphore(_AT_ONCE)

    async def turn_of(self, message: IncomingMessage) -> UserTurn:
        """The message as a turn of its scene; never fails."""
        words = [Text(text=text) for text in leading_words(message)]
        files = message.all_attachments
        async with asyncio.TaskGroup() as tasks:
            reading = [tasks.create_task(self._read(message, file)) for file in files]
        content = [*words, *self._bounded([one.result() for one in reading])]
        speaker = Speaker(id=str(message.author.id), name=message.author.name)
        return UserTurn(
            id=message.turn_id,
            at=message.at,
            speaker=speaker,
            content=tuple(content) or (Text(text=""),),
            skills=await self._invoked(message, speaker),
        )

    async def _invoked(self, message: IncomingMessage, speaker: Speaker) -> tuple[InvokedSkill, ...]:
        """By the author's own words: neither what they quote nor what they attach invokes anything."""
        if self._skills is None:
            return ()
        session_id = ChannelBinding(channel_id=message.channel_id, guild_id=message.guild_id).session_id
        try:
            return await self._skills.skills(session_id, speaker, message.text)
        except Failure as failure:
            _log.warning("skills not looked up", message=message.id, reason=failure.reason)
            return ()

    async def forget(self, channel_id: int) -> None:
        """Delete the files of a channel's messages: it is gone, or begins anew."""
        await self._media.forget(PurePath(str(channel_id)))

    async def forget_files(self, paths: Sequence[PurePath]) -> None:
        """Delete single files: whoever sent them is forgotten."""
        for path in paths:
            await self._media.forget(path)

    def _bounded(self, parts: Sequence[UserContent | AttachedText]) -> list[UserContent]:
        """Text files share the room there is; the ones that come first are read first."""
        left = self._most_text
        bounded: list[UserContent] = []
        for part in parts:
            if isinstance(part, AttachedText):
                bounded.append(Text(text=shown_attachment(part, left)))
                left = max(0, left - len(part.text))
            else:
                bounded.append(part)
        return bounded

    async def _read(self, message: IncomingMessage, file: IncomingAttachment) -> UserContent | AttachedText:
        kind = kind_of(file)
        if file.voice_s is not None or (kind is AttachmentKind.AUDIO and not self._hears):
            return Text(text=await self._spoken(message, file))
        if kind is AttachmentKind.OTHER:
            return Text(text=attachment_label(file))
        if (reason := refusal(file, kind, self._limits)) is not None:
            return Text(text=attachment_label(file, reason))
        try:
            async with self._places:
                return await self._fetched(message, file, kind)
        except FileNotFetched as error:
            _log.info("attachment not read", message=message.id, reason=str(error))
            return Text(text=attachment_label(file, str(error)))

    async def _spoken(self, message: IncomingMessage, file: IncomingAttachment) -> str:
        """What is said in a recording, else a label; whose words they are, the message says."""
        hearing = self._transcripts
        if hearing is None or not hearing.can_hear:
            return attachment_label(file, "no transcript")
        if (reason := refusal(file, AttachmentKind.AUDIO, self._limits)) is not None:
            return attachment_label(file, reason)
        try:
            async with self._places:
                content = await self._bytes_of(message, file, AttachmentKind.AUDIO)
                said = await hearing.transcript(content)
        except FileNotFetched as error:
            return attachment_label(file, str(error))
        if said is None:
            return attachment_label(file, "no words heard")
        return f"{attachment_label(file, 'transcribed')}\n{said}\n[end of what was said]"

    async def _fetched(
        self, message: IncomingMessage, file: IncomingAttachment, kind: AttachmentKind
    ) -> UserContent | AttachedText:
        if kind is AttachmentKind.TEXT:
            text = decoded(await self._bytes_of(message, file, kind), file.media_type)
            if text is None:
                return Text(text=attachment_label(file, "not text"))
            return AttachedText(name=one_line(file.name), text=text.rstrip())
        kept = await self._kept(message, file, kind)
        if kept is None:
            return Text(text=attachment_label(file, "not what its name says"))
        path, media_type = kept
        source = MediaSource(path=path)
        match kind:
            case AttachmentKind.IMAGE:
                caption = one_line(file.description or file.name)
                return Image(source=source, media_type=media_type, caption=caption)
            case AttachmentKind.PDF:
                return File(source=source, media_type=media_type, name=one_line(file.name))
            case AttachmentKind.AUDIO:
                return Audio(source=source, media_type=media_type)
            case AttachmentKind.OTHER:
                return Text(text=attachment_label(file))
            case _:
                assert_never(kind)

    async def _kept(
        self, message: IncomingMessage, file: IncomingAttachment, kind: AttachmentKind
    ) -> tuple[PurePath, str] | None:
        """Where the file is kept and what it is; None when its bytes are something else."""
        content = await self._bytes_of(message, file, kind)
        media_type = true_type(content)
        if media_type is None or not media_type.startswith(_PROOF[kind]):
            return None
        path = PurePath(str(message.channel_id), f"{file.id}.{ending_of(media_type)}")
        if not await self._media.keep(path, content):
            raise FileNotFetched("could not be kept")
        return path, media_type

    async def _bytes_of(
        self, message: IncomingMessage, file: IncomingAttachment, kind: AttachmentKind
    ) -> bytes:
        most = self._limits.most_bytes(kind)
        try:
            return await self._files.fetch(file.url, most_bytes=most)
        except LinkExpired:
            fresh = await self._links.attachments(message.channel_id, message.id)
            url = next((one.url for one in fresh if one.id == file.id), None)
            if url is None:
                raise
            return await self._files.fetch(url, most_bytes=most)

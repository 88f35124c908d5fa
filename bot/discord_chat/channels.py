"""The bot's hands in a channel: type, post, edit, look back. discord.py ends here.

Failures leave as `DeliveryError`s, a request that nobody answers among them. Two are mended on the spot: an
archived thread is opened again, and a reply that may not refer to its question goes out as a plain message.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from io import BytesIO
from typing import Final, TypedDict, TypeVar

import aiohttp
import discord
from discord.http import MultipartParameters

from bot.discord_chat.delivery_errors import (
    DeliveryError,
    MessageGone,
    MessageRejected,
    NotAllowed,
    ReplyNotAllowed,
    ThreadArchived,
    Unavailable,
    kind_of_error,
)
from bot.discord_chat.incoming import read_message
from bot.discord_chat.incoming_message import IncomingAttachment, IncomingMessage
from bot.discord_chat.languages import told
from bot.discord_chat.readers import Readers
from bot.discord_chat.reply_button import ReplyAct, ReplyButton
from bot.discord_chat.voice_messages import VoiceMessage
from core.sentences import Sentence, sentence

_Result = TypeVar("_Result")
_LABELS: Final = {ReplyAct.STOP: sentence("Stop"), ReplyAct.RETRY: sentence("Retry")}
_REQUEST_WITHIN_S: Final = 30.0
"""Beyond this the room has stopped waiting; aiohttp alone would wait ten times as long."""
_UPLOAD_WITHIN_S: Final = 120.0
_MOST_SEARCHED: Final = 2_000
_NOBODY = discord.AllowedMentions.none()
NamedFiles = Sequence[tuple[str, bytes]]

__all__ = ["Channels", "DeliveryError", "MessageGone", "NotAllowed", "Post", "Posted", "Unavailable"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Post:
    """One message to post. `nonce` makes a repeat harmless (TEXT-11); `reply_to` may be gone already.

    `sticker` is the name of one of the server's; a message may hold nothing else. `pinged` is a person whom
    the text mentions and who is told.
    """

    text: str
    nonce: str
    reply_to: int | None = None
    ping_replied_user: bool = True
    pinged: int | None = None
    button: ReplyButton | None = None
    sticker: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPoll:
    """A poll to post; it is open for so many hours."""

    question: str
    answers: tuple[str, ...]
    hours: int
    several: bool


class _PostOptions(TypedDict, total=False):
    nonce: str
    allowed_mentions: discord.AllowedMentions
    files: Sequence[discord.File]
    stickers: Sequence[discord.GuildSticker]
    view: discord.ui.View
    reference: discord.MessageReference


@dataclass(frozen=True, slots=True, kw_only=True)
class Posted:
    """A message as it stands after a post; the one of an earlier try may say something else."""

    message_id: int
    text: str
    has_file: bool


class Channels:
    """Acts in channels by their id; holds no state of its own."""

    def __init__(self, client: discord.Client, readers: Readers) -> None:
        self._client = client
        self._readers = readers

    async def show_typing(self, channel_id: int) -> None:
        """Show the typing sign for about ten seconds."""
        async with _translated():
            await self._client.http.send_typing(channel_id)

    async def post(self, channel_id: int, post: Post) -> Posted:
        """Post once per nonce; on a repeat the first try's message comes back, unchanged."""
        return await self._posted(channel_id, post, ())

    async def post_file(self, channel_id: int, post: Post, *, name: str, content: bytes) -> Posted:
        """As `post`, with a file."""
        return await self._posted(channel_id, post, ((name, content),))

    async def post_files(self, channel_id: int, post: Post, files: NamedFiles) -> Posted:
        """As `post`, with files: names and contents."""
        return await self._posted(channel_id, post, files)

    async def post_poll(self, channel_id: int, poll: NewPoll, *, nonce: str) -> None:
        """Post a poll, once per nonce."""
        made = discord.Poll(
            question=poll.question, duration=timedelta(hours=poll.hours), multiple=poll.several
        )
        for answer in poll.answers:
            made.add_answer(text=answer)

        async def send() -> None:
            channel = self._client.get_partial_messageable(channel_id)
            await channel.send(poll=made, nonce=nonce, allowed_mentions=_NOBODY)

        await self._in_open_thread(channel_id, send)

    async def post_voice(self, channel_id: int, message: VoiceMessage, *, nonce: str) -> None:
        """Post a voice message, once per nonce; discord.py can read them and not send them."""
        name = "voice-message.ogg"
        about = {
            "id": 0,
            "filename": name,
            "duration_secs": message.duration_s,
            "waveform": message.waveform,
        }
        payload = {
            "flags": discord.MessageFlags(voice=True).value,
            "attachments": [about],
            "nonce": nonce,
            "enforce_nonce": True,
            "allowed_mentions": _NOBODY.to_dict(),
        }

        async def send() -> None:
            file = discord.File(BytesIO(message.content), filename=name)
            form = [
                {"name": "payload_json", "value": json.dumps(payload)},
                {"name": "files[0]", "value": file.fp, "filename": name, "content_type": "audio/ogg"},
            ]
            parameters = MultipartParameters(payload=None, multipart=form, files=[file])
            await self._client.http.send_message(channel_id, params=parameters)

        await self._in_open_thread(channel_id, send, _UPLOAD_WITHIN_S)

    async def react(self, channel_id: int, message_id: int, emoji: str) -> None:
        """Add a reaction of ours; a second time it changes nothing."""
        message = self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

        async def add() -> None:
            await message.add_reaction(emoji)

        await self._in_open_thread(channel_id, add)

    async def say(self, channel_id: int, text: str) -> None:
        """A notice that is no reply; pings nobody. Not protected against a repeat."""
        said = self._worded(channel_id, text)
        async with _translated():
            await self._client.get_partial_messageable(channel_id).send(
                said, allowed_mentions=discord.AllowedMentions.none()
            )

    async def say_to(self, user_id: int, text: str, files: NamedFiles = ()) -> None:
        """The same as a direct message."""
        async with _translated(_UPLOAD_WITHIN_S if files else None):
            direct = await self._client.create_dm(discord.Object(user_id))
            await self._readers.meet(direct.id, user_id)
            said = self._worded(direct.id, text)
            await direct.send(said, files=_as_files(files), allowed_mentions=discord.AllowedMentions.none())

    async def _posted(self, channel_id: int, post: Post, files: NamedFiles) -> Posted:
        async def send() -> Posted:
            return _as_posted(await self._send(channel_id, post, files))

        try:
            return await self._in_open_thread(channel_id, send, _UPLOAD_WITHIN_S if files else None)
        except ReplyNotAllowed:
            if post.reply_to is None:
                raise
        return await self._posted(channel_id, replace(post, reply_to=None), files)

    async def _send(self, channel_id: int, post: Post, files: NamedFiles) -> discord.Message:
        channel = self._client.get_partial_messageable(channel_id)
        mentions = discord.AllowedMentions(
            everyone=False,
            users=False if post.pinged is None else [discord.Object(post.pinged)],
            roles=False,
            replied_user=post.ping_replied_user,
        )
        options = _PostOptions(nonce=post.nonce, allowed_mentions=mentions, files=_as_files(files))
        if post.sticker is not None:
            options["stickers"] = [self._sticker(channel_id, post.sticker)]
        if (view := self._view(channel_id, post.button)) is not None:
            options["view"] = view
        if post.reply_to is not None:
            options["reference"] = _reference(channel_id, post.reply_to)
        return await channel.send(self._worded(channel_id, post.text), **options)

    def speaking(self, channel_id: int) -> AbstractContextManager[None]:
        """For what is said in a channel: in the language that its people read."""
        return self._readers.speaking(channel_id)

    def _worded(self, channel_id: int, text: str) -> str:
        """A sentence in the language of the channel; a text that somebody wrote stays as it is."""
        if not isinstance(text, Sentence):
            return text
        with self.speaking(channel_id):
            return told(text)

    def _view(self, channel_id: int, button: ReplyButton | None) -> discord.ui.View | None:
        with self.speaking(channel_id):
            return _view(button)

    def _sticker(self, channel_id: int, name: str) -> discord.GuildSticker:
        channel = self._client.get_channel(channel_id)
        guild = channel.guild if isinstance(channel, discord.abc.GuildChannel | discord.Thread) else None
        found = discord.utils.get(() if guild is None else guild.stickers, name=name)
        if found is None:
            raise MessageRejected("no such sticker")
        return found

    async def edit(
        self, channel_id: int, message_id: int, text: str, button: ReplyButton | None = None
    ) -> None:
        """Replace the text of a message of ours, and its button; pings nobody."""
        message = self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

        async def change() -> None:
            await message.edit(content=text, view=self._view(channel_id, button), allowed_mentions=_NOBODY)

        await self._in_open_thread(channel_id, change)

    async def edit_with_file(
        self,
        channel_id: int,
        message_id: int,
        text: str,
        *,
        name: str,
        content: bytes,
        button: ReplyButton | None = None,
    ) -> None:
        """As `edit`; the file takes the place of what was attached."""
        message = self._client.get_partial_messageable(channel_id).get_partial_message(message_id)

        async def change() -> None:
            file = discord.File(BytesIO(content), filename=name)
            view = self._view(channel_id, button)
            await message.edit(content=text, attachments=[file], view=view, allowed_mentions=_NOBODY)

        await self._in_open_thread(channel_id, change, _UPLOAD_WITHIN_S)

    async def delete(self, channel_id: int, message_id: int) -> None:
        """Delete a message of ours; one that is gone already is fine."""
        message = self._client.get_partial_messageable(channel_id).get_partial_message(message_id)
        try:
            await self._in_open_thread(channel_id, message.delete)
        except MessageGone:
            return

    async def _in_open_thread(
        self, channel_id: int, request: Callable[[], Awaitable[_Result]], within_s: float | None = None
    ) -> _Result:
        """Make the request; where an archived thread refuses it, open the thread and make it again."""
        try:
            async with _translated(within_s):
                return await request()
        except ThreadArchived:
            async with _translated():
                await self._client.http.edit_channel(channel_id, archived=False, reason="A reply is written.")
        async with _translated(within_s):
            return await request()

    async def find_own(
        self, channel_id: int, *, nonce: str, answers: int | None, after: datetime
    ) -> int | None:
        """A message of ours with `nonce`, or that replies to `answers`, among those since `after`."""
        for message in await self.own_since(channel_id, after):
            refers = message.reference.message_id if message.reference is not None else None
            if message.nonce == nonce or (answers is not None and refers == answers):
                return message.id
        return None

    async def own_since(self, channel_id: int, after: datetime) -> Sequence[discord.Message]:
        """Ours among the first 2,000 messages since `after`, oldest first: a busy room hides none of them."""
        channel = self._client.get_partial_messageable(channel_id)
        async with _translated():
            history = channel.history(after=after, limit=_MOST_SEARCHED, oldest_first=True)
            return [message async for message in history if message.author == self._client.user]

    async def messages_after(
        self, channel_id: int, after: datetime, *, limit: int, guild_id: int | None = None
    ) -> Sequence[discord.Message]:
        """The latest `limit` messages since `after`, in order of time.

        Discord's answer does not name the server: without `guild_id` they read as direct messages.
        """
        channel = self._client.get_partial_messageable(channel_id, guild_id=guild_id)
        async with _translated():
            history = channel.history(after=after, limit=limit, oldest_first=False)
            latest = [message async for message in history]
        return latest[::-1]

    async def messages_before(
        self, channel_id: int, message_id: int, *, limit: int, guild_id: int | None = None
    ) -> Sequence[discord.Message]:
        """The latest `limit` messages that stand before `message_id`, in order of time."""
        channel = self._client.get_partial_messageable(channel_id, guild_id=guild_id)
        async with _translated():
            history = channel.history(before=discord.Object(message_id), limit=limit)
            latest = [message async for message in history]
        return latest[::-1]

    async def messages_from(
        self, channel_id: int, message_id: int, *, limit: int, guild_id: int | None = None
    ) -> Sequence[discord.Message]:
        """That message and what came after it: the latest `limit` of them, in order of time."""
        channel = self._client.get_partial_messageable(channel_id, guild_id=guild_id)
        async with _translated():
            history = channel.history(limit=limit, after=discord.Object(message_id - 1), oldest_first=False)
            latest = [message async for message in history]
        return latest[::-1]

    async def attachments(self, channel_id: int, message_id: int) -> Sequence[IncomingAttachment]:
        """All files of a message under links that hold; none when it cannot be read any more."""
        try:
            async with _translated():
                found = await self._client.get_partial_messageable(channel_id).fetch_message(message_id)
        except DeliveryError:
            return ()
        return [file for message in self.read([found]) for file in message.all_attachments]

    def read(self, messages: Sequence[discord.Message]) -> Iterator[IncomingMessage]:
        """The ones that people wrote."""
        user = self._client.user
        if user is None:
            return
        for message in messages:
            incoming = read_message(message, bot_user_id=user.id)
            if incoming is not None:
                yield incoming


def _view(button: ReplyButton | None) -> discord.ui.View | None:
    """A row with the button; ended at once: discord.py keeps nothing of it, a press names its reply."""
    if button is None:
        return None
    view = discord.ui.View(timeout=None)
    style = discord.ButtonStyle.danger if button.act is ReplyAct.STOP else discord.ButtonStyle.secondary
    label = told(_LABELS[button.act])
    item = discord.ui.Button[discord.ui.View](label=label, style=style, custom_id=button.custom_id)
    view.add_item(item)
    view.stop()
    return view


def _as_files(files: NamedFiles) -> list[discord.File]:
    return [discord.File(BytesIO(content), filename=name) for name, content in files]


def _as_posted(message: discord.Message) -> Posted:
    return Posted(message_id=message.id, text=message.content, has_file=bool(message.attachments))


def _reference(channel_id: int, message_id: int) -> discord.MessageReference:
    # A question that was deleted meanwhile is still answered, without the reference.
    return discord.MessageReference(message_id=message_id, channel_id=channel_id, fail_if_not_exists=False)


@asynccontextmanager
async def _translated(within_s: float | None = None) -> AsyncGenerator[None]:
    """Foreign errors as `DeliveryError`s; what takes too long is `Unavailable`, and may have passed."""
    try:
        async with asyncio.timeout(within_s or _REQUEST_WITHIN_S):
            yield
    except discord.RateLimited as error:
        raise Unavailable(type(error).__name__) from error
    except discord.HTTPException as error:
        raise kind_of_error(error.status, error.code)(f"{error.status}, code {error.code}") from error
    except (aiohttp.ClientError, OSError, TimeoutError) as error:
        raise Unavailable(type(error).__name__) from error

"""The messages of one reply in its channel: each posted once, then edited, whatever crashes (TEXT-11).

A piece has an outbox row before its first request and the nonce of that row in it. A reply that an earlier
process began is found again by the outbox, else by nonce or reference in the channel.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog

from bot.discord_chat.channels import Channels, DeliveryError, MessageGone, NotAllowed, Post
from bot.discord_chat.delivery_errors import MessageRejected, Unavailable
from bot.discord_chat.mention_rules import pings_of
from bot.discord_chat.reply_button import ReplyButton
from core.clock import Clock
from sessions.failures import StorageFailed
from sessions.outbox import Outbox, OutboxPiece, PlannedPiece
from sessions.outbox_rules import PieceState, message_of, nonce_for

_log = structlog.get_logger()
_PROGRESS_AFTER = timedelta(seconds=8)
_PROGRESS = 99  # a number that no piece of a reply has
_CLOCK_SKEW = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyTarget:
    """Where a reply goes: to `question_id` in `channel_id`. `asked_at` is when the newest question came."""

    session_id: str
    reply_id: str
    channel_id: int
    question_id: int | None
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyFile:
    """The whole answer as a file, under the last message."""

    name: str
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyMessage:
    """One message as it should be; a sticker, by name, stands alone."""

    text: str
    file: ReplyFile | None = None
    button: ReplyButton | None = None
    sticker: str | None = None


@dataclass(slots=True)
class _Shown:
    """A message as the room sees it; `text` None: posted by an earlier process, with unknown text."""

    message_id: int
    text: str | None
    has_file: bool = False
    button: ReplyButton | None = None


class ReplyMessages:
    """Brings the messages of a reply to the texts they should have, one request at a time."""

    def __init__(
        self,
        *,
        channels: Channels,
        outbox: Outbox,
        clock: Clock,
        target: ReplyTarget,
        ping_replied_user: bool,
    ) -> None:
        self._channels = channels
        self._outbox = outbox
        self._clock = clock
        self._target = target
        self._ping = ping_replied_user
        self._shown: list[_Shown] = []
        self._removed = False
        self._no_stickers = False
        self._progress_id: int | None = None

    @property
    def count(self) -> int:
        """How many messages of the reply are posted."""
        return len(self._shown)

    @property
    def standing(self) -> tuple[str, ...]:
        """What the posted messages say, as far as this process wrote it."""
        return tuple(shown.text or "" for shown in self._shown)

    async def recover(self) -> None:
        """Take over what an earlier process posted of this reply; may be repeated."""
        self._shown.clear()
        for piece in await self._outbox.pieces(self._target.reply_id):
            message_id = piece.message_id or await self._found(piece)
            if message_id is None:
                break
            self._shown.append(_Shown(message_id=int(message_id), text=None))
            if piece.state is PieceState.PLANNED:
                await self._outbox.posted(piece.reply_id, piece.number, str(message_id))
        await self._remove_earlier_progress()
        if self._shown:
            _log.info("reply taken over", reply=self._target.reply_id, messages=len(self._shown))

    async def bring_nearer(self, wanted: Sequence[ReplyMessage]) -> bool:
        """Post or edit the first message that differs from `wanted`; True when another one still does.

        A sticker that Discord does not take is left out.

        Raises:
            DeliveryError: as `Channels` does; what was done before stays done.
        """
        number = self._first_difference(wanted)
        if number is None:
            return False
        if number < len(self._shown):
            await self._edit(self._shown[number], wanted[number])
        elif wanted[number].sticker is None:
            await self._post(number, wanted[number])
        else:
            await self._post_sticker(number, wanted[number])
        return self._first_difference(wanted) is not None

    async def show_progress(self, text: str) -> None:
        """Post a message that is not the answer, and refers to nothing, so that it is not taken for one."""
        post = Post(text=text, nonce=self._progress_nonce, ping_replied_user=False)
        posted = await self._channels.post(self._target.channel_id, post)
        self._progress_id = posted.message_id

    async def remove_progress(self) -> None:
        """Delete that message, if there is one."""
        if self._progress_id is not None:
            await self._channels.delete(self._target.channel_id, self._progress_id)
            self._progress_id = None

    async def _remove_earlier_progress(self) -> None:
        """What an earlier process said of its work; it did so of old questions alone."""
        if self._clock.now() - self._target.asked_at < _PROGRESS_AFTER:
            return
        try:
            self._progress_id = await self._channels.find_own(
                self._target.channel_id,
                nonce=self._progress_nonce,
                answers=None,
                after=self._target.asked_at - _CLOCK_SKEW,
            )
            await self.remove_progress()
        except DeliveryError as error:
            _log.info("progress not removed", reply=self._target.reply_id, error=str(error))

    @property
    def _progress_nonce(self) -> str:
        return nonce_for(message_of(self._target.reply_id), _PROGRESS)

    async def remove_after(self, count: int) -> None:
        """Delete messages that a remade reply does not need any more."""
        for shown in self._shown[count:]:
            await self._channels.delete(self._target.channel_id, shown.message_id)
        del self._shown[count:]

    def _first_difference(self, wanted: Sequence[ReplyMessage]) -> int | None:
        if self._removed:
            return None
        for number, message in enumerate(wanted):
            if message.sticker is not None and (self._no_stickers or number < len(self._shown)):
                continue  # a sticker that was posted cannot be changed
            if number >= len(self._shown):
                return number
            shown = self._shown[number]
            lacks_file = message.file is not None and not shown.has_file
            if shown.text != message.text or lacks_file or shown.button != message.button:
                return number
        return None

    async def _edit(self, shown: _Shown, message: ReplyMessage) -> None:
        channel_id, text, file = self._target.channel_id, message.text, message.file
        try:
            if file is None:
                await self._channels.edit(channel_id, shown.message_id, text, message.button)
            else:
                await self._channels.edit_with_file(
                    channel_id,
                    shown.message_id,
                    text,
                    name=file.name,
                    content=file.content.encode(),
                    button=message.button,
                )
        except MessageGone:
            # Somebody deleted it: that is an answer too, so no more of this reply is posted.
            self._removed = True
        shown.text, shown.has_file, shown.button = text, file is not None, message.button

    async def _post_sticker(self, number: int, message: ReplyMessage) -> None:
        try:
            await self._post(number, message)
        except (MessageRejected, NotAllowed) as error:
            _log.info("sticker not taken", reply=self._target.reply_id, error=str(error))
            self._no_stickers = True

    async def _post(self, number: int, message: ReplyMessage) -> None:
        target, text, file = self._target, message.text, message.file
        if number > 0:
            await self._plan(number)
        post = Post(
            text=text,
            nonce=nonce_for(message_of(target.reply_id), number),
            reply_to=target.question_id if number == 0 else None,
            ping_replied_user=pings_of(message_index=number, ping_replied_user=self._ping).replied_user,
            button=message.button,
            sticker=message.sticker,
        )
        if file is None:
            posted = await self._channels.post(target.channel_id, post)
        else:
            content = file.content.encode()
            posted = await self._channels.post_file(target.channel_id, post, name=file.name, content=content)
        stands = text if posted.text.strip() == text.strip() else None
        self._shown.append(
            _Shown(message_id=posted.message_id, text=stands, has_file=posted.has_file, button=message.button)
        )
        await self._remember(number, posted.message_id)

    async def _plan(self, number: int) -> None:
        """No post without its row: while none can be written, the post waits as for Discord."""
        try:
            await self._outbox.plan(self._planned(number))
        except StorageFailed as failure:
            raise Unavailable(failure.reason) from failure

    async def _remember(self, number: int, message_id: int) -> None:
        """What cannot be kept now is found again by its nonce; the reply goes on."""
        try:
            await self._outbox.posted(self._target.reply_id, number, str(message_id))
        except StorageFailed as failure:
            _log.warning("post not remembered", reply=self._target.reply_id, reason=failure.reason)

    def _planned(self, number: int) -> PlannedPiece:
        return PlannedPiece(
            reply_id=self._target.reply_id,
            number=number,
            session_id=self._target.session_id,
            channel_id=str(self._target.channel_id),
            nonce=nonce_for(message_of(self._target.reply_id), number),
            at=self._clock.now(),
        )

    async def _found(self, piece: OutboxPiece) -> int | None:
        """The message of a piece whose post was cut off before its id was kept."""
        answers = self._target.question_id if piece.number == 0 else None
        return await self._channels.find_own(
            self._target.channel_id,
            nonce=piece.nonce,
            answers=answers,
            after=piece.at - _CLOCK_SKEW,
        )

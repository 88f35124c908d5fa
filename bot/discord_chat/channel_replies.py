"""Where the replies of Discord's scenes go: each into the channel that its scene is."""

from bot.discord_chat.channels import Channels
from bot.discord_chat.incoming_message import message_id_of
from bot.discord_chat.reply_messages import ReplyMessages, ReplyTarget
from bot.discord_chat.reply_stream import ReplySettings, ReplyStream
from core.clock import Clock
from core.orchestration.sends import Send
from sessions.bindings import ChannelBinding, read_binding
from sessions.outbox import Outbox


class ChannelReplies:
    """The `ReplyPlace` of all Discord scenes. `resumed`: an earlier process may have posted some of it."""

    def __init__(
        self,
        *,
        channels: Channels,
        outbox: Outbox,
        clock: Clock,
        settings: ReplySettings,
        resumed: bool = False,
    ) -> None:
        self._channels = channels
        self._outbox = outbox
        self._clock = clock
        self._settings = settings
        self._resumed = resumed

    def resumed(self) -> "ChannelReplies":
        """The same place, for replies that an earlier process may have begun."""
        return ChannelReplies(
            channels=self._channels,
            outbox=self._outbox,
            clock=self._clock,
            settings=self._settings,
            resumed=True,
        )

    def open_sink(self, send: Send) -> ReplyStream:
        """A stream to the scene's channel, in reply to the message of the newest turn."""
        target = _target_of(send, self._clock)
        messages = ReplyMessages(
            channels=self._channels,
            outbox=self._outbox,
            clock=self._clock,
            target=target,
            ping_replied_user=self._settings.ping_replied_user,
        )
        return ReplyStream(
            channels=self._channels,
            messages=messages,
            target=target,
            clock=self._clock,
            settings=self._settings,
            resumed=self._resumed,
        )


def _target_of(send: Send, clock: Clock) -> ReplyTarget:
    binding = read_binding(send.session_id)
    if not isinstance(binding, ChannelBinding):
        message = f"{send.session_id} is no scene of Discord"
        raise TypeError(message)
    newest = send.turns[-1]
    return ReplyTarget(
        session_id=send.session_id,
        reply_id=send.reply_id,
        channel_id=binding.channel_id,
        question_id=message_id_of(newest.id),
        asked_at=newest.at if send.retry is None else clock.now(),
    )

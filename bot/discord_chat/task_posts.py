"""Posts a result message by message, each once, whatever crashes: intent before, receipt after (TASK-3).

The text of a result does not change. So a message whose post was cut off is found in the channel by its
nonce or by its words, and only what is not there is posted.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from bot.discord_chat.channels import Channels, NamedFiles, Post
from core.clock import Clock
from recipes.tasks.task_store import Effect, EffectsLedger
from sessions.outbox_rules import nonce_for

_CLOCK_SKEW: Final = timedelta(minutes=2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPosts:
    """The messages of one task in `channel_id`; the first one answers `question_id` and tells `pinged`."""

    channels: Channels
    ledger: EffectsLedger
    clock: Clock
    task_id: str
    channel_id: int
    question_id: int | None
    pinged: int | None = None

    async def bring(self, texts: Sequence[str], files: NamedFiles) -> None:
        """Have all of them stand in the channel, the files under the last one.

        Raises:
            DeliveryError: as `Channels` does; what stands there stays.
        """
        for number, text in enumerate(texts):
            key = f"post:{number}"
            effect = await self.ledger.intend(self.task_id, key, self.clock.now())
            if effect.receipt is not None:
                continue
            message_id = None if effect.is_new else await self._found(effect, number, text)
            if message_id is None:
                message_id = await self._post(number, text, files if number == len(texts) - 1 else ())
            await self.ledger.settle(self.task_id, key, str(message_id))

    async def _post(self, number: int, text: str, files: NamedFiles) -> int:
        post = Post(
            text=text,
            nonce=nonce_for(self.task_id, number),
            reply_to=self.question_id if number == 0 else None,
            ping_replied_user=number == 0,
            pinged=self.pinged if number == 0 else None,
        )
        return (await self.channels.post_files(self.channel_id, post, files)).message_id

    async def _found(self, effect: Effect, number: int, text: str) -> int | None:
        nonce = nonce_for(self.task_id, number)
        after = effect.intended_at - _CLOCK_SKEW
        for message in await self.channels.own_since(self.channel_id, after):
            if message.nonce == nonce or message.content.strip() == text.strip():
                return message.id
        return None

"""The whole text road in the test's own loop: real discord.py, real sockets, both fakes, a data folder.

    async def test_it_answers(room: TextRoom) -> None:
        async with room.bot():
            room.models.script(Answer(text=("Hello.",)))
            room.discord.humans.mention_bot(room.general, room.ada, "hi")
            await room.answer("Hello.")

A bot that is started again in the same room finds its data folder and the same Discord.
"""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bot.settings import Settings
from bot.settings_source import nested
from bot.speech_services import SpeechServices
from bot.wiring.core import Core
from bot.wiring.discord_bot import running_discord
from core.conversation.turns import AssistantTurn, ReplyText, Turn, UserTurn
from sessions.inbox import InboxRow
from sessions.outbox import OutboxPiece
from tests.fake_discord import FakeDiscord
from tests.fake_discord.entities import Channel, Message, User
from tests.fake_discord.recorder import Exchange
from tests.fake_models import FakeModels
from tests.flows.scripted_services import NO_SPEECH

POST = ("POST", "/channels/{channel_id}/messages")
EDIT = ("PATCH", "/channels/{channel_id}/messages/{message_id}")
TYPING = ("POST", "/channels/{channel_id}/typing")


@dataclass(kw_only=True)
class TextRoom:
    """Both fakes and the folder that outlives a bot."""

    discord: FakeDiscord
    models: FakeModels
    folder: Path

    @property
    def general(self) -> Channel:
        return self.discord.general

    @property
    def ada(self) -> User:
        return self.discord.ada

    def settings(self, **more: str) -> Settings:
        """As the environment would give them."""
        return Settings.model_validate(
            nested(
                {
                    **self.discord.environment,
                    "OPENAI_API_BASE_URL": self.models.base_url,
                    "OPENAI_MODEL": "fake-model",
                    "DATA_DIR": str(self.folder),
                    "REMEMBER_AFTER_S": "0",  # no requests beside those that a test writes down
                    **more,
                }
            )
        )

    @asynccontextmanager
    async def bot(
        self,
        settings: Mapping[str, str] | None = None,
        *,
        grace_s: float = 5.0,
        speech: SpeechServices = NO_SPEECH,
        **more: str,
    ) -> AsyncIterator[Core]:
        """A bot that Discord has greeted; stopped gracefully at the end of the block."""
        began = len(self.discord.recorder.events("READY"))
        wanted = self.settings(**{**(settings or {}), **more})
        bot = running_discord(wanted, asyncio.Event(), grace_s=grace_s, speech=speech)
        async with bot as core:
            await self.discord.until(lambda: len(self.discord.recorder.events("READY")) > began, within_s=10)
            yield core

    def says(
        self,
        content: str,
        *,
        channel: Channel | None = None,
        by: User | None = None,
        at: float | None = None,
    ) -> Message:
        """Ada mentions the bot in #general; or whoever, wherever and when is named."""
        return self.discord.humans.mention_bot(channel or self.general, by or self.ada, content, at=at)

    async def answer(self, content: str, *, channel: Channel | None = None, within_s: float = 5.0) -> Message:
        """The bot's message that holds `content`, past or coming."""
        return await self.discord.humans.answer_in(
            channel or self.general, lambda message: content in message.content, within_s=within_s
        )

    def answers(self, channel: Channel | None = None) -> list[str]:
        """What the bot's messages in a channel say now, in order."""
        return [message.content for message in (channel or self.general).messages.by(self.discord.bot)]

    async def quiet(self, core: Core) -> None:
        """Every accepted message is settled, and nothing is written any more."""
        async with asyncio.timeout(10):
            while await core.stores.inbox.unfinished() or await core.stores.outbox.unsettled():
                await asyncio.sleep(0.01)

    async def commands_known(self) -> None:
        """The bot has given its commands to Discord, now or at an earlier start."""
        await self.discord.until((self.folder / "commands.sha256").exists)

    def posts(self) -> list[Exchange]:
        """The requests that posted messages."""
        return self.discord.recorder.requests(*POST)

    def edits(self) -> list[Exchange]:
        """The requests that edited messages."""
        return self.discord.recorder.requests(*EDIT)

    def refusals(self) -> list[Exchange]:
        """The requests that hit a rate limit."""
        return self.discord.recorder.requests(where=lambda exchange: exchange.status == 429)


async def spoken(core: Core, channel: Channel) -> list[str]:
    """The history of a channel as "who: what" lines."""
    window = await core.stores.history.window(f"discord:channel:{channel.id}", 400)
    return [_line(stored.turn) for stored in window.turns]


async def rows(core: Core) -> tuple[tuple[InboxRow, ...], tuple[OutboxPiece, ...]]:
    """What is unfinished in inbox and outbox."""
    return await core.stores.inbox.unfinished(), await core.stores.outbox.unsettled()


def _line(turn: Turn) -> str:
    match turn:
        case UserTurn():
            return f"user: {''.join(getattr(part, 'text', '?') for part in turn.content)}"
        case AssistantTurn():
            words = [part.text for one in turn.rounds for part in one.content if isinstance(part, ReplyText)]
            return f"{'cut' if turn.interrupted else 'bot'}: {''.join(words)}"
        case _:
            return "system"


def messages_of(body: dict[str, Any]) -> list[tuple[str, str]]:
    """Role and text of each message of a Chat request, the instructions left out."""
    found = [(one["role"], _text(one["content"])) for one in body["messages"]]
    return [(role, text) for role, text in found if role not in ("system", "developer")]


def _text(content: str | Sequence[dict[str, Any]]) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)

"""What inbox, history and outbox let through: the real road, without sockets on either side.

Scenes, orchestrator, journal, reply stream and SQLite are those of the product. The model answers at once in
this process, and the room takes every post at once.
"""

import asyncio
import tempfile
import time
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path, PurePath

import discord
from pydantic import SecretStr

from bot.console.access import ConsoleAccess, NoNotices
from bot.discord_chat.channel_replies import ChannelReplies
from bot.discord_chat.channels import Channels, Post, Posted
from bot.discord_chat.incoming_message import Author, IncomingMessage
from bot.discord_chat.message_content import MessageContent
from bot.discord_chat.readers import Readers
from bot.discord_chat.reply_stream import ReplySettings
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.room_permissions import RoomPermissions
from bot.discord_chat.room_stickers import RoomStickers
from bot.discord_chat.scene_access import DiscordAccess
from bot.discord_chat.text_scenes import TextScenes
from bot.domains.opened import Domains, domain_histories, opened_domains
from bot.language_models.resolution import ResolvedModel
from bot.logging_setup import configure_logging
from bot.personas.persona_folder import PersonaFolder
from bot.settings import LogSettings, Settings
from bot.settled_heap import settle_heap
from bot.wiring.core import Core
from bot.wiring.discord_deciding import deciding
from core.clock import SystemClock
from core.context.registry import ContextRegistry
from core.conversation.turns import FinishReason, ReplyText, Speaker, Usage
from core.generation.events import TextDelta
from core.generation.model_protocol import ModelAnswer, RoundPiece
from core.generation.requests import ChatRequest, ResponsesRequest
from core.generation.streaming import Generator
from core.identifiers import RandomIds
from core.prompts.scene import SceneFacts
from sessions.ambient import AmbientContext
from sessions.bindings import ChannelBinding
from sessions.replies import BegunReply, CommittedReply, Replies
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores

_CHANNELS = 64
_ANSWER = "Water them in the morning, less in winter."


@dataclass(frozen=True, slots=True, kw_only=True)
class Passed:
    """How many messages a second were accepted, answered, posted and settled."""

    messages_per_s: float
    cpu_ms_per_message: float


class _InstantRoom(Channels):
    """Takes every post at once."""

    def __init__(self, client: discord.Client, readers: Readers) -> None:
        super().__init__(client, readers)
        self.posts = 0

    async def show_typing(self, channel_id: int) -> None:
        pass

    async def post(self, channel_id: int, post: Post) -> Posted:
        self.posts += 1
        return Posted(message_id=2 * 10**18 + self.posts, text=post.text, has_file=False)


class _NoFacts:
    """`SceneDirectory`."""

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        return None


class _NoFiles:
    """`FileStore` and `KeptMedia`: no message here has a file."""

    async def fetch(self, url: str, *, most_bytes: int) -> bytes:
        raise AssertionError(url)

    async def keep(self, path: PurePath, content: bytes) -> bool:
        raise AssertionError(path)

    async def forget(self, within: PurePath) -> None:
        raise AssertionError(within)


class _InstantModel:
    """`ModelProtocol` of both protocols."""

    async def stream_round(
        self, request: ChatRequest | ResponsesRequest
    ) -> AsyncGenerator[tuple[RoundPiece, ...], None]:
        yield (TextDelta(text=_ANSWER),)
        answer = ModelAnswer(
            content=(ReplyText(text=_ANSWER),),
            calls=(),
            usage=Usage(input_tokens=10, output_tokens=5),
            finish_reason=FinishReason.STOP,
            items_json=f'[{{"role":"assistant","content":"{_ANSWER}"}}]',
        )
        yield (answer,)


class _Settled:
    """`Replies`; lets a channel wait until its reply is committed."""

    def __init__(self, replies: Replies) -> None:
        self._replies = replies
        self._waiting: dict[str, asyncio.Future[None]] = {}

    def next_in(self, channel_id: int) -> asyncio.Future[None]:
        """Done when the channel's next reply is in the history."""
        session_id = ChannelBinding(channel_id=channel_id).session_id
        self._waiting[session_id] = asyncio.get_running_loop().create_future()
        return self._waiting[session_id]

    async def begin(self, reply: BegunReply) -> None:
        """See `Replies`."""
        await self._replies.begin(reply)

    async def commit(self, reply: CommittedReply) -> bool:
        """See `Replies`."""
        kept = await self._replies.commit(reply)
        assert kept
        self._waiting[reply.session_id].set_result(None)
        return kept

    async def abandon(self, reply_id: str, message_ids: Sequence[str], reason: str) -> None:
        """See `Replies`."""
        raise AssertionError(f"{reply_id}: {reason}")


async def messages_without_sockets(messages: int) -> Passed:
    """Lets `messages` through, one at a time in each of many channels."""
    configure_logging(LogSettings(level="ERROR"))
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="text-path-"))
        database = await stack.enter_async_context(
            Database(sqlite_url(Path(folder) / "parley.db"), domain_histories())
        )
        stores = stored_scenes(database)
        settled = _Settled(stores.replies)
        personas = PersonaFolder(Path(folder) / "personas", default_name="Parley", clock=SystemClock())
        await personas.prepare()
        domains = await opened_domains(
            database,
            settings=stores.settings,
            recipe_folder=Path(folder) / "recipes.d",
            context_tokens=32_000,
            clock=SystemClock(),
            new_id=RandomIds(),
        )
        core = _core(replace(stores, replies=settled), personas, domains)
        room_client = discord.Client(intents=discord.Intents.none())
        extras = domains.extras(ConsoleAccess(), core.scene_personas(), NoNotices())
        readers = Readers(room_client, stores.settings)
        room = _InstantRoom(room_client, readers)
        permissions = RoomPermissions(room_client, room, stores.settings)
        access = DiscordAccess(
            room_client, owners=frozenset(), clock=core.clock, seen=lambda: asyncio.sleep(0)
        )
        running = await stack.enter_async_context(core.running_orchestrator(_NoFacts(), extras))
        place = ChannelReplies(
            channels=room, outbox=stores.outbox, clock=core.clock, settings=ReplySettings()
        )
        decides = deciding(core, access, permissions.may_answer, name=None).messages
        scenes = TextScenes(
            stores=core.stores,
            orchestrator=running.orchestrator,
            channels=room,
            readers=readers,
            place=place,
            resumed_place=place.resumed(),
            room=RoomContext(
                ambient=AmbientContext(), channels=room, backfill=0, is_served=decides.is_served
            ),
            content=MessageContent(
                files=_NoFiles(), links=room, media=_NoFiles(), most_text=1000, hears=False
            ),
            decisions=decides,
            options=RoomStickers(room_client, offered=False).options,
            burst_window=timedelta(0),
            edits_replace=True,
            clock=core.clock,
            new_id=core.new_id,
        )
        scenes.release()
        settle_heap()
        passed = await _timed(scenes, settled, messages)
    assert room.posts == messages
    return passed


def _core(stores: SceneStores, personas: PersonaFolder, domains: Domains) -> Core:
    clock, new_id, model = SystemClock(), RandomIds(), _InstantModel()
    return Core(
        settings=Settings(),
        model=ResolvedModel(
            base_url="http://127.0.0.1/v1",
            api_key=SecretStr("none"),
            model="instant",
            origin="settings",
            small=False,
        ),
        stores=stores,
        generator=Generator(chat=model, responses=model, clock=clock, new_id=new_id),
        context=ContextRegistry(),
        personas=personas,
        domains=domains,
        clock=clock,
        new_id=new_id,
    )


async def _timed(scenes: TextScenes, settled: _Settled, messages: int) -> Passed:
    async def talk(channel_id: int) -> None:
        for number in range(channel_id, messages + 1, _CHANNELS):
            reply = settled.next_in(channel_id)
            await scenes.hear(_message(number, channel_id))
            await reply

    began, cpu_s = time.perf_counter(), time.process_time()
    async with asyncio.TaskGroup() as tasks:
        for channel_id in range(1, _CHANNELS + 1):
            tasks.create_task(talk(channel_id))
    return Passed(
        messages_per_s=round(messages / (time.perf_counter() - began), 1),
        cpu_ms_per_message=round(1000 * (time.process_time() - cpu_s) / messages, 3),
    )


def _message(number: int, channel_id: int) -> IncomingMessage:
    return IncomingMessage(
        id=10**18 + number,
        channel_id=channel_id,
        guild_id=1,
        author=Author(id=7, name="Ada"),
        at=datetime.now(UTC),
        text=f"@Parley how often should I water the tomatoes, number {number}?",
        mentions_bot=True,
    )

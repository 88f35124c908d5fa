"""The composition root: every adapter is made here, and nothing else makes one.

    run_discord   settings -> stores -> core -> Discord text scenes
    run_console   settings -> stores -> core -> the terminal

Each `running_*` part is a context that owns what it opened, so that the end of the process unwinds in order.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncGenerator, Coroutine, Iterable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import timedelta
from urllib.parse import urlsplit

import structlog
from rich.console import Console

from bot import __version__
from bot.console.access import ConsoleAccess, NoNotices
from bot.console.chat import ConsoleChat, ConsoleDirectory
from bot.console.lines import PipedLines, TerminalLines
from bot.console.screen import PipeScreen, TerminalScreen
from bot.discord_chat.addresses import DiscordAddresses
from bot.discord_chat.cards.proposals import ProposalCards
from bot.discord_chat.cdn import Cdn
from bot.discord_chat.channels import Channels
from bot.discord_chat.chat import DiscordChat
from bot.discord_chat.client import ConnectionRefused, ParleyClient, stay_connected
from bot.discord_chat.commands.asking import add_ask_command
from bot.discord_chat.commands.basics import Status, add_basics
from bot.discord_chat.commands.explaining import add_explaining_commands
from bot.discord_chat.commands.model import add_model_commands
from bot.discord_chat.commands.parts import CommandParts
from bot.discord_chat.commands.persona import add_persona_commands
from bot.discord_chat.commands.replies import add_reply_commands
from bot.discord_chat.commands.session import SessionCommands, add_session_commands
from bot.discord_chat.decisions import Decisions
from bot.discord_chat.edit_pacing_rules import Pacing
from bot.discord_chat.message_content import MessageContent
from bot.discord_chat.missed_messages import MissedMessages
from bot.discord_chat.recipe_requests import RecipeRequests
from bot.discord_chat.reply_controls import ReplyControls
from bot.discord_chat.reply_pieces import ReplyLimits
from bot.discord_chat.reply_reactions import ReplyReactions
from bot.discord_chat.reply_stream import ChannelReplies, ReplySettings
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.room_permissions import RoomPermissions
from bot.discord_chat.scene_access import DiscordAccess
from bot.discord_chat.scene_facts import DiscordDirectory
from bot.discord_chat.text_scenes import TextScenes
from bot.discord_chat.trigger_rules import TriggerMode, TriggerSettings
from bot.doctor.database_probe import DatabaseProbe
from bot.doctor.findings import Probe
from bot.doctor.probes import probes_without_adapters
from bot.domains.domain import DomainRuntime
from bot.domains.opened import Domains, domain_histories, opened_domains
from bot.language_models.embedded_model import CONTEXT_TOKENS
from bot.language_models.resolution import ResolvedModel, resolved_model
from bot.language_models.scene_models import SceneModels
from bot.media_folder import MediaFolder
from bot.personas.persona_folder import PersonaFolder
from bot.personas.scene_personas import ScenePersonas
from bot.run_extras import RunExtras
from bot.run_planner import Overheard, SceneDirectory, ScenePlanner
from bot.scene_compaction import SceneCompaction
from bot.scene_data import SceneData
from bot.scene_journal import SceneJournal
from bot.settings import GenerationSettings, Settings
from bot.settled_work import forget_settled_daily
from bot.token_estimates import ModelTokens
from core.clock import SystemClock
from core.context.registry import ContextRegistry
from core.conversation.continuation import ProtocolName
from core.failures import Failure
from core.generation.media import FolderMedia
from core.generation.protocols.chat import ChatModels
from core.generation.protocols.connections import ProviderConnections
from core.generation.protocols.responses import ResponsesModels
from core.generation.requests import ModelEndpoint
from core.generation.streaming import Generator
from core.generation.timeout_rules import GenerationTimeouts
from core.identifiers import RandomIds
from core.orchestration.hooks import HookEvent, Hooks
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.runs import Runner
from core.prompts.identity import Persona
from core.prompts.profiles import FULL_PROFILE, SMALL_PROFILE, PromptProfile
from core.prompts.system_prompt import SystemPromptParts, compose_system_prompt
from sessions.ambient import AmbientContext
from sessions.storage.database import Database
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores

_log = structlog.get_logger()
_GRACE_S = 8.0
_INTERRUPTED = 130
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_LEAST_OVERHEARD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """What text, console and later voice stand on."""

    settings: Settings
    model: ResolvedModel
    stores: SceneStores
    generator: Generator
    context: ContextRegistry
    personas: PersonaFolder
    domains: Domains
    clock: SystemClock
    new_id: RandomIds

    def profile(self) -> PromptProfile:
        """Full, or the small one for models that need it (CORE-46)."""
        wanted = self.settings.model.small_profile
        small = self.model.small if wanted == "auto" else wanted == "on"
        return SMALL_PROFILE if small else FULL_PROFILE

    def scene_personas(self) -> ScenePersonas:
        """Which persona each scene has (CORE-44)."""
        stores = self.stores
        return ScenePersonas(
            folder=self.personas, settings=stores.settings, sessions=stores.sessions, clock=self.clock
        )

    def scene_models(self) -> SceneModels:
        """Which model answers in each scene (SET-8)."""
        stores = self.stores
        return SceneModels(
            deployed=self.model, settings=stores.settings, sessions=stores.sessions, clock=self.clock
        )

    @asynccontextmanager
    async def running_orchestrator(
        self, directory: SceneDirectory, extras: RunExtras, overheard: Overheard | None = None
    ) -> AsyncGenerator[Orchestrator]:
        """The scheduler over this core; runs read the facts of their room from `directory`."""
        endpoint, profile, tokens = _endpoint(self.settings, self.model), self.profile(), ModelTokens()
        stores, generation = self.stores, self.settings.generation
        hooks = Hooks(_report_subscriber)
        runtime = DomainRuntime(
            hooks=hooks,
            generation=self.generator,
            endpoint=None if self.model.origin == "embedded" else endpoint,
            history=stores.history,
            extras=extras,
            clock=self.clock,
            new_id=self.new_id,
            idle_s=self.settings.text.remember_after_s,
        )
        async with (
            self.domains.running(runtime),
            SceneCompaction(
                history=stores.history,
                summaries=stores.summaries,
                generation=self.generator,
                endpoint=endpoint,
                tokens=tokens,
                clock=self.clock,
                new_id=self.new_id,
            ) as compaction,
        ):
            compaction.listen(hooks)
            planner = ScenePlanner(
                endpoint=endpoint,
                profile=profile,
                personas=self.scene_personas(),
                models=self.scene_models(),
                directory=directory,
                tokens=tokens,
                context=self.context,
                overheard=overheard,
                context_tokens=_context_tokens(self.settings, self.model),
                max_tokens=generation.max_tokens,
                compaction=None if profile is SMALL_PROFILE else compaction,
                extras=extras,
            )
            journal = SceneJournal(
                replies=stores.replies, history=stores.history, summaries=stores.summaries, clock=self.clock
            )
            async with Orchestrator(
                Runner(
                    generation=self.generator,
                    planner=planner,
                    journal=journal,
                    hooks=hooks,
                    clock=self.clock,
                    new_id=self.new_id,
                )
            ) as orchestrator:
                yield orchestrator


@asynccontextmanager
async def _running_core(settings: Settings, *, for_console: bool) -> AsyncGenerator[Core]:
    clock, new_id = SystemClock(), RandomIds()
    personas = PersonaFolder(
        settings.storage.data_dir / "personas", default_name=settings.text.bot_name, clock=clock
    )
    await personas.prepare()
    embedded_prompt = _embedded_prompt(await personas.default())
    async with (
        Database(settings.storage.database_url, domain_histories()) as database,
        resolved_model(settings.model, for_console=for_console, system_prompt=embedded_prompt) as model,
        ProviderConnections(connect_timeout_s=settings.generation.connect_timeout_s) as connections,
    ):
        media = FolderMedia(settings.storage.data_dir / "media")
        chat = ChatModels(connections, media=media, clock=clock, new_id=new_id)
        responses = ResponsesModels(connections, media=media, clock=clock, new_id=new_id)
        stores = stored_scenes(database)
        yield Core(
            settings=settings,
            model=model,
            stores=stores,
            generator=Generator(
                chat=chat,
                responses=responses,
                clock=clock,
                new_id=new_id,
                timeouts=_timeouts(settings.generation),
                requests_at_once=settings.generation.requests_at_once,
            ),
            context=ContextRegistry(),
            personas=personas,
            domains=await opened_domains(
                database,
                settings=stores.settings,
                recipe_folder=settings.storage.data_dir / "recipes.d",
                context_tokens=_context_tokens(settings, model),
                clock=clock,
                new_id=new_id,
            ),
            clock=clock,
            new_id=new_id,
        )


async def run_discord(settings: Settings) -> int:
    """Run the Discord bot until a signal; returns the exit code.

    Raises:
        Failure: Discord refuses the bot, or a part cannot start; one sentence says what to do.
    """
    stopping = asyncio.Event()
    async with running_discord(settings, stopping):
        _stop_on_signals(stopping)
        await stopping.wait()
    return 0


@asynccontextmanager
async def running_discord(
    settings: Settings, stopping: asyncio.Event, *, grace_s: float = _GRACE_S
) -> AsyncGenerator[Core]:
    """The Discord bot, connecting. `stopping` is set when the connection ends by itself.

    The end of the block lets running replies finish for `grace_s` seconds, cuts the others so that the next
    start goes on with them, and closes all parts in order: no reply outlives the client that posts it.

    Raises:
        Failure: a part cannot start; or, at the end of the block, Discord has refused the bot.
    """
    token = settings.discord.token
    if token is None:
        raise Failure("Set DISCORD_TOKEN.", reason="no token")
    async with (
        _running_core(settings, for_console=False) as core,
        ParleyClient(_addresses(settings)) as client,
        Cdn(_addresses(settings)) as cdn,
        asyncio.TaskGroup() as tasks,
    ):
        channels = Channels(client)
        access = DiscordAccess(client, owners=_owner_ids(settings), clock=core.clock)
        client.tell_members(access.met)
        cards = ProposalCards(client)
        extras = core.domains.extras(access, core.scene_personas(), cards)
        content = await _message_content(core, cdn, channels, extras)
        decisions = Decisions()
        room = _room_context(settings, channels)
        name = (await core.personas.default()).name if settings.text.answer_to_name else None
        directory = DiscordDirectory(client, time_zone="UTC")
        async with core.running_orchestrator(directory, extras, room) as orchestrator:
            place = _reply_place(core, channels)
            controls = _reply_controls(core, orchestrator, channels, place)
            reactions = ReplyReactions(
                controls=controls, orchestrator=orchestrator, outbox=core.stores.outbox, clock=core.clock
            )
            chat = _chat(
                core,
                client,
                orchestrator,
                channels,
                place=place,
                room=room,
                content=content,
                decisions=decisions,
                reactions=reactions,
                name=name,
            )
            client.attach(chat)
            add_ask_command(client.tree, chat.scenes)
            _add_commands(core, client, orchestrator, controls, room, content)
            core.domains.add_commands(
                client,
                CommandParts(
                    tree=client.tree, access=access, personas=core.scene_personas(), clock=core.clock
                ),
                cards=cards,
                requests=RecipeRequests(
                    sessions=core.stores.sessions,
                    inbox=core.stores.inbox,
                    orchestrator=orchestrator,
                    place=place,
                    clock=core.clock,
                ),
                scenes=SceneData(core.stores.persons, forget_files=content.forget_files, clock=core.clock),
            )
            client.keep_commands_synced(settings.storage.data_dir / "commands.sha256")
            add_explaining_commands(client.tree, decisions, version=__version__)
            connection = tasks.create_task(_connected(client, token.get_secret_value(), stopping))
            forgetting = tasks.create_task(forget_settled_daily(core.stores.retention, core.clock))
            yield core
            await client.detach()
            if not connection.done():
                await _finish_replies(orchestrator, grace_s)
        forgetting.cancel()
        await client.close()
        connection.cancel()
        await asyncio.wait([connection])
        refused = None if connection.cancelled() else connection.result()
    if refused is not None:
        raise refused


async def run_console(settings: Settings) -> int:
    """Chat in the terminal until the person leaves; returns the exit code.

    Raises:
        Failure: a part cannot start; one sentence says what to do.
    """
    on_terminal = sys.stdin.isatty() and sys.stdout.isatty()
    screen = TerminalScreen(Console()) if on_terminal else PipeScreen()
    screen.tell(f"Parley {__version__}, in this terminal. Looking for a model ...")
    async with (
        _running_core(settings, for_console=True) as core,
        core.running_orchestrator(ConsoleDirectory(), _console_extras(core)) as orchestrator,
    ):
        screen.tell(f"Model: {core.model.describe()}")
        screen.tell("To talk in Discord: create a bot in the Developer Portal and set DISCORD_TOKEN in .env;")
        screen.tell("`python -m bot invite` then prints the link, `python -m bot doctor` checks the rest.")
        history = settings.storage.data_dir / "console_history"
        chat = ConsoleChat(
            lines=TerminalLines(history) if on_terminal else PipedLines(),
            screen=screen,
            sessions=core.stores.sessions,
            history=core.stores.history,
            personas=core.scene_personas(),
            orchestrator=orchestrator,
            new_id=core.new_id,
            at_keyboard=on_terminal,
        )
        code = await _until_signal(chat.run(), signals=(signal.SIGTERM,) if on_terminal else _STOP_SIGNALS)
    if screen.is_gone:
        raise Failure("Nothing more can be written to standard output.", reason="closed, or the disk is full")
    return code


def doctor_probes(settings: Settings) -> list[Probe]:
    """What `python -m bot doctor` looks at."""
    url = settings.storage.database_url
    database = DatabaseProbe(lambda: Database(url), where=urlsplit(url).scheme)
    return [*probes_without_adapters(settings), database]


async def _connected(client: ParleyClient, token: str, stopping: asyncio.Event) -> Failure | None:
    """Stay connected; an end of the connection, for whatever reason, ends the run."""
    try:
        await stay_connected(client, token)
    except ConnectionRefused as refused:
        return refused
    finally:
        stopping.set()
    return None


def _reply_place(core: Core, channels: Channels) -> ChannelReplies:
    text = core.settings.text
    replies = ReplySettings(
        pacing=Pacing(streams=text.stream_edits),
        limits=ReplyLimits(max_messages=text.max_reply_messages),
        ping_replied_user=text.ping_replied_user,
        tells_work=text.small_print,
    )
    return ChannelReplies(channels=channels, outbox=core.stores.outbox, clock=core.clock, settings=replies)


def _reply_controls(
    core: Core, orchestrator: Orchestrator, channels: Channels, place: ChannelReplies
) -> ReplyControls:
    return ReplyControls(
        sessions=core.stores.sessions,
        history=core.stores.history,
        inbox=core.stores.inbox,
        orchestrator=orchestrator,
        channels=channels,
        place=place,
        clock=core.clock,
    )


def _room_context(settings: Settings, channels: Channels) -> RoomContext:
    most = settings.text.backfill_messages
    return RoomContext(
        ambient=AmbientContext(per_session=max(most, _LEAST_OVERHEARD)), channels=channels, backfill=most
    )


async def _message_content(core: Core, cdn: Cdn, channels: Channels, extras: RunExtras) -> MessageContent:
    settings = core.settings
    media = MediaFolder(
        settings.storage.data_dir / "media",
        most_bytes=settings.storage.media_mb * 1024 * 1024,
        keep_for=timedelta(days=settings.storage.media_days),
    )
    await media.prepare()
    context_tokens = _context_tokens(settings, core.model)
    return MessageContent(
        files=cdn,
        links=channels,
        media=media,
        most_text=context_tokens // 2,  # a character is at most about a token
        hears=settings.model.protocol == "chat",
        skills=extras,
    )


def _chat(
    core: Core,
    client: ParleyClient,
    orchestrator: Orchestrator,
    channels: Channels,
    *,
    place: ChannelReplies,
    room: RoomContext,
    content: MessageContent,
    decisions: Decisions,
    reactions: ReplyReactions,
    name: str | None,
) -> DiscordChat:
    text = core.settings.text
    scenes = TextScenes(
        stores=core.stores,
        orchestrator=orchestrator,
        channels=channels,
        place=place,
        resumed_place=place.resumed(),
        trigger=TriggerSettings(
            mode=TriggerMode(text.trigger_mode), name=name, bots=_ids(text.answered_bots)
        ),
        room=room,
        content=content,
        permissions=RoomPermissions(client, channels, core.stores.settings),
        decisions=decisions,
        burst_window=timedelta(milliseconds=text.burst_window_ms),
        edits_replace=text.edits_replace_reply,
        clock=core.clock,
        new_id=core.new_id,
    )
    return DiscordChat(
        scenes=scenes,
        room=room,
        missed=MissedMessages(client, channels),
        reactions=reactions,
        sessions=core.stores.sessions,
        clock=core.clock,
        answer_missed_within=timedelta(seconds=text.answer_missed_within_s),
    )


def _add_commands(
    core: Core,
    client: ParleyClient,
    orchestrator: Orchestrator,
    controls: ReplyControls,
    room: RoomContext,
    content: MessageContent,
) -> None:
    status = Status(
        version=__version__,
        model=core.model.describe(),
        started_at=core.clock.now(),
        running=orchestrator.running_count,
        waiting=orchestrator.waiting_count,
    )
    add_basics(client.tree, status, core.clock)
    session = SessionCommands(
        stores=core.stores,
        orchestrator=orchestrator,
        personas=core.scene_personas(),
        models=core.scene_models(),
        room=room,
        content=content,
        clock=core.clock,
    )
    add_session_commands(client.tree, session)
    add_reply_commands(client.tree, controls)
    add_persona_commands(client.tree, session.personas)
    add_model_commands(client.tree, session.models)


async def _finish_replies(orchestrator: Orchestrator, grace_s: float) -> None:
    """Let running replies end within the time that a stop may take (SET-3); the rest resumes next time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(grace_s):
            await orchestrator.drained()


def _stop_on_signals(stopping: asyncio.Event) -> None:
    """The first SIGINT or SIGTERM sets `stopping`; a second one ends the process at once (SET-3)."""

    def stop() -> None:
        if stopping.is_set():
            os._exit(_INTERRUPTED)
        stopping.set()

    loop = asyncio.get_running_loop()
    for number in _STOP_SIGNALS:
        loop.add_signal_handler(number, stop)


async def _until_signal(work: Coroutine[None, None, None], *, signals: Iterable[signal.Signals]) -> int:
    """Do `work` to its end, or until one of the signals cancels it; returns the exit code."""
    received: list[signal.Signals] = []
    loop = asyncio.get_running_loop()
    async with asyncio.TaskGroup() as tasks:
        working = tasks.create_task(work)

        def stop(number: signal.Signals) -> None:
            received.append(number)
            working.cancel()

        for number in signals:
            loop.add_signal_handler(number, stop, number)
    return _INTERRUPTED if signal.SIGINT in received else 0


def _console_extras(core: Core) -> RunExtras:
    return core.domains.extras(ConsoleAccess(), core.scene_personas(), NoNotices())


def _owner_ids(settings: Settings) -> frozenset[int]:
    return _ids(settings.discord.owner_ids)


def _ids(listed: str | None) -> frozenset[int]:
    return frozenset(int(one) for one in (listed or "").split(",") if one)


def _context_tokens(settings: Settings, model: ResolvedModel) -> int:
    asked = settings.generation.context_tokens
    return min(asked, CONTEXT_TOKENS) if model.origin == "embedded" else asked


def _embedded_prompt(persona: Persona) -> str:
    """What an embedded model reads before the first message, to be quick then."""
    return compose_system_prompt(SystemPromptParts(persona=persona, profile=SMALL_PROFILE))


def _addresses(settings: Settings) -> DiscordAddresses:
    discord = settings.discord
    return DiscordAddresses(
        api_base_url=discord.api_base_url, gateway_url=discord.gateway_url, ca_file=discord.ca_file
    )


def _endpoint(settings: Settings, model: ResolvedModel) -> ModelEndpoint:
    return ModelEndpoint(
        protocol=ProtocolName(settings.model.protocol),
        provider=urlsplit(model.base_url).hostname or model.origin,
        base_url=model.base_url,
        model=model.model,
        api_key=model.api_key.get_secret_value(),
    )


def _timeouts(generation: GenerationSettings) -> GenerationTimeouts:
    return GenerationTimeouts(
        connect_s=generation.connect_timeout_s,
        first_token_s=generation.first_token_timeout_s,
        idle_s=generation.idle_timeout_s,
        total_s=generation.total_timeout_s,
    )


def _report_subscriber(event: HookEvent, error: BaseException) -> None:
    _log.error("subscriber failed", hook=type(event).__name__, exc_info=error)

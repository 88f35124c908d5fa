"""settings -> core -> Discord: text scenes and commands."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from datetime import timedelta

from bot import __version__
from bot.discord_chat.addresses import DiscordAddresses
from bot.discord_chat.asked_again import AskedAgain
from bot.discord_chat.cards.proposals import ProposalCards
from bot.discord_chat.cards.reply_buttons import answer_reply_buttons
from bot.discord_chat.cdn import Cdn
from bot.discord_chat.channels import Channels
from bot.discord_chat.chat import DiscordChat
from bot.discord_chat.client import ConnectionRefused, ParleyClient, stay_connected
from bot.discord_chat.commands.about_message import add_message_menus
from bot.discord_chat.commands.admin import AdminCommands, add_admin_commands
from bot.discord_chat.commands.asking import add_ask_command
from bot.discord_chat.commands.basics import Status, add_basics
from bot.discord_chat.commands.explaining import Explaining, add_explaining_commands
from bot.discord_chat.commands.guarded_tree import served
from bot.discord_chat.commands.model import add_model_commands
from bot.discord_chat.commands.parts import CommandParts
from bot.discord_chat.commands.persona import add_persona_commands
from bot.discord_chat.commands.quiet import add_quiet_command
from bot.discord_chat.commands.replies import add_reply_commands
from bot.discord_chat.commands.session import SessionCommands, add_session_commands
from bot.discord_chat.edit_pacing_rules import Pacing
from bot.discord_chat.message_content import MessageContent
from bot.discord_chat.message_decisions import MessageDecisions
from bot.discord_chat.missed_messages import MissedMessages
from bot.discord_chat.recipe_requests import RecipeRequests
from bot.discord_chat.reply_controls import ReplyControls
from bot.discord_chat.reply_pieces import ReplyLimits
from bot.discord_chat.reply_reactions import ReplyReactions
from bot.discord_chat.reply_stream import ChannelReplies, ReplySettings
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.room_permissions import RoomPermissions
from bot.discord_chat.room_stickers import OptionsOf, RoomStickers
from bot.discord_chat.room_tools import RoomTools
from bot.discord_chat.scene_access import DiscordAccess
from bot.discord_chat.scene_facts import DiscordDirectory
from bot.discord_chat.sleep import Sleep, SleepRuns
from bot.discord_chat.spoken_decisions import SpokenDecisions
from bot.discord_chat.spoken_files import SpokenFiles
from bot.discord_chat.text_scenes import TextScenes
from bot.discord_chat.trigger_modes import TriggerModes
from bot.discord_chat.voice_choices import VoiceChoices
from bot.discord_chat.voice_messages import VoiceMessages
from bot.discord_chat.voice_personal_data import VoicePersonalData
from bot.discord_chat.waiting_data import WaitingData
from bot.media_folder import MediaFolder
from bot.overheard_data import OverheardData
from bot.person_settings_data import PersonSettingsData
from bot.personal_data import AllPersonalData
from bot.run_extras import RunExtras
from bot.scene_data import SceneData
from bot.settings import Settings
from bot.settled_heap import settle_heap
from bot.settled_work import forget_settled_daily
from bot.speech_services import SpeechServices
from bot.task_delegates import TaskDelegates
from bot.tool_allowance import ToolAllowance
from bot.voice_scenes.voice_talks import VoiceTalks
from bot.wiring.core import Core, running_core
from bot.wiring.discord_deciding import Deciding, access_lists, deciding, ids
from bot.wiring.signals import stop_on_signals
from bot.wiring.talk import running_talks
from bot.wiring.tasks import (
    TaskAnnouncementFactory,
    TaskRooms,
    announcing_tasks,
    task_announcement_factory,
)
from core.failures import Failure
from core.orchestration.orchestrator import Orchestrator
from sessions.ambient import AmbientContext

_GRACE_S = 8.0
_LEAST_OVERHEARD = 20


async def run_discord(settings: Settings) -> int:
    """Run the Discord bot until a signal; returns the exit code.

    Raises:
        Failure: Discord refuses the bot, or a part cannot start; one sentence says what to do.
    """
    stopping = asyncio.Event()
    stop_on_signals(stopping)  # before anything is begun that a stop must end in order
    async with running_discord(settings, stopping):
        settle_heap()
        await stopping.wait()
    return 0


@asynccontextmanager
async def running_discord(
    settings: Settings,
    stopping: asyncio.Event,
    *,
    grace_s: float = _GRACE_S,
    speech: SpeechServices | None = None,
    task_announcement_factory: TaskAnnouncementFactory = task_announcement_factory,
) -> AsyncGenerator[Core]:
    """The Discord bot, connecting. `stopping` is set when the connection ends by itself.

    The end of the block lets running replies finish for `grace_s` seconds, cuts the others so that the next
    start goes on with them, and closes all parts in order: no reply outlives the client that posts it.
    `speech` stands in for the speech services that the settings name, `task_announcement_factory` for how
    tasks are told.

    Raises:
        Failure: a part cannot start; or, at the end of the block, Discord has refused the bot.
    """
    token = settings.discord.token
    if token is None:
        raise Failure("Set DISCORD_TOKEN.", reason="no token")
    async with (
        running_core(settings, for_console=False) as core,
        ParleyClient(_addresses(settings)) as client,
        Cdn(_addresses(settings)) as cdn,
        asyncio.TaskGroup() as tasks,
    ):
        channels = Channels(client)
        access = _access(core, client)
        client.tell_members(access.met)
        cards = ProposalCards(client)
        client.tree.serves = served(access_lists(settings.limits), access.is_owner)
        name = (await core.personas.default()).name if settings.text.answer_to_name else None
        decides = deciding(
            core, access, RoomPermissions(client, channels, core.stores.settings).may_answer, name=name
        )
        spoken, voice_messages = SpokenFiles(), VoiceMessages()
        extras = _extras(core, access, cards, RoomTools(channels, voice_messages), decides.sleep)
        content = await _message_content(core, cdn, channels, extras, spoken)
        ambient = _ambient(settings)
        room = RoomContext(
            ambient=ambient,
            channels=channels,
            backfill=settings.text.backfill_messages,
            is_served=decides.messages.is_served,
        )
        place = _reply_place(core, channels)
        stickers = RoomStickers(client, offered=settings.text.stickers)
        directory = DiscordDirectory(client, time_zone="UTC")
        voice_choices = VoiceChoices(core.stores.settings)
        async with (
            core.running_orchestrator(directory, extras, room) as running,
            running_talks(
                core,
                running,
                client,
                channels,
                choices=voice_choices,
                admissions=SpokenDecisions(decides.messages, decides.limits, decides.sleep),
                extras=extras,
                chat=place,
                ambient=ambient,
                services=speech,
                spoken=spoken,
                voice_messages=voice_messages,
            ) as talks,
        ):
            orchestrator = running.orchestrator
            controls = _reply_controls(
                core, orchestrator, channels, place, stickers.options, decides=decides, asides=talks
            )
            answer_reply_buttons(client, controls)
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
                decisions=decides.messages,
                options=stickers.options,
                reactions=reactions,
            )
            client.attach(chat)
            add_ask_command(client.tree, chat.scenes)
            add_message_menus(client.tree, chat.scenes, channels)
            parts = CommandParts(
                tree=client.tree, access=access, personas=core.scene_personas(), clock=core.clock
            )
            _add_commands(core, client, orchestrator, controls, room, content, decides.modes, decides.sleep)
            add_admin_commands(parts, _admin(core, decides))
            core.domains.add_commands(
                client,
                parts,
                cards=cards,
                requests=_recipe_requests(core, orchestrator, place, stickers.options, decides.messages),
                scenes=_personal_data(
                    core,
                    content,
                    voice_choices,
                    ambient,
                    WaitingData(
                        inbox=core.stores.inbox, orchestrator=orchestrator, take_back=chat.scenes.withdraw
                    ),
                ),
            )
            add_explaining_commands(client.tree, _explaining(decides, channels))
            client.keep_commands_synced(settings.storage.data_dir / "commands.sha256")
            connection = tasks.create_task(_connected(client, token.get_secret_value(), stopping))
            forgetting = tasks.create_task(forget_settled_daily(core.retentions, core.clock))
            async with announcing_tasks(
                TaskRooms(
                    core=core,
                    client=client,
                    channels=channels,
                    orchestrator=orchestrator,
                    place=place,
                    talks=talks,
                    sleep=decides.sleep,
                ),
                task_announcement_factory,
            ):
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


async def _connected(client: ParleyClient, token: str, stopping: asyncio.Event) -> Failure | None:
    """Stay connected; an end of the connection, for whatever reason, ends the run."""
    try:
        await stay_connected(client, token)
    except ConnectionRefused as refused:
        return refused
    finally:
        stopping.set()
    return None


def _access(core: Core, client: ParleyClient) -> DiscordAccess:
    owners = ids(core.settings.discord.owner_ids)
    return DiscordAccess(client, owners=owners, clock=core.clock, seen=client.seen)


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
    core: Core,
    orchestrator: Orchestrator,
    channels: Channels,
    place: ChannelReplies,
    options: OptionsOf,
    *,
    decides: Deciding,
    asides: VoiceTalks | None,
) -> ReplyControls:
    return ReplyControls(
        sessions=core.stores.sessions,
        history=core.stores.history,
        inbox=core.stores.inbox,
        orchestrator=orchestrator,
        channels=channels,
        place=place,
        options=options,
        may_ask_again=AskedAgain(decides.messages, decides.limits, core.clock),
        clock=core.clock,
        asides=asides,
    )


def _recipe_requests(
    core: Core,
    orchestrator: Orchestrator,
    place: ChannelReplies,
    options: OptionsOf,
    decisions: MessageDecisions,
) -> RecipeRequests:
    return RecipeRequests(
        sessions=core.stores.sessions,
        inbox=core.stores.inbox,
        orchestrator=orchestrator,
        place=place,
        options=options,
        decisions=decisions,
        clock=core.clock,
    )


def _personal_data(
    core: Core,
    content: MessageContent,
    choices: VoiceChoices,
    ambient: AmbientContext,
    waiting: WaitingData,
) -> AllPersonalData:
    recordings, settings = core.settings.storage.data_dir / "recordings", core.stores.settings
    return AllPersonalData(
        (
            waiting,  # first: what is answered meanwhile would come into what is forgotten
            _scene_data(core, content),
            PersonSettingsData(settings, TaskDelegates(settings)),
            OverheardData(ambient),
            VoicePersonalData(choices, recordings=recordings),
        )
    )


def _scene_data(core: Core, content: MessageContent) -> SceneData:
    return SceneData(core.stores.persons, forget_files=content.forget_files, clock=core.clock)


def _admin(core: Core, decides: Deciding) -> AdminCommands:
    stores = core.stores
    return AdminCommands(
        settings=stores.settings, counts=stores.usage, limits=decides.limits, clock=core.clock
    )


def _explaining(decides: Deciding, channels: Channels) -> Explaining:
    return Explaining(
        decisions=decides.decisions,
        deciding=decides.messages,
        modes=decides.modes,
        channels=channels,
        version=__version__,
    )


def _ambient(settings: Settings) -> AmbientContext:
    return AmbientContext(per_session=max(settings.text.backfill_messages, _LEAST_OVERHEARD))


def _extras(
    core: Core, access: DiscordAccess, cards: ProposalCards, room: RoomTools, sleep: Sleep
) -> RunExtras:
    """What domains and Discord itself add to runs, of it what tools are allowed."""
    extras = core.domains.extras(access, core.scene_personas(), cards)
    return replace(
        extras,
        domains=(*extras.domains, room, SleepRuns(sleep)),
        allowed=ToolAllowance(core.stores.settings, deployment=core.settings.limits.allowed_tools),
    )


async def _message_content(
    core: Core, cdn: Cdn, channels: Channels, extras: RunExtras, spoken: SpokenFiles
) -> MessageContent:
    settings = core.settings
    media = MediaFolder(
        settings.storage.data_dir / "media",
        most_bytes=settings.storage.media_mb * 1024 * 1024,
        keep_for=timedelta(days=settings.storage.media_days),
    )
    await media.prepare()
    return MessageContent(
        files=cdn,
        links=channels,
        media=media,
        most_text=core.context_tokens // 2,  # a character is at most about a token
        hears=settings.model.protocol == "chat",
        skills=extras,
        transcripts=spoken,
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
    decisions: MessageDecisions,
    options: OptionsOf,
    reactions: ReplyReactions,
) -> DiscordChat:
    text = core.settings.text
    scenes = TextScenes(
        stores=core.stores,
        orchestrator=orchestrator,
        channels=channels,
        place=place,
        resumed_place=place.resumed(),
        room=room,
        content=content,
        decisions=decisions,
        options=options,
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
    modes: TriggerModes,
    sleep: Sleep,
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
        modes=modes,
        room=room,
        content=content,
        clock=core.clock,
    )
    add_session_commands(client.tree, session)
    add_quiet_command(client.tree, sleep)
    add_reply_commands(client.tree, controls)
    add_persona_commands(client.tree, session.personas)
    add_model_commands(client.tree, session.models)


async def _finish_replies(orchestrator: Orchestrator, grace_s: float) -> None:
    """Let running replies end within the time that a stop may take (SET-3); the rest resumes next time."""
    with suppress(TimeoutError):
        async with asyncio.timeout(grace_s):
            await orchestrator.drained()


def _addresses(settings: Settings) -> DiscordAddresses:
    discord = settings.discord
    return DiscordAddresses(
        api_base_url=discord.api_base_url, gateway_url=discord.gateway_url, ca_file=discord.ca_file
    )

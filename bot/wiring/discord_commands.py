"""The slash commands, menus and buttons, each joined to what it acts on (CMD-1)."""

from bot import __version__
from bot.discord_chat.cards.reply_buttons import answer_reply_buttons
from bot.discord_chat.commands.about_message import add_message_menus
from bot.discord_chat.commands.admin import AdminCommands, add_admin_commands
from bot.discord_chat.commands.asking import add_ask_command
from bot.discord_chat.commands.basics import Status, add_basics
from bot.discord_chat.commands.explaining import Explaining, add_explaining_commands
from bot.discord_chat.commands.model import add_model_commands
from bot.discord_chat.commands.parts import CommandParts
from bot.discord_chat.commands.persona import add_persona_commands
from bot.discord_chat.commands.quiet import add_quiet_command
from bot.discord_chat.commands.replies import add_reply_commands
from bot.discord_chat.commands.session import SessionCommands, add_session_commands
from bot.discord_chat.recipe_requests import RecipeRequests
from bot.discord_chat.reply_controls import ReplyControls
from bot.discord_chat.text_scenes import TextScenes
from bot.discord_chat.voice_personal_data import VoicePersonalData
from bot.discord_chat.waiting_data import WaitingData
from bot.overheard_data import OverheardData
from bot.person_settings_data import PersonSettingsData
from bot.personal_data import AllPersonalData
from bot.scene_data import SceneData
from bot.task_delegates import TaskDelegates
from bot.wiring.discord_parts import DiscordParts
from core.orchestration.orchestrator import Orchestrator


def add_commands(
    parts: DiscordParts, orchestrator: Orchestrator, controls: ReplyControls, scenes: TextScenes
) -> None:
    """All of them but those of voice, which come with it."""
    core, client, decides = parts.core, parts.client, parts.decides
    answer_reply_buttons(client, controls)
    add_ask_command(client.tree, scenes)
    # A character is at most about a token, and the conversation needs room, too.
    add_message_menus(client.tree, scenes, parts.channels, most_read=core.context_tokens // 2)
    add_basics(client.tree, _status(parts, orchestrator), core.clock)
    session = SessionCommands(
        stores=core.stores,
        orchestrator=orchestrator,
        personas=core.scene_personas(),
        models=core.scene_models(),
        modes=decides.modes,
        room=parts.room,
        content=parts.content,
        clock=core.clock,
    )
    add_session_commands(client.tree, session)
    add_quiet_command(client.tree, decides.sleep)
    add_reply_commands(client.tree, controls)
    add_persona_commands(client.tree, session.personas)
    add_model_commands(client.tree, session.models)
    shared = CommandParts(
        tree=client.tree, access=parts.access, personas=core.scene_personas(), clock=core.clock
    )
    add_admin_commands(shared, _admin(parts))
    core.domains.add_commands(
        client,
        shared,
        cards=parts.cards,
        requests=_recipe_requests(parts, orchestrator),
        scenes=_personal_data(parts, orchestrator, scenes),
    )
    add_explaining_commands(client.tree, _explaining(parts))
    client.keep_commands_synced(core.settings.storage.data_dir / "commands.sha256")


def _status(parts: DiscordParts, orchestrator: Orchestrator) -> Status:
    return Status(
        version=__version__,
        model=parts.core.model.public(),
        started_at=parts.core.clock.now(),
        running=orchestrator.running_count,
        waiting=orchestrator.waiting_count,
    )


def _admin(parts: DiscordParts) -> AdminCommands:
    stores = parts.core.stores
    return AdminCommands(
        settings=stores.settings, counts=stores.usage, limits=parts.decides.limits, clock=parts.core.clock
    )


def _recipe_requests(parts: DiscordParts, orchestrator: Orchestrator) -> RecipeRequests:
    return RecipeRequests(
        sessions=parts.core.stores.sessions,
        inbox=parts.core.stores.inbox,
        orchestrator=orchestrator,
        place=parts.place,
        options=parts.options,
        decisions=parts.decides.messages,
        clock=parts.core.clock,
    )


def _personal_data(parts: DiscordParts, orchestrator: Orchestrator, scenes: TextScenes) -> AllPersonalData:
    core, settings = parts.core, parts.core.stores.settings
    return AllPersonalData(
        (
            # First: what is answered meanwhile would come into what is forgotten.
            WaitingData(inbox=core.stores.inbox, orchestrator=orchestrator, take_back=scenes.withdraw),
            SceneData(core.stores.persons, forget_files=parts.content.forget_files, clock=core.clock),
            PersonSettingsData(settings, TaskDelegates(settings)),
            OverheardData(parts.ambient),
            VoicePersonalData(parts.voice_choices, recordings=core.settings.storage.data_dir / "recordings"),
        )
    )


def _explaining(parts: DiscordParts) -> Explaining:
    return Explaining(
        decisions=parts.decides.decisions,
        deciding=parts.decides.messages,
        modes=parts.decides.modes,
        channels=parts.channels,
        version=__version__,
    )

"""What the roads of Discord share: text, voice and commands are joined to these, made once."""

from dataclasses import dataclass, replace
from datetime import timedelta

from bot.discord_chat.cards.proposals import ProposalCards
from bot.discord_chat.cdn import Cdn
from bot.discord_chat.channel_replies import ChannelReplies
from bot.discord_chat.channels import Channels
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.commands.guarded_tree import served
from bot.discord_chat.edit_pacing_rules import Pacing
from bot.discord_chat.mention_rules import InviteLinks, LinkPolicy, MaskedLinks
from bot.discord_chat.message_content import MessageContent
from bot.discord_chat.readers import Readers
from bot.discord_chat.reply_pieces import ReplyLimits
from bot.discord_chat.reply_stream import ReplySettings
from bot.discord_chat.room_context import RoomContext
from bot.discord_chat.room_permissions import RoomPermissions
from bot.discord_chat.room_stickers import OptionsOf, RoomStickers
from bot.discord_chat.room_tools import RoomTools
from bot.discord_chat.scene_access import DiscordAccess
from bot.discord_chat.sleep import SleepRuns
from bot.discord_chat.spoken_files import SpokenFiles
from bot.discord_chat.voice_choices import VoiceChoices
from bot.discord_chat.voice_messages import VoiceMessages
from bot.media_folder import MediaFolder
from bot.run_extras import RunExtras
from bot.settings import TextSettings
from bot.tool_allowance import ToolAllowance
from bot.wiring.core import Core
from bot.wiring.discord_deciding import Deciding, access_lists, deciding, ids
from sessions.ambient import AmbientContext

_LEAST_OVERHEARD = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscordParts:
    """`spoken` hears files and `voice_messages` speak once voice runs; before, both say that they cannot."""

    core: Core
    client: ParleyClient
    channels: Channels
    readers: Readers
    access: DiscordAccess
    decides: Deciding
    cards: ProposalCards
    extras: RunExtras
    ambient: AmbientContext
    room: RoomContext
    content: MessageContent
    place: ChannelReplies
    options: OptionsOf
    spoken: SpokenFiles
    voice_messages: VoiceMessages
    voice_choices: VoiceChoices


async def discord_parts(core: Core, client: ParleyClient, cdn: Cdn) -> DiscordParts:
    """All of them, on a client that is not connected yet."""
    text, stores = core.settings.text, core.stores
    readers = Readers(client, stores.settings)
    channels = Channels(client, readers)
    access = DiscordAccess(
        client, owners=ids(core.settings.discord.owner_ids), clock=core.clock, seen=client.seen
    )
    client.tell_members(access.met)
    client.tell_languages(readers.tells)
    client.tree.serves = served(access_lists(core.settings.limits), access.is_owner)
    name = (await core.personas.default()).name if text.answer_to_name else None
    decides = deciding(core, access, RoomPermissions(client, channels, stores.settings).may_answer, name=name)
    cards, spoken, voice_messages = ProposalCards(client, readers), SpokenFiles(), VoiceMessages()
    extras = _extras(core, access, cards, RoomTools(channels, voice_messages), decides)
    ambient = AmbientContext(per_session=max(text.backfill_messages, _LEAST_OVERHEARD))
    return DiscordParts(
        core=core,
        client=client,
        channels=channels,
        readers=readers,
        access=access,
        decides=decides,
        cards=cards,
        extras=extras,
        ambient=ambient,
        room=RoomContext(
            ambient=ambient,
            channels=channels,
            backfill=text.backfill_messages,
            is_served=decides.messages.is_served,
        ),
        content=await _message_content(core, cdn, channels, extras, spoken),
        place=_reply_place(core, channels),
        options=RoomStickers(client, offered=text.stickers).options,
        spoken=spoken,
        voice_messages=voice_messages,
        voice_choices=VoiceChoices(stores.settings),
    )


def _extras(
    core: Core, access: DiscordAccess, cards: ProposalCards, room: RoomTools, decides: Deciding
) -> RunExtras:
    """What domains and Discord itself add to runs, of it what tools are allowed."""
    extras = core.domains.extras(access, core.scene_personas(), cards)
    return replace(
        extras,
        domains=(*extras.domains, room, SleepRuns(decides.sleep)),
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


def link_policy(text: TextSettings) -> LinkPolicy:
    """What becomes of links in what a model wrote (TEXT-3)."""
    return LinkPolicy(masked=MaskedLinks(text.masked_links), invites=InviteLinks(text.invite_links))


def _reply_place(core: Core, channels: Channels) -> ChannelReplies:
    text = core.settings.text
    replies = ReplySettings(
        pacing=Pacing(streams=text.stream_edits),
        limits=ReplyLimits(max_messages=text.max_reply_messages),
        links=link_policy(text),
        ping_replied_user=text.ping_replied_user,
        tells_work=text.small_print,
    )
    return ChannelReplies(channels=channels, outbox=core.stores.outbox, clock=core.clock, settings=replies)

"""What exists on the fake Discord: users, guilds, roles, channels, threads, messages.

Plain mutable values; `world.py` builds and finds them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from tests.fake_discord.message_log import MessageLog
from tests.fake_discord.permissions import Permission

Json = dict[str, Any]


class ChannelKind(IntEnum):
    """The types of channels that exist here.

    Source: https://docs.discord.com/developers/resources/channel#channel-object-channel-types
    """

    TEXT = 0
    DM = 1
    VOICE = 2
    CATEGORY = 4
    ANNOUNCEMENT = 5
    ANNOUNCEMENT_THREAD = 10
    PUBLIC_THREAD = 11
    PRIVATE_THREAD = 12
    STAGE = 13
    FORUM = 15


THREADS = frozenset({ChannelKind.ANNOUNCEMENT_THREAD, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD})


class MessageKind(IntEnum):
    """The types of messages that exist here.

    Source: https://docs.discord.com/developers/resources/message#message-object-message-types
    """

    DEFAULT = 0
    RENAMED = 4
    PINNED = 6
    JOIN = 7
    BOOSTED = 8
    THREAD_CREATED = 18
    REPLY = 19
    COMMAND = 20
    THREAD_STARTER = 21
    CONTEXT_MENU = 23
    STAGE_STARTED = 27
    STAGE_ENDED = 28
    STAGE_TOPIC = 31
    POLL_RESULT = 46


class MessageFlag(IntEnum):
    CROSSPOSTED = 1 << 0
    IS_CROSSPOST = 1 << 1
    SUPPRESS_EMBEDS = 1 << 2
    HAS_THREAD = 1 << 5
    EPHEMERAL = 1 << 6
    LOADING = 1 << 7
    SUPPRESS_NOTIFICATIONS = 1 << 12
    VOICE_MESSAGE = 1 << 13
    HAS_SNAPSHOT = 1 << 14
    COMPONENTS_V2 = 1 << 15


@dataclass(slots=True, eq=False, kw_only=True)
class User:
    id: int
    name: str
    global_name: str | None = None
    bot: bool = False
    avatar: str | None = None
    locale: str = "en-US"
    dms_open: bool = True
    """False: a message to this user is refused with 50007."""

    @property
    def mention(self) -> str:
        return f"<@{self.id}>"

    @property
    def display_name(self) -> str:
        return self.global_name or self.name


@dataclass(slots=True, eq=False, kw_only=True)
class Role:
    id: int
    name: str
    permissions: int = 0
    position: int = 1
    color: int = 0
    hoist: bool = False
    managed: bool = False
    mentionable: bool = False
    bot_id: int | None = None

    @property
    def mention(self) -> str:
        return f"<@&{self.id}>"


@dataclass(slots=True, eq=False, kw_only=True)
class Member:
    user: User
    joined_at: float
    nick: str | None = None
    roles: list[Role] = field(default_factory=list[Role])
    mute: bool = False
    deaf: bool = False
    timed_out_until: float | None = None


@dataclass(slots=True, kw_only=True)
class Overwrite:
    """A permission overwrite of a channel; `of_role` False: of a member."""

    target_id: int
    of_role: bool
    allow: int = 0
    deny: int = 0


@dataclass(slots=True, eq=False, kw_only=True)
class Attachment:
    """A file in the fake CDN. `expired` makes its link answer 404 until the message is fetched again."""

    id: int
    channel_id: int
    filename: str
    content: bytes
    content_type: str | None
    url: str
    description: str | None = None
    width: int | None = None
    height: int | None = None
    duration_s: float | None = None
    waveform: str | None = None
    ephemeral: bool = False
    expired: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Reaction:
    name: str
    id: int | None = None
    users: dict[int, User] = field(default_factory=dict[int, "User"])


@dataclass(slots=True, kw_only=True)
class Reference:
    """What a message refers to: kind 0 is a reply, 1 a forward."""

    channel_id: int
    message_id: int | None = None
    guild_id: int | None = None
    kind: int = 0


@dataclass(slots=True, eq=False, kw_only=True)
class Message:
    id: int
    channel: Channel
    author: User
    content: str
    created_at: float
    kind: MessageKind = MessageKind.DEFAULT
    edited_at: float | None = None
    flags: int = 0
    tts: bool = False
    pinned: bool = False
    pinned_at: float | None = None
    attachments: list[Attachment] = field(default_factory=list[Attachment])
    embeds: list[Json] = field(default_factory=list[Json])
    components: list[Json] = field(default_factory=list[Json])
    poll: Json | None = None
    stickers: list[Json] = field(default_factory=list[Json])
    mentions: list[User] = field(default_factory=list[User])
    mention_roles: list[int] = field(default_factory=list[int])
    mention_everyone: bool = False
    pinged: set[int] = field(default_factory=set[int])
    """Ids of all users who got a notification, by user, role, everyone or reply."""
    reference: Reference | None = None
    referenced: Message | None = None
    snapshots: list[Json] = field(default_factory=list[Json])
    nonce: str | int | None = None
    reactions: list[Reaction] = field(default_factory=list[Reaction])
    webhook_id: int | None = None
    interaction: Json | None = None
    thread: Channel | None = None
    deleted: bool = False
    contents: list[str] = field(default_factory=list[str])
    """Every text that this message has had, the first one first."""

    @property
    def ephemeral(self) -> bool:
        return bool(self.flags & MessageFlag.EPHEMERAL)

    @property
    def link(self) -> str:
        guild = self.channel.guild
        return f"https://discord.com/channels/{guild.id if guild else '@me'}/{self.channel.id}/{self.id}"


@dataclass(slots=True, eq=False, kw_only=True)
class Thread:
    """What a channel has in addition when it is a thread."""

    owner: User
    archived: bool = False
    locked: bool = False
    archived_at: float = 0.0
    auto_archive_minutes: int = 4320
    members: dict[int, float] = field(default_factory=dict[int, float])
    messages_sent: int = 0
    applied_tags: list[int] = field(default_factory=list[int])


@dataclass(slots=True, eq=False, kw_only=True)
class Channel:
    id: int
    kind: ChannelKind
    name: str = ""
    guild: Guild | None = None
    parent: Channel | None = None
    topic: str | None = None
    position: int = 0
    nsfw: bool = False
    slow_mode_s: int = 0
    slow_mode_binds_bots: bool = False
    """Discord exempts bots; True makes the bot meet error 20016 as a member would."""
    bitrate: int = 64_000
    user_limit: int = 0
    available_tags: list[Json] = field(default_factory=list[Json])
    overwrites: dict[int, Overwrite] = field(default_factory=dict[int, Overwrite])
    recipients: dict[int, User] = field(default_factory=dict[int, "User"])
    thread: Thread | None = None
    messages: MessageLog = field(default_factory=MessageLog)
    last_message_id: int | None = None
    last_pin_at: float | None = None
    typing: list[tuple[int, float]] = field(default_factory=list[tuple[int, float]])
    """Who asked to be shown typing, and when."""
    deleted: bool = False

    @property
    def mention(self) -> str:
        return f"<#{self.id}>"

    def deny(self, whom: User | Role, *bits: Permission) -> Channel:
        """Takes permissions from a member or role, silently; `humans.set_overwrite` tells the bot."""
        overwrite = self._overwrite(whom)
        for bit in bits:
            overwrite.deny |= bit
            overwrite.allow &= ~bit
        return self

    def allow(self, whom: User | Role, *bits: Permission) -> Channel:
        """Gives permissions to a member or role, silently."""
        overwrite = self._overwrite(whom)
        for bit in bits:
            overwrite.allow |= bit
            overwrite.deny &= ~bit
        return self

    def _overwrite(self, whom: User | Role) -> Overwrite:
        made = Overwrite(target_id=whom.id, of_role=isinstance(whom, Role))
        return self.overwrites.setdefault(whom.id, made)


@dataclass(slots=True, kw_only=True)
class VoiceState:
    user: User
    channel: Channel
    session_id: str
    self_mute: bool = False
    self_deaf: bool = False
    self_video: bool = False
    mute: bool = False
    deaf: bool = False
    suppress: bool = False


@dataclass(slots=True, eq=False, kw_only=True)
class Guild:
    id: int
    name: str
    owner: User
    everyone: Role
    created_at: float
    description: str | None = None
    preferred_locale: str = "en-US"
    available: bool = True
    roles: dict[int, Role] = field(default_factory=dict[int, Role])
    members: dict[int, Member] = field(default_factory=dict[int, Member])
    channels: dict[int, Channel] = field(default_factory=dict[int, Channel])
    threads: dict[int, Channel] = field(default_factory=dict[int, Channel])
    emojis: list[Json] = field(default_factory=list[Json])
    stickers: list[Json] = field(default_factory=list[Json])
    voice_states: dict[int, VoiceState] = field(default_factory=dict[int, VoiceState])

    def channel(self, name: str) -> Channel:
        """The channel or thread of that name."""
        for channel in (*self.channels.values(), *self.threads.values()):
            if channel.name == name:
                return channel
        raise KeyError(name)


@dataclass(slots=True, kw_only=True)
class Application:
    """The bot's entry in the developer portal; the three switches are the privileged intents there."""

    id: int
    name: str
    owner: User
    description: str = ""
    message_content_intent: bool = True
    server_members_intent: bool = True
    presence_intent: bool = True
    verify_key: str = "0" * 64
    team: Json | None = None

    @property
    def flags(self) -> int:
        """The "limited" flags, which an application in fewer than 100 guilds has."""
        return (
            self.presence_intent << 13 | self.server_members_intent << 15 | self.message_content_intent << 19
        )

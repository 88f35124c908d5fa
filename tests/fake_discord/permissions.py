"""Who may do what in which channel, computed as Discord documents it.

Source: https://docs.discord.com/developers/topics/permissions#permission-overwrites
"""

from __future__ import annotations

import time
from enum import IntFlag
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.fake_discord.entities import Channel, Guild, Member, User


class Permission(IntFlag):
    """The bits by Discord's names."""

    CREATE_INSTANT_INVITE = 1 << 0
    KICK_MEMBERS = 1 << 1
    BAN_MEMBERS = 1 << 2
    ADMINISTRATOR = 1 << 3
    MANAGE_CHANNELS = 1 << 4
    MANAGE_GUILD = 1 << 5
    ADD_REACTIONS = 1 << 6
    VIEW_AUDIT_LOG = 1 << 7
    PRIORITY_SPEAKER = 1 << 8
    STREAM = 1 << 9
    VIEW_CHANNEL = 1 << 10
    SEND_MESSAGES = 1 << 11
    SEND_TTS_MESSAGES = 1 << 12
    MANAGE_MESSAGES = 1 << 13
    EMBED_LINKS = 1 << 14
    ATTACH_FILES = 1 << 15
    READ_MESSAGE_HISTORY = 1 << 16
    MENTION_EVERYONE = 1 << 17
    USE_EXTERNAL_EMOJIS = 1 << 18
    CONNECT = 1 << 20
    SPEAK = 1 << 21
    MUTE_MEMBERS = 1 << 22
    DEAFEN_MEMBERS = 1 << 23
    MOVE_MEMBERS = 1 << 24
    USE_VAD = 1 << 25
    CHANGE_NICKNAME = 1 << 26
    MANAGE_NICKNAMES = 1 << 27
    MANAGE_ROLES = 1 << 28
    MANAGE_WEBHOOKS = 1 << 29
    MANAGE_GUILD_EXPRESSIONS = 1 << 30
    USE_APPLICATION_COMMANDS = 1 << 31
    REQUEST_TO_SPEAK = 1 << 32
    MANAGE_EVENTS = 1 << 33
    MANAGE_THREADS = 1 << 34
    CREATE_PUBLIC_THREADS = 1 << 35
    CREATE_PRIVATE_THREADS = 1 << 36
    USE_EXTERNAL_STICKERS = 1 << 37
    SEND_MESSAGES_IN_THREADS = 1 << 38
    MODERATE_MEMBERS = 1 << 40
    SEND_VOICE_MESSAGES = 1 << 46
    SEND_POLLS = 1 << 49
    PIN_MESSAGES = 1 << 51


ALL = (1 << 53) - 1

EVERYONE = int(
    Permission.CREATE_INSTANT_INVITE
    | Permission.ADD_REACTIONS
    | Permission.STREAM
    | Permission.VIEW_CHANNEL
    | Permission.SEND_MESSAGES
    | Permission.EMBED_LINKS
    | Permission.ATTACH_FILES
    | Permission.READ_MESSAGE_HISTORY
    | Permission.USE_EXTERNAL_EMOJIS
    | Permission.CONNECT
    | Permission.SPEAK
    | Permission.USE_VAD
    | Permission.CHANGE_NICKNAME
    | Permission.USE_APPLICATION_COMMANDS
    | Permission.CREATE_PUBLIC_THREADS
    | Permission.CREATE_PRIVATE_THREADS
    | Permission.USE_EXTERNAL_STICKERS
    | Permission.SEND_MESSAGES_IN_THREADS
    | Permission.SEND_VOICE_MESSAGES
    | Permission.SEND_POLLS
)
"""What the @everyone role of a new guild allows."""

_VIEW = int(Permission.VIEW_CHANNEL)
_SEND = int(Permission.SEND_MESSAGES | Permission.SEND_MESSAGES_IN_THREADS)
_NEEDS_SEND = int(
    Permission.MENTION_EVERYONE
    | Permission.SEND_TTS_MESSAGES
    | Permission.ATTACH_FILES
    | Permission.EMBED_LINKS
    | Permission.SEND_VOICE_MESSAGES
)
_IN_TIMEOUT = int(Permission.VIEW_CHANNEL | Permission.READ_MESSAGE_HISTORY)
_ADMINISTRATOR = int(Permission.ADMINISTRATOR)


def in_guild(user: User, guild: Guild) -> int:
    """The bits of a member before any channel's overwrites; 0 for someone who is no member."""
    member = guild.members.get(user.id)
    if member is None:
        return 0
    if guild.owner is user:
        return ALL
    bits = guild.everyone.permissions
    for role in member.roles:
        bits |= role.permissions
    if bits & _ADMINISTRATOR:
        return ALL
    return bits & _IN_TIMEOUT if _is_timed_out(member) else bits


def _is_timed_out(member: Member) -> bool:
    return member.timed_out_until is not None and member.timed_out_until > time.time()


def in_channel(user: User, channel: Channel) -> int:
    """The bits of a user in a channel; a thread has those of its parent; in a DM all."""
    guild = channel.guild
    if guild is None:
        return ALL if user.id in channel.recipients else 0
    bits = in_guild(user, guild)
    if bits == ALL:
        return ALL
    if channel.thread is not None:
        if channel.parent is None:
            return 0
        channel = channel.parent
    bits = _with_overwrites(bits, user, guild, channel)
    if user.id in guild.members and _is_timed_out(guild.members[user.id]):
        bits &= _IN_TIMEOUT
    if not bits & _VIEW:
        return 0
    if not bits & _SEND:
        bits &= ~_NEEDS_SEND
    return bits


def _with_overwrites(bits: int, user: User, guild: Guild, channel: Channel) -> int:
    overwrites = channel.overwrites
    if not overwrites:
        return bits
    if everyone := overwrites.get(guild.id):
        bits = bits & ~everyone.deny | everyone.allow
    allow = deny = 0
    for role in guild.members[user.id].roles:
        if overwrite := overwrites.get(role.id):
            allow |= overwrite.allow
            deny |= overwrite.deny
    bits = bits & ~deny | allow
    if own := overwrites.get(user.id):
        bits = bits & ~own.deny | own.allow
    return bits

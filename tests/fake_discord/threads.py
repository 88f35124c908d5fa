"""How a thread begins, with Discord's events and system messages."""

from __future__ import annotations

from tests.fake_discord.announcements import Announcements
from tests.fake_discord.entities import (
    Channel,
    ChannelKind,
    Message,
    MessageFlag,
    MessageKind,
    Reference,
    User,
)
from tests.fake_discord.messages import Draft, Messages
from tests.fake_discord.world import World


def start_thread(
    world: World,
    messages: Messages,
    announcements: Announcements,
    parent: Channel,
    name: str,
    owner: User,
    *,
    on: Message | None = None,
    private: bool = False,
) -> Channel:
    """Makes a thread with Discord's events and system messages."""
    kind = ChannelKind.PRIVATE_THREAD if private else ChannelKind.PUBLIC_THREAD
    thread = world.add_thread(parent, name, owner=owner, kind=kind, number=on.id if on else None)
    announcements.thread_created(thread)
    guild = parent.guild
    reference = Reference(channel_id=parent.id, guild_id=guild.id if guild else None)
    if on is not None:
        on.thread = thread
        on.flags |= MessageFlag.HAS_THREAD
        announcements.message_edited(on)
        reference.message_id = on.id
        starter = messages.create(thread, owner, Draft(kind=MessageKind.THREAD_STARTER))
        starter.reference, starter.referenced = reference, on
    elif not private:
        notice = messages.create(parent, owner, Draft(content=name, kind=MessageKind.THREAD_CREATED))
        reference.channel_id = thread.id
        notice.reference = reference
    return thread

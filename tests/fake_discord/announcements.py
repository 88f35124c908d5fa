"""Changes of the world as gateway events, each with the payload that Discord gives it."""

from __future__ import annotations

from tests.fake_discord import message_payloads, payloads
from tests.fake_discord.entities import Channel, Guild, Json, Member, Message, Reaction, Role, User
from tests.fake_discord.gateway.gateway import Gateway
from tests.fake_discord.snowflakes import iso
from tests.fake_discord.world import World


class Announcements:
    def __init__(self, world: World, gateway: Gateway) -> None:
        self._world = world
        self._gateway = gateway

    @property
    def _bot(self) -> User:
        return self._world.bot

    def _say(self, event: str, data: Json, channel: Channel) -> None:
        self._gateway.dispatch(event, data, guild=channel.guild, channel=channel)

    # messages

    def message_created(self, message: Message) -> None:
        own = message.author is self._bot
        data = message_payloads.message_event(message, viewer=self._bot, with_nonce=own)
        self._say("MESSAGE_CREATE", data, message.channel)

    def message_edited(self, message: Message) -> None:
        self._say(
            "MESSAGE_UPDATE", message_payloads.message_event(message, viewer=self._bot), message.channel
        )

    def message_deleted(self, message: Message) -> None:
        self._say("MESSAGE_DELETE", {"id": str(message.id), **_place(message.channel)}, message.channel)

    def messages_deleted(self, channel: Channel, numbers: list[int]) -> None:
        data: Json = {"ids": [str(one) for one in numbers], **_place(channel)}
        self._say("MESSAGE_DELETE_BULK", data, channel)

    def pins_changed(self, channel: Channel) -> None:
        pinned_at = channel.last_pin_at
        data = _place(channel) | {"last_pin_timestamp": None if pinned_at is None else iso(pinned_at)}
        self._say("CHANNEL_PINS_UPDATE", data, channel)

    def reacted(self, message: Message, reaction: Reaction, user: User, *, added: bool) -> None:
        channel = message.channel
        data: Json = {
            "user_id": str(user.id),
            "message_id": str(message.id),
            "emoji": message_payloads.emoji(reaction),
            "burst": False,
            "type": 0,
            **_place(channel),
        }
        if added:
            data["message_author_id"] = str(message.author.id)
            if channel.guild is not None and user.id in channel.guild.members:
                data["member"] = payloads.member(channel.guild.members[user.id])
        self._say("MESSAGE_REACTION_ADD" if added else "MESSAGE_REACTION_REMOVE", data, channel)

    def reactions_cleared(self, message: Message, reaction: Reaction | None) -> None:
        data: Json = {"message_id": str(message.id), **_place(message.channel)}
        if reaction is None:
            self._say("MESSAGE_REACTION_REMOVE_ALL", data, message.channel)
        else:
            data["emoji"] = message_payloads.emoji(reaction)
            self._say("MESSAGE_REACTION_REMOVE_EMOJI", data, message.channel)

    def voted(self, message: Message, user: User, answer_id: int, *, added: bool) -> None:
        data: Json = {
            "user_id": str(user.id),
            "message_id": str(message.id),
            "answer_id": answer_id,
            **_place(message.channel),
        }
        self._say("MESSAGE_POLL_VOTE_ADD" if added else "MESSAGE_POLL_VOTE_REMOVE", data, message.channel)

    def typing(self, channel: Channel, user: User, at: float) -> None:
        data: Json = {"user_id": str(user.id), "timestamp": int(at), **_place(channel)}
        if channel.guild is not None and user.id in channel.guild.members:
            data["member"] = payloads.member(channel.guild.members[user.id])
        self._say("TYPING_START", data, channel)

    # channels and threads

    def channel_created(self, channel: Channel) -> None:
        self._say("CHANNEL_CREATE", payloads.channel(channel, viewer=self._bot), channel)

    def channel_changed(self, channel: Channel) -> None:
        """Goes out even if the change took the bot's view: so does Discord's."""
        event = "CHANNEL_UPDATE" if channel.thread is None else "THREAD_UPDATE"
        data = payloads.channel(channel, viewer=self._bot)
        self._gateway.dispatch(event, data, guild=channel.guild)

    def channel_deleted(self, channel: Channel) -> None:
        if channel.thread is None:
            event, data = "CHANNEL_DELETE", payloads.channel(channel, viewer=self._bot)
        else:
            parent = channel.parent.id if channel.parent else None
            event = "THREAD_DELETE"
            data = {"id": str(channel.id), "parent_id": str(parent), "type": int(channel.kind)}
            data |= {"guild_id": str(channel.guild.id)} if channel.guild else {}
        self._gateway.dispatch(event, data, guild=channel.guild)

    def thread_created(self, thread: Channel) -> None:
        data = payloads.channel(thread, viewer=self._bot) | {"newly_created": True}
        self._say("THREAD_CREATE", data, thread)

    def thread_joined(self, thread: Channel, user: User) -> None:
        assert thread.guild is not None
        assert thread.thread is not None
        added = payloads.thread_member(thread, user)
        added["member"] = payloads.member(thread.guild.members[user.id])
        data: Json = {
            "id": str(thread.id),
            "guild_id": str(thread.guild.id),
            "member_count": min(50, len(thread.thread.members)),
            "added_members": [added],
            "removed_member_ids": [],
        }
        self._say("THREAD_MEMBERS_UPDATE", data, thread)

    # guilds

    def guild_joined(self, guild: Guild) -> None:
        self._gateway.announce_guild(guild, joined=True)

    def guild_available(self, guild: Guild) -> None:
        self._gateway.announce_guild(guild, joined=False)

    def guild_changed(self, guild: Guild) -> None:
        self._gateway.dispatch("GUILD_UPDATE", payloads.guild(guild), guild=guild)

    def guild_left(self, guild: Guild) -> None:
        self._gateway.dispatch("GUILD_DELETE", {"id": str(guild.id)}, guild=guild)

    def guild_unavailable(self, guild: Guild) -> None:
        self._gateway.dispatch("GUILD_DELETE", {"id": str(guild.id), "unavailable": True}, guild=guild)

    def member_joined(self, guild: Guild, member: Member) -> None:
        data = payloads.member(member) | {"guild_id": str(guild.id)}
        self._gateway.dispatch("GUILD_MEMBER_ADD", data, guild=guild)

    def member_changed(self, guild: Guild, member: Member) -> None:
        data = payloads.member(member) | {"guild_id": str(guild.id)}
        if member.user is self._bot:  # a bot hears of itself without the members intent
            self._gateway.dispatch_unfiltered("GUILD_MEMBER_UPDATE", data, guild=guild)
        else:
            self._gateway.dispatch("GUILD_MEMBER_UPDATE", data, guild=guild)

    def member_left(self, guild: Guild, user: User) -> None:
        data: Json = {"guild_id": str(guild.id), "user": payloads.user(user)}
        self._gateway.dispatch("GUILD_MEMBER_REMOVE", data, guild=guild)

    def role_changed(self, guild: Guild, role: Role, *, created: bool = False) -> None:
        event = "GUILD_ROLE_CREATE" if created else "GUILD_ROLE_UPDATE"
        data: Json = {"guild_id": str(guild.id), "role": payloads.role(role)}
        self._gateway.dispatch(event, data, guild=guild)


def _place(channel: Channel) -> Json:
    made: Json = {"channel_id": str(channel.id)}
    if channel.guild is not None:
        made["guild_id"] = str(channel.guild.id)
    return made

"""The world's values as the JSON objects that Discord sends.

One function an object. REST and gateway differ in a few fields only; those differences are arguments here.
Source: https://docs.discord.com/developers/resources
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.fake_discord import permissions
from tests.fake_discord.entities import (
    Application,
    Channel,
    ChannelKind,
    Guild,
    Json,
    Member,
    Role,
    User,
    VoiceState,
)
from tests.fake_discord.snowflakes import iso, moment_of
from tests.fake_discord.world import World

if TYPE_CHECKING:
    from tests.fake_discord.commands import Command

_VOICE = frozenset({ChannelKind.VOICE, ChannelKind.STAGE})


def user(one: User) -> Json:
    return {
        "id": str(one.id),
        "username": one.name,
        "avatar": one.avatar,
        "discriminator": "0000" if one.bot else "0",
        "public_flags": 0,
        "flags": 0,
        "bot": one.bot,
        "banner": None,
        "accent_color": None,
        "global_name": one.global_name,
        "avatar_decoration_data": None,
        "primary_guild": None,
    }


def own_user(one: User) -> Json:
    return user(one) | {"mfa_enabled": True, "locale": one.locale, "verified": True, "email": None}


def member(one: Member, *, with_user: bool = True) -> Json:
    made: Json = {
        "avatar": None,
        "banner": None,
        "communication_disabled_until": iso(one.timed_out_until) if one.timed_out_until else None,
        "flags": 0,
        "joined_at": iso(one.joined_at),
        "nick": one.nick,
        "pending": False,
        "premium_since": None,
        "roles": [str(role.id) for role in one.roles],
        "mute": one.mute,
        "deaf": one.deaf,
    }
    if with_user:
        made["user"] = user(one.user)
    return made


def role(one: Role) -> Json:
    made: Json = {
        "id": str(one.id),
        "name": one.name,
        "description": None,
        "permissions": str(int(one.permissions)),
        "position": one.position,
        "color": one.color,
        "colors": {"primary_color": one.color, "secondary_color": None, "tertiary_color": None},
        "hoist": one.hoist,
        "managed": one.managed,
        "mentionable": one.mentionable,
        "icon": None,
        "unicode_emoji": None,
        "flags": 0,
    }
    if one.bot_id is not None:
        made["tags"] = {"bot_id": str(one.bot_id)}
    return made


def _overwrites(one: Channel) -> list[Json]:
    return [
        {
            "id": str(overwrite.target_id),
            "type": 0 if overwrite.of_role else 1,
            "allow": str(int(overwrite.allow)),
            "deny": str(int(overwrite.deny)),
        }
        for overwrite in one.overwrites.values()
    ]


def channel(one: Channel, *, viewer: User, in_guild_create: bool = False) -> Json:
    """A guild channel, thread or DM; a DM shows its viewer the other party."""
    made: Json = {
        "id": str(one.id),
        "type": int(one.kind),
        "last_message_id": optional_id(one.last_message_id),
        "flags": 0,
    }
    if one.last_pin_at is not None:
        made["last_pin_timestamp"] = iso(one.last_pin_at)
    if one.guild is None:
        made["recipients"] = [user(other) for other in one.recipients.values() if other is not viewer]
        return made
    made["name"] = one.name
    made["parent_id"] = optional_id(one.parent.id if one.parent else None)
    if one.kind is not ChannelKind.CATEGORY:
        made["rate_limit_per_user"] = one.slow_mode_s
    if not in_guild_create:
        made["guild_id"] = str(one.guild.id)
    if one.thread is not None:
        return made | _thread_fields(one, viewer)
    made["position"] = one.position
    made["permission_overwrites"] = _overwrites(one)
    made["nsfw"] = one.nsfw
    made["topic"] = one.topic
    if one.kind in _VOICE:
        made |= {"bitrate": one.bitrate, "user_limit": one.user_limit, "rtc_region": None}
    if one.kind is ChannelKind.FORUM:
        made |= {"available_tags": one.available_tags, "default_reaction_emoji": None}
        made |= {"default_sort_order": None, "default_forum_layout": 0}
    return made


def _thread_fields(one: Channel, viewer: User) -> Json:
    thread = one.thread
    assert thread is not None
    made: Json = {
        "owner_id": str(thread.owner.id),
        "message_count": len(one.messages),
        "member_count": min(50, len(thread.members)),
        "total_message_sent": thread.messages_sent,
        "thread_metadata": {
            "archived": thread.archived,
            "archive_timestamp": iso(thread.archived_at),
            "auto_archive_duration": thread.auto_archive_minutes,
            "locked": thread.locked,
            "create_timestamp": iso(moment_of(one.id)),
        },
    }
    if one.kind is ChannelKind.PRIVATE_THREAD:
        made["thread_metadata"]["invitable"] = True
    if one.parent is not None and one.parent.kind is ChannelKind.FORUM:
        made["applied_tags"] = [str(tag) for tag in thread.applied_tags]
    if viewer.id in thread.members:
        made["member"] = thread_member(one, viewer)
    return made


def thread_member(one: Channel, who: User) -> Json:
    assert one.thread is not None
    joined = iso(one.thread.members[who.id])
    return {"id": str(one.id), "user_id": str(who.id), "join_timestamp": joined, "flags": 1}


def guild(one: Guild, application_id: int | None = None) -> Json:
    """The guild as GET /guilds/{id} gives it; GUILD_CREATE adds its lists on top."""
    return {
        "id": str(one.id),
        "name": one.name,
        "icon": None,
        "description": one.description,
        "home_header": None,
        "splash": None,
        "discovery_splash": None,
        "features": [],
        "banner": None,
        "owner_id": str(one.owner.id),
        "application_id": None,
        "region": "deprecated",
        "afk_channel_id": None,
        "afk_timeout": 300,
        "system_channel_id": None,
        "system_channel_flags": 0,
        "widget_enabled": False,
        "widget_channel_id": None,
        "verification_level": 0,
        "roles": [role(each) for each in one.roles.values()],
        "default_message_notifications": 1,
        "mfa_level": 0,
        "explicit_content_filter": 0,
        "max_presences": None,
        "max_members": 500_000,
        "max_stage_video_channel_users": 50,
        "max_video_channel_users": 25,
        "vanity_url_code": None,
        "premium_tier": 0,
        "premium_subscription_count": 0,
        "preferred_locale": one.preferred_locale,
        "rules_channel_id": None,
        "safety_alerts_channel_id": None,
        "public_updates_channel_id": None,
        "premium_progress_bar_enabled": False,
        "nsfw": False,
        "nsfw_level": 0,
        "emojis": one.emojis,
        "stickers": one.stickers,
        "incidents_data": None,
    }


def guild_create(one: Guild, *, viewer: User, all_members: bool) -> Json:
    """`all_members` is what the presence intent brings; without it only the bot and who is in voice."""
    shown = (
        one.members.values()
        if all_members
        else [one.members[key] for key in dict.fromkeys((viewer.id, *one.voice_states)) if key in one.members]
    )
    bits_by_channel = {key: permissions.in_channel(viewer, each) for key, each in one.threads.items()}
    return guild(one) | {
        "joined_at": iso(one.members[viewer.id].joined_at),
        "large": len(one.members) > 250,
        "unavailable": False,
        "member_count": len(one.members),
        "members": [member(each) for each in shown],
        "channels": [channel(each, viewer=viewer, in_guild_create=True) for each in one.channels.values()],
        "threads": [
            channel(each, viewer=viewer)
            for key, each in one.threads.items()
            if bits_by_channel[key] and each.thread is not None and not each.thread.archived
        ],
        "voice_states": [voice_state(each, with_member=False) for each in one.voice_states.values()],
        "presences": [],
        "stage_instances": [],
        "guild_scheduled_events": [],
        "soundboard_sounds": [],
    }


def voice_state(one: VoiceState, *, with_member: bool = True, left: bool = False) -> Json:
    made: Json = {
        "user_id": str(one.user.id),
        "channel_id": None if left else str(one.channel.id),
        "session_id": one.session_id,
        "deaf": one.deaf,
        "mute": one.mute,
        "self_deaf": one.self_deaf,
        "self_mute": one.self_mute,
        "self_video": one.self_video,
        "suppress": one.suppress,
        "request_to_speak_timestamp": None,
    }
    if with_member and one.channel.guild is not None:
        made["guild_id"] = str(one.channel.guild.id)
        made["member"] = member(one.channel.guild.members[one.user.id])
    return made


def application(one: Application, world: World) -> Json:
    return {
        "id": str(one.id),
        "name": one.name,
        "icon": None,
        "description": one.description,
        "type": None,
        "bot": user(world.bot),
        "summary": "",
        "bot_public": True,
        "bot_require_code_grant": False,
        "verify_key": one.verify_key,
        "flags": one.flags,
        "flags_new": str(one.flags),
        "redirect_uris": [],
        "interactions_endpoint_url": None,
        "role_connections_verification_url": None,
        "owner": user(one.owner),
        "approximate_guild_count": len(world.guilds),
        "approximate_user_install_count": 0,
        "approximate_user_authorization_count": 0,
        "event_webhooks_url": None,
        "event_webhooks_status": 1,
        "explicit_content_filter": 0,
        "team": one.team,
        "eligible_oauth2_scopes": [],
        "integration_types_config": {"0": {}},
    }


def command(one: Command) -> Json:
    made: Json = {
        "id": str(one.id),
        "application_id": str(one.application_id),
        "version": str(one.version),
        "type": one.kind,
        "name": one.name,
        "description": one.description,
        "default_member_permissions": one.definition.get("default_member_permissions"),
        "nsfw": bool(one.definition.get("nsfw", False)),
        "name_localizations": one.definition.get("name_localizations"),
        "description_localizations": one.definition.get("description_localizations"),
        "contexts": one.definition.get("contexts"),
        "integration_types": one.definition.get("integration_types") or [0],
        "dm_permission": one.definition.get("dm_permission", True) is not False,
    }
    if made["default_member_permissions"] is not None:
        made["default_member_permissions"] = str(made["default_member_permissions"])
    if options := one.definition.get("options"):
        made["options"] = options
    if one.guild_id is not None:
        made["guild_id"] = str(one.guild_id)
    return made


def optional_id(number: int | None) -> str | None:
    return None if number is None else str(number)


def by_id(ones: list[Any]) -> dict[str, Any]:
    return {str(one["id"]): one for one in ones}

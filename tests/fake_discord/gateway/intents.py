"""Which gateway events a session hears, by its intents, and what the message content intent hides.

Source: https://docs.discord.com/developers/events/gateway#gateway-intents
"""

from __future__ import annotations

from enum import IntFlag

from tests.fake_discord.entities import Application, Json, User


class Intent(IntFlag):
    GUILDS = 1 << 0
    GUILD_MEMBERS = 1 << 1
    GUILD_MODERATION = 1 << 2
    GUILD_EXPRESSIONS = 1 << 3
    GUILD_INTEGRATIONS = 1 << 4
    GUILD_WEBHOOKS = 1 << 5
    GUILD_INVITES = 1 << 6
    GUILD_VOICE_STATES = 1 << 7
    GUILD_PRESENCES = 1 << 8
    GUILD_MESSAGES = 1 << 9
    GUILD_MESSAGE_REACTIONS = 1 << 10
    GUILD_MESSAGE_TYPING = 1 << 11
    DIRECT_MESSAGES = 1 << 12
    DIRECT_MESSAGE_REACTIONS = 1 << 13
    DIRECT_MESSAGE_TYPING = 1 << 14
    MESSAGE_CONTENT = 1 << 15
    GUILD_SCHEDULED_EVENTS = 1 << 16
    AUTO_MODERATION_CONFIGURATION = 1 << 20
    AUTO_MODERATION_EXECUTION = 1 << 21
    GUILD_MESSAGE_POLLS = 1 << 24
    DIRECT_MESSAGE_POLLS = 1 << 25


KNOWN = sum(each.value for each in Intent)

_MESSAGES = ("MESSAGE_CREATE", "MESSAGE_UPDATE", "MESSAGE_DELETE", "MESSAGE_DELETE_BULK")
_REACTIONS = (
    "MESSAGE_REACTION_ADD",
    "MESSAGE_REACTION_REMOVE",
    "MESSAGE_REACTION_REMOVE_ALL",
    "MESSAGE_REACTION_REMOVE_EMOJI",
)
_POLLS = ("MESSAGE_POLL_VOTE_ADD", "MESSAGE_POLL_VOTE_REMOVE")

_IN_GUILD: dict[str, int] = {
    **dict.fromkeys(
        (
            "GUILD_CREATE",
            "GUILD_UPDATE",
            "GUILD_DELETE",
            "GUILD_ROLE_CREATE",
            "GUILD_ROLE_UPDATE",
            "GUILD_ROLE_DELETE",
            "CHANNEL_CREATE",
            "CHANNEL_UPDATE",
            "CHANNEL_DELETE",
            "THREAD_CREATE",
            "THREAD_UPDATE",
            "THREAD_DELETE",
            "THREAD_LIST_SYNC",
            "THREAD_MEMBER_UPDATE",
            "STAGE_INSTANCE_CREATE",
        ),
        int(Intent.GUILDS),
    ),
    "CHANNEL_PINS_UPDATE": int(Intent.GUILDS),
    "GUILD_MEMBER_ADD": int(Intent.GUILD_MEMBERS),
    "GUILD_MEMBER_UPDATE": int(Intent.GUILD_MEMBERS),
    "GUILD_MEMBER_REMOVE": int(Intent.GUILD_MEMBERS),
    "GUILD_EMOJIS_UPDATE": int(Intent.GUILD_EXPRESSIONS),
    "GUILD_STICKERS_UPDATE": int(Intent.GUILD_EXPRESSIONS),
    "VOICE_STATE_UPDATE": int(Intent.GUILD_VOICE_STATES),
    "PRESENCE_UPDATE": int(Intent.GUILD_PRESENCES),
    "TYPING_START": int(Intent.GUILD_MESSAGE_TYPING),
    **dict.fromkeys(_MESSAGES, int(Intent.GUILD_MESSAGES)),
    **dict.fromkeys(_REACTIONS, int(Intent.GUILD_MESSAGE_REACTIONS)),
    **dict.fromkeys(_POLLS, int(Intent.GUILD_MESSAGE_POLLS)),
}
_IN_DM: dict[str, int] = {
    "CHANNEL_PINS_UPDATE": int(Intent.DIRECT_MESSAGES),
    "TYPING_START": int(Intent.DIRECT_MESSAGE_TYPING),
    **dict.fromkeys(_MESSAGES, int(Intent.DIRECT_MESSAGES)),
    **dict.fromkeys(_REACTIONS, int(Intent.DIRECT_MESSAGE_REACTIONS)),
    **dict.fromkeys(_POLLS, int(Intent.DIRECT_MESSAGE_POLLS)),
}


def needed(event: str, *, in_guild: bool) -> int:
    """The intents of which a session must have one; 0 for events that everyone gets."""
    return (_IN_GUILD if in_guild else _IN_DM).get(event, 0)


def disallowed(intents: int, application: Application) -> int:
    """The privileged intents asked for that are switched off in the portal."""
    off = 0
    if not application.message_content_intent:
        off |= Intent.MESSAGE_CONTENT
    if not application.server_members_intent:
        off |= Intent.GUILD_MEMBERS
    if not application.presence_intent:
        off |= Intent.GUILD_PRESENCES
    return intents & off


def may_read_content(message: Json, bot: User) -> bool:
    """Without the intent: only in DMs, of own messages, and where the bot is mentioned."""
    if "guild_id" not in message:
        return True
    own = str(bot.id)
    return message["author"]["id"] == own or any(each["id"] == own for each in message["mentions"])


def without_content(message: Json) -> Json:
    """The message as a bot without the message content intent sees it."""
    hidden: Json = {"content": "", "embeds": [], "attachments": [], "components": []}
    shown = message | hidden
    shown.pop("poll", None)
    shown.pop("message_snapshots", None)
    if referenced := shown.get("referenced_message"):
        shown["referenced_message"] = referenced | hidden
    return shown

"""Whom a text mentions and, by `allowed_mentions`, whom it really pings.

Source: https://docs.discord.com/developers/resources/message#allowed-mentions-object
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from tests.fake_discord import permissions
from tests.fake_discord.entities import Channel, Json, User
from tests.fake_discord.permissions import Permission
from tests.fake_discord.world import World

_USER = re.compile(r"<@!?(\d{1,20})>")
_ROLE = re.compile(r"<@&(\d{1,20})>")
_EVERYONE = re.compile(r"@(everyone|here)\b")
_CODE = re.compile(r"```.*?```|`[^`\n]+`", re.DOTALL)


@dataclass(slots=True, kw_only=True)
class Mentions:
    users: list[User] = field(default_factory=list[User])
    roles: list[int] = field(default_factory=list[int])
    everyone: bool = False
    pinged: set[int] = field(default_factory=set[int])


def resolve(
    world: World,
    channel: Channel,
    author: User,
    text: str,
    *,
    allowed: Json | None,
    replied_to: User | None = None,
) -> Mentions:
    """`allowed` None: everything in the text counts, and the author of the message replied to."""
    text = _CODE.sub("", text)
    made = Mentions()
    parse = ("users", "roles", "everyone") if allowed is None else tuple(allowed.get("parse") or ())
    listed_users = _numbers(allowed, "users")
    listed_roles = _numbers(allowed, "roles")
    for number in _found(_USER, text):
        user = world.users.get(number)
        if user is not None and ("users" in parse or number in listed_users):
            made.users.append(user)
    pings_replied = allowed is None or allowed.get("replied_user")
    if replied_to is not None and pings_replied and replied_to not in made.users:
        made.users.append(replied_to)
    made.pinged.update(user.id for user in made.users)
    guild = channel.guild
    if guild is not None:
        may_all = bool(permissions.in_channel(author, channel) & Permission.MENTION_EVERYONE)
        for number in _found(_ROLE, text):
            role = guild.roles.get(number)
            if role is None or not ("roles" in parse or number in listed_roles):
                continue
            made.roles.append(number)
            if role.mentionable or may_all:
                made.pinged.update(key for key, one in guild.members.items() if role in one.roles)
        if "everyone" in parse and may_all and _EVERYONE.search(text):
            made.everyone = True
            made.pinged.update(guild.members)
    made.pinged.discard(author.id)
    return made


def _found(pattern: re.Pattern[str], text: str) -> list[int]:
    if "<@" not in text:
        return []
    return list(dict.fromkeys(int(number) for number in pattern.findall(text)))


def _numbers(allowed: Json | None, key: str) -> set[int]:
    return set() if allowed is None else {int(one) for one in allowed.get(key) or ()}

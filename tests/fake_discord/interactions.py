"""Interactions: what a human sets off (command, button, select, modal) and how the bot answered.

The handle that a test gets back is the interaction itself: wait for `responded`, look at `original` and
`followups`. Source: https://docs.discord.com/developers/interactions/receiving-and-responding
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any

from tests.fake_discord import message_payloads, payloads, permissions
from tests.fake_discord.entities import Channel, Json, Message, User
from tests.fake_discord.gateway.gateway import Gateway
from tests.fake_discord.recorder import Recorder
from tests.fake_discord.world import World

RESPOND_WITHIN_S = 3.0
TOKEN_LIFETIME_S = 900.0


class InteractionKind(IntEnum):
    COMMAND = 2
    COMPONENT = 3
    AUTOCOMPLETE = 4
    MODAL = 5


class CallbackKind(IntEnum):
    MESSAGE = 4
    DEFERRED = 5
    DEFERRED_UPDATE = 6
    UPDATE = 7
    AUTOCOMPLETE = 8
    MODAL = 9


@dataclass(slots=True, eq=False, kw_only=True)
class Interaction:
    """`callback` is the kind of the bot's first answer, None until it comes."""

    id: int
    token: str
    kind: InteractionKind
    user: User
    channel: Channel
    data: Json
    created_at: float
    message: Message | None = None
    callback: CallbackKind | None = None
    callback_data: Json = field(default_factory=dict[str, Any])
    responded_at: float | None = None
    original: Message | None = None
    """The first answer; for a button with an update, the button's message."""
    followups: list[Message] = field(default_factory=list[Message])
    messages: dict[int, Message] = field(default_factory=dict[int, Message])
    _recorder: Recorder

    async def responded(self, *, within_s: float = 5.0) -> Interaction:
        """Waits for the bot's first answer, which may be a deferral."""
        await self._recorder.until(lambda: self.callback is not None, within_s=within_s)
        return self

    async def shown(
        self, where: Callable[[Message], bool] = lambda message: True, *, within_s: float = 5.0
    ) -> Message:
        """Waits for an answer that is no longer "thinking" and matches; looks at follow-ups too."""

        def look() -> Message | None:
            for message in (self.original, *self.followups):
                if message is not None and not message.flags & 128 and not message.deleted and where(message):
                    return message
            return None

        return await self._recorder.until(look, within_s=within_s)

    @property
    def response_time_s(self) -> float | None:
        """Seconds from the interaction to its first answer (CMD-2)."""
        return None if self.responded_at is None else self.responded_at - self.created_at

    @property
    def choices(self) -> list[Json]:
        """The answer to an autocomplete."""
        return self.callback_data.get("choices", [])


class Interactions:
    """Makes interactions and finds them by their token."""

    def __init__(self, world: World, gateway: Gateway, recorder: Recorder) -> None:
        self._world = world
        self._gateway = gateway
        self._recorder = recorder
        self._by_token: dict[str, Interaction] = {}
        self.respond_within_s = RESPOND_WITHIN_S
        self.token_lifetime_s = TOKEN_LIFETIME_S

    def by_token(self, token: str) -> Interaction | None:
        return self._by_token.get(token)

    def too_late(self, interaction: Interaction) -> bool:
        return self._world.clock() - interaction.created_at > self.respond_within_s

    def expired(self, interaction: Interaction) -> bool:
        return self._world.clock() - interaction.created_at > self.token_lifetime_s

    def start(
        self,
        kind: InteractionKind,
        *,
        user: User,
        channel: Channel,
        data: Json,
        message: Message | None = None,
    ) -> Interaction:
        number = self._world.snowflakes.next()
        made = Interaction(
            id=number,
            token=f"interaction-{number}-{secrets.token_hex(12)}",
            kind=kind,
            user=user,
            channel=channel,
            data=data,
            created_at=self._world.clock(),
            message=message,
            _recorder=self._recorder,
        )
        self._by_token[made.token] = made
        self._gateway.dispatch_unfiltered("INTERACTION_CREATE", self._payload(made), guild=channel.guild)
        return made

    def _payload(self, one: Interaction) -> Json:
        world, channel, guild = self._world, one.channel, one.channel.guild
        bot_bits = permissions.in_channel(world.bot, channel)
        user_bits = permissions.in_channel(one.user, channel)
        made: Json = {
            "id": str(one.id),
            "application_id": str(world.application.id),
            "type": int(one.kind),
            "data": one.data,
            "token": one.token,
            "version": 1,
            "channel_id": str(channel.id),
            "channel": payloads.channel(channel, viewer=world.bot) | {"permissions": str(user_bits)},
            "app_permissions": str(bot_bits),
            "locale": one.user.locale,
            "entitlements": [],
            "entitlement_sku_ids": [],
            "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
            "context": 0 if guild else 1,
            "attachment_size_limit": 10 * 1024 * 1024,
        }
        if guild is None:
            made["user"] = payloads.user(one.user)
        else:
            member = payloads.member(guild.members[one.user.id]) | {"permissions": str(user_bits)}
            made |= {"guild_id": str(guild.id), "guild_locale": guild.preferred_locale, "member": member}
            made["guild"] = {"id": str(guild.id), "features": [], "locale": guild.preferred_locale}
        if one.message is not None:
            made["message"] = message_payloads.message(one.message, viewer=world.bot)
        return made

    def metadata(self, one: Interaction) -> Json:
        """What a message that answers an interaction says about it."""
        guild = one.channel.guild
        made: Json = {
            "id": str(one.id),
            "type": int(one.kind),
            "user": payloads.user(one.user),
            "authorizing_integration_owners": {"0": str(guild.id) if guild else "0"},
        }
        if one.kind is InteractionKind.COMMAND:
            made |= {"name": one.data["name"], "command_type": one.data["type"]}
        elif one.kind is InteractionKind.COMPONENT and one.message is not None:
            made["interacted_message_id"] = str(one.message.id)
        elif one.kind is InteractionKind.MODAL:
            made["triggering_interaction_metadata"] = {
                "id": str(one.id),
                "type": 2,
                "user": payloads.user(one.user),
                "authorizing_integration_owners": made["authorizing_integration_owners"],
            }
        return made

"""Commands, buttons, selects and modals as people use them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tests.fake_discord import message_payloads, payloads
from tests.fake_discord.commands import Commands
from tests.fake_discord.entities import Attachment, Channel, Guild, Json, Message, Role, User
from tests.fake_discord.interactions import CallbackKind, Interaction, InteractionKind, Interactions
from tests.fake_discord.rich_content import walk
from tests.fake_discord.world import World


class HumanInteractions:
    """The part of `Humans` that sets off interactions; each method gives the interaction to follow."""

    def __init__(self, *, world: World, interactions: Interactions, commands: Commands) -> None:
        self._world = world
        self._interactions = interactions
        self._commands = commands

    def run_command(
        self, channel: Channel, user: User, name: str, *, options: dict[str, Any] | None = None
    ) -> Interaction:
        """A slash command by its full name ("session reset"), which the bot must have registered.

        Values are given as they are: text, numbers, bool, a `User`, `Role`, `Channel` or `Attachment`.
        """
        return self._command(InteractionKind.COMMAND, channel, user, name, options or {}, focused=None)

    def autocomplete(
        self, channel: Channel, user: User, name: str, *, focused: str, options: dict[str, Any]
    ) -> Interaction:
        """Types into the option `focused`; the answer is in `choices` of what this returns."""
        return self._command(InteractionKind.AUTOCOMPLETE, channel, user, name, options, focused=focused)

    def run_context_menu(
        self, channel: Channel, user: User, name: str, target: Message | User
    ) -> Interaction:
        kind = 3 if isinstance(target, Message) else 2
        guild = channel.guild
        command = self._commands.find(guild.id if guild else None, name, kind)
        data: Json = {"id": str(command.id), "name": command.name, "type": kind, "target_id": str(target.id)}
        if isinstance(target, Message):
            shown = message_payloads.message(target, viewer=self._world.bot)
            data["resolved"] = {"messages": {str(target.id): shown}}
        else:
            data["resolved"] = _Resolved(guild).with_user(target)
        return self._interactions.start(InteractionKind.COMMAND, user=user, channel=channel, data=data)

    def _command(
        self,
        kind: InteractionKind,
        channel: Channel,
        user: User,
        name: str,
        values: dict[str, Any],
        *,
        focused: str | None,
    ) -> Interaction:
        guild = channel.guild
        first, *path = name.removeprefix("/").split()
        command = self._commands.find(guild.id if guild else None, first)
        resolved = _Resolved(guild)
        known: list[Json] = command.definition.get("options") or []
        groups: list[Json] = []
        for part in path:
            found = next((one for one in known if one["name"] == part and one["type"] in (1, 2)), None)
            if found is None:
                raise LookupError(f"/{name}: no subcommand {part!r}")
            groups.append({"name": part, "type": found["type"]})
            known = found.get("options") or []
        types = {one["name"]: one["type"] for one in known}
        options: list[Json] = []
        for key, value in values.items():
            if key not in types:
                raise LookupError(f"/{name}: no option {key!r}; there are {sorted(types)}")
            options.append({"name": key, "type": types[key], "value": resolved.value(value)})
            if key == focused:
                options[-1]["focused"] = True
        for group in reversed(groups):
            options = [group | {"options": options}]
        data: Json = {"id": str(command.id), "name": command.name, "type": 1, "options": options}
        if command.guild_id is not None:
            data["guild_id"] = str(command.guild_id)
        if resolved.found:
            data["resolved"] = resolved.found
        return self._interactions.start(kind, user=user, channel=channel, data=data)

    def press(self, message: Message, user: User, custom_id: str) -> Interaction:
        """Presses a button of a message; raises LookupError when it is not there or disabled."""
        return self._use_component(message, user, custom_id, values=None)

    def select(self, message: Message, user: User, custom_id: str, values: Sequence[Any]) -> Interaction:
        return self._use_component(message, user, custom_id, values=values)

    def _use_component(
        self, message: Message, user: User, custom_id: str, *, values: Sequence[Any] | None
    ) -> Interaction:
        known = {one["custom_id"]: one for one in walk(message.components) if "custom_id" in one}
        component = known.get(custom_id)
        if component is None or component.get("disabled"):
            raise LookupError(f"no usable component {custom_id!r}; there are {sorted(known)}")
        data: Json = {"custom_id": custom_id, "component_type": component["type"], "id": component["id"]}
        if values is not None:
            resolved = _Resolved(message.channel.guild)
            data["values"] = [str(resolved.value(one)) for one in values]
            if resolved.found:
                data["resolved"] = resolved.found
        return self._interactions.start(
            InteractionKind.COMPONENT, user=user, channel=message.channel, data=data, message=message
        )

    def button(self, message: Message, label: str) -> str:
        """The custom id of the button with this label."""
        for one in walk(message.components):
            if one["type"] == 2 and one.get("label") == label and not one.get("disabled"):
                return one["custom_id"]
        raise LookupError(f"no button {label!r}")

    def submit_modal(self, asked: Interaction, values: dict[str, str | list[str]]) -> Interaction:
        """Fills in the modal with which the bot answered `asked`; `values` by custom id."""
        if asked.callback is not CallbackKind.MODAL:
            raise LookupError("the bot did not answer with a modal")
        data: Json = {
            "custom_id": asked.callback_data["custom_id"],
            "components": [_filled(one, values) for one in asked.callback_data["components"]],
        }
        return self._interactions.start(
            InteractionKind.MODAL, user=asked.user, channel=asked.channel, data=data, message=asked.message
        )


def _filled(component: Json, values: dict[str, str | list[str]]) -> Json:
    made: Json = {"type": component["type"], "id": component.get("id", 0)}
    if "components" in component:
        made["components"] = [_filled(one, values) for one in component["components"]]
    if "component" in component:
        made["component"] = _filled(component["component"], values)
    if "custom_id" in component:
        given = values.get(component["custom_id"], component.get("value", ""))
        made["custom_id"] = component["custom_id"]
        made["values" if isinstance(given, list) else "value"] = given
    return made


class _Resolved:
    """Collects the objects that values of an interaction refer to."""

    def __init__(self, guild: Guild | None) -> None:
        self._guild = guild
        self.found: Json = {}

    def value(self, one: Any) -> Any:
        if isinstance(one, User):
            self.with_user(one)
            return str(one.id)
        if isinstance(one, Role):
            self.found.setdefault("roles", {})[str(one.id)] = payloads.role(one)
            return str(one.id)
        if isinstance(one, Channel):
            shown = payloads.channel(one, viewer=next(iter(one.recipients.values()), _NOBODY))
            self.found.setdefault("channels", {})[str(one.id)] = shown | {"permissions": "0"}
            return str(one.id)
        if isinstance(one, Attachment):
            self.found.setdefault("attachments", {})[str(one.id)] = message_payloads.attachment(one)
            return str(one.id)
        return one

    def with_user(self, user: User) -> Json:
        self.found.setdefault("users", {})[str(user.id)] = payloads.user(user)
        if self._guild is not None and user.id in self._guild.members:
            member = payloads.member(self._guild.members[user.id], with_user=False) | {"permissions": "0"}
            self.found.setdefault("members", {})[str(user.id)] = member
        return self.found


_NOBODY = User(id=0, name="nobody")

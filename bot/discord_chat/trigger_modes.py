"""Which trigger mode a channel has: its own, its parent's for a thread, its server's (SCENE-4)."""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from bot.discord_chat.trigger_rules import TriggerMode
from bot.scene_choices import Chosen, channel_scope, server_scope
from sessions.bindings import ChannelBinding
from sessions.channel_settings import ChannelScope, ChannelSettings, SettingScope

TRIGGER_MODE: Final = "trigger_mode"
"""The key of the choice among a room's settings."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeChoice:
    """What holds in a channel, and where it was chosen."""

    mode: TriggerMode
    chosen: Chosen


class TriggerModes:
    """Reads and changes the choices; `default` holds where none was made."""

    def __init__(self, settings: ChannelSettings, *, default: TriggerMode) -> None:
        self._settings = settings
        self._default = default

    async def choice(self, binding: ChannelBinding, *, parent_id: int | None = None) -> ModeChoice:
        """The mode of a channel; a stored word that is none is passed over."""
        scopes: list[tuple[SettingScope, Chosen]] = [(channel_scope(binding), Chosen.HERE)]
        if parent_id is not None:
            scopes.append((ChannelScope(channel_id=str(parent_id)), Chosen.PARENT))
        if (server := server_scope(binding)) is not None:
            scopes.append((server, Chosen.SERVER))
        for scope, chosen in scopes:
            stored = (await self._settings.read(scope)).get(TRIGGER_MODE)
            with suppress(ValueError):
                if stored is not None:
                    return ModeChoice(mode=TriggerMode(stored), chosen=chosen)
        return ModeChoice(mode=self._default, chosen=Chosen.DEFAULT)

    async def choose(self, scope: SettingScope, mode: TriggerMode | None) -> None:
        """Take this mode from the next message on; None takes the choice away."""
        await self._settings.change(scope, TRIGGER_MODE, None if mode is None else mode.value)

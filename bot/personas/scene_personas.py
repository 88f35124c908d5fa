"""Which persona a scene has: its own, else its server's, else the default (CORE-44)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from bot.personas.persona_folder import DEFAULT_KEY, PersonaFolder
from core.clock import Clock
from core.prompts.identity import Persona
from sessions.bindings import Binding, ChannelBinding, read_binding
from sessions.channel_settings import ChannelScope, ChannelSettings, GuildScope, SettingScope
from sessions.scene import Sessions

PERSONA: Final = "persona"
"""The key of the choice among a room's settings."""


class Chosen(StrEnum):
    """Where a choice stands, in words for people."""

    HERE = "chosen for this channel"
    SERVER = "chosen for this server"
    DEFAULT = "the default"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaChoice:
    """What holds in a scene."""

    key: str
    persona: Persona
    chosen: Chosen


class ScenePersonas:
    """Reads and changes the choices. A choice whose file is gone or was never good is passed over."""

    def __init__(
        self, *, folder: PersonaFolder, settings: ChannelSettings, sessions: Sessions, clock: Clock
    ) -> None:
        self.folder = folder
        self._settings = settings
        self._sessions = sessions
        self._clock = clock

    async def of(self, session_id: str) -> Persona:
        """The persona of a session's next run (CORE-22, SET-8)."""
        session = await self._sessions.open(read_binding(session_id), self._clock.now())
        return (await self.choice(session.binding)).persona

    async def choice(self, binding: Binding) -> PersonaChoice:
        """The persona that holds there, and why."""
        for scope, chosen in scopes(binding):
            key = (await self._settings.read(scope)).get(PERSONA)
            persona = None if key is None else await self.folder.persona(key)
            if key is not None and persona is not None:
                return PersonaChoice(key=key, persona=persona, chosen=chosen)
        return PersonaChoice(key=DEFAULT_KEY, persona=await self.folder.default(), chosen=Chosen.DEFAULT)

    async def choose(self, scope: SettingScope, key: str | None) -> None:
        """Take this persona from the next run on; None takes the choice away."""
        await self._settings.change(scope, PERSONA, key)


def channel_scope(binding: Binding) -> ChannelScope:
    """The scope of a scene's own settings."""
    if isinstance(binding, ChannelBinding):
        return ChannelScope(channel_id=str(binding.channel_id))
    return ChannelScope(channel_id=binding.session_id)


def scopes(binding: Binding) -> tuple[tuple[SettingScope, Chosen], ...]:
    """Where a scene's settings stand, the nearest first."""
    own = (channel_scope(binding), Chosen.HERE)
    if not isinstance(binding, ChannelBinding) or binding.guild_id is None:
        return (own,)
    return (own, (GuildScope(guild_id=str(binding.guild_id)), Chosen.SERVER))

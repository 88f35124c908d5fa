"""Which persona a scene has: its own, else its server's, else the default (CORE-44)."""

from dataclasses import dataclass
from typing import Final

from bot.personas.persona_folder import DEFAULT_KEY, PersonaFolder
from bot.scene_choices import Chosen, choices
from core.clock import Clock
from core.prompts.identity import Persona
from sessions.bindings import Binding, read_binding
from sessions.channel_settings import ChannelSettings, SettingScope
from sessions.scene import Sessions

PERSONA: Final = "persona"
"""The key of the choice among a room's settings."""


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

    async def key_of(self, session_id: str) -> str:
        """The key of that persona."""
        session = await self._sessions.open(read_binding(session_id), self._clock.now())
        return (await self.choice(session.binding)).key

    async def choice(self, binding: Binding) -> PersonaChoice:
        """The persona that holds there, and why."""
        for choice in await choices(self._settings, binding, PERSONA):
            persona = await self.folder.persona(choice.value)
            if persona is not None:
                return PersonaChoice(key=choice.value, persona=persona, chosen=choice.chosen)
        return PersonaChoice(key=DEFAULT_KEY, persona=await self.folder.default(), chosen=Chosen.DEFAULT)

    async def choose(self, scope: SettingScope, key: str | None) -> None:
        """Take this persona from the next run on; None takes the choice away."""
        await self._settings.change(scope, PERSONA, key)

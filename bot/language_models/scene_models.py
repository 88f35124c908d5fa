"""Which of the endpoint's models answers in a scene: its own choice, else its server's, else the default.

The endpoint itself, its key and the size of the window (`MODEL_CONTEXT_TOKENS`) are those of the deployment.
"""

from typing import Final

from bot.language_models.resolution import ResolvedModel, models_at
from bot.scene_choices import Choice, Chosen, choices
from core.clock import Clock
from sessions.bindings import Binding, read_binding
from sessions.channel_settings import ChannelSettings, SettingScope
from sessions.scene import Sessions

MODEL: Final = "model"
"""The key of the choice among a room's settings."""


class SceneModels:
    """Reads and changes the choices; the embedded model is the only one where it answers."""

    def __init__(
        self, *, deployed: ResolvedModel, settings: ChannelSettings, sessions: Sessions, clock: Clock
    ) -> None:
        self._deployed = deployed
        self._settings = settings
        self._sessions = sessions
        self._clock = clock

    @property
    def is_fixed(self) -> bool:
        """Whether there is nothing to choose from."""
        return self._deployed.origin == "embedded"

    async def of(self, session_id: str) -> str:
        """The model of a session's next run (SET-8)."""
        session = await self._sessions.open(read_binding(session_id), self._clock.now())
        return (await self.choice(session.binding)).value

    async def choice(self, binding: Binding) -> Choice:
        """The model that holds there, and why."""
        made = () if self.is_fixed else await choices(self._settings, binding, MODEL)
        return made[0] if made else Choice(value=self._deployed.model, chosen=Chosen.DEFAULT)

    async def choose(self, scope: SettingScope, name: str | None) -> None:
        """Take this model from the next run on; None takes the choice away."""
        await self._settings.change(scope, MODEL, name)

    async def listed(self) -> list[str]:
        """What the endpoint lists, asked anew.

        Raises:
            ModelUnavailable: it lists nothing now.
        """
        return await models_at(self._deployed.base_url, self._deployed.api_key)

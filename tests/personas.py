"""A persona for tests that are about something else."""

from core.prompts.identity import DEFAULT_PERSONA, Persona


class OnePersona:
    """The same persona in every scene."""

    async def of(self, session_id: str) -> Persona:
        return DEFAULT_PERSONA

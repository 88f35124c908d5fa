"""The one place that assembles a system prompt (CORE-22).

The order is fixed and the stable part comes first, so that a provider's prefix cache survives a changed
memory, a new face in the room or another supplement. The time of day never stands in it.
"""

from dataclasses import dataclass, field
from typing import Final

from core.markers.stickers import StickerCatalog
from core.prompts.identity import DEFAULT_PERSONA, FORMAT_RULES, SMALL_IDENTITY, Persona
from core.prompts.plain_line import plain_line
from core.prompts.profiles import FULL_PROFILE, PromptProfile
from core.prompts.scene import SceneFacts, compose_scene
from core.prompts.stickers import compose_stickers

_NAME_LENGTH: Final = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemPromptParts:
    """What a run's prompt is made of; empty parts leave no trace.

    Attributes:
        memory: the memory rules and index; empty when memory is off.
        recipe_space: the recipe of a task session; empty everywhere else.
        supplement: what the host added to this send (CORE-19).
        stickers: the catalog of this send (CORE-29).
    """

    persona: Persona = DEFAULT_PERSONA
    memory: str = ""
    recipe_space: str = ""
    scene: SceneFacts | None = None
    supplement: str = ""
    stickers: StickerCatalog = field(default_factory=StickerCatalog)
    profile: PromptProfile = FULL_PROFILE


def compose_system_prompt(parts: SystemPromptParts) -> str:
    """Format rules and persona, memory, recipe space, scene facts, supplement, stickers: in this order."""
    profile = parts.profile
    sections = [
        *(_identity(parts.persona) if profile.full_identity else (_small_identity(parts.persona),)),
        parts.memory if profile.memory_index else "",
        parts.recipe_space,
        compose_scene(parts.scene) if profile.full_identity and parts.scene is not None else "",
        parts.supplement,
        compose_stickers(parts.stickers) if profile.stickers else "",
    ]
    return "\n\n".join(section.strip() for section in sections if section.strip())


def _identity(persona: Persona) -> tuple[str, str]:
    return FORMAT_RULES, persona.text


def _small_identity(persona: Persona) -> str:
    return SMALL_IDENTITY.format(name=plain_line(persona.name, limit=_NAME_LENGTH))

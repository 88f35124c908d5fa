"""The seam between runs and the domains beside them: recipes, memory, and what may come (MEM-9).

    a message comes   -> skills: what its words invoke, stored with its turn
    a run starts      -> of_run: tools, memory of the prompt, forced calls, for this scene and these speakers

A domain is handed a `RunScene` and gives `RunAdditions`; it knows nothing of Discord, and the planner nothing
of it. Who writes into one run together has, for all that a run may use, the standing of the least of them.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

from core.conversation.turns import InvokedSkill, Speaker, UserTurn
from core.tools.tool import AnyTool
from recipes.run_scene import ForcedTool, Place, RunAdditions, RunScene, Standing

_LEAST_FIRST: Final = (Standing.MEMBER, Standing.MANAGER, Standing.OWNER)


class SceneAccess(Protocol):
    """Knows the places of scenes, and who somebody is there."""

    async def place(self, session_id: str) -> Place:
        """What is known of the scene's place; what is not known counts as private."""
        ...

    async def standing(self, place: Place, user_id: str) -> Standing:
        """Who somebody is there; a member where nothing else is known."""
        ...


class PersonaKeys(Protocol):
    """Knows which persona a scene has, by its key."""

    async def key_of(self, session_id: str) -> str:
        """The key of the persona that holds there now."""
        ...


class SkillDomain(Protocol):
    """Turns words of a message into skills."""

    async def skills(self, scene: RunScene, text: str) -> tuple[InvokedSkill, ...]:
        """What the speaker's own words invoke."""
        ...


class AllowedTools(Protocol):
    """Knows which tools may be used."""

    async def of(
        self, tools: tuple[AnyTool, ...], place: Place, people: Iterable[str]
    ) -> tuple[AnyTool, ...]:
        """Those of `tools` that a reply to these people may use there."""
        ...


class RunDomain(Protocol):
    """Adds to runs."""

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        """What it adds to a run that answers `turns`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RunExtras:
    """All domains of the process.

    `skills_of` None: no words invoke anything. `allowed` None: all tools may be used.
    """

    access: SceneAccess
    personas: PersonaKeys
    skills_of: SkillDomain | None = None
    domains: tuple[RunDomain, ...] = ()
    allowed: AllowedTools | None = None

    async def skills(self, session_id: str, speaker: Speaker, text: str) -> tuple[InvokedSkill, ...]:
        """What a message's own words invoke; asked once, before its turn is stored."""
        if self.skills_of is None or not text.strip():
            return ()
        return await self.skills_of.skills(await self.scene(session_id, (speaker,)), text)

    async def of_run(self, session_id: str, turns: Sequence[UserTurn]) -> RunAdditions:
        """What all domains add to a run that answers `turns`."""
        if not self.domains:
            return RunAdditions()
        speakers = tuple(turn.speaker for turn in turns if turn.speaker is not None)
        scene = await self.scene(session_id, speakers)
        added = _together([await domain.additions(scene, turns) for domain in self.domains])
        if self.allowed is None:
            return added
        people = {speaker.id for speaker in speakers}
        return replace(added, tools=await self.allowed.of(added.tools, scene.place, people))

    async def scene(self, session_id: str, speakers: Sequence[Speaker]) -> RunScene:
        """The scene as domains see it; the last one who spoke is its speaker."""
        place = await self.access.place(session_id)
        if place.guild_id is None and place.channel_id is not None and place.direct_with is None and speakers:
            place = replace(place, direct_with=speakers[-1].id)
        standings = [await self.access.standing(place, one) for one in {speaker.id for speaker in speakers}]
        return RunScene(
            place=place,
            persona=await self.personas.key_of(session_id),
            speaker=speakers[-1] if speakers else None,
            standing=min(standings, key=_LEAST_FIRST.index, default=Standing.MEMBER),
        )


def _together(additions: Sequence[RunAdditions]) -> RunAdditions:
    """One after another: tools and prompts in the order of the domains, forced calls until none is left."""

    def next_forced() -> ForcedTool | None:
        return next((forced for one in additions if (forced := one.next_forced()) is not None), None)

    def remembered(names: frozenset[str]) -> str:
        return "\n\n".join(text for one in additions if (text := one.memory_prompt(names)))

    async def begin() -> None:
        for one in additions:
            await one.begins()

    return RunAdditions(
        tools=tuple(tool for one in additions for tool in one.tools),
        memory_prompt=remembered,
        next_forced=next_forced,
        begins=begin,
        small_print=lambda: tuple(line for one in additions for line in one.small_print()),
    )

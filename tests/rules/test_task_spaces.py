"""What the space of a background recipe is made of: as much as its model can take (REC-8, CORE-46)."""

from collections.abc import Sequence

import pytest

from bot.run_extras import RunExtras
from bot.task_spaces import SceneTaskSpaces
from core.conversation.continuation import ProtocolName
from core.conversation.turns import UserTurn
from core.generation.requests import ModelEndpoint
from core.prompts.profiles import FULL_PROFILE, SMALL_PROFILE, PromptProfile
from recipes.run_scene import Place, RunAdditions, RunScene, Standing
from recipes.tasks.background import TaskSpace
from recipes.tasks.recipe_snapshot import snapshot_of
from tests.generation_setup import counting_tool
from tests.orchestration import StillClock
from tests.personas import OnePersona
from tests.recipe_values import recipe
from tests.task_setup import GENERAL, request, task


class Scene:
    """Place, standing, persona and model of every scene."""

    async def place(self, session_id: str) -> Place:
        return GENERAL

    async def standing(self, place: Place, user_id: str) -> Standing:
        return Standing.OWNER

    async def key_of(self, session_id: str) -> str:
        return "default"

    async def of(self, session_id: str) -> str:
        return "some-model"


class Counting:
    """A domain with a tool, which its part of the prompt names."""

    async def additions(self, scene: RunScene, turns: Sequence[UserTurn]) -> RunAdditions:
        tool, _ = counting_tool()
        return RunAdditions(tools=(tool,), memory_prompt=lambda tools: f"You have {sorted(tools)}.")


async def space(profile: PromptProfile) -> TaskSpace:
    spaces = SceneTaskSpaces(
        endpoint=ModelEndpoint(protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model=""),
        profile=profile,
        personas=OnePersona(),
        models=Scene(),
        extras=RunExtras(access=Scene(), personas=Scene(), domains=(Counting(),)),
        max_tokens=None,
        clock=StillClock(),
    )
    dig = recipe(name="dig", steps="1. Dig deep.", background=True)
    return await spaces.of(task(request=request(recipe_form=snapshot_of(dig))))


@pytest.mark.parametrize("profile", [FULL_PROFILE, SMALL_PROFILE], ids=["full", "small"])
async def test_a_background_recipe_gets_what_its_model_can_take(profile: PromptProfile) -> None:
    """REC-8, CORE-46: the recipe is told in any case; a small model gets no tool and hears of none."""
    made = await space(profile)
    is_full = profile is FULL_PROFILE
    assert "1. Dig deep." in made.system_prompt
    assert ("You have ['count']." in made.system_prompt) == is_full
    assert [tool.name for tool in made.tools] == (["count"] if is_full else [])
    assert made.max_tokens == profile.max_reply_tokens
    assert made.time_prefix == is_full
    assert is_full or len(made.system_prompt) < 1_200

"""The space in which a background recipe runs: the scene's persona and memory, the recipe, tools (REC-8).

Who the requester is there, and so what they may use, is looked up when the task begins or goes on. The tools
are those of the domains that a conversation has beside recipes and tasks: a task starts and proposes nothing.
"""

from dataclasses import replace

from bot.run_extras import RunExtras
from bot.run_planner import Models, Personas, tighter
from core.clock import Clock
from core.conversation.content import Text
from core.conversation.turns import UserTurn
from core.generation.requests import ModelEndpoint
from core.prompts.profiles import PromptProfile
from core.prompts.system_prompt import SystemPromptParts, compose_system_prompt
from recipes.prompts import compose_recipe_space_prompt
from recipes.tasks.background import TaskSpace
from recipes.tasks.recipe_snapshot import recipe_from
from recipes.tasks.task import Task


class SceneTaskSpaces:
    """`TaskSpaces`. `extras`: the domains whose tools a task may use."""

    def __init__(
        self,
        *,
        endpoint: ModelEndpoint,
        profile: PromptProfile,
        personas: Personas,
        models: Models,
        extras: RunExtras,
        max_tokens: int | None,
        clock: Clock,
    ) -> None:
        self._endpoint = endpoint
        self._profile = profile
        self._personas = personas
        self._models = models
        self._extras = extras
        self._max_tokens = max_tokens
        self._clock = clock

    async def of(self, task: Task) -> TaskSpace:
        """See `TaskSpaces`."""
        request = task.request
        session_id = request.place.session_id
        asked = UserTurn(
            id=f"{task.id}:asked",
            at=task.created_at,
            content=(Text(text=request.message),),
            speaker=request.requester,
        )
        added = await self._extras.of_run(session_id, (asked,))
        endpoint = replace(self._endpoint, model=await self._models.of(session_id))
        tools = added.tools if endpoint.able_to.tools and self._profile.tools else ()
        recipe = recipe_from(request.recipe_form, now=self._clock.now())
        prompt = SystemPromptParts(
            persona=await self._personas.of(session_id),
            memory=added.memory_prompt(frozenset(tool.name for tool in tools)),
            recipe_space=compose_recipe_space_prompt(recipe),
            profile=self._profile,
        )
        return TaskSpace(
            endpoint=endpoint,
            system_prompt=compose_system_prompt(prompt),
            tools=tools,
            max_tokens=tighter(self._profile.max_reply_tokens, self._max_tokens),
            time_prefix=self._profile.time_prefix,
        )

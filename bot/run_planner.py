"""What a run is generated from: identity, facts of the room, model; read when it starts (CORE-22)."""

from typing import Protocol

from core.conversation.turns import Conversation, Speaker, UserTurn
from core.generation.requests import GenerationInput, ModelEndpoint, Sampling, Step, one_endpoint
from core.orchestration.run_ports import RunPlan
from core.orchestration.sends import Send
from core.prompts.identity import Persona
from core.prompts.profiles import SMALL_PROFILE, PromptProfile
from core.prompts.scene import SceneFacts
from core.prompts.system_prompt import SystemPromptParts, compose_system_prompt

_STEADY = Sampling(temperature=0.2, top_p=0.9)  # a small model wanders off at its default


class SceneDirectory(Protocol):
    """Knows the places of scenes."""

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        """Server, channel and people of a scene; None where there is nothing to tell."""
        ...


class ScenePlanner:
    """The `RunPlanner` of the orchestrator: one model, one persona."""

    def __init__(
        self,
        *,
        endpoint: ModelEndpoint,
        profile: PromptProfile,
        persona: Persona,
        directory: SceneDirectory,
        max_tokens: int | None,
    ) -> None:
        self._endpoint = endpoint
        self._profile = profile
        self._persona = persona
        self._directory = directory
        self._max_tokens = max_tokens

    async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
        """Compose the request of this run."""
        step = Step(
            endpoint=self._endpoint,
            system_prompt=self.system_prompt(send, conversation),
            max_tokens=self._profile.max_reply_tokens,
            sampling=_STEADY if self._profile is SMALL_PROFILE else Sampling(),
            time_prefix=self._profile.time_prefix,
        )
        request = GenerationInput(
            conversation=conversation,
            run_id=run_id,
            resolve_step=one_endpoint(step),
            max_tokens=send.options.max_tokens or self._max_tokens,
        )
        return RunPlan(
            request=request, own_names=(self._persona.name,), cut_repeats=self._profile.cut_repeats
        )

    def system_prompt(self, send: Send, conversation: Conversation) -> str:
        """The instructions of this run, the stable part first."""
        return compose_system_prompt(
            SystemPromptParts(
                persona=self._persona,
                scene=self._directory.facts(send.session_id, _participants(conversation)),
                supplement=send.options.supplement,
                stickers=send.options.stickers,
                profile=self._profile,
            )
        )


def _participants(conversation: Conversation) -> tuple[Speaker, ...]:
    """The people who spoke in the window, each once, by their latest name."""
    speakers = {
        turn.speaker.id: turn.speaker
        for turn in conversation.turns
        if isinstance(turn, UserTurn) and turn.speaker is not None
    }
    return tuple(speakers.values())

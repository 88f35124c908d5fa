"""What a run is generated from: identity, facts of the room, model; read when it starts (CORE-22)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Protocol

from bot.token_estimates import ModelTokens
from core.context.compaction import compaction_due
from core.context.history_window import HistoryWindow, choose_window, history_budget
from core.context.registry import ContextRegistry, context_turns
from core.context.token_estimates import raw_conversation_tokens, raw_tokens, raw_tool_tokens
from core.context.turn_measures import TurnMeasures
from core.conversation.turns import AssistantTurn, Conversation, Speaker, SystemTurn, Turn, UserTurn
from core.generation.preparation import prepare_for_model, prepare_for_small_model
from core.generation.requests import GenerationInput, ModelEndpoint, ResolveStep, Sampling, Step
from core.orchestration.run_ports import RunPlan
from core.orchestration.sends import Send, SendOptions
from core.prompts.identity import Persona
from core.prompts.profiles import SMALL_PROFILE, PromptProfile
from core.prompts.scene import SceneFacts
from core.prompts.stickers import compose_stickers
from core.prompts.system_prompt import SystemPromptParts, compose_system_prompt
from core.prompts.user_messages import speaker_label
from core.tools.tool import AnyTool
from recipes.run_scene import RunAdditions

_REPLY_TOKENS = 2_000  # kept free for the answer where no cap says how long it may be
_STEADY = Sampling(temperature=0.2, top_p=0.9)  # a small model wanders off at its default


class SceneDirectory(Protocol):
    """Knows the places of scenes."""

    def facts(self, session_id: str, participants: tuple[Speaker, ...]) -> SceneFacts | None:
        """Server, channel and people of a scene; None where there is nothing to tell."""
        ...


class Overheard(Protocol):
    """Knows what was said in a scene's room beside the conversation."""

    def turns(self, conversation: Conversation, said_now: tuple[UserTurn, ...]) -> tuple[SystemTurn, ...]:
        """Context with what was said before `said_now` and is no turn; none where nothing was."""
        ...


class Personas(Protocol):
    """Knows who the bot is in a scene."""

    async def of(self, session_id: str) -> Persona:
        """The persona as it is now: a change acts on the next run (CORE-44, SET-8)."""
        ...


class Models(Protocol):
    """Knows which of the endpoint's models answers in a scene."""

    async def of(self, session_id: str) -> str:
        """The model's name as it is now: a change acts on the next run (SET-8)."""
        ...


class Extras(Protocol):
    """Knows what recipes, memory and other domains add to a run."""

    async def of_run(self, session_id: str, turns: Sequence[UserTurn]) -> RunAdditions:
        """Tools, memory and forced calls of a run that answers `turns`."""
        ...


class CompactionRequests(Protocol):
    """Takes note that a session's window fills up."""

    def ask(
        self, session_id: str, *, generation: int, budget_tokens: int, endpoint: ModelEndpoint
    ) -> None: ...


class ScenePlanner:
    """The `RunPlanner` of the orchestrator: one endpoint; persona and model of each scene.

    `models` None: the endpoint's own model answers everywhere.

    `context_tokens` is the model's window. `compaction` None: the window only slides, as for a small model.
    """

    def __init__(
        self,
        *,
        endpoint: ModelEndpoint,
        profile: PromptProfile,
        personas: Personas,
        models: Models | None = None,
        directory: SceneDirectory,
        tokens: ModelTokens,
        context: ContextRegistry,
        overheard: Overheard | None,
        context_tokens: int,
        max_tokens: int | None,
        compaction: CompactionRequests | None,
        extras: Extras | None = None,
    ) -> None:
        self._endpoint = endpoint
        self._profile = profile
        self._personas = personas
        self._models = models
        self._directory = directory
        self._tokens = tokens
        self._measures = TurnMeasures()
        self._context = context
        self._overheard = overheard
        self._context_tokens = context_tokens
        self._max_tokens = max_tokens
        self._compaction = compaction
        self._extras = extras

    async def plan(self, send: Send, conversation: Conversation, run_id: str) -> RunPlan:
        """Compose the request of this run."""
        persona = await self._personas.of(send.session_id)
        added = await self._added(send)
        endpoint = await self._endpoint_of(send.session_id)
        tools = (*send.options.tools, *added.tools) if endpoint.able_to.tools else ()
        memory = added.memory_prompt(frozenset(tool.name for tool in tools))
        system_prompt = self._system_prompt(send, conversation, persona, memory)
        fixed = raw_tokens(system_prompt) + sum(map(raw_tool_tokens, tools))
        window = self._window(send, conversation, fixed, endpoint)
        cap = send.options.max_tokens or self._max_tokens
        is_small = self._profile is SMALL_PROFILE
        step = Step(
            endpoint=endpoint,
            system_prompt=system_prompt,
            max_tokens=tighter(self._profile.max_reply_tokens, cap),
            tools=tools,
            sampling=_STEADY if is_small else Sampling(),
            time_prefix=self._profile.time_prefix,
        )
        context = self._context_of(send, conversation)
        turns = _before_what_was_said(send, context, window.turns)
        request = GenerationInput(
            conversation=replace(conversation, turns=turns),
            run_id=run_id,
            resolve_step=_supplemented(send.options) or _with_forced(step, added),
            prepare_conversation=prepare_for_small_model if is_small else prepare_for_model,
            max_tokens=cap,
        )
        raw = fixed + raw_conversation_tokens(context) + window.raw_tokens
        return RunPlan(
            request=request,
            basis=(turns, replace(step, tools=()), _offered(tools), cap),
            own_names=(persona.name, *(map(speaker_label, _participants(conversation)) if is_small else ())),
            cut_repeats=self._profile.cut_repeats,
            begins=added.begins,
            on_turn=lambda turn: self._learn(turn, raw=raw, model=endpoint.model),
            work=added.small_print,
        )

    async def _added(self, send: Send) -> RunAdditions:
        if self._extras is None:
            return RunAdditions()
        return await self._extras.of_run(send.session_id, send.turns)

    def _context_of(self, send: Send, conversation: Conversation) -> tuple[SystemTurn, ...]:
        told = context_turns(self._context.snapshot_for(send.session_id))
        if self._overheard is None or not self._profile.full_identity:
            return told
        return (*told, *self._overheard.turns(conversation, send.turns))

    async def _endpoint_of(self, session_id: str) -> ModelEndpoint:
        endpoint = self._endpoint
        if self._models is not None:
            endpoint = replace(endpoint, model=await self._models.of(session_id))
        if self._profile.tools:
            return endpoint
        # Whatever the model could do: it is offered none, and results of earlier ones are told as data.
        return replace(endpoint, capabilities=replace(endpoint.able_to, tools=False))

    def _window(
        self, send: Send, conversation: Conversation, fixed: int, endpoint: ModelEndpoint
    ) -> HistoryWindow:
        """The turns that fit beside `fixed` raw tokens, and a note to the compaction when they fill it."""
        estimate = self._tokens.of(endpoint.model)
        first = conversation.turns[0] if conversation.turns else None
        summary = first if isinstance(first, SystemTurn) else None
        budget_tokens = history_budget(
            context_window=self._context_tokens,
            reply_tokens=self._profile.max_reply_tokens or self._max_tokens or _REPLY_TOKENS,
            fixed_tokens=estimate.scaled(fixed),
        )
        window = choose_window(
            reversed(conversation.turns[1:] if summary is not None else conversation.turns),
            budget_tokens=budget_tokens,
            estimate=estimate,
            scope=endpoint.scope(conversation.id),
            summary=summary,
            measures=self._measures,
        )
        if self._compaction is not None and compaction_due(window, budget_tokens=budget_tokens):
            self._compaction.ask(
                send.session_id,
                generation=send.generation,
                budget_tokens=budget_tokens,
                endpoint=endpoint,
            )
        return window

    def _learn(self, turn: AssistantTurn, *, raw: int, model: str) -> None:
        """Correct the estimate by what the provider counted for the first request of the turn."""
        usage = turn.rounds[0].usage if turn.rounds else None
        if usage is not None and not usage.estimated:
            self._tokens.observed(model, raw=raw, tokens=usage.input_tokens)

    def _system_prompt(self, send: Send, conversation: Conversation, persona: Persona, memory: str) -> str:
        """The instructions of this run, the stable part first."""
        return compose_system_prompt(
            SystemPromptParts(
                persona=persona,
                memory=memory,
                scene=self._directory.facts(send.session_id, _participants(conversation)),
                supplement=send.options.supplement,
                stickers=send.options.stickers,
                profile=self._profile,
            )
        )


def _before_what_was_said(
    send: Send, context: tuple[SystemTurn, ...], turns: tuple[Turn, ...]
) -> tuple[Turn, ...]:
    """Context of modules stands before what was said now, so that all before it stays cached."""
    said = len(send.turns)
    return (*turns[:-said], *context, *turns[-said:]) if context else turns


def _offered(tools: tuple[AnyTool, ...]) -> tuple[object, ...]:
    """The tools as a model sees them; their handlers are made anew for each run."""
    return tuple((tool.name, tool.description, tool.arguments) for tool in tools)


def tighter(profile_cap: int | None, cap: int | None) -> int | None:
    """A profile never widens what is set: its cap goes before the caller's (CORE-12)."""
    return profile_cap if cap is None or profile_cap is None else min(profile_cap, cap)


def _with_forced(step: Step, added: RunAdditions) -> ResolveStep:
    """The same step for every request, but for those that must call a tool (REC-4)."""

    async def resolve(_number: int) -> Step:
        forced = added.next_forced()
        if forced is None:
            return step
        return replace(step, tools=(*step.tools, forced.tool), forced_call=forced.call)

    return resolve


def _supplemented(options: SendOptions) -> ResolveStep | None:
    """The send's own resolution, with its supplement behind every prompt (CORE-19)."""
    resolve = options.resolve_step
    if resolve is None:
        return None

    async def resolved(number: int) -> Step:
        step = await resolve(number)
        parts = (step.system_prompt, compose_stickers(options.stickers), options.supplement)
        return replace(step, system_prompt="\n\n".join(part for part in parts if part))

    return resolved


def _participants(conversation: Conversation) -> tuple[Speaker, ...]:
    """The people who spoke in the window, each once, by their latest name."""
    speakers = {
        turn.speaker.id: turn.speaker
        for turn in conversation.turns
        if isinstance(turn, UserTurn) and turn.speaker is not None
    }
    return tuple(speakers.values())

"""What every front stands on, made from settings: storage, model, personas, domains and the orchestrator.

Each `running_*` part is a context that owns what it opened, so that the end of the process unwinds in order.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from urllib.parse import urlsplit

import structlog

from bot.data_folder import process_slot
from bot.domains.domain import DomainRuntime
from bot.domains.opened import Domains, domain_histories, opened_domains
from bot.domains.tasks import StepsPlace
from bot.language_models.embedded_model import CONTEXT_TOKENS
from bot.language_models.resolution import ResolvedModel, resolved_model
from bot.language_models.scene_models import SceneModels
from bot.personas.persona_folder import PersonaFolder
from bot.personas.scene_personas import ScenePersonas
from bot.run_extras import RunExtras
from bot.run_planner import Overheard, SceneDirectory, ScenePlanner
from bot.scene_compaction import SceneCompaction
from bot.scene_journal import SceneJournal
from bot.settings import GenerationSettings, Settings
from bot.token_estimates import ModelTokens
from bot.tokens_beside import CountedGeneration
from bot.usage_meter import Prices, UsageMeter
from core.clock import SystemClock
from core.context.registry import ContextRegistry
from core.conversation.continuation import ProtocolName
from core.generation.media import FolderMedia
from core.generation.protocols.chat import ChatModels
from core.generation.protocols.connections import ProviderConnections
from core.generation.protocols.responses import ResponsesModels
from core.generation.requests import ModelEndpoint
from core.generation.streaming import Generator
from core.generation.timeout_rules import GenerationTimeouts
from core.identifiers import RandomIds
from core.orchestration.hooks import HookEvent, Hooks
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.runs import Runner
from core.orchestration.speculation import Speculation
from core.prompts.identity import Persona
from core.prompts.profiles import FULL_PROFILE, SMALL_PROFILE, PromptProfile
from core.prompts.system_prompt import SystemPromptParts, compose_system_prompt
from sessions.retention import Retention
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Core:
    """What text, console and later voice stand on."""

    settings: Settings
    model: ResolvedModel
    stores: SceneStores
    generator: Generator
    context: ContextRegistry
    personas: PersonaFolder
    domains: Domains
    clock: SystemClock
    new_id: RandomIds

    def profile(self) -> PromptProfile:
        """Full, or the small one for models that need it (CORE-46)."""
        wanted = self.settings.model.small_profile
        small = self.model.small if wanted == "auto" else wanted == "on"
        return SMALL_PROFILE if small else FULL_PROFILE

    @property
    def context_tokens(self) -> int:
        """How much the model reads at once."""
        return _context_tokens(self.settings, self.model)

    @property
    def retentions(self) -> tuple[Retention, ...]:
        """What forgets settled work."""
        return (self.stores.retention, self.domains.tasks.retention)

    def scene_personas(self) -> ScenePersonas:
        """Which persona each scene has (CORE-44)."""
        stores = self.stores
        return ScenePersonas(
            folder=self.personas, settings=stores.settings, sessions=stores.sessions, clock=self.clock
        )

    def scene_models(self) -> SceneModels:
        """Which model answers in each scene (SET-8)."""
        stores = self.stores
        return SceneModels(
            deployed=self.model, settings=stores.settings, sessions=stores.sessions, clock=self.clock
        )

    def _usage_meter(self) -> UsageMeter:
        stores, limits = self.stores, self.settings.limits
        return UsageMeter(
            history=stores.history,
            sessions=stores.sessions,
            counts=stores.usage,
            prices=Prices(read=limits.price_input, written=limits.price_output),
            context_tokens=self.context_tokens,
            clock=self.clock,
        )

    @asynccontextmanager
    async def running_orchestrator(
        self, directory: SceneDirectory, extras: RunExtras, overheard: Overheard | None = None
    ) -> AsyncGenerator["Running"]:
        """The scheduler over this core; runs read the facts of their room from `directory`."""
        endpoint, profile, tokens = _endpoint(self.settings, self.model), self.profile(), ModelTokens()
        stores, generation = self.stores, self.settings.generation
        hooks, meter = Hooks(_report_subscriber), self._usage_meter()
        runtime = DomainRuntime(
            hooks=hooks,
            generation=self.generator,
            endpoint=None if self.model.origin == "embedded" else endpoint,
            profile=profile,
            max_tokens=generation.max_tokens,
            personas=self.scene_personas(),
            models=self.scene_models(),
            history=stores.history,
            extras=extras,
            media=FolderMedia(self.settings.storage.data_dir / "media"),
            clock=self.clock,
            new_id=self.new_id,
            idle_s=self.settings.text.remember_after_s,
            spent=meter.spent_beside,
            backend=self.settings.tasks.backend,
        )
        async with (
            self.domains.running(runtime),
            SceneCompaction(
                history=stores.history,
                summaries=stores.summaries,
                generation=CountedGeneration(self.generator, meter.spent_beside),
                tokens=tokens,
                clock=self.clock,
                new_id=self.new_id,
            ) as compaction,
        ):
            compaction.listen(hooks)
            meter.listen(hooks)
            planner = ScenePlanner(
                endpoint=endpoint,
                profile=profile,
                personas=self.scene_personas(),
                models=self.scene_models(),
                directory=directory,
                tokens=tokens,
                context=self.context,
                overheard=overheard,
                context_tokens=self.context_tokens,
                max_tokens=generation.max_tokens,
                compaction=None if profile is SMALL_PROFILE else compaction,
                extras=extras,
            )
            journal = SceneJournal(
                replies=stores.replies, history=stores.history, summaries=stores.summaries, clock=self.clock
            )
            speculation = Speculation(
                generation=self.generator,
                planner=planner,
                journal=journal,
                clock=self.clock,
                new_id=self.new_id,
            )
            runner = Runner(
                generation=speculation,
                planner=speculation,
                journal=journal,
                hooks=hooks,
                clock=self.clock,
                new_id=self.new_id,
            )
            async with speculation, Orchestrator(runner) as orchestrator:
                yield Running(orchestrator=orchestrator, speculation=speculation, hooks=hooks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """What answers, while it runs."""

    orchestrator: Orchestrator
    speculation: Speculation
    hooks: Hooks


@asynccontextmanager
async def running_core(settings: Settings, *, for_console: bool) -> AsyncGenerator[Core]:
    """Everything but the orchestrator, open. Raises `Failure`: a part cannot start."""
    clock, new_id = SystemClock(), RandomIds()
    personas = PersonaFolder(
        settings.storage.data_dir / "personas", default_name=settings.text.bot_name, clock=clock
    )
    await personas.prepare()
    embedded_prompt = _embedded_prompt(await personas.default())
    async with (
        Database(settings.storage.database_url, domain_histories()) as database,
        resolved_model(settings.model, for_console=for_console, system_prompt=embedded_prompt) as model,
        ProviderConnections(connect_timeout_s=settings.generation.connect_timeout_s) as connections,
    ):
        media = FolderMedia(settings.storage.data_dir / "media")
        chat = ChatModels(connections, media=media, clock=clock, new_id=new_id)
        responses = ResponsesModels(connections, media=media, clock=clock, new_id=new_id)
        stores = stored_scenes(database)
        yield Core(
            settings=settings,
            model=model,
            stores=stores,
            generator=Generator(
                chat=chat,
                responses=responses,
                clock=clock,
                new_id=new_id,
                timeouts=_timeouts(settings.generation),
                requests_at_once=settings.generation.requests_at_once,
            ),
            context=ContextRegistry(),
            personas=personas,
            domains=await opened_domains(
                database,
                settings=stores.settings,
                recipe_folder=settings.storage.data_dir / "recipes.d",
                context_tokens=_context_tokens(settings, model),
                clock=clock,
                new_id=new_id,
                steps=await _steps_place(settings),
            ),
            clock=clock,
            new_id=new_id,
        )


async def _steps_place(settings: Settings) -> StepsPlace:
    """Where the steps of tasks are recorded: a file of its own, or the server that holds everything else."""
    url, folder = settings.storage.database_url, settings.storage.data_dir
    if urlsplit(url).scheme.startswith("sqlite"):
        return StepsPlace(url=sqlite_url(folder / "task_steps.db"))
    return StepsPlace(url=url, slot=await asyncio.to_thread(process_slot, folder))


def _context_tokens(settings: Settings, model: ResolvedModel) -> int:
    asked = settings.generation.context_tokens
    return min(asked, CONTEXT_TOKENS) if model.origin == "embedded" else asked


def _embedded_prompt(persona: Persona) -> str:
    """What an embedded model reads before the first message, to be quick then."""
    return compose_system_prompt(SystemPromptParts(persona=persona, profile=SMALL_PROFILE))


def _endpoint(settings: Settings, model: ResolvedModel) -> ModelEndpoint:
    return ModelEndpoint(
        protocol=ProtocolName(settings.model.protocol),
        provider=urlsplit(model.base_url).hostname or model.origin,
        base_url=model.base_url,
        model=model.model,
        api_key=model.api_key.get_secret_value(),
        changes=settings.model.capability_changes,
    )


def _timeouts(generation: GenerationSettings) -> GenerationTimeouts:
    return GenerationTimeouts(
        connect_s=generation.connect_timeout_s,
        first_token_s=generation.first_token_timeout_s,
        idle_s=generation.idle_timeout_s,
        total_s=generation.total_timeout_s,
    )


def _report_subscriber(event: HookEvent, error: BaseException) -> None:
    _log.error("subscriber failed", hook=type(event).__name__, exc_info=error)

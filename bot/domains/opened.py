"""All domains over the open database, as the wiring hands them on."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import structlog

from bot.backend_choice import chosen_backend
from bot.discord_chat.cards.proposals import ProposalCards
from bot.discord_chat.client import ParleyClient
from bot.discord_chat.commands.parts import CommandParts
from bot.discord_chat.commands.privacy import add_privacy_commands
from bot.discord_chat.commands.recipe import add_recipe_commands
from bot.discord_chat.commands.recipe_parts import RecipeParts
from bot.discord_chat.recipe_requests import RecipeRequests
from bot.domains import optional_domains
from bot.domains.domain import DomainRuntime, DomainSettings, OpenedDomain
from bot.domains.tasks import OpenedTasks, StepsPlace
from bot.personal_data import AllPersonalData, PersonalData
from bot.recipe_members import RecipeMembers
from bot.run_extras import PersonaKeys, RunExtras, SceneAccess
from bot.scene_zones import StoredZones
from bot.task_delegates import TaskDelegates
from core.clock import Clock
from core.identifiers import NewId
from recipes.library import RecipeLibrary
from recipes.personal_data import RecipePersonalData
from recipes.recall.recall_runs import RecallRuns
from recipes.recipe_folder import RecipeFolder
from recipes.recipe_runs import ProposalNotices, RecipeRuns
from recipes.storage.recipes import StoredRecipes
from recipes.storage.schema import RECIPES
from recipes.storage.tables import metadata
from recipes.tasks.storage.schema import TASKS
from sessions.channel_settings import ChannelSettings
from sessions.storage.database import Database
from sessions.storage.past_turns import StoredPastTurns
from sessions.storage.schema import MigrationHistory

_log = structlog.get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class Domains:
    """Recipes, and the optional domains of this deployment."""

    library: RecipeLibrary
    members: RecipeMembers
    optional: tuple[OpenedDomain, ...]
    personal_data: tuple[PersonalData, ...]
    tasks: OpenedTasks
    recall: RecallRuns

    def extras(self, access: SceneAccess, personas: PersonaKeys, notices: ProposalNotices) -> RunExtras:
        """What is added to messages and runs."""
        recipes = RecipeRuns(
            library=self.library, members=self.members, notices=notices, background=self.tasks.starts
        )
        reminders = self.tasks.reminder_runs
        optional = (domain.runs for domain in self.optional)
        domains = (recipes, self.tasks.runs, reminders, self.recall, *optional)
        return RunExtras(access=access, personas=personas, skills_of=recipes, domains=domains)

    @asynccontextmanager
    async def running(self, runtime: DomainRuntime) -> AsyncGenerator[None]:
        """What the domains do by themselves, as long as runs go on."""
        in_spaces = (self.recall, *(domain.runs for domain in self.optional))
        async with AsyncExitStack() as stack:
            space_extras = replace(runtime.extras, skills_of=None, domains=in_spaces)
            backend = await asyncio.to_thread(chosen_backend, runtime.backend)
            await stack.enter_async_context(self.tasks.running(runtime, space_extras, backend))
            for domain in self.optional:
                await stack.enter_async_context(domain.running(runtime))
            yield

    def add_commands(
        self,
        client: ParleyClient,
        parts: CommandParts,
        *,
        cards: ProposalCards,
        requests: RecipeRequests,
        scenes: PersonalData,
    ) -> None:
        """Add the commands of all domains, and answer their buttons; `scenes`: what conversations hold."""
        recipes = RecipeParts(
            parts=parts,
            library=self.library,
            members=self.members,
            runs_in_background=self.tasks.starts.can_run,
        )
        add_recipe_commands(recipes, requests, client)
        cards.answer_buttons(recipes)
        self.tasks.add_commands(parts, client, self.library, self.members)
        for domain in self.optional:
            domain.add_commands(parts)
        add_privacy_commands(parts.tree, client, AllPersonalData((scenes, *self.personal_data)))


def domain_histories() -> tuple[MigrationHistory, ...]:
    """The tables of all domains, for the database to bring up to date."""
    return (RECIPES, TASKS, *(domain.history for domain in optional_domains()))


async def opened_domains(
    database: Database,
    *,
    settings: ChannelSettings,
    recipe_folder: Path,
    context_tokens: int,
    clock: Clock,
    new_id: NewId,
    steps: StepsPlace | None = None,
) -> Domains:
    """Open every domain, and read the recipe files once (REC-6).

    `steps`: the database of recorded steps; None: nothing runs beside the conversation.
    """
    store = StoredRecipes(database)
    library = RecipeLibrary(store=store, clock=clock, new_id=new_id, files=RecipeFolder(recipe_folder))
    for problem in await library.reload():
        _log.warning("recipe file left out", file=problem.file, line=problem.line, problem=problem.problem)
    about = DomainSettings(context_tokens=context_tokens)
    optional = tuple(domain.open(database, clock, about) for domain in optional_domains())
    recipes = RecipePersonalData(persons=store, library=library, tables=frozenset(metadata.tables))
    tasks = OpenedTasks(
        database,
        steps=steps,
        delegates=TaskDelegates(settings),
        zones=StoredZones(settings),
        clock=clock,
        new_id=new_id,
    )
    return Domains(
        library=library,
        members=RecipeMembers(settings),
        optional=optional,
        tasks=tasks,
        recall=RecallRuns(StoredPastTurns(database)),
        personal_data=(
            recipes,
            tasks.personal_data,
            *(part for domain in optional for part in domain.personal_data),
        ),
    )

"""Files that a place was given, as an optional domain (MEM-8, MEM-9)."""

from typing import Final

from bot.discord_chat.commands.knowledge import add_knowledge_commands
from bot.discord_chat.commands.parts import CommandParts
from bot.domains.domain import DomainSettings, OpenedDomain, OptionalDomain
from core.clock import Clock
from recipes.knowledge.knowledge import Knowledge
from recipes.knowledge.knowledge_runs import KnowledgeRuns
from recipes.knowledge.personal_data import KnowledgePersonalData
from recipes.knowledge.storage.documents import StoredDocuments
from recipes.knowledge.storage.schema import KNOWLEDGE
from recipes.knowledge.storage.tables import metadata
from sessions.storage.database import Database


def _opened(database: Database, clock: Clock, _settings: DomainSettings) -> OpenedDomain:
    documents = StoredDocuments(database)
    knowledge = Knowledge(store=documents, persons=documents, clock=clock)

    def add_commands(parts: CommandParts) -> None:
        add_knowledge_commands(parts, knowledge)

    return OpenedDomain(
        runs=KnowledgeRuns(knowledge),
        personal_data=(KnowledgePersonalData(knowledge=knowledge, tables=frozenset(metadata.tables)),),
        add_commands=add_commands,
    )


DOMAIN: Final = OptionalDomain(name="knowledge", history=KNOWLEDGE, open=_opened)

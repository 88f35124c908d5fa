"""What knowledge holds of a person (MEM-6): the files that they gave."""

from collections.abc import Mapping

from recipes.knowledge.documents import GivenDocument
from recipes.knowledge.knowledge import Knowledge


class KnowledgePersonalData:
    """Exports and forgets. A server's file stays when who gave it is forgotten, without their id."""

    def __init__(self, *, knowledge: Knowledge, tables: frozenset[str]) -> None:
        self._knowledge = knowledge
        self.tables = tables

    async def export(self, user_id: str) -> Mapping[str, object]:
        """The files that they gave, and those of their direct messages."""
        return {"knowledge": [_form(one) for one in await self._knowledge.of_person(user_id)]}

    async def forget(self, user_id: str) -> Mapping[str, int]:
        """Remove what is theirs alone, and their id from the rest."""
        return await self._knowledge.forget_person(user_id)


def _form(given: GivenDocument) -> dict[str, object]:
    document = given.document
    return {
        "id": document.id,
        "space": str(document.space),
        "name": document.name,
        "added_at": document.added_at.isoformat(),
        "pieces": [{"line": one.line, "heading": one.heading, "text": one.text} for one in given.pieces],
    }

"""Everything that is done with documents, by the tool and by commands: no space is crossed (MEM-8)."""

from collections import OrderedDict
from collections.abc import Mapping
from typing import Final

from core.clock import Clock
from core.prompts.user_messages import one_line
from core.sentences import sentence
from recipes.knowledge.chunk_rules import pieces_of
from recipes.knowledge.document_store import DocumentPersons, DocumentStore, NameTaken, TooManyDocuments
from recipes.knowledge.documents import (
    MOST_CHARACTERS,
    MOST_DOCUMENTS,
    Document,
    FoundPiece,
    GivenDocument,
    NewDocument,
)
from recipes.run_scene import RunScene
from recipes.search_rules import query_words
from recipes.spaces import Space, reach_of

_FOUND: Final = 5
_HELD: Final = 4_096
_MARKDOWN: Final = (".md", ".markdown")
_TOO_LONG: Final = sentence(
    "The file is too long: at most {most:,} characters are kept of one. Split it, please.",
    most=MOST_CHARACTERS,
)


class KnowledgeRefused(Exception):
    """Nothing was changed; the message says why, for the person."""


class Knowledge:
    """One for the process."""

    def __init__(self, *, store: DocumentStore, persons: DocumentPersons, clock: Clock) -> None:
        self._store = store
        self._persons = persons
        self._clock = clock
        self._held: OrderedDict[tuple[Space, ...], tuple[Document, ...]] = OrderedDict()
        self._changes = 0

    async def add(self, scene: RunScene, name: str, text: str) -> Document:
        """Keep a file in the scene's own space; `text` has its lines ended by line feeds.

        Raises:
            KnowledgeRefused: it is empty or too long, its name is taken, or there are too many.
        """
        if len(text) > MOST_CHARACTERS:
            raise KnowledgeRefused(_TOO_LONG)
        pieces = pieces_of(text, markdown=name.lower().endswith(_MARKDOWN))
        if not pieces:
            raise KnowledgeRefused("There are no words in that file.")
        document = NewDocument(
            space=reach_of(scene.place).own,
            name=one_line(name) or "file",
            added_by=None if scene.speaker is None else scene.speaker.id,
            added_at=self._clock.now(),
        )
        try:
            return await self._store.add(document, pieces, MOST_DOCUMENTS)
        except NameTaken as taken:
            raise KnowledgeRefused(
                sentence(
                    "There is a file of this name here: {document_id}. Remove it first, please.",
                    document_id=taken.document_id,
                )
            ) from taken
        except TooManyDocuments as many:
            raise KnowledgeRefused(
                sentence(
                    "There are {most} files here already; `/knowledge remove` makes room.",
                    most=MOST_DOCUMENTS,
                )
            ) from many
        finally:
            self._all_changed()

    async def documents(self, scene: RunScene) -> tuple[Document, ...]:
        """What the scene may ask; every run wants to know, so it is kept at hand until something changes."""
        spaces = reach_of(scene.place).readable
        held = self._held.get(spaces)
        if held is None:
            before = self._changes
            held = await self._store.documents(spaces)
            if before != self._changes:  # what was read may be from before the change
                return held
            self._held[spaces] = held
        self._held.move_to_end(spaces)
        while len(self._held) > _HELD:
            self._held.popitem(last=False)
        return held

    async def remove(self, scene: RunScene, document_id: str) -> Document:
        """Take a document out that the scene may ask.

        Raises:
            KnowledgeRefused: there is none of that id.
        """
        try:
            gone = await self._store.remove(reach_of(scene.place).readable, document_id.strip())
        finally:
            self._all_changed()
        if gone is None:
            raise KnowledgeRefused("There is no file of that id here; `/knowledge list` names them.")
        return gone

    async def search(self, scene: RunScene, query: str) -> tuple[FoundPiece, ...]:
        """The pieces that answer best, the best first."""
        words = query_words(query)
        return await self._store.search(reach_of(scene.place).readable, words, _FOUND) if words else ()

    async def of_person(self, user_id: str) -> tuple[GivenDocument, ...]:
        """What a person gave, everywhere."""
        return await self._persons.documents_of(user_id)

    async def forget_person(self, user_id: str) -> Mapping[str, int]:
        """Forget what is theirs; returns counts."""
        try:
            return await self._persons.forget_documents_of(user_id)
        finally:
            self._all_changed()

    def _all_changed(self) -> None:
        self._changes += 1
        self._held.clear()

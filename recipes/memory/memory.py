"""Everything that is done with entries, by tools, commands and the extractor (MEM-1 to MEM-6).

All go through here, so that a space is never crossed and nothing half-made or secret is stored.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from core.clock import Clock
from core.conversation.turns import Speaker
from core.sentences import sentence
from recipes.memory.entries import EntryKind, MemoryEntry, NewEntry, Provenance
from recipes.memory.entry_store import EntryStore, MemoryPersons, TitleTaken, UnknownEntry
from recipes.memory.index import ListedEntries, MemoryIndex
from recipes.memory.memory_rules import (
    MemoryRefused,
    appended,
    checked,
    described_anew,
    made_general,
    may_read,
    replaced,
    used,
)
from recipes.memory.prompts import compose_memory_prompt
from recipes.memory.tool_names import ALL
from recipes.run_scene import RunScene
from recipes.search_rules import query_words
from recipes.spaces import Space, reach_of

_FOUND: Final = 10
_PAGE: Final = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """A new entry as it is told: `preference` is the speaker's own."""

    title: str
    summary: str
    text: str
    preference: bool = False
    turn_id: str | None = None


class Memory:
    """One for the process."""

    def __init__(
        self, *, store: EntryStore, persons: MemoryPersons, index: MemoryIndex, clock: Clock
    ) -> None:
        self._store = store
        self._persons = persons
        self._index = index
        self._clock = clock

    async def listed(self, scene: RunScene) -> ListedEntries:
        """What the index of the scene holds."""
        return await self._index.of(reach_of(scene.place), scene.persona)

    async def preferences(self, scene: RunScene) -> tuple[MemoryEntry, ...]:
        """What the speaker wants there, for them alone (MEM-3)."""
        if scene.speaker is None:
            return ()
        return (await self._index.preferences(reach_of(scene.place), scene.persona, scene.speaker.id)).entries

    async def prompt(self, scene: RunScene, speakers: Iterable[Speaker]) -> str:
        """The part of the system prompt for a run that answers these people with all tools."""
        return (await self.prompt_by_tools(scene, speakers))(ALL)

    async def prompt_by_tools(
        self, scene: RunScene, speakers: Iterable[Speaker]
    ) -> Callable[[frozenset[str]], str]:
        """The same for the tools that the run has, which are known when it is composed."""
        listed = await self.listed(scene)
        preferences = [
            line
            for speaker in {speaker.id: speaker for speaker in speakers}.values()
            for line in (
                await self._index.preferences(reach_of(scene.place), scene.persona, speaker.id)
            ).lines
        ]
        return lambda tools: compose_memory_prompt(
            listed.lines, more=listed.more, preference_lines=preferences, tools=tools
        )

    async def read(self, scene: RunScene, entry_id: str) -> MemoryEntry:
        """One entry, which counts as used.

        Raises:
            MemoryRefused: there is none of that id for this place, persona and speaker.
        """
        entry = await self._readable(scene, entry_id)
        now = self._clock.now()
        entry = await self._changed(entry.id, lambda known: used(known, now))
        self._index.was_used(entry)
        return entry

    async def search(self, scene: RunScene, query: str, limit: int = _FOUND) -> tuple[MemoryEntry, ...]:
        """What the scene may read and the words fit, best first."""
        words = query_words(query)
        if not words:
            return ()
        spaces = reach_of(scene.place).readable
        found = await self._store.search(spaces, scene.persona, words, limit * 3)
        return tuple(entry for entry in found if _concerns(entry, scene.speaker))[:limit]

    async def remember(self, scene: RunScene, telling: Telling) -> MemoryEntry:
        """Store a new entry in the scene's own space.

        Raises:
            MemoryRefused: it is not whole, holds a secret, or an entry of that title is there.
        """
        speaker = scene.speaker
        about = speaker.id if telling.preference and speaker is not None else None
        entry = NewEntry(
            space=reach_of(scene.place).own,
            persona=scene.persona,
            kind=EntryKind.PREFERENCE if telling.preference else EntryKind.FACT,
            about=about,
            title=telling.title.strip(),
            summary=telling.summary.strip(),
            text=telling.text.strip(),
            provenance=Provenance(
                session_id=scene.place.session_id,
                turn_id=telling.turn_id,
                speaker_id=None if speaker is None else speaker.id,
                speaker_name=None if speaker is None else speaker.name,
            ),
            created_at=self._clock.now(),
        )
        checked(entry)
        try:
            kept = await self._store.add(entry)
        except TitleTaken as taken:
            raise MemoryRefused(
                sentence("There is an entry of this title: {entry_id}.", entry_id=taken.entry_id)
            ) from taken
        self._index.changed(kept)
        return kept

    async def append(self, scene: RunScene, entry_id: str, text: str, *, summary: str = "") -> MemoryEntry:
        """Add a line to an entry of the scene's own space.

        Raises:
            MemoryRefused: nothing was changed.
        """
        return await self._written(scene, entry_id, summary, lambda e, now: appended(e, text, now))

    async def replace(
        self, scene: RunScene, entry_id: str, fragment: str, text: str, *, summary: str = ""
    ) -> MemoryEntry:
        """Put `text` in place of a fragment that stands in the entry exactly once.

        Raises:
            MemoryRefused: nothing was changed.
        """
        return await self._written(scene, entry_id, summary, lambda e, now: replaced(e, fragment, text, now))

    async def forget(self, scene: RunScene, entry_id: str) -> MemoryEntry:
        """Take an entry of the scene's own space out.

        Raises:
            MemoryRefused: there is none of that id that this place may forget.
        """
        entry = await self._writable(scene, entry_id)
        return await self.remove(entry)

    async def remove(self, entry: MemoryEntry) -> MemoryEntry:
        """Take an entry out, for somebody who may (`/memory forget`).

        Raises:
            MemoryRefused: it is gone already.
        """
        gone = await self._store.remove(entry.id)
        self._index.changed(entry)
        if gone is None:
            raise MemoryRefused("This entry is gone already.")
        return gone

    async def find(self, entry_id: str) -> MemoryEntry | None:
        """One entry, whoever may read it; for the owner's commands."""
        return await self._store.find(entry_id)

    async def make_general(self, entry_id: str, *, public: bool) -> MemoryEntry:
        """The owner lets every persona read an entry, with `public` in every place (MEM-2).

        Raises:
            MemoryRefused: it is a preference, or gone.
        """
        now = self._clock.now()
        changed = await self._changed(entry_id, lambda known: made_general(known, public=public, now=now))
        self._index.all_changed()
        return changed

    async def everything(self, space: Space) -> tuple[MemoryEntry, ...]:
        """All entries of one space, for lists and exports."""
        found: list[MemoryEntry] = []
        while len(page := await self._store.page(space, found[-1].id if found else "", _PAGE)) == _PAGE:
            found += page
        return (*found, *page)

    async def of_person(self, user_id: str) -> tuple[MemoryEntry, ...]:
        """What is remembered of a person, everywhere."""
        return await self._persons.entries_of(user_id)

    async def forget_person(self, user_id: str) -> Mapping[str, int]:
        """Forget all of that; returns counts."""
        counts = await self._persons.forget_entries_of(user_id)
        self._index.all_changed()
        return counts

    async def _readable(self, scene: RunScene, entry_id: str) -> MemoryEntry:
        entry = await self._store.find(entry_id.strip())
        reach = reach_of(scene.place)
        if entry is None or not may_read(entry, reach, scene.persona) or not _concerns(entry, scene.speaker):
            raise _no_entry(entry_id)
        return entry

    async def _writable(self, scene: RunScene, entry_id: str) -> MemoryEntry:
        entry = await self._readable(scene, entry_id)
        if entry.space != reach_of(scene.place).own:
            raise MemoryRefused(
                sentence("{entry} belongs to another place; here it can only be read.", entry=entry.id)
            )
        return entry

    async def _written(
        self,
        scene: RunScene,
        entry_id: str,
        summary: str,
        change: Callable[[MemoryEntry, datetime], MemoryEntry],
    ) -> MemoryEntry:
        entry = await self._writable(scene, entry_id)
        now = self._clock.now()
        changed = await self._changed(
            entry.id, lambda known: described_anew(change(known, now), title="", summary=summary)
        )
        self._index.changed(changed)
        return changed

    async def _changed(self, entry_id: str, change: Callable[[MemoryEntry], MemoryEntry]) -> MemoryEntry:
        try:
            return await self._store.change(entry_id, change)
        except UnknownEntry as unknown:
            raise _no_entry(entry_id) from unknown
        except TitleTaken as taken:
            raise MemoryRefused(
                sentence("There is an entry of this title: {entry_id}.", entry_id=taken.entry_id)
            ) from taken


def _concerns(entry: MemoryEntry, speaker: Speaker | None) -> bool:
    """A preference exists only while its person speaks (MEM-3)."""
    return entry.about is None or (speaker is not None and speaker.id == entry.about)


def _no_entry(entry_id: str) -> MemoryRefused:
    return MemoryRefused(sentence("There is no entry {entry!r} here.", entry=entry_id.strip()[:20]))

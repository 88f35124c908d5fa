"""The context registry: CORE-25, CORE-40, SCENE-6."""

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from core.context.registry import (
    MOST_ENTRIES,
    Audience,
    ContextEntry,
    ContextRegistry,
    EveryScene,
    OneScene,
    WriterContext,
    context_turns,
)
from core.conversation.turns import Authority

SESSIONS = ("discord:channel:1", "discord:channel:2", "console:local")
WRITERS = ("weather", "calendar", "mcp:files")
AUDIENCES = st.sampled_from([EveryScene(), *(OneScene(session_id=session) for session in SESSIONS)])
TEXTS = st.integers(0, 10**9).map(str)
ENTRIES = st.builds(ContextEntry, text=TEXTS, audience=AUDIENCES)
OPERATIONS = st.one_of(
    st.tuples(st.just("replace"), st.sampled_from(WRITERS), st.lists(ENTRIES, max_size=4)),
    st.tuples(st.just("append"), st.sampled_from(WRITERS), st.lists(ENTRIES, min_size=1, max_size=1)),
    st.tuples(st.just("remove"), st.sampled_from(WRITERS), st.just(list[ContextEntry]())),
)


@dataclass
class Model:
    """What the registry ought to hold, in the plainest form; small enough never to be trimmed."""

    buckets: dict[str, list[ContextEntry]] = field(default_factory=dict[str, list[ContextEntry]])

    def apply(self, name: str, writer: str, entries: list[ContextEntry]) -> None:
        kept = {"replace": [], "append": self.buckets.get(writer, []), "remove": []}[name]
        self.buckets[writer] = [*kept, *entries]

    def readable(self, session: str) -> dict[str, tuple[str, ...]]:
        mine = (EveryScene(), OneScene(session_id=session))
        seen = {
            writer: tuple(entry.text for entry in bucket if entry.audience in mine)
            for writer, bucket in self.buckets.items()
        }
        return {writer: texts for writer, texts in seen.items() if texts}


def applied(operations: list[tuple[str, str, list[ContextEntry]]]) -> tuple[ContextRegistry, Model]:
    registry, model = ContextRegistry(), Model()
    for name, writer, entries in operations:
        model.apply(name, writer, entries)
        match name:
            case "replace":
                registry.replace_self(writer, entries)
            case "append":
                registry.append_self(writer, entries[0])
            case _:
                registry.remove_writer(writer)
    return registry, model


def entry(text: str, audience: Audience | None = None) -> ContextEntry:
    return ContextEntry(text=text, audience=audience or EveryScene())


@given(st.lists(OPERATIONS, max_size=30), st.sampled_from(SESSIONS))
def test_a_scene_reads_what_is_addressed_to_it_or_to_all(
    operations: list[tuple[str, str, list[ContextEntry]]], session: str
) -> None:
    """CORE-25, SCENE-6: after any history of writes, exactly that and nothing of another scene."""
    registry, model = applied(operations)
    read = {context.writer: context.texts for context in registry.snapshot_for(session)}
    assert read == model.readable(session)


@given(st.lists(OPERATIONS, max_size=20), st.sampled_from(WRITERS))
def test_no_word_of_a_removed_writer_remains(
    operations: list[tuple[str, str, list[ContextEntry]]], writer: str
) -> None:
    """CORE-40: in no scene, and the others keep theirs."""
    registry, model = applied(operations)
    registry.remove_writer(writer)
    model.apply("remove", writer, [])
    for session in SESSIONS:
        read = {context.writer: context.texts for context in registry.snapshot_for(session)}
        assert writer not in read
        assert read == model.readable(session)


def test_a_snapshot_is_a_copy() -> None:
    """CORE-25: later writes do not reach it."""
    registry = ContextRegistry()
    entries = [entry("sun")]
    registry.replace_self("weather", entries)
    before = registry.snapshot_for("s")
    entries.append(entry("smuggled"))
    registry.append_self("weather", entry("rain"))
    assert before == (WriterContext(writer="weather", texts=("sun",)),)
    assert registry.snapshot_for("s") == (WriterContext(writer="weather", texts=("sun", "rain")),)


def test_history_is_bounded_and_the_oldest_go_first() -> None:
    """CORE-25: 400 entries."""
    registry = ContextRegistry()
    for number in range(MOST_ENTRIES + 5):
        registry.append_self("log", entry(str(number)))
    (log,) = registry.snapshot_for("s")
    assert MOST_ENTRIES == 400
    assert log.texts == tuple(str(number) for number in range(5, MOST_ENTRIES + 5))


def test_a_talkative_writer_displaces_only_itself() -> None:
    """CORE-25: the bound costs the fullest bucket its oldest entries."""
    registry = ContextRegistry()
    registry.append_self("quiet", entry("once"))
    registry.replace_self("loud", [entry(str(number)) for number in range(2 * MOST_ENTRIES)])
    quiet, loud = registry.snapshot_for("s")
    assert quiet.texts == ("once",)
    assert len(loud.texts) == MOST_ENTRIES - 1
    assert loud.texts[-1] == str(2 * MOST_ENTRIES - 1)


def test_context_reaches_a_request_as_data() -> None:
    """CORE-2, CORE-32: one turn per writer, with the authority of context."""
    registry = ContextRegistry()
    registry.append_self("weather", entry("sun"))
    registry.append_self("weather", entry("wind", OneScene(session_id="s")))
    registry.append_self("calendar", entry("noon"))
    first, second = context_turns(registry.snapshot_for("s"))
    assert (first.writer, first.authority, first.text) == ("weather", Authority.CONTEXT, "sun\nwind")
    assert (second.writer, second.authority, second.text) == ("calendar", Authority.CONTEXT, "noon")
    assert first.id != second.id

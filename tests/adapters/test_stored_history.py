"""What only the stored history can show: broken rows, the cost of a window, what is kept in memory."""

import json
import sys
import time
from collections.abc import AsyncIterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path

import pytest
from sqlalchemy import Connection, text, update

from core.conversation.content import Text
from core.conversation.turns import InvokedSkill, Turn
from sessions.bindings import ChannelBinding
from sessions.failures import TurnUnreadable
from sessions.history import StoredTurn
from sessions.storage.database import Database, sqlite_url
from sessions.storage.history import StoredHistory, Tails
from sessions.storage.history_tail import HistoryTail, TailEntry
from sessions.storage.stores import stored_scenes
from sessions.storage.tables import summaries
from sessions.summaries import StoredSummary
from sessions.turn_encoding import encode_turn
from tests.scene_values import NOON, assistant_turn, invocation, native_round, user_turn

SESSION = "discord:channel:42"


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with Database(sqlite_url(tmp_path / "x.db")) as opened:
        await stored_scenes(opened).sessions.open(ChannelBinding(channel_id=42), NOON)
        yield opened


def history_of(database: Database) -> StoredHistory:
    """A history that has nothing in memory yet, as after a start."""
    return StoredHistory(database, Tails(16))


async def change(database: Database, statement: str) -> None:
    await database.write(lambda connection: connection.execute(text(statement)) and None)


BROKEN = [
    "UPDATE turns SET version = 2 WHERE turn_id = 'u1'",
    "UPDATE turns SET body = '{' WHERE turn_id = 'u1'",
    "UPDATE turns SET kind = 'whisper' WHERE turn_id = 'u1'",
    "UPDATE turns SET body = replace(body, '}', ',\"rounds\":[]}') WHERE turn_id = 'u1'",
]


@pytest.mark.parametrize("statement", BROKEN)
async def test_a_broken_row_is_a_placeholder_and_stays_as_it_is(database: Database, statement: str) -> None:
    """CORE-1, CORE-32: the rest of the history is read, and nothing stored is lost."""
    history = history_of(database)
    for turn_id in ("u0", "u1", "u2"):
        await history.append(SESSION, 0, user_turn(turn_id), [turn_id])
    await change(database, statement)

    def row(connection: Connection) -> list[object]:
        return [
            tuple(found) for found in connection.execute(text("SELECT * FROM turns WHERE turn_id = 'u1'"))
        ]

    before = await database.read(row)
    history = history_of(database)
    for _ in range(2):
        window = await history.window(SESSION, 10)
        assert [stored.turn.id for stored in window.turns] == ["u0", "u2"]
        (unreadable,) = window.unreadable
        assert unreadable.position == 2
        assert unreadable.reason
    with pytest.raises(TurnUnreadable):
        await history.find(SESSION, "u1")
    with pytest.raises(TurnUnreadable):
        await history.replace_content(SESSION, "u1", (Text(text="changed"),))
    assert [turn.id async for turn in history.exported_turns(SESSION)] == ["u0", "u2"]
    assert await database.read(row) == before
    assert await history.remove(SESSION, "u1")
    assert (await history.window(SESSION, 10)).unreadable == ()


@pytest.mark.parametrize(
    ("stored", "found"),
    [
        ('[{"name": "brief", "text": "Be brief.", "since": "a newer version"}]', True),
        ('[{"title": "brief"}]', False),
        ("{", False),
        ("7", False),
    ],
)
async def test_a_summary_of_another_version_stops_no_talk(
    database: Database, stored: str, found: bool
) -> None:
    """CORE-28, CORE-32: what it stands for is in the history still."""
    skill = InvokedSkill(name="brief", text="Be brief.")
    summary = StoredSummary(position=1, text="They met.", skills=(skill,))
    await stored_scenes(database).summaries.keep(SESSION, 0, summary)
    rewritten = update(summaries).values(skills=stored)
    await database.write(lambda connection: connection.execute(rewritten) and None)
    assert await stored_scenes(database).summaries.latest(SESSION) == (summary if found else None)


async def test_native_items_survive_a_restart_to_the_letter(tmp_path: Path) -> None:
    """CORE-7: whatever a provider put into them, equal as JSON and identical as a string."""
    items = json.dumps([{"type": "reasoning", "encrypted_content": "\0 \ud800 äß 😀", "n": 1.5}])
    odd = '[ {"b":1,"a":1.0,"a":1e2,\t"x":"\\u00e4"} ,\n null ]'
    turns = [assistant_turn(f"a{n}", native_round(items_json=text_)) for n, text_ in enumerate((items, odd))]
    url = sqlite_url(tmp_path / "x.db")
    async with Database(url) as database:
        stores = stored_scenes(database)
        await stores.sessions.open(ChannelBinding(channel_id=42), NOON)
        for turn in turns:
            await stores.history.append(SESSION, 0, turn)
    async with Database(url) as database:
        window = await stored_scenes(database).history.window(SESSION, 10)
    assert [stored.turn for stored in window.turns] == turns


async def test_a_window_costs_the_same_in_a_long_session(database: Database) -> None:
    """CORE-28: an index leads to the latest records; what SQLite visits does not grow with the session."""
    stores = stored_scenes(database)
    await stores.history.append(SESSION, 0, user_turn("first"))
    for channel_id in (42, 43):
        await stores.sessions.open(ChannelBinding(channel_id=channel_id), NOON)
        await database.write(
            lambda connection, c=channel_id: multiply(connection, f"discord:channel:{c}", 20_000)
        )

    def plan(connection: Connection) -> str:
        query = "SELECT body FROM turns WHERE session_id = 'x' ORDER BY position DESC LIMIT 40"
        return " ".join(str(step) for step in connection.execute(text(f"EXPLAIN QUERY PLAN {query}")))

    assert "USING INDEX ix_turns_session_id_position" in await database.read(plan)
    assert "TEMP B-TREE" not in await database.read(plan)
    window = await history_of(database).window(SESSION, 40)
    assert len(window.turns) == 40
    assert window.earlier
    started = time.perf_counter()
    for _ in range(5):
        await history_of(database).window(SESSION, 40)
    assert time.perf_counter() - started < 2


def multiply(connection: Connection, session_id: str, turns: int) -> None:
    connection.execute(
        text(
            "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :turns) "
            "INSERT INTO turns (session_id, generation, turn_id, kind, interrupted, version, body) "
            "SELECT :session_id, 0, 'n' || i, kind, interrupted, version, body FROM n, turns "
            "WHERE turn_id = 'first' AND turns.session_id = 'discord:channel:42'"
        ),
        {"session_id": session_id, "turns": turns},
    )


async def test_a_window_in_memory_needs_no_database(tmp_path: Path) -> None:
    """CORE-28: a prompt of a session that is being talked in reads nothing."""
    async with Database(sqlite_url(tmp_path / "x.db")) as database:
        stores = stored_scenes(database)
        await stores.sessions.open(ChannelBinding(channel_id=42), NOON)
        await stores.history.window(SESSION, 10)
        await stores.history.append(SESSION, 0, user_turn("u1"))
    assert [stored.turn.id for stored in (await stores.history.window(SESSION, 10)).turns] == ["u1"]


@pytest.mark.parametrize("words", [3, 200, 20_000])
def test_a_tail_weighs_about_what_it_takes(words: int) -> None:
    """CORE-28: what bounds the tails is near the truth, whatever was said."""
    tail = long_tail(words)
    assert tail.weight / 4 < size_of(tail._entries, set()) < tail.weight * 4
    assert tail.window(600) is None


@pytest.mark.parametrize("words", [3, 200])
def test_many_quiet_sessions_are_small_in_memory(words: int) -> None:
    """CORE-28: the tails of all sessions together are bounded, so that idle ones cost little."""
    tails = Tails(2_000_000, lambda tail: tail.weight)
    for number in range(40):
        tails.keep(f"room {number}", long_tail(words))
    held = [tail for number in range(40) if (tail := tails.held(f"room {number}")) is not None]
    assert 0 < sum(tail.weight for tail in held) <= 2_000_000
    assert tails.held("room 39") is not None


def test_a_session_that_is_used_keeps_its_tail() -> None:
    tails = Tails(2_000_000, lambda tail: tail.weight)
    tails.keep("used", long_tail(3))
    for number in range(20):
        assert tails.held("used") is not None
        tails.keep(f"room {number}", long_tail(3))
    assert tails.held("room 0") is None


def test_a_tail_that_grows_is_weighed_again() -> None:
    tails = Tails(50_000, lambda tail: tail.weight)
    tails.keep("quiet", HistoryTail([], earlier=False))
    tails.keep("loud", HistoryTail([], earlier=False))
    for position in range(1, 400):
        new = entry(position, user_turn(f"turn-{position}", "word " * 20))
        tails.change("loud", lambda tail, new=new: tail.append(new))
    assert tails.held("quiet") is None
    assert tails.held("loud") is None


def long_tail(words: int) -> HistoryTail:
    tail = HistoryTail([], earlier=False)
    for position in range(1, 600):
        turn = user_turn(f"turn-{position}", chr(97 + position % 26) * words)
        if position % 2:
            turn = assistant_turn(f"turn-{position}", native_round(invocation(f"i{position}", "x" * words)))
        tail.append(entry(position, turn))
    return tail


def entry(position: int, turn: Turn) -> TailEntry:
    return TailEntry(record=StoredTurn(position=position, turn=turn), size=len(encode_turn(turn).body))


def size_of(value: object, seen: set[int]) -> int:
    """Bytes of a value with everything that it alone holds."""
    if id(value) in seen or isinstance(value, Enum):
        return 0
    seen.add(id(value))
    inner: list[object] = []
    if is_dataclass(value):
        inner = [getattr(value, one.name) for one in fields(value)]
    elif not isinstance(value, (str, bytes)) and hasattr(value, "__iter__"):
        inner = list(value)  # type: ignore[call-overload] # it is iterable
    return sys.getsizeof(value) + sum(size_of(one, seen) for one in inner)


def test_a_tail_takes_a_change_twice() -> None:
    """CORE-28: a load may see a commit before its callback comes."""
    tail = HistoryTail([entry(3, user_turn("a")), entry(5, user_turn("b"))], earlier=True)
    tail.append(entry(5, user_turn("b")))
    tail.append(entry(7, user_turn("c")))
    tail.replace(entry(5, user_turn("b", "changed")))
    tail.replace(entry(1, user_turn("z")))
    tail.remove(3)
    tail.remove(3)
    window = tail.window(2)
    assert window is not None
    assert [stored.turn for stored in window.turns] == [user_turn("b", "changed"), user_turn("c")]
    assert tail.window(3) is None

"""Both kinds of store take the same steps, in any order, with the same outcome."""

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.conversation.content import Text
from sessions.bindings import ChannelBinding
from sessions.failures import IllegalMove, StaleGeneration, UnknownSession, UnknownTurn
from sessions.in_memory import scenes_in_memory
from sessions.inbox import NewMessage
from sessions.outbox import PlannedPiece
from sessions.replies import BegunReply, CommittedReply, SpokenTurn
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores
from tests.scene_values import NOON, assistant_turn, invocation, native_round, user_turn

Step = Callable[[SceneStores], Awaitable[object]]
REFUSALS = (IllegalMove, StaleGeneration, UnknownSession, UnknownTurn, ValueError)

channels = st.integers(1, 2)
generations = st.sampled_from([0, 0, 0, 1])
# A message belongs to one channel, as it does at Discord.
messages = st.builds(lambda channel, number: f"{channel}{number}", channels, st.integers(1, 3))


def session_of(message_id: str) -> str:
    return f"discord:channel:{message_id[0]}"


def together(channel: int) -> st.SearchStrategy[tuple[str, ...]]:
    """Some messages of one channel."""
    return st.sampled_from([(), (f"{channel}1",), (f"{channel}2",), (f"{channel}1", f"{channel}2")])


def accept(message_id: str) -> Step:
    message = NewMessage(message_id=message_id, session_id=session_of(message_id), payload="", at=NOON)
    return lambda stores: stores.inbox.accept(message)


def begin(channel: int, generation: int, message_ids: tuple[str, ...], turn: int, run: int) -> Step:
    session_id = f"discord:channel:{channel}"
    reply = BegunReply(
        session_id=session_id,
        generation=generation,
        run_id=f"run{run}",
        turns=(SpokenTurn(turn=user_turn(f"u{channel}{turn}", f"{run}"), message_ids=message_ids),),
        first_piece=PlannedPiece(
            reply_id=f"r{channel}{turn}", number=0, session_id=session_id, channel_id="1", nonce="n", at=NOON
        ),
    )
    return lambda stores: stores.replies.begin(reply)


def commit(channel: int, generation: int, message_ids: tuple[str, ...], turn: int, spoken: bool) -> Step:
    reply = CommittedReply(
        session_id=f"discord:channel:{channel}",
        generation=generation,
        reply_id=f"r{channel}{turn}",
        message_ids=message_ids,
        turn=assistant_turn(f"a{channel}{turn}", native_round(invocation(f"i{turn}"))) if spoken else None,
    )
    return lambda stores: stores.replies.commit(reply)


turn_numbers = st.integers(1, 2)
steps: st.SearchStrategy[tuple[str, Step]] = st.one_of(
    st.builds(
        lambda c: (f"open {c}", lambda stores: stores.sessions.open(ChannelBinding(channel_id=c), NOON)),
        channels,
    ),
    st.builds(
        lambda c: (f"reset {c}", lambda stores: stores.sessions.reset(f"discord:channel:{c}", NOON)), channels
    ),
    st.builds(
        lambda c: (f"close {c}", lambda stores: stores.sessions.close(f"discord:channel:{c}", NOON)), channels
    ),
    st.builds(lambda m: (f"accept {m}", accept(m)), messages),
    st.builds(lambda m: (f"take {m}", lambda stores: stores.inbox.begin("run", [m])), messages),
    st.builds(lambda m: (f"drop {m}", lambda stores: stores.inbox.finish([m], dropped="off")), messages),
    channels.flatmap(
        lambda c: st.builds(
            lambda g, m, t, r: (f"begin {c} {g} {m} {t}", begin(c, g, m, t, r)),
            generations,
            together(c),
            turn_numbers,
            st.integers(1, 2),
        )
    ),
    channels.flatmap(
        lambda c: st.builds(
            lambda g, m, t, s: (f"commit {c} {g} {m} {t} {s}", commit(c, g, m, t, s)),
            generations,
            together(c),
            turn_numbers,
            st.booleans(),
        )
    ),
    st.builds(
        lambda c, t: (f"post {c} {t}", lambda stores: stores.outbox.posted(f"r{c}{t}", 0, f"9{c}{t}")),
        channels,
        turn_numbers,
    ),
    channels.flatmap(
        lambda c: st.builds(
            lambda t, m: (
                f"abandon {c} {t} {m}",
                lambda stores: stores.replies.abandon(f"r{c}{t}", m, "why"),
            ),
            turn_numbers,
            together(c),
        )
    ),
    st.builds(
        lambda c, t: (
            f"remove {c} {t}",
            lambda stores: stores.edits.remove(f"discord:channel:{c}", f"u{c}{t}"),
        ),
        channels,
        turn_numbers,
    ),
    st.builds(
        lambda c, t: (
            f"edit {c} {t}",
            lambda stores: stores.edits.replace_content(
                f"discord:channel:{c}", f"u{c}{t}", (Text(text="new"),)
            ),
        ),
        channels,
        turn_numbers,
    ),
    st.builds(
        lambda c, t: (
            f"result {c} {t}",
            lambda stores: stores.edits.edit_result(f"discord:channel:{c}", f"i{t}", "new"),
        ),
        channels,
        turn_numbers,
    ),
    st.builds(lambda c: (f"window {c}", lambda stores: seen_window(stores, c)), channels),
)


async def seen_window(stores: SceneStores, channel: int) -> object:
    window = await stores.history.window(f"discord:channel:{channel}", 3)
    return [stored.turn for stored in window.turns], window.earlier


async def outcome(stores: SceneStores, step: Step) -> object:
    try:
        return await step(stores)
    except REFUSALS as refusal:
        return type(refusal)


async def everything(stores: SceneStores) -> object:
    """All that can be seen."""
    return [
        await stores.inbox.unfinished(),
        await stores.outbox.unsettled(),
        [await stores.outbox.pieces(f"r{channel}{turn}") for channel in (1, 2) for turn in (1, 2, 3)],
        [await seen_window(stores, channel) for channel in (1, 2)],
        [
            (found.turn, found.message_ids) if found else None
            for channel in (1, 2)
            for message_id in (*(f"{channel}{n}" for n in (1, 2, 3)), *(f"9{channel}{n}" for n in (1, 2, 3)))
            for found in [await stores.history.find(f"discord:channel:{channel}", message_id)]
        ],
    ]


async def compare(taken: list[tuple[str, Step]]) -> None:
    memory = scenes_in_memory()
    with tempfile.TemporaryDirectory() as folder:
        async with Database(sqlite_url(Path(folder) / "x.db")) as database:
            stored = stored_scenes(database)
            for name, step in taken:
                assert await outcome(stored, step) == await outcome(memory, step), name
            assert await everything(stored) == await everything(memory)
            assert await everything(stored_scenes(database)) == await everything(memory)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(steps, min_size=20, max_size=60))
def test_any_order_of_steps_has_the_same_outcome(taken: list[tuple[str, Step]]) -> None:
    """SCENE-7, TEXT-11, CORE-18: in memory, in the database, and in the database after a start."""
    before: list[tuple[str, Step]] = [
        *(
            (f"open {c}", lambda stores, c=c: stores.sessions.open(ChannelBinding(channel_id=c), NOON))
            for c in (1, 2)
        ),
        *((f"accept {m}", accept(m)) for m in ("11", "12", "21")),
    ]
    asyncio.run(compare(before + taken))


@settings(max_examples=30, deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["accept", "begin", "done", "drop"]), st.integers(1, 6)), max_size=40)
)
def test_what_is_unfinished_stays_in_the_order_of_its_arrival(events: list[tuple[str, int]]) -> None:
    """SCENE-7: whatever happens to the others in between."""
    asyncio.run(hold_order(events))


async def hold_order(events: list[tuple[str, int]]) -> None:
    stores = scenes_in_memory()
    with tempfile.TemporaryDirectory() as folder:
        async with Database(sqlite_url(Path(folder) / "x.db")) as database:
            for one in (stores, stored_scenes(database)):
                await one.sessions.open(ChannelBinding(channel_id=1), NOON)
                arrived: list[str] = []
                settled: set[str] = set()
                for event, number in events:
                    name = f"1{number}"
                    try:
                        match event:
                            case "accept":
                                is_new = await accept(name)(one)
                                assert is_new is (name not in arrived)
                                arrived += [name] if is_new else []
                            case "begin":
                                await one.inbox.begin("run", [name])
                            case _:
                                await one.inbox.finish([name], dropped=None if event == "done" else "off")
                                settled.add(name)
                    except IllegalMove:
                        continue
                expected = [name for name in arrived if name not in settled]
                assert [row.message_id for row in await one.inbox.unfinished()] == expected

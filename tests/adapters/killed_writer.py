"""A process that writes to the stores and says on its standard output what was acknowledged, until killed.

    python -m tests.adapters.killed_writer <file of the database>

Several sessions talk at the same time. A line is written after its acknowledgement, so every line must be
found in the database afterwards; the row after it may or may not be.
"""

import asyncio
import itertools
import sys
from pathlib import Path

from sessions.bindings import ChannelBinding
from sessions.inbox import NewMessage
from sessions.outbox import PlannedPiece
from sessions.replies import BegunReply, CommittedReply, SpokenTurn
from sessions.storage.database import Database, sqlite_url
from sessions.storage.stores import stored_scenes
from sessions.stores import SceneStores
from tests.scene_values import NOON, assistant_turn, user_turn

SESSIONS = 8


def acknowledged(step: str, name: str) -> None:
    sys.stdout.write(f"{step} {name}\n")
    sys.stdout.flush()


async def talk(stores: SceneStores, channel_id: int) -> None:
    session = await stores.sessions.open(ChannelBinding(channel_id=channel_id), NOON)
    for number in itertools.count():
        name = f"{channel_id}-{number}"
        await stores.inbox.accept(
            NewMessage(message_id=name, session_id=session.session_id, payload=name, at=NOON)
        )
        acknowledged("accepted", name)
        piece = PlannedPiece(
            reply_id=name, number=0, session_id=session.session_id, channel_id="1", nonce=name, at=NOON
        )
        spoken = SpokenTurn(turn=user_turn(f"u{name}"), message_ids=(name,))
        await stores.replies.begin(
            BegunReply(
                session_id=session.session_id, generation=0, run_id=name, turns=(spoken,), first_piece=piece
            )
        )
        acknowledged("begun", name)
        await stores.outbox.posted(name, 0, f"post-{name}")
        acknowledged("posted", name)
        await stores.replies.commit(
            CommittedReply(
                session_id=session.session_id,
                generation=0,
                reply_id=name,
                message_ids=(name,),
                turn=assistant_turn(f"a{name}"),
            )
        )
        acknowledged("committed", name)


async def main(path: Path) -> None:
    async with Database(sqlite_url(path)) as database, asyncio.TaskGroup() as talks:
        stores = stored_scenes(database)
        for channel_id in range(1, SESSIONS + 1):
            talks.create_task(talk(stores, channel_id))


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1])))

"""The stores of scenes on one database."""

from sessions.storage.channel_settings import StoredChannelSettings
from sessions.storage.database import Database
from sessions.storage.history import StoredHistory, Tails
from sessions.storage.inbox import StoredInbox
from sessions.storage.outbox import StoredOutbox
from sessions.storage.personal_data import StoredScenePersons
from sessions.storage.replies import StoredReplies
from sessions.storage.retention import StoredRetention
from sessions.storage.scenes import StoredSessions
from sessions.storage.summaries import Held, StoredSummaries
from sessions.storage.tool_journal import StoredToolJournal
from sessions.storage.usage import StoredUsageCounts
from sessions.stores import SceneStores

_TAIL_BYTES = 64_000_000
_OPEN_SUMMARIES = 4096


def stored_scenes(database: Database) -> SceneStores:
    """The stores; make them once per database, they share what they keep in memory."""
    tails = Tails(_TAIL_BYTES, lambda tail: tail.weight)
    summaries = Held(_OPEN_SUMMARIES)
    history = StoredHistory(database, tails)
    open_sessions = StoredSessions(database, tails, summaries)
    return SceneStores(
        sessions=open_sessions,
        history=history,
        edits=history,
        export=history,
        inbox=StoredInbox(database),
        outbox=StoredOutbox(database),
        replies=StoredReplies(database, tails),
        summaries=StoredSummaries(database, summaries),
        tools=StoredToolJournal(database),
        settings=StoredChannelSettings(database),
        retention=StoredRetention(database),
        persons=StoredScenePersons(database, tails=tails, summaries=summaries, open_sessions=open_sessions),
        usage=StoredUsageCounts(database),
    )

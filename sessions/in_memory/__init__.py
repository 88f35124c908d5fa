"""The stores of scenes in memory: nothing outlives the process, everything else is the same.

For tests of what stands above, and the proof that the ports say all there is to say: both adapters pass the
same contract tests. A step that raises has changed nothing.
"""

from sessions.in_memory.counts import SettingsInMemory, UsageInMemory
from sessions.in_memory.delivery import InboxInMemory, OutboxInMemory, RepliesInMemory, ToolsInMemory
from sessions.in_memory.forgetting import PersonsInMemory, RetentionInMemory
from sessions.in_memory.records import Records
from sessions.in_memory.sessions import HistoryInMemory, SessionsInMemory, SummariesInMemory
from sessions.stores import SceneStores

__all__ = ["scenes_in_memory"]


def scenes_in_memory() -> SceneStores:
    """Empty stores."""
    records = Records()
    history = HistoryInMemory(records)
    sessions = SessionsInMemory(records)
    return SceneStores(
        sessions=sessions,
        history=history,
        edits=history,
        export=history,
        inbox=InboxInMemory(records),
        outbox=OutboxInMemory(records),
        replies=RepliesInMemory(records),
        summaries=SummariesInMemory(records),
        tools=ToolsInMemory(records),
        settings=SettingsInMemory(records),
        retention=RetentionInMemory(records),
        persons=PersonsInMemory(records, sessions),
        usage=UsageInMemory(records),
    )

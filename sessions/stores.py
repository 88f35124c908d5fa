"""All stores of scenes in one value, as the composition root hands them out."""

from dataclasses import dataclass

from sessions.channel_settings import ChannelSettings
from sessions.history import History, HistoryEdits, HistoryExport
from sessions.inbox import Inbox
from sessions.outbox import Outbox
from sessions.personal_data import ScenePersons
from sessions.replies import Replies
from sessions.retention import Retention
from sessions.scene import Sessions
from sessions.summaries import Summaries
from sessions.tool_journal import ToolJournal
from sessions.usage import UsageCounts


@dataclass(frozen=True, slots=True, kw_only=True)
class SceneStores:
    """Ports that look at the same data: what one has acknowledged, the others see."""

    sessions: Sessions
    history: History
    edits: HistoryEdits
    export: HistoryExport
    inbox: Inbox
    outbox: Outbox
    replies: Replies
    summaries: Summaries
    tools: ToolJournal
    settings: ChannelSettings
    retention: Retention
    persons: ScenePersons
    usage: UsageCounts

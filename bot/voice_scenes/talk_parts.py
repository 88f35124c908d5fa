"""What every talk stands on, and the settings that it follows."""

from dataclasses import dataclass, field
from enum import StrEnum

from bot.speech_services import SpeechServices
from bot.voice_scenes.admissions import Admissions
from bot.voice_scenes.ports import (
    Overhearing,
    SaidIn,
    SpokenSkills,
    TalkManners,
    VoiceNotices,
    VoicePeople,
)
from core.clock import Clock
from core.identifiers import NewId
from core.orchestration.orchestrator import Orchestrator
from core.orchestration.sends import ReplyPlace
from core.orchestration.speculation import Speculation
from sessions.scene import Sessions
from voice import (
    Counts,
    SpokenReplySettings,
    TurnTakingSettings,
)


class ChatOfTalk(StrEnum):
    """What of a talk is written into the channel's chat (VOX-26)."""

    OFF = "off"
    REPLIES = "replies"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkSettings:
    """How talks are led.

    `language` (ISO 639-1) is pinned; None: recognised, and English where nothing was.
    """

    chat: ChatOfTalk = ChatOfTalk.REPLIES
    language: str | None = None
    speculates: bool = True
    counts: Counts = Counts.HEARD
    turn_taking: TurnTakingSettings = field(default_factory=TurnTakingSettings)
    spoken: SpokenReplySettings = field(default_factory=SpokenReplySettings)


@dataclass(frozen=True, slots=True, kw_only=True)
class TalkParts:
    """Shared by all talks of the process; `chat` is where replies are shown."""

    services: SpeechServices
    orchestrator: Orchestrator
    speculation: Speculation
    sessions: Sessions
    admissions: Admissions
    skills: SpokenSkills
    overhearing: Overhearing
    people: VoicePeople
    manners: TalkManners
    notices: VoiceNotices
    said_in: SaidIn
    chat: ReplyPlace
    settings: TalkSettings
    clock: Clock
    new_id: NewId

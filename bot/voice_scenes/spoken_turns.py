"""From an utterance to a turn of the scene: who said it, when, and what its words invoke."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

import structlog

from bot.voice_scenes.ports import SpokenSkills
from core.clock import Clock
from core.conversation.content import Text
from core.conversation.turns import InvokedSkill, Speaker, UserTurn
from core.failures import Failure
from sessions.ambient import AmbientMessage

_log = structlog.get_logger()
_TURN_PREFIX = "discord:voice:"
_DISCORD_EPOCH = datetime(2015, 1, 1, tzinfo=UTC)
_LONGEST_OVERHEARD = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """What somebody said. `began_at` is in seconds of the monotonic clock."""

    input_id: str
    user_id: int
    text: str
    began_at: float


def turn_id_of(input_id: str) -> str:
    """The id of an utterance's turn."""
    return f"{_TURN_PREFIX}{input_id}"


@dataclass(slots=True)
class SpokenTurns:
    """Makes turns; the same utterance is the same turn, so that a guess can be recognised (VOX-16).

    `names` are the people of the channel now. A person whose name is not known keeps their id for a name.
    """

    session_id: str
    names: Callable[[], Mapping[int, str]]
    skills: SpokenSkills
    clock: Clock
    _known: dict[int, str] = field(default_factory=dict[int, str])
    _number: int = 0

    async def turn_of(self, said: Utterance) -> UserTurn:
        """The utterance as a turn; never fails."""
        speaker = self.speaker(said.user_id)
        return UserTurn(
            id=turn_id_of(said.input_id),
            at=self._wall_time(said.began_at),
            speaker=speaker,
            content=(Text(text=said.text),),
            skills=await self._invoked(speaker, said.text),
        )

    def overheard(self, said: Utterance) -> AmbientMessage:
        """The utterance as what the room said without asking; its number is in the order of messages."""
        at = self._wall_time(said.began_at)
        milliseconds = int((at - _DISCORD_EPOCH).total_seconds() * 1000)
        self._number = (self._number + 1) & 0xFFF
        return AmbientMessage(
            message_id=(milliseconds << 22) | self._number,
            speaker=self.speaker(said.user_id),
            at=at,
            text=said.text[:_LONGEST_OVERHEARD],
        )

    def speaker(self, user_id: int) -> Speaker:
        """By the name of now, or the last one that was known: they may have left."""
        self._known.update(self.names())
        return Speaker(id=str(user_id), name=self._known.get(user_id, str(user_id)))

    def _wall_time(self, monotonic_s: float) -> datetime:
        at = self.clock.now() - timedelta(seconds=self.clock.monotonic() - monotonic_s)
        return at.replace(microsecond=at.microsecond // 1000 * 1000)

    async def _invoked(self, speaker: Speaker, text: str) -> tuple[InvokedSkill, ...]:
        try:
            return await self.skills.skills(self.session_id, speaker, text)
        except Failure as failure:
            _log.warning("skills not looked up", session=self.session_id, reason=failure.reason)
            return ()

"""Who has the word, and when what was said goes to the session (VOX-14, VOX-18).

Sealed inputs stand in one line in the order of their ends; each is handed over exactly once, or dropped
with a reason. What nobody wants answered goes as soon as all before it are settled. What wants an answer
waits until nobody holds the floor and no other sealed input is still being transcribed: so three people
who answer at once get one reply. It waits no longer than `longest_hold_ms`.

Speech holds the floor once it is as long as what pauses playback, until its input ends; a click does not.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from voice.audio.frames import SpeakerLeft
from voice.policy.addressed_rules import Exchanges, wants_answer
from voice.policy.backchannel_rules import is_backchannel
from voice.policy.commands import DropInput, SubmitTurns
from voice.policy.events import (
    BotBeganSpeaking,
    BotFellSilent,
    ClockTicked,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    InputSettled,
    ReplyEnded,
    RoomChanged,
    SpeechActivity,
    SpeechLasted,
    TurnsSubmitted,
    VoiceEvent,
)
from voice.policy.room import Room, VoiceMode
from voice.policy.rules import Output, Rule, RuleContext
from voice.policy.settings import TurnTakingSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class InLine:
    """One sealed input; `settled_at` None while its transcript is awaited."""

    input_id: str
    user_id: int
    settled_at: float | None = None
    addressed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """How an input began: when, whether the bot was audible then and asked, and whether it alone heard it."""

    at: float
    over_bot: bool
    over_question: bool = False
    alone: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class FloorState:
    """`holders` speak; `line` waits; `unheard_reply` has whom a reply answers that is not audible yet."""

    settings: TurnTakingSettings
    room: Room = field(default_factory=Room)
    exchanges: Exchanges = field(default_factory=Exchanges)
    bot_audible: bool = False
    holders: frozenset[int] = frozenset()
    beginnings: Mapping[str, Beginning] = field(default_factory=dict[str, Beginning])
    line: tuple[InLine, ...] = ()
    unheard_reply: frozenset[int] = frozenset()

    @property
    def is_free(self) -> bool:
        """Nobody speaks, and no sealed input is still on its way."""
        return not self.holders and not self.line


Decision = tuple[FloorState, tuple[Output, ...]]


def floor_rule(settings: TurnTakingSettings, room: Room) -> Rule[FloorState]:
    """See the module."""
    return Rule(
        name="floor", initial=FloorState(settings=settings, room=room), decide=decide, deadline=deadline
    )


def deadline(state: FloorState) -> float | None:
    """When what waits is handed over although somebody still speaks."""
    return min(
        (
            _hold_until(state, one.settled_at)
            for one in _settled_front(state)
            if one.settled_at and one.addressed
        ),
        default=None,
    )


def decide(state: FloorState, event: VoiceEvent, _context: RuleContext) -> Decision:
    """See the module."""
    match event:
        case SpeechActivity():
            return state, ()
        case ClockTicked():
            return _released(state, event.at) if state.line else (state, ())
        case SpeechLasted():
            return replace(state, holders=state.holders | {event.user_id}), ()
        case InputBegan():
            began = Beginning(
                at=event.speech_began_at,
                over_bot=state.bot_audible,
                over_question=event.over_question,
                alone=len(state.room.people) <= 1,
            )
            return replace(state, beginnings={**state.beginnings, event.input_id: began}), ()
        case InputSealed():
            joined = InLine(input_id=event.input_id, user_id=event.user_id)
            state = replace(state, holders=state.holders - {event.user_id}, line=(*state.line, joined))
            return state, ()
        case InputSettled():
            return _settled(state, event)
        case InputCancelled() | InputDropped():
            state = _forget(state, event.input_id, event.user_id)
            return _released(state, event.at)
        case SpeakerLeft():
            return _released(replace(state, holders=state.holders - {event.user_id}), event.at)
        case _:
            return _of_replies(state, event), ()


def _of_replies(state: FloorState, event: VoiceEvent) -> FloorState:
    match event:
        case RoomChanged():
            return replace(state, room=event.room)
        case TurnsSubmitted():
            unheard = frozenset(event.user_ids) if event.answer else state.unheard_reply
            return replace(state, exchanges=state.exchanges.after(event), unheard_reply=unheard)
        case BotBeganSpeaking():
            exchanges = state.exchanges.after(event)
            return replace(state, exchanges=exchanges, bot_audible=True, unheard_reply=frozenset())
        case BotFellSilent():
            return replace(state, exchanges=state.exchanges.after(event), bot_audible=False)
        case ReplyEnded():
            return replace(state, exchanges=state.exchanges.after(event), unheard_reply=frozenset())
        case _:
            return state


def _settled(state: FloorState, event: InputSettled) -> Decision:
    beginning = state.beginnings.get(event.input_id, Beginning(at=event.at, over_bot=False))
    language = event.language or state.room.language
    if beginning.over_bot and is_backchannel(event.text, language, over_question=beginning.over_question):
        return state, (DropInput(input_id=event.input_id, reason="backchannel"),)
    addressed = wants_answer(
        event.text,
        user_id=event.user_id,
        began_at=beginning.at,
        room=state.room,
        exchanges=state.exchanges,
        follow_up_s=state.settings.follow_up_ms / 1000,
        began_alone=beginning.alone,
    ) or (event.called and state.room.effective_mode is VoiceMode.ADDRESSED)
    line = tuple(
        replace(one, settled_at=event.at, addressed=addressed) if one.input_id == event.input_id else one
        for one in state.line
    )
    return _released(replace(state, line=line), event.at)


def _forget(state: FloorState, input_id: str, user_id: int) -> FloorState:
    was_sealed = any(one.input_id == input_id for one in state.line)
    return replace(
        state,
        line=tuple(one for one in state.line if one.input_id != input_id),
        beginnings={name: one for name, one in state.beginnings.items() if name != input_id},
        holders=state.holders if was_sealed else state.holders - {user_id},
    )


def _released(state: FloorState, at: float) -> Decision:
    front = _settled_front(state)
    if not front:
        return state, ()
    answer = any(one.addressed for one in front)
    if answer and (state.holders or len(front) < len(state.line)):
        held_since = min(one.settled_at for one in front if one.addressed and one.settled_at is not None)
        if at < _hold_until(state, held_since):
            return state, ()
    gone = {one.input_id for one in front}
    command = SubmitTurns(
        input_ids=tuple(one.input_id for one in front),
        addressed=frozenset(one.input_id for one in front if one.addressed),
        answer=answer,
        goes_on=answer and any(one.user_id in state.unheard_reply for one in front if one.addressed),
    )
    state = replace(
        state,
        line=state.line[len(front) :],
        beginnings={name: one for name, one in state.beginnings.items() if name not in gone},
    )
    return state, (command,)


def _settled_front(state: FloorState) -> tuple[InLine, ...]:
    for place, one in enumerate(state.line):
        if one.settled_at is None:
            return state.line[:place]
    return state.line


def _hold_until(state: FloorState, since: float) -> float:
    return since + state.settings.longest_hold_ms / 1000

"""When the bot stops talking because somebody talks (VOX-17).

    silent    BotBeganSpeaking                            -> speaking
    speaking  somebody's speech reached `barge_in_ms`     -> ducked     DuckPlayback
    speaking  words that count, spoken into it            -> stopped    StopPlayback
    ducked    words that count                            -> stopped    StopPlayback
    ducked    `resume_after_ms` without them, or whoever
              spoke said nothing that counts              -> speaking   ResumePlayback
    any       BotFellSilent                               -> silent

Words count when they are of a person who is being answered, or call the bot, or nobody needs to be
addressed; and when they are more than a backchannel. One input ducks once: who talks on to others does not
make the bot stutter. A reply that begins while somebody talks is ducked at once.
"""

from dataclasses import dataclass, field, replace

from voice.audio.frames import SpeakerLeft
from voice.policy.addressed_rules import calls_one_of
from voice.policy.backchannel_rules import words_that_count
from voice.policy.commands import DuckPlayback, ResumePlayback, StopPlayback
from voice.policy.events import (
    BotBeganSpeaking,
    BotFellSilent,
    ClockTicked,
    InputBegan,
    InputCancelled,
    InputDropped,
    InputSealed,
    InputSettled,
    PlaybackStopped,
    RoomChanged,
    SpeechContinued,
    SpeechLasted,
    SpeechPaused,
    TranscriptGrew,
    VoiceEvent,
)
from voice.policy.room import Room, VoiceMode
from voice.policy.rules import Output, Rule, RuleContext
from voice.policy.settings import TurnTakingSettings
from voice.turn import TurnRef


@dataclass(frozen=True, slots=True, kw_only=True)
class BotVoice:
    """The reply that is audible. `speakers` spoke into it; `ducked_until` is when it goes on by itself."""

    turn: TurnRef
    answering: frozenset[int]
    ducked_until: float | None = None
    speakers: frozenset[int] = frozenset()
    """Who spoke into this reply; a short word may stop it, too, that did not pause it or after it went on."""
    waits_for: frozenset[int] = frozenset()
    """Those of them whose words are not known yet."""
    spent: frozenset[int] = frozenset()
    """Whose open input has paused this reply."""
    answered_by: frozenset[int] = frozenset()
    """Who began to speak over the question that it ends with."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BargeInState:
    """`bot` is None while it is silent."""

    settings: TurnTakingSettings
    room: Room = field(default_factory=Room)
    bot: BotVoice | None = None
    talking: frozenset[int] = frozenset()
    """Whose present stretch of speech is long enough to pause playback."""


Decision = tuple[BargeInState, tuple[Output, ...]]


def barge_in_rule(settings: TurnTakingSettings, room: Room) -> Rule[BargeInState]:
    """See the module."""
    return Rule(
        name="barge-in", initial=BargeInState(settings=settings, room=room), decide=decide, deadline=deadline
    )


def deadline(state: BargeInState) -> float | None:
    """When playback goes on by itself."""
    return state.bot.ducked_until if state.bot is not None else None


def decide(state: BargeInState, event: VoiceEvent, _context: RuleContext) -> Decision:
    """See the module."""
    match event:
        case RoomChanged():
            return replace(state, room=event.room), ()
        case BotBeganSpeaking():
            bot = BotVoice(turn=event.turn, answering=event.answering)
            state = replace(state, bot=bot)
            return _begun_into_speech(state, bot, event.at) if state.talking else (state, ())
        case BotFellSilent():
            same = state.bot is not None and state.bot.turn == event.turn
            return (replace(state, bot=None) if same else state), ()
        case PlaybackStopped():
            return replace(state, bot=None), ()
        case SpeechLasted():
            state = replace(state, talking=state.talking | {event.user_id})
        case SpeechPaused() | SpeakerLeft():
            state = replace(state, talking=state.talking - {event.user_id})
        case _:
            pass
    return (state, ()) if state.bot is None else _while_audible(state, state.bot, event)


def _while_audible(state: BargeInState, bot: BotVoice, event: VoiceEvent) -> Decision:
    match event:
        case SpeechLasted():
            return _spoken_into(state, bot, event.user_id, event.at)
        case ClockTicked() if bot.ducked_until is not None and event.at >= bot.ducked_until:
            return _resumed(state, bot)
        case TranscriptGrew() | InputSettled():
            if event.user_id in bot.speakers and _stops(state, bot, event):
                return replace(state, bot=None), (StopPlayback(user_id=event.user_id),)
            if isinstance(event, InputSettled):
                return _had_nothing_to_say(state, bot, event.user_id)
            return state, ()
        case InputBegan() | SpeechContinued():
            answers = {event.user_id} if isinstance(event, InputBegan) and event.over_question else set[int]()
            bot = replace(bot, speakers=bot.speakers | {event.user_id}, answered_by=bot.answered_by | answers)
            return replace(state, bot=bot), ()
        case InputSealed():
            return replace(state, bot=replace(bot, spent=bot.spent - {event.user_id})), ()
        case InputCancelled() | InputDropped() | SpeakerLeft():
            bot = replace(bot, spent=bot.spent - {event.user_id})
            return _had_nothing_to_say(state, bot, event.user_id)
        case _:
            return state, ()


def _begun_into_speech(state: BargeInState, bot: BotVoice, at: float) -> Decision:
    """Everybody who talks as the reply begins speaks into it, whoever pauses it."""
    first, *others = sorted(state.talking)
    state, outputs = _spoken_into(state, bot, first, at)
    for user_id in others:
        if state.bot is not None:
            state, _ = _spoken_into(state, state.bot, user_id, at)
    return state, outputs


def _spoken_into(state: BargeInState, bot: BotVoice, user_id: int, at: float) -> Decision:
    if user_id in bot.spent:
        return state, ()
    ducked = replace(
        bot,
        speakers=bot.speakers | {user_id},
        waits_for=bot.waits_for | {user_id},
        spent=bot.spent | {user_id},
    )
    if bot.ducked_until is not None:
        return replace(state, bot=ducked), ()
    until = at + state.settings.resume_after_ms / 1000
    return replace(state, bot=replace(ducked, ducked_until=until)), (DuckPlayback(user_id=user_id),)


def _stops(state: BargeInState, bot: BotVoice, event: TranscriptGrew | InputSettled) -> bool:
    over_question = event.user_id in bot.answered_by
    if not words_that_count(event.text, event.language or state.room.language, over_question=over_question):
        return False
    return (
        state.room.effective_mode in {VoiceMode.ALWAYS, VoiceMode.PUSH}
        or event.user_id in bot.answering
        or calls_one_of(event.text, state.room.bot_names)
        or (isinstance(event, InputSettled) and event.called)
    )


def _had_nothing_to_say(state: BargeInState, bot: BotVoice, user_id: int) -> Decision:
    if user_id not in bot.waits_for:
        return state, ()
    bot = replace(bot, waits_for=bot.waits_for - {user_id})
    if bot.waits_for or bot.ducked_until is None:
        return replace(state, bot=bot), ()
    return _resumed(state, bot)


def _resumed(state: BargeInState, bot: BotVoice) -> Decision:
    resumed = replace(bot, ducked_until=None, waits_for=frozenset())
    return replace(state, bot=resumed), (ResumePlayback(),)

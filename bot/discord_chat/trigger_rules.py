"""Which messages the bot answers, and why (SCENE-4). Every decision carries its reason for `/why` (CMD-3)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from bot.discord_chat.incoming_message import IncomingMessage
from core.sentences import sentence

_MOST_BOT_TURNS = 3


class TriggerMode(StrEnum):
    """The setting of a channel. Direct messages are always answered."""

    MENTION = "mention"
    ALL = "all"
    OFF = "off"


class Reason(StrEnum):
    """The rule that decided."""

    DIRECT_MESSAGE = "it was written to the bot directly"
    MENTION = "it mentions the bot"
    REPLY = "it replies to the bot"
    NAME = "it calls the bot by its name"
    OWN_THREAD = "it stands in a thread that the bot has opened"
    EVERY_MESSAGE = "every message of this channel is answered"
    SWITCHED_OFF = "answers are switched off in this channel"
    NOT_ADDRESSED = "it was not addressed to the bot"
    FROM_BOT = "it came from a bot"
    BOTS_AMONG_THEMSELVES = "only bots have talked here for a while"
    FROM_WEBHOOK = "it came from a webhook"
    NOTHING_TO_READ = "it holds nothing that the bot can read"
    MAY_NOT_SEND = "the bot may not write in this channel"
    ASLEEP = "I sleep here"
    EVENT = "it is a notice of Discord, which nobody wrote"
    NOT_SERVED = "a list of the bot's owner leaves out its author or this place"
    TOO_MANY_MESSAGES = "there were too many messages within a minute"
    TOKENS_USED_UP = "the tokens for today are used up"
    MONEY_USED_UP = "the money for this month is used up"
    UNDECIDED = "it could not be looked up what holds here"


_MODE = "`/session mode` sets the mode of a channel or server, `TRIGGER_MODE` the one of all others"
_IN_MODES = f"So it is in the modes `mention` and `all`; {_MODE}."
_LIMITS = "The bot's owner sets limits with `/admin limit` and `LIMIT_...`."

HOW_TO_CHANGE: Mapping[Reason, str] = {
    Reason.DIRECT_MESSAGE: "Direct messages are always answered.",
    Reason.MENTION: _IN_MODES,
    Reason.REPLY: _IN_MODES,
    Reason.OWN_THREAD: _IN_MODES,
    Reason.NAME: "`ANSWER_TO_NAME` is on.",
    Reason.EVERY_MESSAGE: f"So it is in the mode `all`; {_MODE}.",
    Reason.SWITCHED_OFF: f"So it is in the mode `off`; {_MODE}.",
    Reason.NOT_ADDRESSED: (
        "Mention me or reply to me. In the mode `all` every message is answered, and with `ANSWER_TO_NAME` my"
        f" name is enough; {_MODE}."
    ),
    Reason.FROM_BOT: "Bots are answered only when `ANSWERED_BOTS` names them.",
    Reason.BOTS_AMONG_THEMSELVES: "Anything that a person writes here lets me answer bots again.",
    Reason.FROM_WEBHOOK: "Webhooks are never answered, so that no loop can start.",
    Reason.NOTHING_TO_READ: "Write some words, or attach a file.",
    Reason.MAY_NOT_SEND: "Who manages the channel can allow me Send Messages: Edit Channel, Permissions.",
    Reason.ASLEEP: "Mention me to wake me. `/quiet` shows and sets the quiet hours of a server.",
    Reason.EVENT: "Only what people write is answered.",
    Reason.NOT_SERVED: "The bot's owner keeps these lists: `ALLOWED_...` and `DENIED_...` in its settings.",
    Reason.TOO_MANY_MESSAGES: f"Wait a minute. {_LIMITS}",
    Reason.TOKENS_USED_UP: f"The count begins anew at midnight UTC. {_LIMITS}",
    Reason.UNDECIDED: "Ask again; the bot's owner finds the error in its log.",
    Reason.MONEY_USED_UP: f"The count begins anew with the next month. {_LIMITS}",
}
"""The setting behind each rule, and how to change what it decides (CMD-3)."""


class Verdict(StrEnum):
    """What becomes of a message: a reply, context of the room, or nothing."""

    ANSWER = "answer"
    AMBIENT = "ambient"
    IGNORE = "ignore"


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A verdict and the rule behind it."""

    verdict: Verdict
    reason: Reason


def not_answered(decision: Decision) -> str:
    """What a person is told whose command gets no answer."""
    return sentence(
        "I do not answer: {reason}. {how_to_change}",
        reason=decision.reason,
        how_to_change=sentence(HOW_TO_CHANGE[decision.reason]),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class TriggerSettings:
    """`name` calls the bot, as does what it is called in the server; None where no name alone does.

    `bots` are ids of other bots that are answered like people.
    """

    mode: TriggerMode = TriggerMode.MENTION
    name: str | None = None
    bots: frozenset[int] = frozenset()


def decide(message: IncomingMessage, settings: TriggerSettings, *, bot_turns: int = 0) -> Decision:
    """Answer, keep as context, or ignore.

    Webhooks never trigger, and of bots those of the settings alone; `bot_turns` of them were answered since a
    person wrote there, and after the third no more are.
    """
    if (reason := _never_answered(message, settings, bot_turns)) is not None:
        is_told = reason is Reason.EVENT and not message.is_direct
        return Decision(verdict=Verdict.AMBIENT if is_told else Verdict.IGNORE, reason=reason)
    if message.is_direct:
        return Decision(verdict=Verdict.ANSWER, reason=Reason.DIRECT_MESSAGE)
    if settings.mode is TriggerMode.OFF:
        return Decision(verdict=Verdict.AMBIENT, reason=Reason.SWITCHED_OFF)
    if settings.mode is TriggerMode.ALL:
        return Decision(verdict=Verdict.ANSWER, reason=Reason.EVERY_MESSAGE)
    if message.mentions_bot:
        return Decision(verdict=Verdict.ANSWER, reason=Reason.MENTION)
    if message.replies_to_bot:
        return Decision(verdict=Verdict.ANSWER, reason=Reason.REPLY)
    if message.in_own_thread:
        return Decision(verdict=Verdict.ANSWER, reason=Reason.OWN_THREAD)
    if settings.name is not None and _names(message.text, settings.name, message.bot_name):
        return Decision(verdict=Verdict.ANSWER, reason=Reason.NAME)
    return Decision(verdict=Verdict.AMBIENT, reason=Reason.NOT_ADDRESSED)


def _never_answered(message: IncomingMessage, settings: TriggerSettings, bot_turns: int) -> Reason | None:
    if message.from_webhook:
        return Reason.FROM_WEBHOOK
    if message.author.is_bot and message.author.id not in settings.bots:
        return Reason.FROM_BOT
    if message.author.is_bot and bot_turns >= _MOST_BOT_TURNS:
        return Reason.BOTS_AMONG_THEMSELVES
    if message.is_event:
        return Reason.EVENT
    return Reason.NOTHING_TO_READ if message.is_empty else None


def _names(text: str, *names: str | None) -> bool:
    return any(name and re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) for name in names)

"""The text road: what is heard in channels, and what people do with a reply."""

from datetime import timedelta

from bot.discord_chat.asked_again import AskedAgain
from bot.discord_chat.chat import DiscordChat
from bot.discord_chat.missed_messages import MissedMessages
from bot.discord_chat.reply_controls import ReplyControls
from bot.discord_chat.reply_reactions import ReplyReactions
from bot.discord_chat.text_scenes import TextScenes
from bot.voice_scenes.voice_talks import VoiceTalks
from bot.wiring.discord_parts import DiscordParts
from core.orchestration.orchestrator import Orchestrator


def reply_controls(
    parts: DiscordParts, orchestrator: Orchestrator, talks: VoiceTalks | None
) -> ReplyControls:
    """What stops a reply or asks for it again, also one that is spoken."""
    core, decides = parts.core, parts.decides
    return ReplyControls(
        sessions=core.stores.sessions,
        history=core.stores.history,
        inbox=core.stores.inbox,
        orchestrator=orchestrator,
        channels=parts.channels,
        place=parts.place,
        options=parts.options,
        may_ask_again=AskedAgain(decides.messages, decides.limits, core.clock),
        clock=core.clock,
        asides=talks,
    )


def discord_chat(parts: DiscordParts, orchestrator: Orchestrator, controls: ReplyControls) -> DiscordChat:
    """The listener of the client."""
    core, text = parts.core, parts.core.settings.text
    scenes = TextScenes(
        stores=core.stores,
        orchestrator=orchestrator,
        channels=parts.channels,
        readers=parts.readers,
        place=parts.place,
        resumed_place=parts.place.resumed(),
        room=parts.room,
        content=parts.content,
        decisions=parts.decides.messages,
        options=parts.options,
        burst_window=timedelta(milliseconds=text.burst_window_ms),
        edits_replace=text.edits_replace_reply,
        clock=core.clock,
        new_id=core.new_id,
    )
    return DiscordChat(
        scenes=scenes,
        room=parts.room,
        missed=MissedMessages(parts.client, parts.channels),
        reactions=ReplyReactions(
            controls=controls, orchestrator=orchestrator, outbox=core.stores.outbox, clock=core.clock
        ),
        sessions=core.stores.sessions,
        clock=core.clock,
        answer_missed_within=timedelta(seconds=text.answer_missed_within_s),
    )

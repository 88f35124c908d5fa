"""Joins a run of the core to the stores of its session: what it starts from, and what it leaves behind."""

from collections.abc import Iterable

from bot.discord_chat.incoming_message import message_id_of
from core.clock import Clock
from core.context.compaction import Summary, summary_turn
from core.conversation.turns import Authority, Conversation, SystemTurn, Turn
from core.orchestration.run_ports import RunRecord, StaleSession
from core.orchestration.sends import SceneKind, Send
from sessions.bindings import ChannelBinding, read_binding
from sessions.failures import IllegalMove, StaleGeneration
from sessions.history import History
from sessions.outbox import PlannedPiece
from sessions.outbox_rules import message_of, nonce_for
from sessions.replies import BegunReply, CommittedReply, Replies, SpokenTurn
from sessions.summaries import StoredSummary, Summaries

_WINDOW_TURNS = 400


class SceneJournal:
    """The `Journal` of the orchestrator, on the stores of sessions/."""

    def __init__(self, *, replies: Replies, history: History, summaries: Summaries, clock: Clock) -> None:
        self._replies = replies
        self._history = history
        self._summaries = summaries
        self._clock = clock

    async def window(self, send: Send) -> Conversation:
        """The summary, what came after it, and last the send's turns; without a reply that is replaced.

        Stored instructions are left out: each run reads those of its own session (CORE-22).
        """
        window = await self._history.window(send.session_id, _WINDOW_TURNS)
        summary = await self._summaries.latest(send.session_id)
        again = {turn.id for turn in send.turns}
        if send.retry is not None and send.retry.replaces is not None:
            again.add(send.retry.replaces)
        earlier = (
            stored.turn
            for stored in window.turns
            if stored.turn.id not in again
            and not _is_instruction(stored.turn)
            and (summary is None or stored.position > summary.position)
        )
        return Conversation(id=send.session_id, turns=(*_as_turns(summary), *earlier, *send.turns))

    async def keep(self, send: Send, run_id: str) -> None:
        """Keep the turns, mark the messages as being answered, plan the first post; all in one step.

        The turns of a retry are kept already.
        """
        try:
            await self._replies.begin(
                BegunReply(
                    session_id=send.session_id,
                    generation=send.generation,
                    run_id=run_id,
                    turns=_new_turns(send),
                    first_piece=self._first_piece(send),
                )
            )
        except (StaleGeneration, IllegalMove) as error:
            # A reset between acceptance and this moment drops the messages, or leaves the send behind.
            raise StaleSession(send.session_id) from error

    async def commit(self, record: RunRecord) -> None:
        """Keep the reply, finish its posts, settle its messages; all in one step."""
        await self._replies.commit(
            CommittedReply(
                session_id=record.session_id,
                generation=record.generation,
                reply_id=record.reply_id,
                message_ids=_message_ids(record.turn_ids),
                turn=record.reply,
                replaces=record.replaces,
            )
        )

    def _first_piece(self, send: Send) -> PlannedPiece | None:
        binding = read_binding(send.session_id)
        if not isinstance(binding, ChannelBinding) or send.options.scene is not SceneKind.DISCORD:
            return None
        return PlannedPiece(
            reply_id=send.reply_id,
            number=0,
            session_id=send.session_id,
            channel_id=str(binding.channel_id),
            nonce=nonce_for(message_of(send.reply_id), 0),
            at=self._clock.now(),
        )


def _new_turns(send: Send) -> tuple[SpokenTurn, ...]:
    if send.retry is not None:
        return ()
    return tuple(SpokenTurn(turn=turn, message_ids=_message_ids((turn.id,))) for turn in send.turns)


def _is_instruction(turn: Turn) -> bool:
    return isinstance(turn, SystemTurn) and turn.authority is not Authority.CONTEXT


def _as_turns(summary: StoredSummary | None) -> tuple[SystemTurn, ...]:
    if summary is None:
        return ()
    told = Summary(text=summary.text, skills=summary.skills)
    return (summary_turn(told, turn_id=f"summary:{summary.position}"),)


def _message_ids(turn_ids: Iterable[str]) -> tuple[str, ...]:
    """The inbox rows behind turns: only messages of Discord have one."""
    message_ids = (message_id_of(turn_id) for turn_id in turn_ids)
    return tuple(str(message_id) for message_id in message_ids if message_id is not None)

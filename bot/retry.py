"""Asking again what got no whole answer (CORE-23), for every kind of scene."""

from core.conversation.unanswered import Unanswered, unanswered
from core.orchestration.sends import ReplyPlace, Retry, Send, SendOptions
from sessions.history import History
from sessions.scene import Session

_LOOKED_AT = 100


async def unanswered_question(history: History, session_id: str) -> Unanswered | None:
    """The question at the end of a session's history, if it got no whole answer."""
    window = await history.window(session_id, _LOOKED_AT)
    return unanswered(stored.turn for stored in reversed(window.turns))


def asked_again(
    question: Unanswered, session: Session, *, reply_id: str, place: ReplyPlace, options: SendOptions
) -> Send:
    """The send that answers the question anew, as a reply of its own."""
    broken_off = question.broken_off
    return Send(
        session_id=session.session_id,
        generation=session.generation,
        reply_id=reply_id,
        turns=question.turns,
        place=place,
        options=options,
        may_join=False,
        retry=Retry(replaces=None if broken_off is None else broken_off.id),
    )

"""What a backend may do, as people decided it (TASK-9). Pure.

    task     this task, now and later, until it ends
    always   every task of this scene, until the restart
    reject   this one operation

A decision answers a request that was really asked. An unknown id authorises nothing; nothing is ever decided
for another task than the grant names.
"""

import re
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum
from typing import Final

from core.conversation.turns import UserTurn
from core.prompts.plain_line import plain_line
from recipes.run_scene import Standing

MOST_DETAIL: Final = 600
_MOST_TITLE: Final = 120
_NAMED_SECRET: Final = re.compile(
    r"(?i)\b([\w-]*(?:api[_-]?key|token|secret|passw(?:or)?d|credential)[\w-]*\s*[=:]\s*)(\"[^\"]*\"|'[^']*'|\S+)"
)
_BEARER: Final = re.compile(r"(?i)\b(bearer|basic)\s+\S+")
_SECRET_SHAPE: Final = re.compile(
    r"\b(?:sk|pk|gh[pousr]|xox[abp]|glpat)[-_][\w-]{8,}|\b[A-Za-z0-9_-]{20,}\.[\w-]{6,}\.[\w-]{20,}\b"
    r"|\b(?=[\w+/]*\d)(?=[\w+/]*[A-Za-z])[\w+/]{32,}={0,2}"
)
_URL_USER: Final = re.compile(r"(?<=://)[^/\s@]+@")
_HIDDEN: Final = "[hidden]"


class Decision(StrEnum):
    """What a person says."""

    TASK = "task"
    ALWAYS = "always"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionRequest:
    """An operation that a backend wants to do and may not without consent. `detail` holds no secrets."""

    id: str
    task_id: str
    session_id: str
    requester_id: str
    title: str
    detail: str
    asked_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PermissionBook:
    """Everything that is decided and everything that waits, since the start of the process."""

    pending: tuple[PermissionRequest, ...] = ()
    tasks: frozenset[str] = frozenset()
    scenes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Requests that wait no more. `named` is the one that was decided about; `approved` covers all."""

    named: PermissionRequest
    approved: bool
    ids: tuple[str, ...]


class NotDecided(Exception):
    """Nothing was authorised; the message is one sentence that says why."""


def asked(book: PermissionBook, request: PermissionRequest) -> tuple[PermissionBook, bool]:
    """The book with the request in it, or True: an earlier decision covers it."""
    if request.task_id in book.tasks or request.session_id in book.scenes:
        return book, True
    return replace(book, pending=(*book.pending, request)), False


def decided(
    book: PermissionBook, permission_id: str | None, decision: Decision, *, session_id: str | None = None
) -> tuple[PermissionBook, Settled]:
    """Decide about one request; without an id about the only one that waits (TASK-29).

    A grant covers what waits already, too. `session_id`: only requests of that scene are seen.

    Raises:
        NotDecided: no such request waits, or several do and none is named.
    """
    seen = [one for one in book.pending if session_id is None or one.session_id == session_id]
    named = _named(seen, permission_id)
    match decision:
        case Decision.REJECT:
            covered = [named]
        case Decision.TASK:
            covered = [one for one in book.pending if one.task_id == named.task_id]
        case Decision.ALWAYS:
            covered = [one for one in book.pending if one.session_id == named.session_id]
    left = tuple(one for one in book.pending if one not in covered)
    changed = PermissionBook(
        pending=left,
        tasks=book.tasks | ({named.task_id} if decision is Decision.TASK else frozenset[str]()),
        scenes=book.scenes | ({named.session_id} if decision is Decision.ALWAYS else frozenset[str]()),
    )
    ids = tuple(one.id for one in covered)
    return changed, Settled(named=named, approved=decision is not Decision.REJECT, ids=ids)


def withdrawn(book: PermissionBook, permission_id: str) -> PermissionBook:
    """Whoever asked asks no more."""
    return replace(book, pending=tuple(one for one in book.pending if one.id != permission_id))


def task_over(book: PermissionBook, task_id: str) -> tuple[PermissionBook, tuple[str, ...]]:
    """The task ended: its grant ends with it, and what it still asked for is refused."""
    gone = tuple(one.id for one in book.pending if one.task_id == task_id)
    pending = tuple(one for one in book.pending if one.task_id != task_id)
    return replace(book, pending=pending, tasks=book.tasks - {task_id}), gone


def may_decide(request: PermissionRequest, *, user_id: str, standing: Standing) -> bool:
    """The requester and the owner, nobody else."""
    return standing is Standing.OWNER or request.requester_id == user_id


def consents(request: PermissionRequest, turns: tuple[UserTurn, ...], *, standing: Standing) -> bool:
    """Whether the current turn may decide: a person who may, speaking after the request was made.

    A notice is nobody's speech; of several people in one turn each one must be allowed to.
    """
    speaking = [turn for turn in turns if turn.notice is None and turn.speaker is not None]
    if not speaking or len(speaking) < len(turns):
        return False
    allowed = all(
        may_decide(request, user_id=turn.speaker.id, standing=standing)
        for turn in speaking
        if turn.speaker is not None
    )
    return allowed and speaking[-1].at >= request.asked_at


def bounded_title(text: str) -> str:
    """One short line without secrets."""
    return plain_line(redacted(text), limit=_MOST_TITLE)


def bounded_detail(text: str) -> str:
    """The exact command or path as far as it fits, with what looks like a secret hidden."""
    clean = redacted(text.strip())
    return clean if len(clean) <= MOST_DETAIL else f"{clean[: MOST_DETAIL - 1]}…"


def redacted(text: str) -> str:
    """`text` with secret-like values hidden."""
    named = _NAMED_SECRET.sub(rf"\g<1>{_HIDDEN}", text)
    without_bearer = _BEARER.sub(rf"\g<1> {_HIDDEN}", named)
    return _URL_USER.sub(f"{_HIDDEN}@", _SECRET_SHAPE.sub(_HIDDEN, without_bearer))


def _named(seen: list[PermissionRequest], permission_id: str | None) -> PermissionRequest:
    if permission_id is None or not permission_id.strip():
        if len(seen) == 1:
            return seen[0]
        raise NotDecided("Several requests wait: name one by its id." if seen else "No request waits here.")
    found = [one for one in seen if one.id == permission_id.strip().strip("`")]
    if not found:
        raise NotDecided("No request of that id waits; nothing was authorised.")
    return found[0]

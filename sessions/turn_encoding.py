"""Turns to records; `turn_decoding.py` is the way back. Pure."""

import json
from collections.abc import Sequence
from datetime import datetime
from typing import assert_never

from core.conversation.content import Audio, File, Image, MediaSource, Text, UserContent
from core.conversation.continuation import ProjectionIssue, ProviderContinuation
from core.conversation.turns import (
    AssistantTurn,
    Citation,
    InvokedSkill,
    ModelCall,
    Notice,
    ReasoningSummary,
    Refusal,
    ReplyText,
    Round,
    RoundContent,
    SkillForm,
    Speaker,
    SystemTurn,
    ToolInvocation,
    ToolReference,
    Turn,
    Usage,
    UserTurn,
)
from sessions.turn_record import VERSION, TurnKind, TurnRecord

_Json = dict[str, object]


def encode_turn(turn: Turn) -> TurnRecord:
    """The record of a turn. A moment keeps its offset; the name of its time zone is not stored."""
    match turn:
        case UserTurn():
            return _record(TurnKind.USER, _user(turn))
        case SystemTurn():
            return _record(TurnKind.SYSTEM, _system(turn))
        case AssistantTurn():
            return _record(TurnKind.ASSISTANT, _assistant(turn))
        case _:
            assert_never(turn)


def encode_invocation(invocation: ToolInvocation) -> str:
    """An invocation on its own, as JSON text (the tool journal)."""
    return _text_of(_invocation(invocation))


def _record(kind: TurnKind, body: _Json) -> TurnRecord:
    return TurnRecord(kind=kind, version=VERSION, body=_text_of(body))


def _text_of(body: _Json) -> str:
    return json.dumps(body, ensure_ascii=True, separators=(",", ":"))


def _brief(**fields: object) -> _Json:
    """The fields that are not at their default: None, False, an empty list."""
    return {
        name: value
        for name, value in fields.items()
        if value is not None and value != [] and value is not False
    }


def _moment(moment: datetime) -> str:
    return moment.isoformat()


def _user(turn: UserTurn) -> _Json:
    return _brief(
        id=turn.id,
        at=_moment(turn.at),
        content=[_content(part) for part in turn.content],
        speaker=None if turn.speaker is None else _speaker(turn.speaker),
        notice=None if turn.notice is None else _notice(turn.notice),
        skills=[_skill(skill) for skill in turn.skills],
    )


def _speaker(speaker: Speaker) -> _Json:
    return _brief(id=speaker.id, name=speaker.name)


def _notice(notice: Notice) -> _Json:
    return _brief(source=notice.source, silence_allowed=notice.silence_allowed, about=notice.about)


def _skill(skill: InvokedSkill) -> _Json:
    form = None if skill.form is SkillForm.STEPS else skill.form.value
    return _brief(name=skill.name, text=skill.text, form=form, by_other=not skill.by_owner)


def _content(part: UserContent) -> _Json:
    match part:
        case Text():
            return _brief(part="text", text=part.text)
        case Image():
            return _media("image", part.source, part.media_type, caption=part.caption)
        case Audio():
            return _media("audio", part.source, part.media_type, transcript=part.transcript)
        case File():
            return _media("file", part.source, part.media_type, name=part.name)
        case _:
            assert_never(part)


def _media(part: str, source: MediaSource, media_type: str, **fields: str | None) -> _Json:
    return _brief(
        part=part,
        path=None if source.path is None else source.path.as_posix(),
        url=source.url,
        provider_file_id=source.provider_file_id,
        media_type=media_type,
        **fields,
    )


def _system(turn: SystemTurn) -> _Json:
    return _brief(id=turn.id, authority=turn.authority.value, text=turn.text, writer=turn.writer)


def _assistant(turn: AssistantTurn) -> _Json:
    return _brief(
        id=turn.id,
        run_id=turn.run_id,
        created_at=_moment(turn.created_at),
        completed_at=_moment(turn.completed_at),
        rounds=[_round(round_) for round_ in turn.rounds],
        interrupted=turn.interrupted,
        proactive=turn.proactive,
        sticker_id=turn.sticker_id,
        issues=_issues(turn.issues),
    )


def _issues(issues: Sequence[ProjectionIssue]) -> list[_Json]:
    return [_brief(item_type=issue.item_type, reason=issue.reason) for issue in issues]


def _round(round_: Round) -> _Json:
    return _brief(
        content=[_round_content(part) for part in round_.content],
        invocations=[_invocation(invocation) for invocation in round_.invocations],
        usage=None if round_.usage is None else _usage(round_.usage),
        finish_reason=None if round_.finish_reason is None else round_.finish_reason.value,
        model_call=None if round_.model_call is None else _model_call(round_.model_call),
        continuation=None if round_.continuation is None else _continuation(round_.continuation),
    )


def _round_content(part: RoundContent) -> _Json:
    match part:
        case ReplyText():
            return _brief(part="text", text=part.text)
        case ReasoningSummary():
            return _brief(part="reasoning", text=part.text)
        case Refusal():
            return _brief(part="refusal", text=part.text)
        case Citation():
            return _brief(part="citation", url=part.url, title=part.title, start=part.start, end=part.end)
        case ToolReference():
            return _brief(part="tool", invocation_id=part.invocation_id)
        case _:
            assert_never(part)


def _invocation(invocation: ToolInvocation) -> _Json:
    return _brief(
        id=invocation.id,
        provider_call_id=invocation.provider_call_id,
        name=invocation.name,
        arguments=invocation.arguments,
        result=invocation.result,
        status=invocation.status.value,
        started_at=_moment(invocation.started_at),
        finished_at=_moment(invocation.finished_at),
        result_edited=invocation.result_edited,
    )


def _usage(usage: Usage) -> _Json:
    return _brief(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cached_tokens=usage.cached_tokens,
        estimated=usage.estimated,
    )


def _model_call(call: ModelCall) -> _Json:
    return _brief(
        provider=call.provider,
        endpoint=call.endpoint,
        model=call.model,
        started_at=_moment(call.started_at),
        first_token_at=None if call.first_token_at is None else _moment(call.first_token_at),
        finished_at=_moment(call.finished_at),
        attempts=call.attempts,
    )


def _continuation(continuation: ProviderContinuation) -> _Json:
    scope = continuation.scope
    return _brief(
        scope=_brief(
            protocol=scope.protocol.value,
            provider=scope.provider,
            endpoint=scope.endpoint,
            model=scope.model,
            conversation=scope.conversation,
        ),
        items_json=continuation.items_json,
    )

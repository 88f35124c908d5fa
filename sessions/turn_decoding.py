"""Records to turns, strictly; `turn_encoding.py` is the other way. Pure.

User and system records have no place for rounds (CORE-1): one that holds them is unreadable, like any record
with a field that its form does not have.
"""

from pathlib import PurePath
from typing import assert_never

from core.conversation.content import Audio, File, Image, MediaSource, Text, UserContent
from core.conversation.continuation import (
    ContinuationScope,
    ProjectionIssue,
    ProtocolName,
    ProviderContinuation,
)
from core.conversation.turns import (
    AssistantTurn,
    Authority,
    Citation,
    FinishReason,
    InvocationStatus,
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
from sessions.failures import TurnUnreadable
from sessions.record_fields import Fields, parse_object
from sessions.turn_record import VERSION, TurnKind, TurnRecord


def decode_turn(record: TurnRecord) -> Turn:
    """The turn of a record.

    Raises:
        TurnUnreadable: the record is broken, or of a version that is not known here.
    """
    if record.version != VERSION:
        raise TurnUnreadable(f"the record has version {record.version}, this Parley reads {VERSION}")
    fields = parse_object(record.body, record.kind.value)
    match record.kind:
        case TurnKind.USER:
            turn = _user(fields)
        case TurnKind.SYSTEM:
            turn = _system(fields)
        case TurnKind.ASSISTANT:
            turn = _assistant(fields)
        case _:
            assert_never(record.kind)
    fields.end()
    return turn


def decode_invocation(text: str) -> ToolInvocation:
    """An invocation on its own.

    Raises:
        TurnUnreadable: it is broken.
    """
    return _invocation(parse_object(text, "invocation"))


def _user(fields: Fields) -> UserTurn:
    return UserTurn(
        id=fields.text("id"),
        at=fields.moment("at"),
        content=tuple(_content(part) for part in fields.each("content")),
        speaker=_speaker(fields.inner_or_none("speaker")),
        notice=_notice(fields.inner_or_none("notice")),
        skills=tuple(_skill(skill) for skill in fields.each("skills")),
    )


def _speaker(fields: Fields | None) -> Speaker | None:
    if fields is None:
        return None
    speaker = Speaker(id=fields.text("id"), name=fields.text("name"))
    fields.end()
    return speaker


def _notice(fields: Fields | None) -> Notice | None:
    if fields is None:
        return None
    notice = Notice(
        source=fields.text("source"),
        silence_allowed=fields.flag("silence_allowed"),
        about=fields.text_or_none("about"),
    )
    fields.end()
    return notice


def _skill(fields: Fields) -> InvokedSkill:
    skill = InvokedSkill(
        name=fields.text("name"),
        text=fields.text("text"),
        form=fields.choice_or_none("form", SkillForm) or SkillForm.STEPS,
        by_owner=not fields.flag("by_other"),
    )
    fields.end()
    return skill


def _content(fields: Fields) -> UserContent:
    part: UserContent
    match fields.text("part"):
        case "text":
            part = Text(text=fields.text("text"))
        case "image":
            part = Image(
                source=_source(fields),
                media_type=fields.text("media_type"),
                caption=fields.text_or_none("caption"),
            )
        case "audio":
            part = Audio(
                source=_source(fields),
                media_type=fields.text("media_type"),
                transcript=fields.text_or_none("transcript"),
            )
        case "file":
            part = File(
                source=_source(fields), media_type=fields.text("media_type"), name=fields.text("name")
            )
        case _:
            raise fields.unreadable("is a part of an unknown kind")
    fields.end()
    return part


def _source(fields: Fields) -> MediaSource:
    path = fields.text_or_none("path")
    try:
        return MediaSource(
            path=None if path is None else PurePath(path),
            url=fields.text_or_none("url"),
            provider_file_id=fields.text_or_none("provider_file_id"),
        )
    except ValueError as error:
        raise fields.unreadable("has not exactly one source") from error


def _system(fields: Fields) -> SystemTurn:
    return SystemTurn(
        id=fields.text("id"),
        authority=fields.choice("authority", Authority),
        text=fields.text("text"),
        writer=fields.text_or_none("writer"),
    )


def _assistant(fields: Fields) -> AssistantTurn:
    return AssistantTurn(
        id=fields.text("id"),
        run_id=fields.text_or_none("run_id"),
        created_at=fields.moment("created_at"),
        completed_at=fields.moment("completed_at"),
        rounds=tuple(_round(round_) for round_ in fields.each("rounds")),
        interrupted=fields.flag("interrupted"),
        proactive=fields.flag("proactive"),
        sticker_id=fields.text_or_none("sticker_id"),
        issues=tuple(_issue(issue) for issue in fields.each("issues")),
    )


def _issue(fields: Fields) -> ProjectionIssue:
    issue = ProjectionIssue(item_type=fields.text("item_type"), reason=fields.text("reason"))
    fields.end()
    return issue


def _round(fields: Fields) -> Round:
    content = tuple(_round_content(part) for part in fields.each("content"))
    invocations = tuple(_invocation(invocation) for invocation in fields.each("invocations"))
    try:
        round_ = Round(
            content=content,
            invocations=invocations,
            usage=_usage(fields.inner_or_none("usage")),
            finish_reason=fields.choice_or_none("finish_reason", FinishReason),
            model_call=_model_call(fields.inner_or_none("model_call")),
            continuation=_continuation(fields.inner_or_none("continuation")),
        )
    except ValueError as error:
        raise fields.unreadable("does not refer to each of its invocations exactly once") from error
    fields.end()
    return round_


def _round_content(fields: Fields) -> RoundContent:
    part: RoundContent
    match fields.text("part"):
        case "text":
            part = ReplyText(text=fields.text("text"))
        case "reasoning":
            part = ReasoningSummary(text=fields.text("text"))
        case "refusal":
            part = Refusal(text=fields.text("text"))
        case "citation":
            part = Citation(
                url=fields.text("url"),
                title=fields.text("title"),
                start=fields.number("start"),
                end=fields.number("end"),
            )
        case "tool":
            part = ToolReference(invocation_id=fields.text("invocation_id"))
        case _:
            raise fields.unreadable("is a part of an unknown kind")
    fields.end()
    return part


def _invocation(fields: Fields) -> ToolInvocation:
    invocation = ToolInvocation(
        id=fields.text("id"),
        provider_call_id=fields.text("provider_call_id"),
        name=fields.text("name"),
        arguments=fields.text("arguments"),
        result=fields.text("result"),
        status=fields.choice("status", InvocationStatus),
        started_at=fields.moment("started_at"),
        finished_at=fields.moment("finished_at"),
        result_edited=fields.flag("result_edited"),
    )
    fields.end()
    return invocation


def _usage(fields: Fields | None) -> Usage | None:
    if fields is None:
        return None
    usage = Usage(
        input_tokens=fields.number("input_tokens"),
        output_tokens=fields.number("output_tokens"),
        cached_tokens=fields.number("cached_tokens"),
        estimated=fields.flag("estimated"),
    )
    fields.end()
    return usage


def _model_call(fields: Fields | None) -> ModelCall | None:
    if fields is None:
        return None
    call = ModelCall(
        provider=fields.text("provider"),
        endpoint=fields.text("endpoint"),
        model=fields.text("model"),
        started_at=fields.moment("started_at"),
        first_token_at=fields.moment_or_none("first_token_at"),
        finished_at=fields.moment("finished_at"),
        attempts=fields.number("attempts"),
    )
    fields.end()
    return call


def _continuation(fields: Fields | None) -> ProviderContinuation | None:
    if fields is None:
        return None
    scope = fields.inner("scope")
    continuation = ProviderContinuation(
        scope=ContinuationScope(
            protocol=scope.choice("protocol", ProtocolName),
            provider=scope.text("provider"),
            endpoint=scope.text("endpoint"),
            model=scope.text("model"),
            conversation=scope.text("conversation"),
        ),
        items_json=fields.text("items_json"),
    )
    scope.end()
    fields.end()
    return continuation

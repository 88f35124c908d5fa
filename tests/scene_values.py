"""Values of conversations for tests, and Hypothesis strategies that make any of them."""

import re
from datetime import UTC, datetime, timedelta, timezone
from pathlib import PurePath

from hypothesis import strategies as st

from core.conversation.content import Audio, File, Image, MediaSource, Text
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
    SkillForm,
    Speaker,
    SystemTurn,
    ToolInvocation,
    ToolReference,
    Usage,
    UserTurn,
)

NOON = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
SCOPE = ContinuationScope(
    protocol=ProtocolName.RESPONSES,
    provider="openai",
    endpoint="https://api.openai.com/v1",
    model="gpt-5",
    conversation="discord:channel:42",
)


def user_turn(turn_id: str, text: str = "hello") -> UserTurn:
    return UserTurn(id=turn_id, at=NOON, content=(Text(text=text),), speaker=Speaker(id="7", name="Ada"))


def assistant_turn(turn_id: str, *rounds: Round, interrupted: bool = False) -> AssistantTurn:
    return AssistantTurn(
        id=turn_id,
        run_id=f"run-{turn_id}",
        created_at=NOON,
        completed_at=NOON + timedelta(seconds=2),
        rounds=rounds or (Round(content=(ReplyText(text="hi"),)),),
        interrupted=interrupted,
    )


def invocation(invocation_id: str, result: str = "12:00") -> ToolInvocation:
    return ToolInvocation(
        id=invocation_id,
        provider_call_id="call_0",
        name="clock",
        arguments="{}",
        result=result,
        status=InvocationStatus.COMPLETED,
        started_at=NOON,
        finished_at=NOON,
    )


def native_round(*invocations: ToolInvocation, items_json: str = '[{"type":"message"}]') -> Round:
    """A round with native items, as a provider gave them."""
    return Round(
        content=tuple(ToolReference(invocation_id=called.id) for called in invocations),
        invocations=invocations,
        continuation=ProviderContinuation(scope=SCOPE, items_json=items_json),
    )


_SPLIT_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")

# Any string that JSON can hold: NUL, lone surrogates and other scripts included.
texts = st.text(st.characters(exclude_categories=()), max_size=20).filter(
    lambda text: not _SPLIT_PAIR.search(text)
)
offsets = st.integers(-14 * 60, 14 * 60).map(lambda minutes: timezone(timedelta(minutes=minutes)))
moments = st.datetimes(min_value=datetime(1990, 1, 1), max_value=datetime(2090, 1, 1), timezones=offsets)  # noqa: DTZ001 - Hypothesis wants naive bounds
counts = st.integers(0, 2**40)

sources = st.one_of(
    st.builds(
        MediaSource,
        path=st.lists(
            st.text(st.characters(codec="utf-8", exclude_characters="\0/\\"), min_size=1, max_size=5),
            min_size=1,
            max_size=3,
        ).map(lambda parts: PurePath(*parts)),
    ),
    st.builds(MediaSource, url=texts),
    st.builds(MediaSource, provider_file_id=texts),
)
user_content = st.one_of(
    st.builds(Text, text=texts),
    st.builds(Image, source=sources, media_type=texts, caption=st.none() | texts),
    st.builds(Audio, source=sources, media_type=texts, transcript=st.none() | texts),
    st.builds(File, source=sources, media_type=texts, name=texts),
)
user_turns = st.builds(
    UserTurn,
    id=texts,
    at=moments,
    content=st.lists(user_content, max_size=3).map(tuple),
    speaker=st.none() | st.builds(Speaker, id=texts, name=texts),
    notice=st.none() | st.builds(Notice, source=texts, silence_allowed=st.booleans()),
    skills=st.lists(
        st.builds(
            InvokedSkill, name=texts, text=texts, form=st.sampled_from(SkillForm), by_owner=st.booleans()
        ),
        max_size=2,
    ).map(tuple),
)
system_turns = st.builds(
    SystemTurn, id=texts, authority=st.sampled_from(Authority), text=texts, writer=st.none() | texts
)
invocations = st.builds(
    ToolInvocation,
    id=texts,
    provider_call_id=texts,
    name=texts,
    arguments=texts,
    result=texts,
    status=st.sampled_from(InvocationStatus),
    started_at=moments,
    finished_at=moments,
    result_edited=st.booleans(),
)
continuations = st.builds(
    ProviderContinuation,
    scope=st.builds(
        ContinuationScope,
        protocol=st.sampled_from(ProtocolName),
        provider=texts,
        endpoint=texts,
        model=texts,
        conversation=texts,
    ),
    items_json=texts,
)


@st.composite
def rounds(draw: st.DrawFn) -> Round:
    called = draw(st.lists(invocations, max_size=3, unique_by=lambda one: one.id))
    words = draw(
        st.lists(
            st.one_of(
                st.builds(ReplyText, text=texts),
                st.builds(ReasoningSummary, text=texts),
                st.builds(Refusal, text=texts),
                st.builds(Citation, url=texts, title=texts, start=counts, end=counts),
            ),
            max_size=3,
        )
    )
    content = draw(st.permutations([*words, *(ToolReference(invocation_id=one.id) for one in called)]))
    return Round(
        content=tuple(content),
        invocations=tuple(called),
        usage=draw(
            st.none()
            | st.builds(
                Usage,
                input_tokens=counts,
                output_tokens=counts,
                cached_tokens=counts,
                estimated=st.booleans(),
            )
        ),
        finish_reason=draw(st.none() | st.sampled_from(FinishReason)),
        model_call=draw(
            st.none()
            | st.builds(
                ModelCall,
                provider=texts,
                endpoint=texts,
                model=texts,
                started_at=moments,
                first_token_at=st.none() | moments,
                finished_at=moments,
                attempts=st.integers(1, 4),
            )
        ),
        continuation=draw(st.none() | continuations),
    )


assistant_turns = st.builds(
    AssistantTurn,
    id=texts,
    run_id=st.none() | texts,
    created_at=moments,
    completed_at=moments,
    rounds=st.lists(rounds(), max_size=3).map(tuple),
    interrupted=st.booleans(),
    proactive=st.booleans(),
    sticker_id=st.none() | texts,
    issues=st.lists(st.builds(ProjectionIssue, item_type=texts, reason=texts), max_size=2).map(tuple),
)
turns = st.one_of(user_turns, system_turns, assistant_turns)

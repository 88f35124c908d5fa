"""The display projection: CORE-26."""

from datetime import UTC, datetime
from pathlib import PurePosixPath

from hypothesis import given
from hypothesis import strategies as st

from core.conversation.content import Audio, File, Image, MediaSource, Text, UserContent
from core.conversation.continuation import ContinuationScope, ProtocolName, ProviderContinuation
from core.conversation.display import DisplayRole, DisplayTurn, display, display_turn, label
from core.conversation.turns import (
    AssistantTurn,
    Authority,
    Citation,
    Conversation,
    InvocationStatus,
    InvokedSkill,
    Notice,
    ReasoningSummary,
    Refusal,
    ReplyText,
    Round,
    Speaker,
    SystemTurn,
    ToolInvocation,
    ToolReference,
    UserTurn,
)

AT = datetime(2026, 11, 30, 18, 47, tzinfo=UTC)
SECRET = "s3cr3t"
SOURCES = st.sampled_from(
    [
        MediaSource(path=PurePosixPath(f"/media/{SECRET}.bin")),
        MediaSource(url=f"https://cdn.example/{SECRET}?sig={SECRET}"),
        MediaSource(provider_file_id=f"file-{SECRET}"),
    ],
)
WORDS = st.text(max_size=8).filter(lambda text: SECRET not in text)
CONTENT: st.SearchStrategy[UserContent] = st.one_of(
    st.builds(Text, text=WORDS),
    st.builds(Image, source=SOURCES, media_type=st.just("image/png"), caption=st.none() | WORDS),
    st.builds(Audio, source=SOURCES, media_type=st.just("audio/ogg"), transcript=st.none() | WORDS),
    st.builds(File, source=SOURCES, media_type=st.just("text/plain"), name=WORDS),
)


def invocation(name: str, *, status: InvocationStatus = InvocationStatus.COMPLETED) -> ToolInvocation:
    return ToolInvocation(
        id="inv_1",
        provider_call_id=f"call_{SECRET}",
        name=name,
        arguments=f'{{"key": "{SECRET}"}}',
        result=f"the {SECRET}",
        status=status,
        started_at=AT,
        finished_at=AT,
    )


def reply(*rounds: Round, interrupted: bool = False) -> AssistantTurn:
    return AssistantTurn(
        id="t", run_id="r", created_at=AT, completed_at=AT, rounds=rounds, interrupted=interrupted
    )


@given(st.lists(CONTENT, max_size=5).map(tuple))
def test_no_media_source_is_ever_displayed(content: tuple[UserContent, ...]) -> None:
    """CORE-26: images, audio and files become labels; the words of a person stay."""
    shown = display_turn(UserTurn(id="t", at=AT, content=content)).text
    assert SECRET not in shown
    for part in content:
        if isinstance(part, Text):
            assert part.text in shown
        else:
            assert label(part) in shown
            assert len(label(part).splitlines()) == 1


def test_labels_tell_what_stands_there() -> None:
    """CORE-26."""
    source = MediaSource(url="https://cdn.example/x")
    assert label(Image(source=source, media_type="image/png")) == "[image]"
    assert label(Image(source=source, media_type="image/png", caption="a\ncat")) == "[image: a cat]"
    assert label(Audio(source=source, media_type="audio/ogg", transcript="hello")) == "[audio: hello]"
    assert label(File(source=source, media_type="text/plain", name="a[1].txt")) == "[file: a(1).txt]"


def test_a_tool_is_displayed_by_name_and_outcome_alone() -> None:
    """CORE-26: neither arguments nor results, native items nor reasoning."""
    scope = ContinuationScope(
        protocol=ProtocolName.CHAT, provider="p", endpoint="e", model="m", conversation="c"
    )
    round_ = Round(
        content=(
            ReasoningSummary(text=f"thinking of {SECRET}"),
            ReplyText(text="Let me "),
            ReplyText(text="look."),
            ToolReference(invocation_id="inv_1"),
            Citation(url=f"https://example.org/{SECRET}", title=SECRET, start=0, end=3),
        ),
        invocations=(invocation("web_search", status=InvocationStatus.TIMED_OUT),),
        continuation=ProviderContinuation(scope=scope, items_json=f'["{SECRET}"]'),
    )
    last = Round(content=(ReplyText(text="Sorry: "), Refusal(text="I cannot.")))
    assert display_turn(reply(round_, last, interrupted=True)) == DisplayTurn(
        turn_id="t",
        role=DisplayRole.ASSISTANT,
        author="",
        text="Let me look.\n[tool web_search: timed_out]\nSorry: I cannot.",
        interrupted=True,
    )


def test_every_turn_is_displayed_with_whose_words_it_holds() -> None:
    """CORE-26: context stays apart from instructions, notices from people (CORE-2, CORE-20)."""
    hello = (Text(text="hello"),)
    skills = (InvokedSkill(name="calm", text=SECRET),)
    turns = (
        UserTurn(id="1", at=AT, content=hello, speaker=Speaker(id="42", name="Mia"), skills=skills),
        UserTurn(id="2", at=AT, content=hello, notice=Notice(source="reminder")),
        SystemTurn(id="3", authority=Authority.CONTEXT, text="facts", writer="weather"),
        SystemTurn(id="4", authority=Authority.DEVELOPER, text="rules"),
        reply(Round(content=(ReplyText(text="hi"),))),
    )
    shown = display(Conversation(id="c", turns=turns))
    assert [(turn.role.value, turn.author, turn.text) for turn in shown] == [
        ("person", "Mia", "hello\n[skill: calm]"),
        ("notice", "reminder", "hello"),
        ("context", "weather", "facts"),
        ("instruction", "", "rules"),
        ("assistant", "", "hi"),
    ]

"""CORE-16: what a model cannot take becomes words, in a copy."""

from dataclasses import replace
from pathlib import PurePath

import pytest

from core.conversation.content import Audio, File, Image, MediaSource, Text
from core.conversation.continuation import ProtocolName
from core.conversation.turns import Conversation, InvokedSkill, Speaker, UserTurn
from core.generation.capabilities import Capabilities, TokenCap, capabilities_of
from core.generation.capability_changes import CapabilityChanges
from core.generation.preparation import prepare_for_model, prepare_for_small_model
from core.generation.requests import ModelEndpoint
from tests.generation_setup import MOMENT, said

HERE = MediaSource(path=PurePath("a"))
IMAGE = Image(source=HERE, media_type="image/png")
CAPTIONED = Image(source=HERE, media_type="image/png", caption="a cat")
AUDIO = Audio(source=HERE, media_type="audio/ogg")
HEARD = Audio(source=HERE, media_type="audio/ogg", transcript="Good evening.")
FILE = File(source=HERE, media_type="text/plain", name="a.txt")


def prepared(able_to: Capabilities, *content: Text | Image | Audio | File) -> tuple[object, ...]:
    turn = UserTurn(id="u", at=MOMENT, content=content)
    stored = Conversation(id="c", turns=(said("Hi"), turn))
    copy = prepare_for_model(stored, able_to)
    assert stored == Conversation(id="c", turns=(said("Hi"), turn))
    last = copy.turns[1]
    assert isinstance(last, UserTurn)
    return last.content


def test_a_text_model_gets_labels_captions_and_transcripts() -> None:
    """CORE-16."""
    assert prepared(Capabilities(), IMAGE, CAPTIONED, AUDIO, HEARD, FILE) == (
        Text(text="[image]"),
        Text(text="[image: a cat]"),
        Text(text="[audio without a transcript]"),
        Text(text="[audio, transcribed: Good evening.]"),
        Text(text="[file: a.txt]"),
    )


@pytest.mark.parametrize(
    ("able_to", "part"),
    [
        (Capabilities(images=True), IMAGE),
        (Capabilities(audio=True), AUDIO),
        (Capabilities(files=True), FILE),
    ],
)
def test_a_model_gets_what_it_takes(able_to: Capabilities, part: Image | Audio | File) -> None:
    """CORE-16."""
    assert prepared(able_to, part) == (part,)


def test_a_small_model_reads_names_only_where_there_are_several() -> None:
    """CORE-46, SCENE-3: who is alone needs none; two stay apart, and a skill stays who invoked it."""

    def names(*turns: UserTurn) -> list[Speaker | None]:
        copy = prepare_for_small_model(Conversation(id="c", turns=turns), Capabilities())
        return [turn.speaker for turn in copy.turns if isinstance(turn, UserTurn)]

    bob, eve = said("Hi"), said("Hello", speaker=Speaker(id="9", name="Eve"))
    assert bob.speaker is not None
    assert names(bob, bob) == [None, None]
    assert names(bob, eve) == [bob.speaker, eve.speaker]
    skill = InvokedSkill(name="brief", text="No greetings.")
    mine, theirs = (replace(bob, skills=(replace(skill, by_owner=owner),)) for owner in (True, False))
    assert names(mine, theirs) == [None, bob.speaker]


def test_a_conversation_of_text_is_not_copied() -> None:
    conversation = Conversation(id="c", turns=(said("Hi"),))
    assert prepare_for_model(conversation, Capabilities()) is conversation


@pytest.mark.parametrize(
    ("model", "images", "audio", "tools"),
    [
        ("gpt-4o", True, False, True),
        ("openai/gpt-4o-mini", True, False, True),
        ("gpt-4o-audio-preview", False, True, True),
        ("gpt-5-mini", True, False, True),
        ("o3", True, False, True),
        ("o1-mini", False, False, False),
        ("claude-sonnet-4-5", True, False, True),
        ("anthropic/claude-opus-4", True, False, True),
        ("gemini-2.5-flash", True, True, True),
        ("models/gemini-flash-latest", True, True, True),
        ("llama3.2-vision:11b", True, False, True),
        ("meta-llama/Llama-4-Scout", True, False, True),
        ("llama3.1:8b", False, False, True),
        ("qwen2.5-vl-7b", True, False, True),
        ("Qwen/Qwen3-VL-8B", True, False, True),
        ("qwen3:8b", False, False, True),
        ("gemma3:4b", True, False, True),
        ("gemma3:1b", False, False, False),
        ("gemma-2-9b-it", False, False, False),
        ("llava:13b", True, False, True),
        ("pixtral-12b", True, False, True),
        ("deepseek-chat", False, False, True),
        ("gpt-oss:20b", False, False, True),
        ("SmolLM2-135M-Instruct.Q4_1.gguf", False, False, False),
        ("something-new", False, False, True),
    ],
)
def test_known_models_take_what_they_are_known_for(
    model: str, images: bool, audio: bool, tools: bool
) -> None:
    """CORE-16: an unknown one gets text and tools."""
    able_to = capabilities_of(model)
    assert (able_to.images, able_to.audio, able_to.tools) == (images, audio, tools)


@pytest.mark.parametrize(
    ("model", "differs"),
    [
        ("fake-model", {"images": True, "tools": False}),
        ("Vendor/FAKE-model", {"images": True, "tools": False}),
        ("fake-model:8b", {}),
        ("qwen3:8b", {"audio": True, "token_cap": TokenCap.MAX_COMPLETION_TOKENS}),
        ("qwen3:14b", {"token_cap": TokenCap.MAX_COMPLETION_TOKENS}),
        ("gpt-5", {"token_cap": TokenCap.MAX_TOKENS, "developer_role": False}),
    ],
)
def test_a_deployment_changes_what_the_table_says(model: str, differs: dict[str, object]) -> None:
    """CORE-16, CORE-12: by name, all else stays; the last entry decides."""
    changes = CapabilityChanges.read(
        "fake-model=images,-tools; qwen*=audio,max_completion_tokens;qwen3:14b = -audio;"
        "gpt-?=-developer_role,-max_completion_tokens;"
    )
    known = capabilities_of(model)
    assert changes.applied(known, model) == replace(known, **differs)
    endpoint = ModelEndpoint(
        protocol=ProtocolName.CHAT, provider="p", base_url="http://m/v1", model=model, changes=changes
    )
    assert endpoint.able_to == changes.applied(known, model)


@pytest.mark.parametrize("text", ["images", "=images", "m=", "m=,", "m=eyes", "m=--tools", "m images"])
def test_a_change_that_means_nothing_is_refused_by_what_is_expected(text: str) -> None:
    """CORE-16, SET-1."""
    with pytest.raises(ValueError, match=r"^MODEL=words, .* images, audio, .*max_completion_tokens$"):
        CapabilityChanges.read(text)


@pytest.mark.parametrize(
    ("model", "cap"),
    [
        ("gpt-5", TokenCap.MAX_COMPLETION_TOKENS),
        ("o4-mini", TokenCap.MAX_COMPLETION_TOKENS),
        ("gpt-oss:20b", TokenCap.MAX_TOKENS),
        ("mistral-large", TokenCap.MAX_TOKENS),
        ("proto3", TokenCap.MAX_TOKENS),
    ],
)
def test_the_name_of_the_cap_is_the_models(model: str, cap: TokenCap) -> None:
    """CORE-12."""
    assert capabilities_of(model).token_cap is cap

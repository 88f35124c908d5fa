"""A model that fails becomes one short sentence with an id, and the log says more under that id (CORE-30)."""

import re

import pytest
from structlog.testing import capture_logs

from tests.fake_models import Answer, Ending, Refusal, Script
from tests.flows.text_room import TextRoom, spoken

ERROR_ID = re.compile(r"`(err_[0-9a-z]+)`")
SECRET = "my diary says xyzzy"
SECRET_ANSWER = "plugh is the word"


@pytest.mark.parametrize(
    ("script", "settings"),
    [
        (
            Refusal(status=401, body='{"error": {"message": "bad key sk-12345"}}'),
            {"OPENAI_API_KEY": "sk-12345"},
        ),
        (Refusal(status=400, body='{"error": {"message": "your text is bad"}}'), {}),
        (Answer(ending=Ending.CLOSE), {}),
        (Answer(delay_s=5), {"MODEL_FIRST_TOKEN_TIMEOUT_S": "0.2"}),
        (Answer(text=()), {}),
    ],
    ids=["401", "400", "closed", "silent", "empty"],
)
async def test_a_failure_is_one_sentence_with_an_id(
    room: TextRoom, script: Script, settings: dict[str, str]
) -> None:
    """CORE-30: the room gets advice and an id; the log has the cause, in the provider's words at most."""
    room.models.script(*[script] * 8)
    with capture_logs() as logs:
        async with room.bot(settings) as core:
            room.says(SECRET)
            answer = await room.answer("err_", within_s=20)
            await room.quiet(core)
            assert await spoken(core, room.general) == [f"user: @Parley {SECRET}"]
    found = ERROR_ID.search(answer.content)
    assert found is not None
    assert len(answer.content) < 300
    assert "\n" not in answer.content
    told = [entry for entry in logs if entry.get("error_id") == found[1]]
    assert len(told) == 1
    for text in (answer.content, str(logs)):
        assert "xyzzy" not in text
        assert "sk-12345" not in text
    assert "your text is bad" not in answer.content


async def test_an_error_that_passes_is_never_seen(room: TextRoom) -> None:
    """CORE-30: a 500 before any output is tried again, and the room sees only the answer."""
    room.models.script(Refusal(status=500), Answer(text=("Here I am.",)))
    async with room.bot() as core:
        room.says("hello?")
        await room.answer("Here I am.", within_s=10)
        await room.quiet(core)
    assert room.answers() == ["Here I am."]


@pytest.mark.parametrize("ending", [Ending.CLOSE, Ending.RESET, Ending.HANG])
async def test_a_stream_that_breaks_keeps_what_was_seen_and_says_so(room: TextRoom, ending: Ending) -> None:
    """CORE-24, CORE-30: the visible part stays, marked as cut, and the next question still works."""
    room.models.script(Answer(text=("One, two, ", SECRET_ANSWER), ending=ending))
    with capture_logs() as logs:
        async with room.bot(MODEL_IDLE_TIMEOUT_S="0.3") as core:
            room.says("count")
            answer = await room.answer("err_", within_s=10)
            await room.quiet(core)
            assert (await spoken(core, room.general))[1] == f"cut: One, two, {SECRET_ANSWER}"
            room.models.script(Answer(text=("Three.",)))
            room.says("go on")
            await room.answer("Three.")
    first, last = answer.content.split("\n\n")
    assert first == f"One, two, {SECRET_ANSWER}"
    assert last.startswith("-# ")
    assert "plugh" not in str(logs)


async def test_a_failure_inside_a_code_block_does_not_hide_in_it(room: TextRoom) -> None:
    """TEXT-2, CORE-30."""
    room.models.script(Answer(text=("```python\nprint(1)\n", "print(2)"), ending=Ending.CLOSE))
    async with room.bot():
        room.says("code please")
        answer = await room.answer("err_", within_s=10)
    code, _, note = answer.content.rpartition("```")
    assert code.startswith("```python\nprint(1)")
    assert note.strip().startswith("-# ")

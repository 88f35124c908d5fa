"""Commands of the terminal, over a pipe, as a process of its own (SET-2, CORE-23, CORE-44)."""

import asyncio
import sys
from pathlib import Path

from tests.fake_models import Answer, FakeModels, Refusal
from tests.flows.test_command_line import environment
from tests.flows.text_room import messages_of


async def talk(folder: Path, models: FakeModels, *lines: str) -> tuple[list[str], str]:
    """What the bot answered on standard output, and what it said of itself."""
    settings = {"OPENAI_API_BASE_URL": models.base_url, "OPENAI_MODEL": "fake-model", "LOG_LEVEL": "ERROR"}
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        cwd=folder,
        env=environment(settings),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    async with asyncio.timeout(50):
        out, errors = await process.communicate("".join(f"{line}\n" for line in lines).encode())
    assert process.returncode == 0, errors.decode()
    return out.decode().split("\n"), errors.decode()


async def test_retry_asks_a_failed_question_again_also_after_a_restart(tmp_path: Path) -> None:
    """CORE-23: stored once, answered anew; nothing is left to try when it has its answer."""
    async with FakeModels.running() as models:
        models.script(Refusal(status=401), Refusal(status=401), Answer(text=("Here.",)))
        answers, told = await talk(tmp_path, models, "hello?", "/retry")
        assert answers == ["", "", ""]
        answers, told = await talk(tmp_path, models, "/retry", "/retry")
        assert answers == ["Here.", ""]
        assert "has its answer" in told
        asked = [messages_of(request.body) for request in models.requests]
    assert len(asked) == 3
    assert all(len(messages) == 1 for messages in asked)


async def test_the_persona_is_shown_and_chosen(tmp_path: Path) -> None:
    """CORE-44, SET-8: acts on the next reply, holds after a restart, and goes back to the default."""
    folder = tmp_path / "data" / "personas"
    async with FakeModels.running() as models:
        _, told = await talk(tmp_path, models, "/persona", "hi")
        assert "I am Parley (default). There are: default." in told
        (folder / "pirate.md").write_text("You are {name}, at sea.")
        (folder / "broken.md").write_text("---")
        _, told = await talk(tmp_path, models, "/persona pirate", "/persona nobody", "/persona broken")
        assert "From the next reply on I am pirate." in told
        assert "There is no nobody." in told
        assert "broken cannot be used: line 1" in told
        await talk(tmp_path, models, "hi", "/persona default", "hi")
        prompts = [request.body["messages"][0]["content"] for request in models.requests]
    assert ["at sea" in prompt for prompt in prompts] == [False, True, False]


async def test_a_command_that_there_is_not_is_no_question(tmp_path: Path) -> None:
    """SET-2: it is told of, and no model is asked; a path is a question."""
    async with FakeModels.running() as models:
        models.script(Answer(text=("A folder.",)))
        answers, told = await talk(tmp_path, models, "/memory list", "/help me", "/etc/hosts is what?")
        assert answers == ["A folder.", ""]
        assert "There is no /memory list; /help lists the commands." in told
        assert "There is no /help me;" in told
        assert len(models.requests) == 1

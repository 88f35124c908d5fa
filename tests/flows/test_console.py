"""The terminal as a scene of the same core: a person at a keyboard, and a pipe (SET-2)."""

import asyncio
import re
import signal
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from bot.language_models.embedded_weights import ModelUnavailable, embedded_weights
from tests.fake_models import Answer, FakeModels, Refusal
from tests.flows.bot_process import scrubbed_environment
from tests.flows.recipe_room import TASK
from tests.flows.terminal import CTRL_C, CTRL_D, Terminal
from tests.flows.text_room import messages_of

SLOW = tuple(f"word{number} " for number in range(200))


@pytest_asyncio.fixture
async def models() -> AsyncIterator[FakeModels]:
    async with FakeModels.running() as models:
        yield models


def by_environment(models: FakeModels, **more: str) -> Mapping[str, str]:
    """No token, and a model's endpoint."""
    return {"OPENAI_API_BASE_URL": models.base_url, "OPENAI_MODEL": "fake-model", "DATA_DIR": "data", **more}


async def test_the_first_lines_say_the_model_and_how_to_connect_discord(
    models: FakeModels, tmp_path: Path
) -> None:
    """SET-2: which model answers, and Discord in two lines; Ctrl-D leaves with code 0."""
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        first = [line for line in terminal.screen.splitlines() if line.strip()]
        assert "fake-model" in next(line for line in first if line.startswith("Model:"))
        assert "DISCORD_TOKEN" in terminal.screen
        terminal.types(CTRL_D)
        assert await terminal.ended() == 0
        assert not terminal.is_raw


async def test_tokens_appear_as_they_come(models: FakeModels, tmp_path: Path) -> None:
    """SET-2: the first words stand on the screen long before the last ones exist."""
    models.script(Answer(text=("first words, ", *SLOW[:20], "last words."), delay_between_s=0.05))
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("tell me\r")
        await terminal.shows("first words", within_s=5)
        assert "last words" not in terminal.screen
        await terminal.shows("last words.", within_s=10)
        models.script(Answer(text=("I remember.",)))
        await terminal.ready()
        terminal.types("what did I say?\r")
        await terminal.shows("I remember.", within_s=5)
        terminal.types("/quit\r")
        assert await terminal.ended() == 0
    roles = [role for role, _ in messages_of(models.requests[1].body)]
    assert roles == ["user", "assistant", "user"]


async def test_ctrl_c_stops_a_reply_and_a_second_one_leaves(models: FakeModels, tmp_path: Path) -> None:
    """SET-2: the terminal is left as it was."""
    models.script(Answer(text=SLOW, delay_between_s=0.05))
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("tell me\r")
        await terminal.shows("word3", within_s=5)
        terminal.types(CTRL_C)
        await terminal.shows("(stopped)", within_s=3)
        assert "word199" not in terminal.screen
        await models.requests[0].wait_until_client_closed()
        await terminal.ready()
        terminal.types(CTRL_C)
        assert await terminal.ended(within_s=5) == 0
        assert "Traceback" not in terminal.screen
        assert not terminal.is_raw


async def test_two_ctrl_c_at_the_prompt_leave(models: FakeModels, tmp_path: Path) -> None:
    """SET-2: the first one says so; a line in between takes it back."""
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types(CTRL_C)
        await terminal.shows("again to leave")
        await terminal.ready()
        terminal.types("hello\r")
        await models.wait_for_request()
        await asyncio.sleep(0.3)
        await terminal.ready()
        terminal.types(CTRL_C)
        await terminal.shows("again to leave", count=2)
        await terminal.ready()
        terminal.types(CTRL_C)
        assert await terminal.ended(within_s=5) == 0


async def test_a_reset_forgets_and_a_failure_is_a_sentence(models: FakeModels, tmp_path: Path) -> None:
    """SET-2, CORE-30: the chat goes on after both."""
    models.script(Answer(text=("Noted.",)), Refusal(status=401), Answer(text=("Who are you?",)))
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("remember me\r")
        await terminal.shows("Noted.")
        await terminal.ready()
        terminal.types("/reset\r")
        await terminal.shows("begin anew")
        await terminal.ready()
        terminal.types("hello\r")
        await terminal.shows("OPENAI_API_KEY", within_s=10)
        await terminal.shows("(err_")
        await terminal.ready()
        terminal.types("hello\r")
        await terminal.shows("Who are you?", within_s=5)
        assert "Traceback" not in terminal.screen
    assert "remember me" not in str(models.requests[-1].body)


async def test_a_reply_cannot_control_the_terminal(models: FakeModels, tmp_path: Path) -> None:
    """A model that writes escape sequences writes text."""
    models.script(Answer(text=("red \x1b[31m", "title \x1b]0;owned\x07", "[bold]plain[/bold] done.")))
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("go\r")
        await terminal.shows("done.")
        assert "\x1b[31m" not in terminal.raw
        assert "\x1b]0;owned" not in terminal.raw
        assert "[bold]plain[/bold]" in terminal.screen


async def test_a_stop_signal_leaves_the_terminal_as_it_was(models: FakeModels, tmp_path: Path) -> None:
    """SET-3: at the prompt, where keys are the program's."""
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.signal(signal.SIGTERM)
        assert await terminal.ended(within_s=10) == 0
        assert not terminal.is_raw
        assert "Traceback" not in terminal.screen


async def test_what_was_typed_is_kept_for_its_owner_alone(models: FakeModels, tmp_path: Path) -> None:
    """SET-6: the history of the keyboard is private, and comes back with the arrow key."""
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("my secret\r")
        await models.wait_for_request()
        await asyncio.sleep(0.3)
        await terminal.ready()
        terminal.types(CTRL_D)
        await terminal.ended()
    files = [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    kept = next(
        path for path in files if "my secret" in path.read_text("utf-8", "replace") and path.suffix == ""
    )
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("\x1b[A")
        await terminal.shows("my secret")


async def test_a_task_goes_on_beside_the_talk_and_comes_back_after_a_restart(
    models: FakeModels, tmp_path: Path
) -> None:
    """TASK-1, TASK-3, TASK-11, SET-2: the whole result stands on the screen, once."""
    recipes = tmp_path / "data" / "recipes.d"
    recipes.mkdir(parents=True)
    (recipes / "dig.md").write_text(TASK)
    delay_s = [60.0]

    def play(body: dict[str, Any]) -> Answer:
        if 'You run the recipe "dig"' in str(body["messages"][0]["content"]):
            return Answer(text=("Deep gold.",), delay_s=delay_s[0])
        return Answer(text=("I am on it.",))

    models._default = play
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.ready()
        terminal.types("please dig\r")
        await terminal.shows("I am on it.", within_s=5)
        await terminal.ready()
        terminal.types("/quit\r")
        assert await terminal.ended() == 0
        assert "Deep gold." not in terminal.screen
    delay_s[0] = 0.0
    async with Terminal.started(tmp_path, by_environment(models)) as terminal:
        await terminal.shows("Deep gold.", within_s=40)
        assert "dig (task " in terminal.screen
        terminal.types("/quit\r")
        assert await terminal.ended() == 0
        assert terminal.screen.count("Deep gold.") == 1


# -- a pipe ------------------------------------------------------------------------------------------


async def piped(
    folder: Path, given: str, settings: Mapping[str, str], *, within_s: float = 50
) -> subprocess.CompletedProcess[str]:
    """`printf given | python -m bot`."""
    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-m", "bot"],
        cwd=folder,
        env=scrubbed_environment(settings),
        input=given,
        capture_output=True,
        text=True,
        timeout=within_s,
        check=False,
    )


async def test_a_pipe_gets_plain_answers_and_ends_at_its_end(models: FakeModels, tmp_path: Path) -> None:
    """SET-2: replies alone on standard output, unwrapped; the program's own words on standard error."""
    long = "x" * 300
    models.script(Answer(text=("One", ".")), Answer(text=(f"Two {long}.",)))
    settings = by_environment(models, ALLOWED_TOOLS="memory_read")
    done = await piped(tmp_path, "first\n\nsecond", settings)
    assert (done.returncode, done.stdout) == (0, f"One.\nTwo {long}.\n")
    offered = [tool["function"]["name"] for tool in models.requests[0].body["tools"]]
    assert offered == ["memory_read"], "TEXT-9: what a deployment allows, it allows here, too"
    assert "Model: " in done.stderr
    assert "\x1b" not in done.stdout + done.stderr
    assert [role for role, _ in messages_of(models.requests[1].body)] == ["user", "assistant", "user"]


async def test_a_failure_in_a_pipe_stays_out_of_the_data(models: FakeModels, tmp_path: Path) -> None:
    """SET-2, CORE-30: the sentence and its id on standard error; the next line is still answered."""
    models.script(Refusal(status=401), Answer(text=("Fine.",)))
    done = await piped(tmp_path, "first\nsecond\n", by_environment(models))
    assert done.returncode == 0
    assert done.stdout.split() == ["Fine."]
    assert re.search(r"OPENAI_API_KEY\. \(err_\w+\)", done.stderr)
    assert "Traceback" not in done.stderr


def in_a_shell(folder: Path, command: str, settings: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """`bash -c command`, where `$BOT` is `python -m bot`; the exit code is the bot's."""
    return subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env={**scrubbed_environment(settings), "BOT": f"{sys.executable} -m bot"},
        capture_output=True,
        text=True,
        timeout=50,
        check=False,
    )


async def test_a_reader_that_leaves_early_ends_the_talk(models: FakeModels, tmp_path: Path) -> None:
    """SET-2, CORE-36: no traceback; the model is not asked to the end, nor for what nobody will read."""
    models.script(Answer(text=SLOW, delay_between_s=0.05), Answer(text=("never read",)))
    command = "printf 'one\ntwo\n' | $BOT | head -c 1; exit ${PIPESTATUS[1]}"
    done = await asyncio.to_thread(in_a_shell, tmp_path, command, by_environment(models))
    assert (done.returncode, done.stdout) == (1, "w")
    assert "Nothing more can be written to standard output." in done.stderr
    assert "Traceback" not in done.stderr
    assert len(models.requests) == 1
    await models.requests[0].wait_until_client_closed()


@pytest.mark.parametrize("command", ["$BOT <&-", "echo hi | $BOT 2>&-", "echo hi | $BOT >&-"])
async def test_closed_streams_are_no_defect(models: FakeModels, tmp_path: Path, command: str) -> None:
    """SET-2."""
    models.script(Answer(text=("Fine.",)))
    done = await asyncio.to_thread(in_a_shell, tmp_path, command, by_environment(models))
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stdout + done.stderr


async def test_bytes_that_are_no_text_are_replaced(models: FakeModels, tmp_path: Path) -> None:
    """SET-2: in both directions, whatever the locale says."""
    models.script(Answer(text=("Früh 🎉.",)))
    settings = by_environment(models, PYTHONIOENCODING="ascii:strict")
    done = await asyncio.to_thread(in_a_shell, tmp_path, r"printf 'a\xff\xc3b\n' | $BOT", settings)
    assert (done.returncode, done.stdout) == (0, "Fr?h ?.\n"), done.stderr
    assert "a" in messages_of(models.requests[0].body)[-1][1]


async def test_a_link_that_nobody_reads_is_no_traceback(tmp_path: Path) -> None:
    """SET-2: `python -m bot invite | head -c 0`."""
    command = "sleep 0.1 | $BOT invite | true; exit ${PIPESTATUS[1]}"
    done = await asyncio.to_thread(in_a_shell, tmp_path, command, {"DISCORD_BOT_CLIENT_ID": "5"})
    assert done.stderr == ""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_a_signal_ends_a_pipe_that_waits(
    models: FakeModels, tmp_path: Path, number: signal.Signals
) -> None:
    """SET-3: while the reading thread is blocked."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        cwd=tmp_path,
        env=scrubbed_environment(by_environment(models)),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(b"hello\n")
    async with asyncio.timeout(50):
        await models.wait_for_request(timeout_s=45)
        while b"hello" not in await process.stdout.readline():
            pass
        process.send_signal(number)
        rest = await process.stdout.read()
        assert await process.wait() in (0, 130)
    assert b"Traceback" not in rest
    assert b"Fatal" not in rest


# -- the embedded model ------------------------------------------------------------------------------


@pytest.mark.timeout(400)
async def test_the_embedded_model_answers_in_the_console(tmp_path: Path) -> None:
    """SET-2, SET-5: it tells of its loading, speaks within a minute of the start, and comes to an end."""
    try:
        await asyncio.to_thread(embedded_weights)
    except ModelUnavailable as unavailable:
        pytest.skip(str(unavailable))
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "bot",
        cwd=tmp_path,
        env=scrubbed_environment({"DATA_DIR": "data"}),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdin.write(b"Hello! What is your name?\n")
    process.stdin.write_eof()
    try:
        async with asyncio.timeout(60):
            assert b"Looking for a model" in await process.stderr.readline()
            assert b"SmolLM2" in await process.stderr.readline()
            first = await process.stdout.read(1)
        async with asyncio.timeout(180):
            rest, errors = await process.communicate()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    assert process.returncode == 0, errors
    answer = (first + rest).decode().strip()
    assert re.search(r"\w{2,}", answer), errors
    words = answer.split()
    assert len(words) < 400
    runs = [" ".join(words[at : at + 6]) for at in range(len(words) - 5)]
    assert max((runs.count(run) for run in runs), default=0) <= 4, answer

"""The folder of personas on a real disk (CORE-44)."""

import os
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.personas.persona_folder import PersonaFolder
from bot.personas.persona_text import PersonaRefused, first_persona
from core.prompts.identity import DEFAULT_PERSONA
from tests.manual_clock import ManualClock


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
async def personas(tmp_path: Path, clock: ManualClock) -> PersonaFolder:
    folder = PersonaFolder(tmp_path / "personas", default_name="Rosie", clock=clock)
    await folder.prepare()
    return folder


async def test_the_first_file_is_made_once_and_then_left_alone(
    personas: PersonaFolder, clock: ManualClock, tmp_path: Path
) -> None:
    """CORE-44: kept across upgrades, and not put back after somebody took it away."""
    file = tmp_path / "personas" / "default.md"
    assert file.read_text() == first_persona()
    assert (await personas.default()).name == "Rosie"
    file.write_text("Mine.")
    await personas.prepare()
    assert file.read_text() == "Mine."
    file.unlink()
    await personas.prepare()
    assert not file.exists()
    clock.pass_time(1)
    assert (await personas.default()).text == DEFAULT_PERSONA.text.replace("Parley", "Rosie")


async def test_an_edit_is_read_the_next_time_also_one_of_the_same_size_and_moment(
    personas: PersonaFolder, tmp_path: Path
) -> None:
    """CORE-44."""
    file = tmp_path / "personas" / "pirate.md"
    for text in ("Ahoy one.", "Ahoy two."):
        file.write_text(text)
        os.utime(file, (1, 1))
        found = await personas.look("pirate")
        assert found is not None
        assert found.persona is not None
        assert found.persona.text == text


async def test_runs_take_what_was_read_within_the_last_second(
    personas: PersonaFolder, clock: ManualClock, tmp_path: Path
) -> None:
    """CORE-44: an edit acts on the next run after it; one of the bot's own at once."""

    async def told() -> str | None:
        persona = await personas.persona("pirate")
        return None if persona is None else persona.text

    file = tmp_path / "personas" / "pirate.md"
    assert await told() is None
    file.write_text("Ahoy one.")
    assert await told() == "Ahoy one."
    file.write_text("Ahoy two.")
    clock.pass_time(0.9)
    assert await told() == "Ahoy one."
    clock.pass_time(0.1)
    assert await told() == "Ahoy two."
    await personas.keep("pirate", "Ahoy three.")
    assert await told() == "Ahoy three."


@pytest.mark.parametrize(
    ("broken", "problem"),
    [(b"---\nname: Anne", "line 1"), (b"\xff\xfe\x00", "UTF-8"), (b"a" * 20_000, "too long")],
)
async def test_a_broken_file_leaves_what_was_good_and_is_told_of_once(
    personas: PersonaFolder, tmp_path: Path, broken: bytes, problem: str
) -> None:
    """CORE-44: one clear line in the log, and a repaired file holds again."""
    file = tmp_path / "personas" / "pirate.md"
    file.write_text("Ahoy.")
    await personas.look("pirate")
    file.write_bytes(broken)
    with capture_logs() as logs:
        for _ in range(3):
            found = await personas.look("pirate")
            assert found is not None
            assert found.persona is not None
            assert found.persona.text == "Ahoy."
            assert problem in (found.problem or "")
    assert [line["log_level"] for line in logs] == ["warning"]
    file.write_text("Avast.")
    found = await personas.look("pirate")
    assert found is not None
    assert found.persona is not None
    assert (found.persona.text, found.problem) == ("Avast.", None)


async def test_a_broken_default_after_a_start_gives_the_persona_of_this_version(tmp_path: Path) -> None:
    """CORE-44: there is no good text yet, and the bot talks all the same."""
    (tmp_path / "default.md").write_text("---")
    personas = PersonaFolder(tmp_path, default_name="Parley", clock=ManualClock())
    assert await personas.default() == DEFAULT_PERSONA


async def test_what_is_kept_is_whole_or_not_written(personas: PersonaFolder, tmp_path: Path) -> None:
    """CORE-44."""
    assert (await personas.keep("pirate", "You are {name}.")).text == "You are pirate."
    with pytest.raises(PersonaRefused):
        await personas.keep("pirate", "")
    with pytest.raises(PersonaRefused):
        await personas.keep("../outside", "Ahoy.")
    found = await personas.look("pirate")
    assert found is not None
    assert found.source == "You are {name}.\n"
    assert sorted(path.name for path in tmp_path.rglob("*.md")) == ["default.md", "pirate.md"]


async def test_the_keys_are_the_visible_files_and_the_default(
    personas: PersonaFolder, tmp_path: Path
) -> None:
    """CORE-44."""
    for name in ("pirate.md", "Anne.md", ".draft.md", "notes.txt", "default.md"):
        (tmp_path / "personas" / name).write_text("Ahoy.")
    assert await personas.keys() == ("Anne", "default", "pirate")
    assert await PersonaFolder(tmp_path / "nowhere", default_name="Parley", clock=ManualClock()).keys() == (
        "default",
    )


async def test_a_folder_that_cannot_be_made_leaves_the_built_in_persona(tmp_path: Path) -> None:
    """CORE-44: told in the log; the bot starts."""
    (tmp_path / "file").write_text("")
    personas = PersonaFolder(tmp_path / "file" / "personas", default_name="Parley", clock=ManualClock())
    with capture_logs() as logs:
        await personas.prepare()
    assert [line["log_level"] for line in logs] == ["warning"]
    assert await personas.default() == DEFAULT_PERSONA

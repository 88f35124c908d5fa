"""Tables of readings: what is written on the left, what a voice says on the right.

SPEECH-2 prose and Markdown, SPEECH-3 Discord's syntax, SPEECH-5 money, SPEECH-6 maths and units, SPEECH-7
chemistry, SPEECH-8 numbers of four languages. The tables are meant to be read and corrected by a native
speaker.
"""

import tomllib
from pathlib import Path

import pytest

from voice.speech_text import DisplayNames, Surroundings, to_speech_text

TABLES = Path(__file__).resolve().parents[1] / "data" / "speech"
ROOM = Surroundings(
    names=DisplayNames(
        users={1: "Ann", 2: "Bob *the* builder"}, roles={5: "Moderators"}, channels={7: "general-chat"}
    ),
    now_s=1_700_000_000,
)
LANGUAGES = ("en", "zh", "ja", "ko")


def cases() -> list[tuple[str, str, str, str]]:
    """Table, language, what is written, what is said."""
    found: list[tuple[str, str, str, str]] = []
    for table in sorted(TABLES.glob("*.toml")):
        pairs = tomllib.loads(table.read_text("utf-8"))["say"]
        found += [(table.stem, table.stem[:2], written, said) for written, said in pairs]
    return found


@pytest.mark.parametrize(
    ("table", "language", "written", "said"),
    [pytest.param(*case, id=f"{case[0]}-{place}") for place, case in enumerate(cases())],
)
def test_reading(table: str, language: str, written: str, said: str) -> None:
    """SPEECH-2, SPEECH-3, SPEECH-5, SPEECH-6, SPEECH-7, SPEECH-8: one line of a table."""
    assert to_speech_text(written, language=language, surroundings=ROOM) == said


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_its_tables(language: str) -> None:
    """SPEECH-8: at least 150 readings over all topics for each language."""
    own = [case for case in cases() if case[1] == language]
    assert len(own) >= 150
    assert {case[0][3:] for case in own} == {"prose", "discord", "money", "maths", "units", "chemistry"}

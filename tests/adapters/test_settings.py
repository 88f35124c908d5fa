"""Settings from `.env` and the environment, as a person writes them."""

import re
from collections.abc import Callable
from pathlib import Path
from urllib.parse import unquote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.engine import make_url

from bot.settings import DiscordSettings, Settings, StorageSettings
from bot.settings_example import example_text
from bot.settings_source import SettingsInvalid, load_settings, problem_of_name, setting_fields
from tests.architecture.sources import ROOT

NAMES = [name for name, _ in setting_fields()]
Written = Callable[[str], Path]


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in NAMES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def written(tmp_path: Path) -> Written:
    def write(text: str) -> Path:
        file = tmp_path / ".env"
        file.write_text(text, "utf-8")
        return file

    return write


def problems(file: Path) -> list[str]:
    with pytest.raises(SettingsInvalid) as caught:
        load_settings(file)
    return caught.value.problems


def test_without_a_file_every_setting_has_its_default(tmp_path: Path) -> None:
    assert load_settings(tmp_path / ".env") == Settings()


def test_names_of_the_seed_work_as_they_are(written: Written) -> None:
    """SET-1: the seed's own `.env`."""
    settings = load_settings(
        written(
            "DISCORD_TOKEN='abc'\nDISCORD_BOT_CLIENT_ID='123'\nOPENAI_MODEL='m'\nOPENAI_API_KEY='k'\n"
            "OPENAI_API_BASE_URL='http://localhost:8000/v1/'\nELEVENLABS_API_KEY='e'\n"
            "ELEVENLABS_API_BASE_URL='https://voice.example'\nOPENAI_STT_MODEL=s\nOPENAI_TTS_MODEL=t\n"
        )
    )
    assert settings.discord.token is not None
    assert settings.discord.token.get_secret_value() == "abc"
    assert settings.discord.client_id == 123
    assert (settings.model.name, settings.model.endpoint) == ("m", "http://localhost:8000/v1")
    assert settings.speech.elevenlabs_api_base_url == "https://voice.example"
    assert (settings.speech.stt_model, settings.speech.tts_model) == ("s", "t")


def test_the_environment_wins_and_empty_means_unset(
    written: Written, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = written("BOT_NAME=File\nLOG_LEVEL=DEBUG\nMODEL_MAX_TOKENS=\nTRIGGER_MODE='  '\n")
    monkeypatch.setenv("BOT_NAME", "Environment")
    monkeypatch.setenv("LOG_LEVEL", "")
    settings = load_settings(file)
    assert settings.text.bot_name == "Environment"
    assert settings.log.level == "DEBUG"
    assert settings.generation.max_tokens is None
    assert settings.text.trigger_mode == "mention"


def test_an_unknown_name_stops_with_its_line_and_the_name_meant(written: Written) -> None:
    """SET-1: an unknown setting."""
    found = problems(written("# comment\n\n\nDISCORD_TOKE=x\nMODEL_COLOUR=red\nTRIGER_MODE=all\n"))
    assert [line.split(".env, ")[1] for line in found] == [
        "line 4: DISCORD_TOKE is not a setting; did you mean DISCORD_TOKEN?",
        "line 5: MODEL_COLOUR is not a setting; .env.example lists them all",
        "line 6: TRIGER_MODE is not a setting; did you mean TRIGGER_MODE?",
    ]


def test_names_of_other_programs_are_left_alone(written: Written) -> None:
    assert load_settings(written("TZ=UTC\nCOMPOSE_PROJECT_NAME=x\nHTTPS_PROXY=http://p\n")) == Settings()


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ("OPENAI_API_BASE_URL=localhost:8000", "expected an address that starts with http:// or https://"),
        ("DISCORD_GATEWAY_URL=https://x", "expected an address that starts with ws:// or wss://"),
        ("OPENAI_PROTOCOL=grpc", "expected one of chat, responses"),
        ("MAX_REPLY_MESSAGES=99", "expected a whole number (at least 1, at most 50)"),
        ("BURST_WINDOW_MS=soon", "expected a whole number (at least 0, at most 60000)"),
        ("STREAM_EDITS=maybe", "expected on or off"),
        ("MODEL_CAPABILITIES=llava=eyes", "expected MODEL=words, with ; between models, the words out of"),
        ("MODEL_IDLE_TIMEOUT_S=-1", "expected a number (above 0, at most 86400)"),
        ("DISCORD_BOT_CLIENT_ID=Parley", "expected a whole number (above 0)"),
        ("DISCORD_CA_FILE=missing.pem", "expected an existing file"),
        (f"BOT_NAME={'x' * 33}", "expected text (at most 32 characters)"),
        ("OPENAI_API_BASE_URL=http://h:99999/v1", "expected an address that starts with http:// or https://"),
        ("OPENAI_API_BASE_URL=https://me:secret@h/v1", "expected an address that starts with http:// or"),
        ("OPENAI_API_BASE_URL=http://[::1/v1", "expected an address that starts with http:// or https://"),
        ("DATABASE_URL=mysql://u:p@h/d", "expected an address that starts with sqlite:/// or postgresql://"),
        ("DATABASE_URL=postgresql://u:p@h:abc/d", "expected an address that starts with sqlite:///"),
        ("DATABASE_URL=sqlite:///:memory:", "expected an address that starts with sqlite:///"),
    ],
)
def test_a_malformed_value_is_told_by_name_and_kind(written: Written, line: str, complaint: str) -> None:
    """SET-1: a malformed value stops start-up with its name, kind and a hint, and is not repeated."""
    name, value = line.split("=", 1)
    [problem] = problems(written(line))
    assert problem.startswith(f"{name}: {complaint}")
    assert value not in problem


@pytest.mark.parametrize(
    ("url", "password"),
    [
        ("sqlite:///x.db", None),
        ("sqlite:////srv/x.db", None),
        ("postgresql://h/d", None),
        ("postgresql://u@[::1]:5432/d", None),
        ("postgresql+asyncpg://u:a#b/c?d:e@h:5432/d?ssl=require", "a#b/c?d:e"),
        ("postgresql://u:p%40s@/d?host=/run/postgresql", "p%40s"),
    ],
)
def test_the_databases_address_is_read_as_sqlalchemy_reads_it(url: str, password: str | None) -> None:
    """SET-1: also where a password holds what divides other addresses; the log's filter must know it."""
    storage = StorageSettings.model_validate({"DATABASE_URL": url})
    assert storage.database_password == password
    assert make_url(storage.database_url).password == (None if password is None else unquote(password))


def test_every_problem_is_told_at_once(written: Written) -> None:
    assert len(problems(written("LOG_LEVEL=LOUD\nOPENAI_KEY=x\nthis is no setting\nSTREAM_EDITS=5\n"))) == 4


def test_a_file_that_is_no_text_is_one_line(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"DISCORD_TOKEN=\xff\xfe\x00")
    assert problems(file) == [f"{file} is not UTF-8 text"]


def test_a_file_with_a_byte_order_mark_is_read(tmp_path: Path) -> None:
    file = tmp_path / ".env"
    file.write_bytes(b"\xef\xbb\xbfBOT_NAME=Marked\r\nLOG_LEVEL=ERROR\r\n")
    settings = load_settings(file)
    assert (settings.text.bot_name, settings.log.level) == ("Marked", "ERROR")


def test_no_secret_shows_in_text_or_representation(written: Written) -> None:
    """SET-1: secrets are never printed."""
    secrets = [name for name in NAMES if name.endswith(("TOKEN", "_KEY"))]
    lines = [f"{name}=hidden-{name}" for name in secrets]
    settings = load_settings(written("\n".join([*lines, "DATABASE_URL=postgresql+asyncpg://u:hidden@h/d"])))
    assert len(secrets) >= 5
    assert "hidden" not in f"{settings!r} {settings} {settings.storage!r} {settings.storage}"


def test_the_tree_is_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        Settings().text.bot_name = "x"


def test_the_database_is_in_the_data_folder_unless_named(tmp_path: Path) -> None:
    assert StorageSettings(data_dir=tmp_path).database_url == f"sqlite:///{tmp_path / 'parley.db'}"
    named = StorageSettings(configured_database_url="postgresql+asyncpg://h/d")
    assert named.database_url == "postgresql+asyncpg://h/d"


def test_the_documented_default_of_discord() -> None:
    """SET-4: Discord's addresses are settings."""
    assert DiscordSettings().api_base_url == "https://discord.com/api/v10"
    assert {"DISCORD_API_BASE_URL", "DISCORD_GATEWAY_URL", "DISCORD_CA_FILE"} <= set(NAMES)


def test_the_example_file_and_the_tree_agree() -> None:
    """SET-1: `.env.example` documents every setting with its default, and nothing else."""
    text = (ROOT / ".env.example").read_text("utf-8")
    assert text == example_text(), "run `make env-example`"
    assert re.findall(r"^#?([A-Z_]+)=", text, re.MULTILINE) == NAMES


def test_the_example_file_is_itself_a_valid_file_of_defaults(written: Written) -> None:
    """SET-1: every default in `.env.example` is the real one, also when it is uncommented."""
    text = (ROOT / ".env.example").read_text("utf-8")
    assert load_settings(written(text)) == Settings()
    uncommented = re.sub(r"^#([A-Z_]+=)", r"\1", text, flags=re.MULTILINE)
    assert load_settings(written(uncommented)) == Settings()


@given(st.sampled_from(NAMES), st.integers(0, 30), st.characters(categories=["Lu"], codec="ascii"))
def test_one_wrong_letter_is_always_noticed(name: str, at: int, letter: str) -> None:
    at %= len(name)
    wrong = name[:at] + letter + name[at + 1 :]
    if wrong not in NAMES:
        assert problem_of_name(wrong, NAMES) is not None

"""Reads the settings from `.env` and the environment, or says in one line each what is wrong (SET-1).

The environment wins over the file; an empty value means unset. A value is never repeated in a complaint,
since it may be a secret. Unknown names are looked for in the file alone: the environment belongs to others.
"""

import logging
from collections.abc import Iterator
from difflib import get_close_matches
from io import StringIO
from pathlib import Path
from typing import Literal, cast, get_args, get_origin

from annotated_types import Ge, Gt, Le, MaxLen
from dotenv.parser import parse_stream
from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, DotEnvSettingsSource, EnvSettingsSource, SettingsConfigDict

from bot.settings import Settings

ENV_FILE = Path(".env")
OUR_PREFIXES = (
    "DISCORD_",
    "VOICE_",
    "STT_",
    "TTS_",
    "SPEECH_",
    "OPENAI_",
    "ELEVENLABS_",
    "MODEL_",
    "LOG_",
    "DATA_",
    "BOT_",
    "LIMIT_",
)
CLOSE_ENOUGH = 0.75


class SettingsInvalid(Exception):
    """The bot must not start; `problems` holds one line for each thing to mend."""

    def __init__(self, problems: list[str]) -> None:
        super().__init__("; ".join(problems))
        self.problems = problems


class _FlatNames(BaseSettings):
    """How pydantic-settings reads the two sources."""

    model_config = SettingsConfigDict(env_ignore_empty=True, env_file_encoding="utf-8-sig")


def load_settings(env_file: Path = ENV_FILE) -> Settings:
    """The settings of this start.

    Raises: SettingsInvalid with every problem found, not only the first.
    """
    fields = dict(setting_fields())
    problems = problems_of_file(env_file, list(fields))
    values: dict[str, str] = {}
    logging.getLogger("dotenv.main").disabled = True  # it repeats, less clearly, what stands in `problems`
    for source in (DotEnvSettingsSource(_FlatNames, env_file=env_file), EnvSettingsSource(_FlatNames)):
        values |= {name.upper(): value for name, value in source.env_vars.items() if value and value.strip()}
    try:
        settings = Settings.model_validate(nested(values))
    except ValidationError as error:
        faults = {str(fault["loc"][1]): fault["msg"] for fault in error.errors()}
        problems += [problem_of_value(name, fields[name], message) for name, message in faults.items()]
        raise SettingsInvalid(problems) from None
    if settings.discord.ca_file is not None and not settings.discord.ca_file.is_file():
        problems.append(
            f"DISCORD_CA_FILE: expected an existing file. {fields['DISCORD_CA_FILE'].description}"
        )
    if problems:
        raise SettingsInvalid(problems)
    return settings


def setting_fields() -> Iterator[tuple[str, FieldInfo]]:
    """Every setting as flat name and field, in the order of the tree."""
    for part in Settings.model_fields.values():
        for field in slice_fields(part):
            yield str(field.validation_alias), field


def slice_fields(part: FieldInfo) -> list[FieldInfo]:
    """The settings of one slice of the tree."""
    return list(cast("type[BaseModel]", part.annotation).model_fields.values())


def nested(values: dict[str, str]) -> dict[str, dict[str, str]]:
    """Flat names sorted into the slices that own them; what is not ours is left out."""
    return {
        part_name: {
            name: values[name]
            for field in slice_fields(part)
            if (name := str(field.validation_alias)) in values
        }
        for part_name, part in Settings.model_fields.items()
    }


def problems_of_file(env_file: Path, known: list[str]) -> list[str]:
    """Lines of `.env` that cannot be read or name no setting; raises SettingsInvalid when it is no text."""
    try:
        text = env_file.read_text("utf-8-sig")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeError) as error:
        reason = f"cannot be read: {error.strerror}" if isinstance(error, OSError) else "is not UTF-8 text"
        raise SettingsInvalid([f"{env_file} {reason}"]) from None
    problems: list[str] = []
    for binding in parse_stream(StringIO(text)):
        place = f"{env_file}, line {binding.original.line + _blank_lines_before(binding.original.string)}"
        if binding.error or (binding.key is not None and binding.value is None):
            problems.append(f"{place}: expected NAME=value")
        elif binding.key is not None and (problem := problem_of_name(binding.key, known)):
            problems.append(f"{place}: {problem}")
    return problems


def _blank_lines_before(text: str) -> int:
    """The parser counts a statement's line from the blank lines above it."""
    return len(text) - len(text.lstrip("\r\n")) if text.strip() else 0


def problem_of_name(name: str, known: list[str]) -> str | None:
    """What is wrong with a name in the file; None when it is a setting or somebody else's."""
    if name.upper() in known:
        return None
    close = get_close_matches(name.upper(), known, n=1, cutoff=CLOSE_ENOUGH)
    if close:
        return f"{name} is not a setting; did you mean {close[0]}?"
    if name.upper().startswith(OUR_PREFIXES):
        return f"{name} is not a setting; .env.example lists them all"
    return None


def problem_of_value(name: str, field: FieldInfo, message: str) -> str:
    """One line: the name, what is expected, and what the setting is for. Never the value."""
    expected = message.removeprefix("Value error, ") if message.startswith("Value error") else kind_of(field)
    return f"{name}: expected {expected}. {field.description}"


def kind_of(field: FieldInfo) -> str:
    """What a value must be, in words."""
    choices = get_args(field.annotation)
    if get_origin(field.annotation) is Literal:
        return f"one of {', '.join(choices)}"
    kind = next((choice for choice in choices if choice is not type(None)), field.annotation)
    words = {int: "a whole number", float: "a number", bool: "on or off"}.get(cast("type", kind), "text")
    bounds = [phrase for bound in field.metadata if (phrase := _bound(bound))]
    return f"{words} ({', '.join(bounds)})" if bounds else words


def _bound(bound: object) -> str | None:
    match bound:
        case Ge(ge=least):
            return f"at least {least}"
        case Gt(gt=below):
            return f"above {below}"
        case Le(le=most):
            return f"at most {most}"
        case MaxLen(max_length=length):
            return f"at most {length} characters"
        case _:
            return None

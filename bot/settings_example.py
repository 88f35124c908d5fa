"""Writes `.env.example` from the settings tree, so that the two cannot part (SET-1).

make env-example
"""

import sys
import textwrap
from typing import cast

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from bot.settings import Settings
from bot.settings_source import kind_of, slice_fields

WIDTH = 110
HEAD = """\
# Settings of Parley. Copy this file to .env and fill in what you need; everything has a default, and an
# empty value means the default. The environment wins over the file. `python -m bot doctor` checks them.
"""


def example_text() -> str:
    """The whole file: each slice as a section, each setting with its kind and default."""
    sections = [HEAD]
    for part in Settings.model_fields.values():
        title = (cast("type[BaseModel]", part.annotation).__doc__ or "").strip().splitlines()[0]
        sections.append(f"# ==== {title.rstrip('.')} ====\n")
        sections += [setting_text(field) for field in slice_fields(part)]
    return "\n".join(sections)


def setting_text(field: FieldInfo) -> str:
    """One setting: what it does, what it may be, and its default, commented out where there is one."""
    kind = kind_of(field).capitalize()
    comment = textwrap.fill(
        f"{field.description}{'' if kind == 'Text' else f' {kind}.'}",
        WIDTH,
        initial_indent="# ",
        subsequent_indent="# ",
        break_on_hyphens=False,
    )
    default = written(field.default)
    assignment = f"{field.validation_alias}={default}"
    return f"{comment}\n{'#' if default else ''}{assignment}\n"


def written(default: object) -> str:
    """A default as it stands in the file."""
    if isinstance(default, bool):
        return "on" if default else "off"
    return "" if default is None else str(default)


if __name__ == "__main__":
    sys.stdout.write(example_text())

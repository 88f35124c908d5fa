"""A persona as a Markdown file (CORE-44).

    ---
    name: Rosie
    ---
    You are {name}, a gardener. ...

The part between the lines of `---` may be missing; then the file's own name is the persona's. `{name}` in the
text stands for the name.
"""

from typing import Final

from core.prompts.identity import DEFAULT_PERSONA, Persona
from core.sentences import sentence

MOST_CHARACTERS: Final = 4_000
"""Of a whole file: as much as one field of a Discord form takes, and what a prompt has room for."""

_LONGEST_NAME: Final = 32
_LONGEST_KEY: Final = 64
_FENCE: Final = "---"
_NAME: Final = "{name}"


class PersonaRefused(Exception):
    """The text is no persona; the message says what to change, and where."""


def read_persona(text: str, *, file_name: str) -> Persona:
    """The persona that `text` describes; called `file_name` where the text gives no name.

    Raises:
        PersonaRefused: too long, without words, or with a front matter that cannot be read.
    """
    if len(text) > MOST_CHARACTERS:
        raise PersonaRefused(
            sentence(
                "it has {count} characters; the most is {most_characters}",
                count=len(text),
                most_characters=MOST_CHARACTERS,
            )
        )
    lines = text.removeprefix("\ufeff").splitlines()
    end = _end_of_front_matter(lines)
    name = _name_in(lines[1 : end - 1]) or file_name
    body = "\n".join(lines[end:]).strip()
    if not body:
        raise PersonaRefused("it has no text")
    return Persona(name=name, text=body.replace(_NAME, name))


def first_persona() -> str:
    """What the first file holds: the persona of this version, without a name of its own."""
    text = DEFAULT_PERSONA.text.replace(DEFAULT_PERSONA.name, _NAME)
    return f"{_FENCE}\n# name: Rosie\n{_FENCE}\n\n{text}\n"


def built_in_persona(name: str) -> Persona:
    """The persona of this version under a name."""
    return read_persona(first_persona(), file_name=name)


def is_persona_key(key: str) -> bool:
    """Whether a file of this name, without `.md`, may be a persona: one plain, visible name."""
    plain = key.isprintable() and key == key.strip() and not any(mark in key for mark in "/\\:")
    return plain and 0 < len(key) <= _LONGEST_KEY and not key.startswith(".")


def _end_of_front_matter(lines: list[str]) -> int:
    """The number of lines that belong to the front matter."""
    if not lines or lines[0].rstrip() != _FENCE:
        return 0
    for number, line in enumerate(lines[1:], start=2):
        if line.rstrip() == _FENCE:
            return number
    raise PersonaRefused(
        sentence("line 1: the part that begins with {fence} has no {fence} at its end", fence=_FENCE)
    )


def _name_in(lines: list[str]) -> str | None:
    name = None
    for number, line in enumerate(lines, start=2):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        key, colon, value = (part.strip() for part in line.partition(":"))
        if not colon or key != "name":
            raise PersonaRefused(sentence("line {number}: only `name: ...` can stand here", number=number))
        name = _unquoted(value)
        if not name or len(name) > _LONGEST_NAME or not name.isprintable():
            raise PersonaRefused(
                sentence(
                    "line {number}: a name has 1 to {longest_name} plain characters",
                    number=number,
                    longest_name=_LONGEST_NAME,
                )
            )
    return name


def _unquoted(value: str) -> str:
    quoted = len(value) >= 2 and value[0] == value[-1] and value[0] in "\"'"
    return (value[1:-1] if quoted else value).strip()

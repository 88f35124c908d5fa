"""A persona as a file: what is read from it, and what is refused (CORE-44)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.personas.persona_text import (
    MOST_CHARACTERS,
    PersonaRefused,
    built_in_persona,
    first_persona,
    is_persona_key,
    read_persona,
)
from core.prompts.identity import DEFAULT_PERSONA, Persona


def test_a_plain_text_is_called_as_its_file() -> None:
    """CORE-44."""
    assert read_persona("You sail.\n", file_name="pirate") == Persona(name="pirate", text="You sail.")


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("---\nname: Anne\n---\nYou are {name}.", "Anne"),
        ("---\r\nname: 'Anne Bonny'\r\n---\r\n\r\nYou are {name}.\r\n", "Anne Bonny"),
        ('\ufeff---\n# who\n\nname: "Anne"\n---\nYou are {name}.', "Anne"),
        ("---\n---\nYou are {name}.", "pirate"),
    ],
)
def test_front_matter_gives_the_name_and_the_text_may_say_it(source: str, name: str) -> None:
    """CORE-44: Windows line ends, quotes, a byte order mark, comments."""
    assert read_persona(source, file_name="pirate") == Persona(name=name, text=f"You are {name}.")


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("", "no text"),
        ("---\nname: Anne\n---\n \n", "no text"),
        ("---\nname: Anne\nYou sail.", "line 1"),
        ("---\nmood: grim\n---\nYou sail.", "line 2"),
        ("---\nname: Anne\nYou sail.\n---\nYou sail.", "line 3"),
        ("---\nname:\n---\nYou sail.", "line 2"),
        (f"---\nname: {'A' * 33}\n---\nYou sail.", "line 2"),
        ("---\nname: An\u202ene\n---\nYou sail.", "line 2"),
        ("a" * (MOST_CHARACTERS + 1), "4001 characters"),
    ],
)
def test_a_broken_text_is_refused_with_the_place(source: str, said: str) -> None:
    """CORE-44."""
    with pytest.raises(PersonaRefused, match=said):
        read_persona(source, file_name="pirate")


@given(st.text(max_size=200))
def test_any_text_is_a_persona_or_refused(source: str) -> None:
    """CORE-44: nothing else can happen to what somebody types."""
    try:
        persona = read_persona(source, file_name="pirate")
    except PersonaRefused:
        return
    assert persona.name
    assert persona.text


def test_the_first_file_is_the_persona_of_this_version_under_any_name() -> None:
    """CORE-44: the template says nothing that the built-in persona does not say."""
    assert read_persona(first_persona(), file_name=DEFAULT_PERSONA.name) == DEFAULT_PERSONA
    renamed = built_in_persona("Rosie")
    assert renamed.name == "Rosie"
    assert "You are Rosie" in renamed.text
    assert DEFAULT_PERSONA.name not in renamed.text


@pytest.mark.parametrize(
    ("key", "may_be"),
    [
        ("pirate", True),
        ("Old Sailor", True),
        ("海賊", True),
        ("", False),
        (".hidden", False),
        ("..", False),
        ("../settings", False),
        ("a/b", False),
        ("a\\b", False),
        ("a\0b", False),
        (" pirate", False),
        ("a" * 65, False),
    ],
)
def test_a_key_names_one_file_in_the_folder_and_nothing_else(key: str, may_be: bool) -> None:
    """CORE-44: what somebody types never leaves the folder."""
    assert is_persona_key(key) is may_be

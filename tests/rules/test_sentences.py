"""CMD-1: every sentence that people read stands in every language, and is said by the one who chooses."""

import ast
import copy
import pickle
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from string import Formatter

import discord
import pytest

from bot.discord_chat.languages import LOCALES, read_tables, said_in, speaking, told, words_of
from bot.discord_chat.trigger_rules import HOW_TO_CHANGE, Reason
from bot.scene_choices import Chosen
from core.sentences import listed, sentence
from recipes.spaces import SpaceKind
from recipes.tasks.task import TaskState
from recipes.tasks.task_rules import shown_state

_ROOT = Path(__file__).parents[2]
_SAID = {"told", "sentence"}
_ENDS_OF_REFUSALS = ("Refused", "Failure", "SpeechFailed", "GenerationFailed", "NotDecided")
_UNSEEN = {"StorageFailed", "ConnectionRefused"}
_OUTSIDE = {"console", "cli.py", "doctor", "wiring", "say.py", "backend_choice.py", "settings_source.py"}
"""What the owner reads at the terminal, in English."""

_ANSWERS = {
    *("send", "send_message", "edit_message", "edit_original_response", "Embed", "add_field", "set_footer"),
    *("Refused", "VoiceRefused", "RecipeRefused", "require", "Label", "Button", "say", "say_to"),
}
_WORDLESS_OPTIONS = {"custom_id", "filename"}


@cache
def trees() -> dict[Path, ast.Module]:
    """The code that talks with people."""
    found: dict[Path, ast.Module] = {}
    for package in ("bot", "recipes", "core", "sessions", "voice"):
        for path in sorted((_ROOT / package).rglob("*.py")):
            if not _OUTSIDE.intersection(path.relative_to(_ROOT).parts):
                found[path.relative_to(_ROOT)] = ast.parse(path.read_text("utf-8"))
    return found


def name_of(call: ast.Call) -> str:
    """What is called."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def constants(tree: ast.Module) -> dict[str, str]:
    """The texts that a module gives names to."""
    found: dict[str, str] = {}
    for one in tree.body:
        value = one.value if isinstance(one, ast.Assign | ast.AnnAssign) else None
        targets = one.targets if isinstance(one, ast.Assign) else [getattr(one, "target", None)]
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            found |= {target.id: value.value for target in targets if isinstance(target, ast.Name)}
    return found


def sentences_of(tree: ast.Module) -> Iterator[str]:
    """What a module says, without values."""
    named = constants(tree)
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or not call.args:
            continue
        is_refusal = name_of(call).endswith(_ENDS_OF_REFUSALS) and name_of(call) not in _UNSEEN
        if name_of(call) not in _SAID and not is_refusal:
            continue
        first = call.args[0]
        if isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield first.value
        elif is_refusal and isinstance(first, ast.Name) and first.id in named:
            yield named[first.id]


def counted(tree: ast.Module) -> Iterator[str]:
    """What `/privacy forget-me` counts."""
    for function in ast.walk(tree):
        if not isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef) or "forget" not in function.name:
            continue
        for one in ast.walk(function):
            match one:
                case (
                    ast.Return(value=ast.Dict(keys=keys))
                    | ast.keyword(arg="counts", value=ast.Dict(keys=keys))
                    | ast.Assign(targets=[ast.Name(id="counts")], value=ast.Dict(keys=keys))
                ):
                    names = (str(key.value) for key in keys if isinstance(key, ast.Constant))
                    yield from (name.replace("_", " ") for name in names)
                case _:
                    pass


def has_words(template: str) -> bool:
    """Whether there is anything to put in another language."""
    return any(re.search(r"[^\W\d_]{2}", literal) for literal, *_ in Formatter().parse(template))


def everything_said() -> set[str]:
    """All sentences, and the words of enumerations that stand in them."""
    said = {one for tree in trees().values() for one in (*sentences_of(tree), *counted(tree))}
    said |= {*Reason, *HOW_TO_CHANGE.values(), *Chosen, *map(shown_state, TaskState), *map(str, SpaceKind)}
    return {one for one in said if has_words(one)}


@pytest.mark.parametrize("locale", LOCALES)
def test_every_sentence_is_told_in_every_language(locale: discord.Locale) -> None:
    """CMD-1: what is missing is named; what nobody says any more is no burden."""
    table = read_tables()[locale.value]["sentences"]
    missing = sorted(everything_said() - table.keys())
    assert missing == [], "\n".join(missing)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_translation_has_the_values_of_its_sentence(locale: discord.Locale) -> None:
    for english, words in read_tables()[locale.value]["sentences"].items():
        assert words.strip(), english
        if english in HOW_TO_CHANGE.values():
            continue
        names = {field for _, field, _, _ in Formatter().parse(english) if field}
        assert {field for _, field, _, _ in Formatter().parse(words) if field} == names, english


def test_no_answer_is_written_past_the_tables() -> None:
    """CMD-1: whatever an answer, a card, a button or a refusal says in the code stands in `told`."""
    past: list[str] = []
    for path, tree in trees().items():
        if path.parts[:2] != ("bot", "discord_chat"):
            continue
        for call in ast.walk(tree):
            if not isinstance(call, ast.Call) or name_of(call) not in _ANSWERS:
                continue
            options = [one.value for one in call.keywords if one.arg not in _WORDLESS_OPTIONS]
            for one in (*call.args, *options):
                if isinstance(one, ast.Constant) and isinstance(one.value, str) and has_words(one.value):
                    past.append(f"{path}:{one.lineno}: {one.value}")
                if isinstance(one, ast.JoinedStr) and any(
                    isinstance(part, ast.Constant) and re.search(r"[^\W\d_]{3}", str(part.value))
                    for part in one.values
                ):
                    past.append(f"{path}:{one.lineno}: {ast.unparse(one)}")
    assert past == [], "\n".join(past)


def test_a_sentence_passes_for_its_english_and_is_told_in_another_language() -> None:
    """CMD-1: also inside another one, as a refusal, copied and stored."""
    inner = sentence("this channel")
    said = sentence(
        "I may answer {whose} {most} a minute; please wait a moment and ask again.",
        whose=inner,
        most=sentence("{limit:g} messages", limit=3.0),
    )
    assert said == "I may answer this channel 3 messages a minute; please wait a moment and ask again."
    with speaking(discord.Locale.japanese):
        japanese = told(said)
        assert "3" in japanese
        assert "messages" not in japanese
        thawed = pickle.loads(pickle.dumps(said))  # noqa: S301 - our own bytes
        assert told(copy.deepcopy(said)) == told(thawed) == japanese
        assert told(words_of(ValueError(said))) == japanese
        assert told("nobody ever says this") == "nobody ever says this"
        assert told(listed([inner, "x"])) == f"{told(inner)}, x"
    assert told(said) == said
    assert told("{whose} {braces}") == "{whose} {braces}"


def test_a_spoken_language_has_the_table_of_its_readers() -> None:
    """CMD-1, TASK-11: what is said aloud follows the talk and no client; other languages have no table."""
    said = sentence("{name}, a reminder: {about}", name="Ada", about="the kettle")
    with speaking(discord.Locale.korean):
        assert said_in("ja", said) == "Adaさん、リマインダーです：the kettle"
        assert said_in("zh", said) == "Ada，提醒你：the kettle"
        assert said_in("de", said) == said_in("en", said) == "Ada, a reminder: the kettle"
        assert said_in("ja", "Tea is ready.") == "Tea is ready."


def test_commands_in_a_sentence_have_the_names_that_the_reader_sees() -> None:
    with speaking(discord.Locale.korean):
        names = read_tables()[discord.Locale.korean.value]["names"]
        assert f"`/{names['persona']} {names['list']}`" in told(
            "There is no persona `{key}`; `/persona list` names them.", key="x"
        )

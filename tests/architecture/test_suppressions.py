"""A silenced checker names the rule and gives the reason."""

import io
import re
import tokenize

from tests.architecture.sources import place, python_files

SILENCES = re.compile(r"#\s*(?:noqa|type:\s*ignore|pyright:\s*ignore)", re.IGNORECASE)
WITH_REASON = re.compile(
    r"""\#\s*(?: noqa:\s*[A-Z]+[0-9]+(?:,\s*[A-Z]+[0-9]+)*
             | (?:type|pyright):\s*ignore\[[\w-]+(?:,\s*[\w-]+)*\] )
        \s*(?:\#|-)\s*\S.+""",
    re.VERBOSE,
)


def unexplained(source: str) -> list[int]:
    """Lines that silence a checker without its rule's code or without a reason."""
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    return [
        token.start[0]
        for token in tokens
        if token.type == tokenize.COMMENT
        and SILENCES.search(token.string)
        and not WITH_REASON.search(token.string)
    ]


def test_every_silenced_check_has_a_code_and_a_reason() -> None:
    wrong = [place(file, line) for file in python_files() for line in unexplained(file.read_text("utf-8"))]
    assert not wrong, "write `# noqa: CODE - reason` or `# type: ignore[code] # reason`: " + ", ".join(wrong)


def test_what_counts_as_explained() -> None:
    silence = "x = 1  # no" + "qa"
    ignore = "x = 1  # type: ig" + "nore"
    assert unexplained(f"{silence}\n{silence}: F401\n{ignore}\n{ignore}[arg-type]\n") == [1, 2, 3, 4]
    assert (
        unexplained(f"{silence}: F401 - the import registers it\n{ignore}[arg-type] # stub is wrong\n") == []
    )

"""What is said to have landed is tested by name."""

import ast

import pytest

from tests.architecture import spec_index


def test_every_claimed_id_is_named_by_a_test() -> None:
    named = spec_index.tests_by_id()
    missing = [identifier for identifier in spec_index.claimed_ids() if identifier not in named]
    assert not missing, f"docs/spec-claimed.txt claims what no test names: {missing}"


def test_claims_are_well_formed_and_listed_once() -> None:
    claimed = spec_index.claimed_ids()
    assert [line for line in claimed if not spec_index.IDENTIFIER.fullmatch(line)] == []
    assert claimed == sorted(set(claimed), key=spec_index.reading_order)


def test_claimed_and_named_ids_are_in_the_specification() -> None:
    if not spec_index.SPECIFICATION.is_dir():
        pytest.skip("the specification is not beside this checkout")
    known = spec_index.specified_ids(spec_index.SPECIFICATION)
    used = set(spec_index.claimed_ids()) | set(spec_index.tests_by_id())
    assert used <= known, sorted(used - known)


def test_the_index_is_current() -> None:
    written = spec_index.INDEX.read_text("utf-8")
    assert written == spec_index.rendered_index(), "run `make spec-index`"


def test_an_id_counts_only_where_a_test_names_it() -> None:
    first, second, third = (f"CORE-{number}" for number in (901, 902, 903))
    source = f'''"""{first}"""
# {second}: above the test
def test_one():
    pass
def fixture():
    """{first}"""
class TestTwo:
    """{third}"""
    def test_inside(self): ...
'''
    named = {
        name: spec_index.IDENTIFIER.findall(text)
        for name, text in spec_index.texts_of_tests(source, ast.parse(source))
    }
    assert named == {"test_one": [second], "TestTwo::test_inside": [third]}

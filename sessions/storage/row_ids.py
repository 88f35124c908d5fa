"""Ids of rows as people and models see them: a letter and the row's number."""

_LONGEST_NUMBER = 18  # what fits into a row id of 64 bits, whatever the digits


def row_behind(shown_id: str, letter: str) -> int:
    """The number of the row; 0, which no row has, behind what is no such id."""
    number = shown_id.removeprefix(letter)
    is_number = number.isdecimal() and number.isascii() and len(number) <= _LONGEST_NUMBER
    return int(number) if is_number else 0

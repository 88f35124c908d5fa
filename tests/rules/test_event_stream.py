"""Server-sent events from bytes, however they are cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.generation.protocols.event_stream import EventStreamDecoder, LineTooLong, StreamUnreadable

line_ends = st.sampled_from([b"\n", b"\r\n", b"\r"])
data = st.text(st.characters(codec="utf-8", exclude_characters="\r\n"), max_size=20)


def decoded(chunks: list[bytes], *, line_limit: int = 1000) -> list[str]:
    decoder = EventStreamDecoder(line_limit=line_limit)
    events = [event for chunk in chunks for event in decoder.feed(chunk)]
    return [*events, *decoder.end()]


def cut(stream: bytes, places: list[int]) -> list[bytes]:
    borders = sorted({0, len(stream), *(place % (len(stream) + 1) for place in places)})
    return [stream[start:end] for start, end in pairwise(borders)]


@given(st.lists(data, max_size=5), line_ends, st.lists(st.integers(0, 10_000), max_size=20))
def test_no_cut_changes_what_comes_out(texts: list[str], end: bytes, places: list[int]) -> None:
    """CORE-11: any line end, any cut, inside a character or between CR and LF."""
    stream = b"".join(b"data: " + text.encode() + end + b": comment" + end + end for text in texts)
    assert decoded(cut(stream, places)) == texts


@given(st.binary(max_size=200), st.lists(st.integers(0, 200), max_size=10))
def test_any_bytes_give_events_or_one_kind_of_error(stream: bytes, places: list[int]) -> None:
    """CORE-30: nothing else escapes, and cuts make no difference."""

    def outcome(chunks: list[bytes]) -> list[str] | str:
        try:
            return decoded(chunks)
        except StreamUnreadable as error:
            return str(error)

    assert outcome(cut(stream, places)) == outcome([stream])


@pytest.mark.parametrize(
    ("stream", "events"),
    [
        (b"data:a\n\n", ["a"]),
        (b"data:  a\n\n", [" a"]),
        (b"data\n\n", [""]),
        (b"data: a\ndata: b\n\n", ["a\nb"]),
        (b"\xef\xbb\xbfdata: a\n\n", ["a"]),
        (b"data: \xef\xbb\xbfa\n\n", ["\ufeffa"]),
        (b"event: x\nid: 1\nretry: 5\ndata: a\nother: y\n\n", ["a"]),
        (b"event: x\n\n", []),
        (b": ping\n\n\n\n", []),
        (b"data: a", ["a"]),
        (b"data: a\r", ["a"]),
        (b"", []),
    ],
)
def test_fields_are_read_as_the_standard_says(stream: bytes, events: list[str]) -> None:
    assert decoded([stream]) == events


def test_a_line_of_the_limit_passes_and_a_longer_one_does_not() -> None:
    """CORE-45."""
    assert decoded([b"data: " + b"x" * 94 + b"\n\n"], line_limit=100) == ["x" * 94]
    with pytest.raises(LineTooLong):
        decoded([b"data: " + b"x" * 95 + b"\n\n"], line_limit=100)


@pytest.mark.parametrize("line", [b"data: x", b": comment "])
def test_a_line_without_an_end_fails_as_soon_as_it_is_too_long(line: bytes) -> None:
    """CORE-45: memory does not grow with it."""
    decoder = EventStreamDecoder(line_limit=100)
    with pytest.raises(LineTooLong):
        for _ in range(12):
            list(decoder.feed(line + b"." * 10))


def test_many_short_lines_of_one_event_count_together() -> None:
    """CORE-45."""
    with pytest.raises(LineTooLong):
        decoded([b"data: 0123456789\n"] * 20, line_limit=100)

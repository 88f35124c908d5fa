"""Server-sent events without I/O: bytes in, the data of events out (WHATWG HTML, 9.2.6).

Lines end with LF, CR or CRLF, split anywhere; so may UTF-8. Comments and other fields are skipped. A line or
an event longer than the limit is an error and not a growing buffer (CORE-45).
"""

import re
from collections.abc import Iterator

_LINE_END = re.compile(rb"\r\n|\n|\r")
LINE_LIMIT = 1024 * 1024


class StreamUnreadable(Exception):
    """The bytes are no event stream."""


class LineTooLong(StreamUnreadable):
    """A line or the data of one event is over the limit."""


class EventStreamDecoder:
    """Feed bytes as they come; `end` gives an event that the stream left without its empty line.

    What stood before an unreadable line is given before the error is raised.
    """

    def __init__(self, *, line_limit: int = LINE_LIMIT) -> None:
        self._limit = line_limit
        self._partial = bytearray()
        self._data: list[str] = []
        self._data_size = 0
        self._at_start = True

    def feed(self, chunk: bytes) -> Iterator[str]:
        """The data of each event that `chunk` completes; iterate to the end.

        Raises:
            LineTooLong: see the class.
            StreamUnreadable: a line is not UTF-8.
        """
        scan_from = max(0, len(self._partial) - 1)
        self._partial += chunk
        if _LINE_END.search(self._partial, scan_from):
            received, start = bytes(self._partial), 0
            for match in _LINE_END.finditer(received, scan_from):
                if match.end() == len(received) and match[0] == b"\r":
                    break  # the LF of a CRLF may come with the next chunk
                yield from self._line(received[start : match.start()])
                start = match.end()
            del self._partial[:start]
        if len(self._partial) > self._limit:
            raise LineTooLong(f"a line of more than {self._limit} bytes")

    def end(self) -> Iterator[str]:
        """The data of the last event, where the stream ended without an empty line."""
        if self._partial:
            yield from self._line(bytes(self._partial).rstrip(b"\r"))
            self._partial.clear()
        yield from self._line(b"")

    def _line(self, line: bytes) -> Iterator[str]:
        if self._at_start:
            self._at_start = False
            line = line.removeprefix(b"\xef\xbb\xbf")
        if not line:
            if self._data:
                yield "\n".join(self._data)
                self._data.clear()
                self._data_size = 0
            return
        field, _, value = line.partition(b":")
        self._data_size += len(value) if field == b"data" else 0
        if len(line) > self._limit or self._data_size > self._limit:
            raise LineTooLong(f"an event of more than {self._limit} bytes")
        if field != b"data":
            return
        try:
            self._data.append(value.removeprefix(b" ").decode("utf-8"))
        except UnicodeDecodeError as error:
            raise StreamUnreadable(f"not UTF-8: {error.reason}") from error

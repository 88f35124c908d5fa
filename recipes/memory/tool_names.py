"""What the tools of memory are called, for the tools themselves and for the prompt that goes by them."""

from typing import Final

READ: Final = "memory_read"
WRITE: Final = "memory_write"
FORGET: Final = "memory_forget"
SEARCH: Final = "memory_search"
ALL: Final = frozenset({READ, WRITE, FORGET, SEARCH})

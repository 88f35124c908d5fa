"""What the slices of the settings are made of: their common base and the kinds of values (SET-1)."""

from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field


def _address(*schemes: str) -> AfterValidator:
    """Accepts an address of one of the schemes that names a host; a slash at its end is dropped.

    A validator's error says what is expected, never what was given.
    """

    def check(value: str) -> str:
        if not _names_a_host(value, schemes):
            starts = " or ".join(f"{scheme}://" for scheme in schemes)
            raise ValueError(f"an address that starts with {starts}, without a user name")
        return value.rstrip("/")

    return AfterValidator(check)


def _names_a_host(value: str, schemes: tuple[str, ...]) -> bool:
    try:
        parts = urlsplit(value)
        is_reachable = parts.hostname is not None and parts.port != 0
        is_plain = not (parts.query or parts.fragment or parts.username or parts.password)
    except ValueError:  # a port that is no number or too large, half an IPv6 address
        return False
    return parts.scheme in schemes and is_reachable and is_plain


def _user_ids(value: str) -> str:
    ids = [part.strip() for part in value.split(",")]
    if not all(part.isascii() and part.isdecimal() for part in ids):
        raise ValueError("numbers with commas between")
    return ",".join(ids)


UserIds = Annotated[str, AfterValidator(_user_ids)]
HttpAddress = Annotated[str, _address("http", "https")]
WebSocketAddress = Annotated[str, _address("ws", "wss")]
Seconds = Annotated[float, Field(gt=0, le=86_400)]


class Slice(BaseModel):
    """A part of the tree: frozen, secrets hidden, input never repeated in an error."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        populate_by_name=True,
        hide_input_in_errors=True,
        str_strip_whitespace=True,
        str_min_length=1,
    )

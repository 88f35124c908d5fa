"""The invite link, with exactly the permissions that the bot uses, each with its reason.

The one table of permissions: the link, the doctor and the checks before use (TEXT-7) read it. Bits are
Discord's, from its documentation of permissions.
"""

from dataclasses import dataclass
from urllib.parse import urlencode

AUTHORIZE = "https://discord.com/oauth2/authorize"
SCOPES = ("bot", "applications.commands")


@dataclass(frozen=True, slots=True, kw_only=True)
class NeededPermission:
    """A permission by the name that Discord's client shows, its bit, and what it is for."""

    name: str
    bit: int
    reason: str


NEEDED_PERMISSIONS = (
    NeededPermission(name="View Channels", bit=1 << 10, reason="see the rooms it talks in"),
    NeededPermission(name="Send Messages", bit=1 << 11, reason="answer"),
    NeededPermission(
        name="Send Messages in Threads", bit=1 << 38, reason="answer in threads and forum posts"
    ),
    NeededPermission(name="Create Public Threads", bit=1 << 35, reason="open a thread for a long talk"),
    NeededPermission(name="Embed Links", bit=1 << 14, reason="show cards"),
    NeededPermission(name="Attach Files", bit=1 << 15, reason="send a very long answer as a file"),
    NeededPermission(
        name="Read Message History", bit=1 << 16, reason="know what was said before it was asked"
    ),
    NeededPermission(name="Add Reactions", bit=1 << 6, reason="acknowledge without words"),
    NeededPermission(name="Send Polls", bit=1 << 49, reason="ask everybody at once"),
    NeededPermission(name="Send Voice Messages", bit=1 << 46, reason="say what is asked for as speech"),
    NeededPermission(name="Connect", bit=1 << 20, reason="join a voice channel"),
    NeededPermission(name="Speak", bit=1 << 21, reason="be heard there"),
)
ADMINISTRATOR = 1 << 3


def needed_bits() -> int:
    """All needed permissions as Discord's bit set."""
    return sum(permission.bit for permission in NEEDED_PERMISSIONS)


def missing_permissions(granted: int) -> list[NeededPermission]:
    """What a bit set lacks, in the order of the table; an administrator lacks nothing."""
    if granted & ADMINISTRATOR:
        return []
    return [permission for permission in NEEDED_PERMISSIONS if not granted & permission.bit]


def invite_link(client_id: int) -> str:
    """The address that adds the bot to a server."""
    query = {"client_id": client_id, "permissions": needed_bits(), "scope": " ".join(SCOPES)}
    return f"{AUTHORIZE}?{urlencode(query)}"

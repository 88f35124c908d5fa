"""What a voice session is given: credentials, and the parts of the call that outlive it."""

from collections.abc import Callable
from dataclasses import dataclass
from ssl import SSLContext

import aiohttp

from voice.transport.heard_events import HeardEvents
from voice.transport.roster import Roster
from voice.transport.sender import SendingChannel
from voice.transport.settings import TransportSettings
from voice.transport.speaker_log import SpeakerLogs


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Credentials:
    """What the main gateway gave for this session.

    `token` is secret. `server_number` counts its server updates.
    """

    guild_id: int
    channel_id: int
    user_id: int
    session_id: str
    token: str
    endpoint: str
    server_number: int


@dataclass(slots=True, kw_only=True)
class CallParts:
    """What outlives a session: where its sound goes to and comes from, and what is counted."""

    http: aiohttp.ClientSession
    ssl: SSLContext | None
    settings: TransportSettings
    events: HeardEvents
    channel: SendingChannel
    roster: Roster
    logs: SpeakerLogs
    may_repair: Callable[[], bool] = lambda: False
    on_roster: Callable[[], None] = lambda: None
    """Somebody came, or the main gateway may have told who they are: whom to ignore is looked up anew."""

"""What a provider gave us to hand back: its own items, kept as received (CORE-7, CORE-8)."""

from dataclasses import dataclass
from enum import StrEnum


class ProtocolName(StrEnum):
    """The wire protocols that a request can be projected to."""

    CHAT = "chat"
    RESPONSES = "responses"


@dataclass(frozen=True, slots=True, kw_only=True)
class ContinuationScope:
    """Native items are replayed inside one scope only. Credentials and headers are no part of it (CORE-8)."""

    protocol: ProtocolName
    provider: str
    endpoint: str
    model: str
    conversation: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderContinuation:
    """The items of one round in the protocol's own form.

    `items_json` is the JSON array as text: opaque, immutable, equal after a restart (CORE-7). Only the outer
    array is checked before replay; what is inside belongs to the provider.
    """

    scope: ContinuationScope
    items_json: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ProjectionIssue:
    """Something native that another protocol could not be told; all else was (CORE-8, CORE-34)."""

    item_type: str
    reason: str

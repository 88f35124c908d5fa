"""Discord's rate limits: a bucket per route and major parameter, and fifty requests a second in all.

Rules only; the caller brings the time. A window opens with its first request and closes as a whole.
Source: https://docs.discord.com/developers/topics/rate-limits
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

VIA = {"Via": "1.1 google"}
"""A 429 without this header looks to discord.py like a ban by the network in front of Discord."""


@dataclass(frozen=True, slots=True)
class Limit:
    """`requests` in each window of `per_s` seconds."""

    requests: int
    per_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """A 429: `scope` is "user", "shared" or "global"."""

    retry_after_s: float
    scope: str

    @property
    def body(self) -> dict[str, Any]:
        return {
            "message": "You are being rate limited.",
            "retry_after": round(self.retry_after_s, 3),
            "global": self.scope == "global",
            "code": 0,
        }

    @property
    def headers(self) -> dict[str, str]:
        made = VIA | {"X-RateLimit-Scope": self.scope, "Retry-After": str(int(self.retry_after_s) + 1)}
        return made | {"X-RateLimit-Global": "true"} if self.scope == "global" else made


@dataclass(slots=True)
class _Window:
    used: int
    ends_at: float


class RateLimits:
    """Counts requests. `enabled=False` lets everything pass and sends no headers."""

    def __init__(self, *, enabled: bool = True, overall: Limit | None = None) -> None:
        self.enabled = enabled
        self.overall = overall or Limit(50, 1.0)
        self.overrides: dict[tuple[str, str], Limit] = {}
        """Another limit for (method, route), for tests."""
        self._windows: dict[tuple[str, str], _Window] = {}
        self._overall = _Window(0, 0.0)
        self._shared: dict[str, float] = {}

    def share_out(self, bucket: str, *, until: float) -> None:
        """Others used up a shared resource: the bucket's requests get 429 with scope "shared" until then."""
        self._shared[bucket] = until

    def take(
        self, *, bucket: str, major: str, limit: Limit, now: float, wall: float, counts_overall: bool
    ) -> tuple[Refusal | None, Mapping[str, str]]:
        """Counts one request; gives a refusal or None, and the headers of the answer.

        `now` is monotonic, `wall` since 1970, both in seconds.
        """
        if not self.enabled:
            return None, {}
        if counts_overall and (wait := self._take_overall(now)):
            refusal = Refusal(retry_after_s=wait, scope="global")
            return refusal, refusal.headers
        window = self._windows.get((bucket, major))
        if window is None or window.ends_at <= now:
            window = self._windows[bucket, major] = _Window(0, now + limit.per_s)
        left_s = window.ends_at - now
        headers = {
            "X-RateLimit-Limit": str(limit.requests),
            "X-RateLimit-Remaining": str(max(0, limit.requests - window.used - 1)),
            "X-RateLimit-Reset": f"{wall + left_s:.3f}",
            "X-RateLimit-Reset-After": f"{left_s:.3f}",
            "X-RateLimit-Bucket": hashlib.md5(bucket.encode(), usedforsecurity=False).hexdigest(),
        }
        if (shared_until := self._shared.get(bucket, 0.0)) > now:
            refusal = Refusal(retry_after_s=shared_until - now, scope="shared")
            return refusal, headers | refusal.headers
        if window.used >= limit.requests:
            refusal = Refusal(retry_after_s=left_s, scope="user")
            return refusal, headers | refusal.headers
        window.used += 1
        return None, headers

    def _take_overall(self, now: float) -> float:
        window = self._overall
        if window.ends_at <= now:
            window.used, window.ends_at = 0, now + self.overall.per_s
        if window.used >= self.overall.requests:
            return window.ends_at - now
        window.used += 1
        return 0.0

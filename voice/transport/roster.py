"""Who is in the call and whose SSRC is whose (VOX-3).

Written by the event loop, read by the receiver's thread. An SSRC belongs to a user by SPEAKING, by
clients-connect, or because only that user's key opens its frames (the trial); never by guessing. Every
change replaces a mapping as a whole, so that the other thread always reads a consistent one. Source:
`wire/discord-voice.md`, traps 6 and "Where to hook".
"""

from collections.abc import Mapping

from voice.transport.gateway_events import (
    ClientConnected,
    ClientDisconnected,
    ClientsConnected,
    RosterEvent,
    Speaking,
)

_MOST_SSRCS = 500
_MOST_USERS = 25_000
"""More than a stage holds; who comes then is not known."""


class Roster:
    """`ignored` users (bots, those who opted out) are known, but nobody listens to them.

    `full_band`: the others are wanted at 48 kHz, too.
    """

    def __init__(self, own_user_id: int) -> None:
        self.own_user_id = own_user_id
        self._users: frozenset[int] = frozenset()
        self._by_ssrc: Mapping[int, int] = {}
        self.ignored: frozenset[int] = frozenset()
        self.full_band = False

    @property
    def users(self) -> frozenset[int]:
        """Who is in the call besides the bot."""
        return self._users

    @property
    def expected_users(self) -> list[int]:
        """Who may be proposed into the group: those in the call and the bot itself."""
        return [self.own_user_id, *self._users]

    def user_of(self, ssrc: int) -> int | None:
        """The SSRC's user, if known."""
        return self._by_ssrc.get(ssrc)

    def ssrcs_of(self, user_id: int) -> tuple[int, ...]:
        """Every SSRC that the user had in this session."""
        return tuple(ssrc for ssrc, user in self._by_ssrc.items() if user == user_id)

    def clear(self) -> None:
        """A new session: SSRCs are given anew and the gateway tells again who is there."""
        self._users, self._by_ssrc = frozenset(), {}

    def learn(self, ssrc: int, user_id: int) -> None:
        """The SSRC is this user's. Also called by the receiver's thread, after a trial."""
        if user_id == self.own_user_id or self._by_ssrc.get(ssrc) == user_id:
            return
        known = dict(self._by_ssrc)
        known.pop(ssrc, None)
        known[ssrc] = user_id
        while len(known) > _MOST_SSRCS:
            del known[next(iter(known))]
        self._by_ssrc = known

    def apply(self, event: RosterEvent) -> int | None:
        """Takes the event; gives the user who left, if one did."""
        match event:
            case Speaking():
                self._join(event.user_id)
                self.learn(event.ssrc, event.user_id)
            case ClientsConnected():
                self._join(*event.user_ids)
            case ClientConnected():
                self._join(event.user_id)
                if event.audio_ssrc is not None:
                    self.learn(event.audio_ssrc, event.user_id)
            case ClientDisconnected():
                self._users -= {event.user_id}
                self._by_ssrc = {ssrc: user for ssrc, user in self._by_ssrc.items() if user != event.user_id}
                return event.user_id
        return None

    def _join(self, *user_ids: int) -> None:
        if len(self._users) < _MOST_USERS:
            self._users |= frozenset(user_ids) - {self.own_user_id}

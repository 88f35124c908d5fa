"""DAVE for one call (VOX-1, VOX-2): the MLS conversation with the gateway, and the frames it protects.

The event loop feeds gateway events and sends what comes back; the receiver's and the sender's threads
decrypt and encrypt at the same time, which `davey` allows. Every error of `davey` is caught here: an MLS
message that cannot be used is reported, and the group is left and joined anew by way of "invalid commit"
(opcode 31) and a fresh key package, so the call goes on; what the group that was left still says is not
answered. Frames in the clear are accepted only where the protocol allows them: in version 0, and for
`PASSTHROUGH_S` around a change of version. `davey`'s own passthrough mode never expires, so it stays off and
the window is kept here. Nothing is ever sent in the clear while the version is above 0. Source:
daveprotocol.com; `wire/discord-voice.md`, traps 3, 4, 7 to 9, 11, 12, 15.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import assert_never

import davey

from voice.transport.gateway_events import (
    CommitAnnounced,
    DaveEvent,
    EpochPrepared,
    ExternalSenderGiven,
    Proposed,
    TransitionExecuted,
    TransitionPrepared,
    Welcomed,
)
from voice.transport.gateway_messages import (
    Opcode,
    Send,
    SendBinary,
    SendText,
)

SUPPORTED_VERSION = davey.DAVE_PROTOCOL_VERSION
PASSTHROUGH_S = 10.0
MOST_FAILURES = 10
"""In a row; then another attempt would fail as well, and the watchdog or a new epoch begins anew."""
_MOST_PENDING = 100
_MARKER = b"\xfa\xfa"
_AUDIO = davey.MediaType.audio


class Undecryptable(Exception):
    """No key that is here now opens the frame; `reason` is one of few words, to be counted by."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class KeysChanged(Enum):
    """What a gateway event did to the keys: frames that failed before are worth another try."""

    NO = "no"
    YES = "yes"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What to send, whether keys changed, and what went wrong, if something did (already recovered from)."""

    sends: tuple[Send, ...] = ()
    keys: KeysChanged = KeysChanged.NO
    problem: str | None = None


class DaveCall:
    """One voice session's end-to-end encryption. `clock` counts monotonic seconds."""

    def __init__(self, *, user_id: int, channel_id: int, clock: Callable[[], float]) -> None:
        self._user_id = user_id
        self.channel_id = channel_id
        """Whose group the next key package is for."""
        self._clock = clock
        self._session: davey.DaveSession | None = None
        self._external_sender: bytes | None = None
        self._pending: dict[int, int] = {}
        self._unanswered: dict[Opcode, Send] = {}
        self._clear_until = float("-inf")
        self._failures = 0
        self.version = 0
        self.recoveries = 0

    # state

    @property
    def can_send(self) -> bool:
        """Whether a frame may leave: always in version 0, else only with a ready group."""
        session = self._session
        return self.version == 0 or (session is not None and session.ready)

    @property
    def epoch(self) -> int | None:
        """The group's epoch; None without a group."""
        return self._session.epoch if self._session is not None else None

    @property
    def privacy_code(self) -> str | None:
        """What members compare to be sure that nobody listens in; None without a group."""
        return self._session.voice_privacy_code if self._session is not None else None

    def members(self) -> list[int]:
        """The users whose frames can be opened now, without the bot itself."""
        session = self._session
        if session is None or not session.ready:
            return []
        return [user for user in map(int, session.get_user_ids()) if user != self._user_id]

    # the gateway

    @property
    def _left(self) -> bool:
        """It reported an invalid commit, and is not back yet."""
        return Opcode.MLS_INVALID_COMMIT_WELCOME in self._unanswered

    def unanswered(self) -> tuple[Send, ...]:
        """What a lost websocket may have lost, to be told again on the next one (VOX-7).

        The key package, and "invalid commit", until a group holds the bot; the commit until one is announced;
        READY until its transition is executed. A gateway that has them already comes to the same end.
        """
        return (*self._unanswered.values(), *map(_ready, self._pending))

    def begin(self, version: int) -> Outcome:
        """The session description told the version."""
        self.version = version
        self._pending.clear()
        self._unanswered.clear()
        self._failures, self._clear_until = 0, float("-inf")
        if version == 0:
            self._session = None
            return Outcome(keys=KeysChanged.YES)
        return Outcome((self._fresh_key_package(version),))

    def take(self, event: DaveEvent, expected_users: Sequence[int]) -> Outcome:
        """One event of the gateway. Never raises for what the gateway sent."""
        try:
            return self._take(event, expected_users)
        except BaseException as error:  # noqa: BLE001 - looked at in the next line
            _raise_what_is_not_daveys(error)
            return self._recover(event, error)

    def _take(self, event: DaveEvent, expected_users: Sequence[int]) -> Outcome:
        match event:
            case ExternalSenderGiven():
                return self._know_external_sender(event.package)
            case Proposed():
                return self._propose(event, expected_users)
            case CommitAnnounced():
                self._required().process_commit(event.commit)
                return self._joined(event.transition_id)
            case Welcomed():
                self._required().process_welcome(event.welcome)
                return self._joined(event.transition_id)
            case TransitionPrepared():
                if event.version == 0:
                    self._clear_until = float("inf")  # until the transition is executed
                return self._transition_prepared(event.transition_id, event.version)
            case TransitionExecuted():
                return self._execute(event.transition_id)
            case EpochPrepared():
                return self._prepare_epoch(event)
            case _:
                assert_never(event)

    def _know_external_sender(self, package: bytes) -> Outcome:
        """Kept for the next group, whatever the present one says to it; raises for one that is none."""
        davey.DaveSession(SUPPORTED_VERSION, self._user_id, self.channel_id).set_external_sender(package)
        self._external_sender = package
        if self._session is not None:
            self._session.set_external_sender(package)
        return Outcome()

    def _propose(self, event: Proposed, expected_users: Sequence[int]) -> Outcome:
        if not event.revoked and self._left and Opcode.MLS_COMMIT_WELCOME in self._unanswered:
            # sent before the group was left, they fit the one after, and its commit would answer no round
            raise ValueError("proposals of a round that was given up are in this group too")
        kind = davey.ProposalsOperationType.revoke if event.revoked else davey.ProposalsOperationType.append
        made = self._required().process_proposals(kind, event.proposals, list(expected_users))
        if made is None:
            self._unanswered.pop(Opcode.MLS_COMMIT_WELCOME, None)
            return Outcome()
        commit = SendBinary(Opcode.MLS_COMMIT_WELCOME, made.commit + (made.welcome or b""))
        self._unanswered[Opcode.MLS_COMMIT_WELCOME] = commit
        return Outcome((commit,))

    def _joined(self, transition_id: int) -> Outcome:
        """A commit or a welcome brought the group's next epoch."""
        self._failures = 0
        self._unanswered.clear()
        return self._transition_prepared(transition_id, self.version)

    def _transition_prepared(self, transition_id: int, version: int) -> Outcome:
        if transition_id == 0:
            self._become(version)
            return Outcome(keys=KeysChanged.YES)
        self._pending[transition_id] = version
        while len(self._pending) > _MOST_PENDING:
            del self._pending[next(iter(self._pending))]
        return Outcome((_ready(transition_id),), KeysChanged.YES)

    def _execute(self, transition_id: int) -> Outcome:
        version = self._pending.pop(transition_id, None)
        if version is None:
            return Outcome(problem="a transition was executed that nobody prepared")
        self._become(version)
        return Outcome(keys=KeysChanged.YES)

    def _become(self, version: int) -> None:
        if version != self.version or self._clear_until == float("inf"):
            self._clear_until = self._clock() + PASSTHROUGH_S
        self.version = version
        if version == 0:  # there is no group to tell it to, nor to go on with
            self._unanswered.clear()
            self._pending = {number: to for number, to in self._pending.items() if to == 0}

    def _prepare_epoch(self, event: EpochPrepared) -> Outcome:
        if event.epoch != 1:
            return Outcome()
        self._become(event.version)
        self._failures = 0
        self._pending.clear()  # orders to the former group
        if event.version == 0:
            return Outcome()
        return Outcome((self._fresh_key_package(event.version),))

    def _recover(self, event: DaveEvent, error: BaseException) -> Outcome:
        problem = f"{type(event).__name__}: {type(error).__name__}: {error}"
        former = self._left and _is_of_the_former_group(event, error)
        if self.version == 0 or self._failures == MOST_FAILURES or former:
            return Outcome(problem=problem)
        self._failures += 1
        self.recoveries += 1
        transition_id = event.transition_id if isinstance(event, CommitAnnounced | Welcomed) else 0
        invalid = SendText(Opcode.MLS_INVALID_COMMIT_WELCOME, {"transition_id": transition_id})
        try:
            if self._left and "NoMatchingKeyPackage" in str(error):
                # the welcome to the one before: a fresh one each time would miss every welcome
                key_package = self._unanswered[Opcode.MLS_KEY_PACKAGE]
            else:
                key_package = self._fresh_key_package(self.version)
        except BaseException as second:  # noqa: BLE001 - looked at in the next line
            _raise_what_is_not_daveys(second)  # else the watchdog repairs it with a new voice session
            return Outcome(problem=f"{problem}; then {type(second).__name__}")
        self._unanswered = {invalid.opcode: invalid, key_package.opcode: key_package}
        return Outcome((invalid, key_package), problem=problem)

    def _fresh_key_package(self, version: int) -> SendBinary:
        session = self._session
        if session is None:
            session = davey.DaveSession(version, self._user_id, self.channel_id)
        else:
            session.reinit(version, self._user_id, self.channel_id)
        if self._external_sender is not None:
            session.set_external_sender(self._external_sender)
        self._session = session
        key_package = SendBinary(Opcode.MLS_KEY_PACKAGE, session.get_serialized_key_package())
        self._unanswered = {Opcode.MLS_KEY_PACKAGE: key_package}
        return key_package

    def _required(self) -> davey.DaveSession:
        if self._session is None:
            raise ValueError("no DAVE session")
        return self._session

    # frames

    def encrypt(self, opus: bytes) -> bytes | None:
        """The frame as it may leave; None while no key is there. For the sender's thread."""
        if self.version == 0:
            return opus
        session = self._session
        if session is None or not session.ready:
            return None
        try:
            return session.encrypt_opus(opus)
        except BaseException as error:  # noqa: BLE001 - looked at in the next line
            _raise_what_is_not_daveys(error)
            return None

    def decrypt(self, user_id: int, frame: bytes) -> bytes:
        """The Opus packet of that user's frame. For the receiver's thread.

        Raises:
            Undecryptable: no key for it (yet), or it is neither encrypted nor allowed in the clear.
        """
        session = self._session
        encrypted = frame.endswith(_MARKER) and (session is not None or self.version > 0)
        if not encrypted and (self.version == 0 or self._clock() < self._clear_until):
            return frame
        if session is None or not encrypted:
            raise Undecryptable("no session" if encrypted else "in the clear")
        try:
            return session.decrypt(user_id, _AUDIO, frame)
        except BaseException as error:
            _raise_what_is_not_daveys(error)
            raise Undecryptable(_reason(error)) from error

    def owner_by_trial(self, frame: bytes) -> tuple[int, bytes] | None:
        """The one member whose key opens the frame, and what is inside. A failed trial costs no nonce.

        Raises:
            Undecryptable: it is not encrypted, so that no key can tell whose it is.
        """
        if not frame.endswith(_MARKER):
            raise Undecryptable("in the clear")
        for user_id in self.members():
            try:
                return user_id, self.decrypt(user_id, frame)
            except Undecryptable:
                continue
        return None


def _ready(transition_id: int) -> SendText:
    return SendText(Opcode.DAVE_TRANSITION_READY, {"transition_id": transition_id})


def _raise_what_is_not_daveys(error: BaseException) -> None:
    """`davey` raises ValueError and RuntimeError, and its Rust panics are no `Exception`s."""
    if not isinstance(error, Exception) and type(error).__name__ != "PanicException":
        raise error


def _is_of_the_former_group(event: DaveEvent, error: BaseException) -> bool:
    """A commit or proposals for the member of before, sent before the gateway knew that it left."""
    words = str(error)
    return isinstance(event, CommitAnnounced | Proposed) and (
        "PendingGroup" in words or "WrongEpoch" in words
    )


def _reason(error: BaseException) -> str:
    words = str(error)
    for known in ("NoDecryptorForUser", "NoValidCryptorFound", "UnencryptedWhenPassthroughDisabled"):
        if known in words:
            return known
    return "decryption failed"

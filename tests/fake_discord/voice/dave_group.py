"""The delivery service of one channel's MLS group: proposes, picks the first commit, moves everybody on.

It keeps to Discord's protocol: external proposals to the members (27), the first commit and welcome (28)
wins, the commit goes to the members (29) and the welcome to the new ones (30) with a transition id, all
answer ready (23), and the transition is executed (22). A member that reports an invalid commit (31) is
removed and added again with its fresh key package. A member that is left alone starts anew (24 with epoch
1). Source: daveprotocol.com.
"""

from __future__ import annotations

import struct
from typing import Protocol

from tests.fake_discord.voice.mls import (
    ExternalSender,
    commit_epoch,
    commit_references,
    proposal_reference,
    split_commit_welcome,
    vector,
)

PREPARE_TRANSITION, EXECUTE_TRANSITION, READY, PREPARE_EPOCH = 21, 22, 23, 24
EXTERNAL_SENDER, KEY_PACKAGE, PROPOSALS, COMMIT_WELCOME, ANNOUNCE_COMMIT, WELCOME, INVALID = range(25, 32)


class Member(Protocol):
    """Whoever takes part in the group's conversation."""

    user_id: int

    def text(self, op: int, data: object) -> None: ...
    def binary(self, op: int, payload: bytes) -> None: ...


class DaveGroup:
    """`version` is the call's protocol version; 0: no DAVE at present."""

    def __init__(self, channel_id: int, *, version: int = 1) -> None:
        self.version = version
        self.sender = ExternalSender(channel_id)
        self.epoch: int | None = None
        self.executed: list[int] = []
        self.invalid_commits: list[int] = []
        self.answers_commits = True
        """False: commits are kept back until it is True and `release` is called."""
        self._members: dict[int, Member] = {}
        self._key_packages: dict[int, bytes] = {}
        self._leaves: list[int | None] = []
        self._broken: set[int] = set()
        self._round: _Round | None = None
        self._kept_back: tuple[int, bytes] | None = None
        self._transition = 0
        self._waiting_for: dict[int, set[int]] = {}

    @property
    def users(self) -> set[int]:
        """Who is in the group in this epoch."""
        return {user for user in self._leaves if user is not None}

    # the room

    def join(self, member: Member) -> None:
        self._members[member.user_id] = member
        self._key_packages.pop(member.user_id, None)
        if member.user_id in self.users:
            self._broken.add(member.user_id)  # came back without its old keys
        if self.version:
            member.binary(EXTERNAL_SENDER, self.sender.package)

    def leave(self, user_id: int) -> None:
        if self._members.pop(user_id, None) is None:
            return
        self._key_packages.pop(user_id, None)
        for waiting in self._waiting_for.values():
            waiting.discard(user_id)
        self._ask_no_more(user_id)
        self._execute_complete()
        self._advance()

    # the members

    def take_text(self, user_id: int, op: int, data: dict[str, int]) -> None:
        if op == READY:
            waiting = self._waiting_for.get(data["transition_id"])
            if waiting is not None:
                waiting.discard(user_id)
                self._execute_complete()
        elif op == INVALID:
            self.invalid_commits.append(user_id)
            for waiting in self._waiting_for.values():
                waiting.discard(user_id)
            if user_id in self.users:
                self._broken.add(user_id)
            self._key_packages.pop(user_id, None)
            self._ask_no_more(user_id)

    def take_binary(self, user_id: int, op: int, payload: bytes) -> None:
        if op == KEY_PACKAGE:
            self._key_packages[user_id] = payload
            self._advance()
        elif op == COMMIT_WELCOME and self._round is not None and user_id in self._round.asked:
            if commit_epoch(payload) != self.epoch or commit_references(payload) != self._round.references:
                return  # a loser of the round before, or of one that was given up
            if self.answers_commits:
                self._accept(user_id, payload)
            elif self._kept_back is None:
                self._kept_back = (user_id, payload)

    def release(self) -> None:
        """Answers the commit that was kept back."""
        self.answers_commits = True
        if self._kept_back is not None and self._round is not None:
            (user_id, payload), self._kept_back = self._kept_back, None
            self._accept(user_id, payload)

    # on order

    def downgrade(self) -> None:
        """To version 0, as when somebody without DAVE joins."""
        self.version, self.epoch, self._leaves, self._round = 0, None, [], None
        self._broken.clear()
        self._start_transition(set(self._members), PREPARE_TRANSITION)

    def upgrade(self) -> None:
        """Back to version 1: a new group for everybody."""
        self.version = 1
        self._key_packages.clear()
        for member in self._members.values():
            member.text(PREPARE_EPOCH, {"epoch": 1, "protocol_version": 1})
            member.binary(EXTERNAL_SENDER, self.sender.package)

    # rounds

    def _advance(self) -> None:
        """Proposes what is to be changed, if anything, and no round is under way."""
        if not self.version or self._round is not None:
            return
        if self.epoch is None:
            self._found()
            return
        gone = [leaf for leaf, user in enumerate(self._leaves) if user is not None and self._stale(user)]
        keeps = self.users - {self._leaves[leaf] for leaf in gone}
        if not keeps:
            self.epoch, self._leaves = None, []
            self._broken.clear()
            self._found()
            return
        if len(self._members) == 1 and gone:
            self._reset_sole(next(iter(self._members.values())))
            return
        new = [user for user in self._key_packages if user not in keeps and user in self._members]
        broken_without_package = self._broken - set(self._key_packages)
        if (gone or new) and not broken_without_package:
            self._propose(self.epoch, keeps, new, gone)

    def _ask_no_more(self, user_id: int) -> None:
        """A round without anybody who could commit it is over."""
        if self._round is not None and user_id in self._round.asked:
            self._round.asked.discard(user_id)
            if not self._round.asked:
                self._round = None

    def _stale(self, user: int) -> bool:
        return user not in self._members or user in self._broken

    def _found(self) -> None:
        ready = [user for user in self._members if user in self._key_packages]
        if len(ready) < 2 or len(ready) < len(self._members):
            return
        founder, *others = ready
        self.epoch, self._leaves = 0, [founder]
        self._propose(0, {founder}, others, [])

    def _reset_sole(self, member: Member) -> None:
        self.epoch, self._leaves = None, []
        self._broken.clear()
        self._key_packages.clear()
        member.text(PREPARE_EPOCH, {"epoch": 1, "protocol_version": self.version})
        member.binary(EXTERNAL_SENDER, self.sender.package)

    def _propose(self, epoch: int, members: set[int], new: list[int], gone: list[int]) -> None:
        self._kept_back = None  # of the round before
        messages = [self.sender.remove(epoch, leaf) for leaf in gone]
        messages += [self.sender.add(epoch, self._key_packages[user]) for user in new]
        self._round = _Round(set(members), new, gone, {proposal_reference(one) for one in messages})
        payload = b"\0" + vector(b"".join(messages))
        for user in members:
            self._members[user].binary(PROPOSALS, payload)

    def _accept(self, user_id: int, payload: bytes) -> None:
        turn, self._round = self._round, None
        assert turn is not None
        assert self.epoch is not None
        commit, welcome = split_commit_welcome(payload)
        first = self.epoch == 0
        self.epoch += 1
        for leaf in turn.gone:
            self._leaves[leaf] = None
        for user in turn.new:
            self._broken.discard(user)
            self._key_packages.pop(user, None)
            if None in self._leaves:
                self._leaves[self._leaves.index(None)] = user
            else:
                self._leaves.append(user)
        while self._leaves and self._leaves[-1] is None:
            self._leaves.pop()
        number = 0 if first else self._next_transition()
        prefix = struct.pack(">H", number)
        concerned = [*turn.asked, *turn.new]
        if number:
            self._waiting_for[number] = set(concerned)
        for user in turn.asked:
            if user in self._members:
                self._members[user].binary(ANNOUNCE_COMMIT, prefix + commit)
        for user in turn.new:
            if user in self._members:
                self._members[user].binary(WELCOME, prefix + welcome)
        for gone in set(concerned) - set(self._members):
            self._waiting_for.get(number, set()).discard(gone)
        self._execute_complete()
        self._advance()

    def _start_transition(self, users: set[int], op: int) -> None:
        number = self._next_transition()
        self._waiting_for[number] = users
        for user in tuple(users):
            self._members[user].text(op, {"transition_id": number, "protocol_version": self.version})
        self._execute_complete()

    def _next_transition(self) -> int:
        self._transition = self._transition % 65_535 + 1
        return self._transition

    def _execute_complete(self) -> None:
        for number in [one for one, waiting in self._waiting_for.items() if not waiting]:
            del self._waiting_for[number]
            self.executed.append(number)
            for member in tuple(self._members.values()):
                member.text(EXECUTE_TRANSITION, {"transition_id": number})


class _Round:
    """One set of proposals and who was asked to commit it."""

    def __init__(self, asked: set[int], new: list[int], gone: list[int], references: set[bytes]) -> None:
        self.asked, self.new, self.gone, self.references = asked, new, gone, references

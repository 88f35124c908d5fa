"""The row of examples is the same at each run, or nobody could have again what it found."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from tests.hostile.budgets import Budget, examples, go_on


def drawn_by(attack_of: type[_ByFunction | _ByMachine], budget: Budget) -> list[int]:
    attack_of.drawn.clear()
    attack_of.attack(budget)
    return attack_of.drawn.copy()


class _ByFunction:
    drawn: list[int] = []  # noqa: RUF012 - of the run

    @staticmethod
    def attack(budget: Budget) -> None:
        @budget
        @given(number=st.integers(0, 1 << 60))
        def holds(number: int) -> None:
            _ByFunction.drawn.append(number)

        holds()


class _ByMachine(RuleBasedStateMachine):
    drawn: list[int] = []  # noqa: RUF012 - of the run

    @staticmethod
    def attack(budget: Budget) -> None:
        budget.run(_ByMachine)

    @rule(number=st.integers(0, 1 << 60))
    def draw(self, number: int) -> None:
        _ByMachine.drawn.append(number)


def test_a_seed_always_draws_the_same() -> None:
    """VOX-5: and no seed draws what another does."""
    for kind in (_ByFunction, _ByMachine):
        rows = [drawn_by(kind, Budget(examples(20), number)) for number in (None, 1, 2)]
        assert rows == [drawn_by(kind, Budget(examples(20), number)) for number in (None, 1, 2)]
        assert all(one != other for at, one in enumerate(rows) for other in rows[:at])


def test_an_attack_goes_on_until_its_time_is_spent() -> None:
    """VOX-5: all of the first examples even without any time, then seed after seed, each once."""
    done: list[tuple[int | None, int]] = []

    def attack(budget: Budget) -> None:
        done.append((budget.seed, budget.settings.max_examples))

    go_on(attack, examples(70), 0)
    assert done == [(None, 70)]
    done.clear()
    go_on(attack, examples(70), 0.01)
    assert len(done) > 3
    assert done == [(None, 70), *((number, 7) for number in range(1, len(done)))]

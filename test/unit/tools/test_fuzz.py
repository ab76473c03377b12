"""Two hundred of the fuzzer's inputs; `python -m tools.fuzz` runs twenty thousand."""

from collections import Counter

import pytest

from tools.fuzz.corpus import executable, readable, tokens
from tools.fuzz.mutation import mutant
from tools.fuzz.oracle import check


@pytest.mark.parametrize("first", range(0, 200, 25))
def test_every_input_is_answered_or_keeps_its_meaning(first: int):
    outcomes = {number: check(mutant(number)) for number in range(first, first + 25)}
    findings = {n: outcome.finding for n, outcome in outcomes.items() if outcome.finding}
    assert findings == {}
    assert len(Counter(outcome.reached for outcome in outcomes.values())) > 1


@pytest.mark.parametrize("kernel", executable())
def test_the_seeds_themselves_run_to_the_same_result(kernel: str):
    assert check(kernel) == ("same result", None)


@pytest.mark.parametrize("text", readable())
def test_tokens_are_the_text(text: str):
    assert "".join(tokens(text)) == text


def test_an_input_is_its_number():
    assert mutant(7) == mutant(7)
    assert mutant(7) != mutant(8)

"""Random chains of ops, as the tests of blocking make them."""

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from random import Random
from typing import Any

import numpy

from tools.device_product.case import Case, Program

TESTS = Path(__file__).parents[3] / "test"
COUNT = 40
STEPS = ("load", "slice", "arithmetic", "widen", "constant", "product", "branch", "loop")
"""What level V has of them; the others are refused below level X."""


def cases() -> list[Case]:
    """A case for each seed."""
    return [Case(f"random {seed}", partial(_program, seed)) for seed in range(COUNT)]


def _program(seed: int, parts: Sequence[str]) -> Program:
    body = _body()(Random(seed), by_messages=True)
    body.load()
    for _ in range(body.choose.randint(1, 8)):
        getattr(body, body.choose.choice(STEPS))()
    text = body.text()
    return Program(text, [numpy.array(argument.before) for argument in body.arguments], "k")


def _body() -> Callable[..., Any]:
    for folder in (TESTS, TESTS / "unit" / "passes" / "xetile_blocking"):
        if str(folder) not in sys.path:
            sys.path.append(str(folder))
    return import_module("test_random_kernels").Body

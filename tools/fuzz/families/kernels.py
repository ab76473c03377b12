"""Kernels, lowered to level B and executed before and after; some are executed on a device too."""

from random import Random

from tools.fuzz.case import LOWERING, MAIN_FILE, Case
from tools.fuzz.corpus import executable, parsed, readable
from tools.fuzz.families.operations import mutate_operations
from tools.fuzz.families.tokens import mutate_tokens
from tools.fuzz.on_device import SHARE
from xetile.api import text


def make(random: Random) -> Case:
    """A kernel, half of the time with other tokens, else with other ops."""
    case = Case(LOWERING, (), {MAIN_FILE: _mutant(random).encode()})
    return case._replace(on_device=random.random() < SHARE)


def _mutant(random: Random) -> str:
    if random.random() < 0.5:
        return mutate_tokens(random, random.choice(readable() + 4 * executable()))
    source = random.choice(executable())
    module = parsed(source)
    assert module is not None, "a seed is wrong"
    try:
        mutate_operations(random, module)
        return text(module)
    except Exception:  # what the mutations made is no IR that could be printed
        return mutate_tokens(random, source)

"""Which faults a run plants: as many in each kernel, chosen by the seed, of all kinds, none on another's line."""

import random
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .edits import Edit
from .emitted_faults import faults_of, planted
from .emitted_trial import Trial, compiled
from .faults import shares
from .llvm_meaning import changes_the_program


class Planted(NamedTuple):
    """A kernel with a fault: the edit of its LLVM IR, and what is compiled from it."""

    trial: Trial
    fault: Edit
    spirv: bytes

    def lines(self) -> tuple[str, str]:
        """The line of the fault without it and with it."""
        number = self.fault.line - 1
        texts = (self.trial.text, self.fault.apply(self.trial.text))
        before, after = (text.splitlines()[number].strip() for text in texts)
        return before, after

    def __str__(self) -> str:
        return f"{self.trial.kernel.name}:{self.fault.line} {self.fault.kind}"


def choose(
    trials: Sequence[Trial],
    *,
    seed: int,
    count: int,
    compile: Callable[[str], bytes | None] = compiled,
) -> list[Planted]:
    """Faults that LLVM compiles, to other SPIR-V than the kernel's own."""
    dealt = shares({trial.kernel.name: 1 for trial in trials}, count)
    chosen: list[Planted] = []
    for trial in trials:
        name = trial.kernel.name
        chance = random.Random(f"{seed} {name}")
        chosen += _choose(trial, chance, dealt[name], compile)
    return chosen


def _choose(
    trial: Trial,
    chance: random.Random,
    count: int,
    compile: Callable[[str], bytes | None],
) -> list[Planted]:
    places: dict[str, dict[int, list[Edit]]] = {}
    for fault in faults_of(trial.text):
        places.setdefault(fault.kind, {}).setdefault(fault.line, []).append(fault)
    chosen: list[Planted] = []
    used: set[int] = set()
    while len(chosen) < count and places:
        kind = chance.choice(sorted(places))
        line = chance.choice(sorted(places[kind]))
        faults = places[kind][line]
        fault = faults.pop(chance.randrange(len(faults)))
        if not faults:
            del places[kind][line]
            if not places[kind]:
                del places[kind]
        if line in used or not changes_the_program(fault, trial.text):
            continue
        spirv = compile(planted(trial.text, fault))
        if spirv is not None and spirv != trial.spirv:
            chosen.append(Planted(trial, fault, spirv))
            used.add(line)
    return chosen

"""All kernels on tiles by family, and the table of those that stop above SPIR-V.

    PYTHONPATH=test python -m support.tiled.kernels > test/data/kernels-that-stop.tsv

writes the table anew.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from support.tiled import one_op_memory, one_op_rearranged, one_op_values
from support.tiled.across import kernels_across
from support.tiled.attention import attentions
from support.tiled.carried import carried_kernels
from support.tiled.case import Case
from support.tiled.computed import computed_kernels
from support.tiled.examples import example_kernels
from support.tiled.gemms import gemms
from support.tiled.reaching import LEVELS, Level, followed
from support.tiled.rows import row_kernels
from support.tiled.weights import weight_kernels

FAMILIES: Mapping[str, Callable[[], Sequence[Case]]] = {
    "examples": example_kernels,
    "gemms": gemms,
    "rows": row_kernels,
    "attention": attentions,
    "across": kernels_across,
    "carried": carried_kernels,
    "weights": weight_kernels,
    "computed": computed_kernels,
    "moves": one_op_memory.moves,
    "accesses": one_op_memory.accesses,
    "elementwise": one_op_values.elementwise,
    "functions": one_op_values.functions,
    "products": one_op_values.products,
    "reductions": one_op_rearranged.reductions,
    "rearranged": one_op_rearranged.rearranged,
    "control": one_op_values.control,
    "memrefs": one_op_memory.memrefs,
    "meetings": one_op_memory.meetings,
}

DEVICES = ("bmg", "pvc", "ptl", "cri")
"""lnl is bmg under another name, and ptl differs from it by the products of fp8."""

BUILT_ELSEWHERE = re.compile(
    r"gemm_(f16_a_(rows|transposed|inferred)|f16_a_columns_b_rows|bf16_a|i8_a_t).*"
    r"|attention_(d128_.*|d64_k_by_keys_(96|128).*|d64_k_by_d_128_keys_16.*)|gemm_(int8_weights|bias_gelu)"
)
"""Kernels that are not built for opencl:cpu in the tests: others have the same ops on less data."""

ALL = "all"
TABLE = Path(__file__).parents[2] / "data" / "kernels-that-stop.tsv"


SAME_ON_ALL = ("elementwise", "functions", "reductions", "control", "memrefs", "meetings")
"""Families of which no kernel has a message that only some devices have."""


def compiled_for(device: str, family: str) -> bool:
    """Whether the kernels of a family may come to other code on a device than on bmg."""
    return (
        family == "products"
        if device == "ptl"
        else family not in SAME_ON_ALL or device == DEVICES[0]
    )


MOST_IN_MODULE = 8
"""Kernels of one module: Intel's CPU runtime takes up to 25 s for one, and may take 120 for a module."""


def together(cases: Sequence[Case]) -> list[list[Case]]:
    """The cases that one module can hold."""
    small = [case for case in cases if not case.source]
    groups = [small[at : at + MOST_IN_MODULE] for at in range(0, len(small), MOST_IN_MODULE)]
    return [*groups, *([case] for case in cases if case.source)]


def stops(device: str) -> dict[str, Level]:
    """The level that a kernel of the table reaches on a device; all others reach SPIR-V."""
    levels: Mapping[str, Level] = {level: level for level in LEVELS}
    rows = (line.split("\t") for line in TABLE.read_text().splitlines()[1:])
    return {name: levels[level] for name, level, on in rows if on == ALL or device in on}


def _rows(family: str, case: Case) -> Iterator[str]:
    reached: dict[Level, list[str]] = {}
    for device in (device for device in DEVICES if compiled_for(device, family)):
        level = followed(case, device, executed=device == DEVICES[0]).level
        reached.setdefault(level, []).append(device)
    for level, devices in reached.items():
        if level != "spirv":
            yield f"{case.name}\t{level}\t{ALL if len(reached) == 1 else ' '.join(devices)}"


if __name__ == "__main__":
    print("kernel\tlast level\ton")
    for family, cases in FAMILIES.items():
        for case in cases():
            for row in _rows(family, case):
                print(row)

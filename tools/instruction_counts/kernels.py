"""What is counted, and the most instructions of its loop on each device."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from tools.instruction_counts.attention import Stored, attention
from tools.instruction_counts.weights import weights
from tools.isa_report.products import BIAS_RELU, RELU, product
from xetile.api import parse_text
from xetile.codegen import statistics


class Counted(NamedTuple):
    """A kernel, the 2D loads of its loop, and the most instructions: what was measured, or a little more; by device.

    `outside`: the most beside the loop.
    """

    text: str
    loads: Mapping[str, int]
    most: Mapping[str, float]
    outside: Mapping[str, float] = {}


def _attention(rows: int, stored: Stored, bmg: float, pvc: float) -> Counted:
    loads = 8 if stored == "D x keys" else 20
    return Counted(
        attention(rows, stored), {"bmg": loads, "pvc": loads}, {"bmg": bmg, "pvc": pvc}
    )


RFC = Path(__file__).parents[2] / "examples" / "rfc"


KERNELS: Mapping[str, Counted] = {
    "attention, 8 rows, K as D x keys": _attention(8, "D x keys", 276, 290),
    "attention, 16 rows, K as D x keys": _attention(16, "D x keys", 526, 545),
    "attention, 8 rows, K as keys x D": _attention(8, "keys x D", 294, 365),
    "attention, 16 rows, K as keys x D": _attention(16, "keys x D", 562, 625),
    "product": Counted(
        product(), {"bmg": 3, "pvc": 3}, {"bmg": 37.5, "pvc": 45}, {"bmg": 179, "pvc": 221}
    ),
    "product, C in bf16": Counted(
        product(c="bf16"),
        {"bmg": 3, "pvc": 3},
        {"bmg": 37.5, "pvc": 45},
        {"bmg": 299, "pvc": 325},
    ),
    "product, bias, relu": Counted(
        product(after=BIAS_RELU),
        {"bmg": 3, "pvc": 3},
        {"bmg": 38, "pvc": 45},
        {"bmg": 441, "pvc": 526},
    ),
    "product, relu": Counted(
        product(after=RELU),
        {"bmg": 3, "pvc": 3},
        {"bmg": 37.5, "pvc": 45},
        {"bmg": 309, "pvc": 387},
    ),
    "product, B transposed": Counted(
        product(b="columns"),
        {"bmg": 9, "pvc": 9, "cri": 5},
        {"bmg": 44.6, "pvc": 68, "cri": 39.6},
    ),
    "product, int8 weights": Counted(
        weights(), {"bmg": 2, "pvc": 2, "cri": 2}, {"bmg": 121, "pvc": 160, "cri": 109}
    ),
    "product, int8 weights, scales": Counted(
        weights(scaled=True),
        {"bmg": 2, "pvc": 2, "cri": 2},
        {"bmg": 158, "pvc": 211, "cri": 124},
    ),
    "product, int8 weights, one subgroup": Counted(
        weights(subgroups=(1, 1)),
        {"bmg": 2, "pvc": 2, "cri": 2},
        {"bmg": 364, "pvc": 368, "cri": 371},
    ),
    "product, int8 weights, scales, one subgroup": Counted(
        weights(scaled=True, subgroups=(1, 1)),
        {"bmg": 2, "pvc": 2, "cri": 2},
        {"bmg": 620, "pvc": 620, "cri": 429},
    ),
    "product through shared memory": Counted(
        (RFC / "2.4-shared-memory.mlir").read_text(),
        {"bmg": 2, "pvc": 2, "cri": 2},
        {"bmg": 60, "pvc": 91, "cri": 57},
    ),
}


def counts(kernel: Counted, device: str) -> Mapping[str, float]:
    """Instructions of the hot loop; for the keys see xetile/toolchain/assembly.py. Needs ocloc."""
    (found,) = statistics(parse_text(kernel.text, "kernel.mlir"), device).values()
    return found

"""Whether a thread's registers hold the tiles of a kernel that is written to be compiled."""

from typing import Any

from xetile.dialects.xetile.types import memory_bits
from xetile.errors import XetileError, collected_remarks, remember_source
from xetile.kernels.gemm_module import TYPES
from xetile.planning.xe.pressure.tiles import ProductTile
from xetile.targets import DEFAULT
from xetile.targets.xe.device import MOST_HELD

_NEARLY = 15 / 16
"""The part of the registers that A, B and the sums may take before it is looked at more closely."""


def warn_of_spills(request: dict[str, Any], text: str, name: str) -> None:
    """Say where the text of a GEMM, in the file of this name, has a tile that will spill.

    It is compiled for the device that is the default; devices differ little in that. What no device takes is left to
    the one that it is compiled for.
    """
    if _registers(request) <= MOST_HELD["large"] * _NEARLY:
        return
    from xetile.api import lower, parse_text
    from xetile.dialects.modules import context
    from xetile.passes.xe.convert_xevm_to_llvm import ConvertXeVMToLLVM

    remember_source(name, text)
    try:
        with collected_remarks():
            lowered = lower(parse_text(text, name), to="xevm", device=DEFAULT)
        ConvertXeVMToLLVM(DEFAULT).apply(context(), lowered)
    except XetileError:
        return


def _registers(request: dict[str, Any]) -> int:
    """Of A, B and the sums of one subgroup in one K step."""
    a, b = request["a"], request["b"] or request["a"]
    names = (a, b, request["accumulator"])
    bits = [memory_bits(TYPES[name].attribute) or 0 for name in names]
    (m, n), k = request["subgroup_tile"], request["k_step"]
    return ProductTile(m, n, k, *bits, depth=k).registers

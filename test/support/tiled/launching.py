"""Many kernels in one SPIR-V module, which is built once and launched for each."""

from collections.abc import Sequence
from typing import cast

from support.tiled.case import Case, module_of

from xetile.api import lower
from xetile.codegen import emit, launch_contract, lower_to_llvm
from xetile.codegen.contract import Plain
from xetile.runtime.launch import Compiled, find_function
from xetile.targets.target import Assume


def compiled(
    cases: Sequence[Case], target: str, assume: Assume = "block"
) -> dict[str, Compiled]:
    """Every kernel by its name, all with the same SPIR-V."""
    lanes = lower(module_of(cases), to="xevm", device=target, assume=assume)
    code = lower_to_llvm(lanes, target)
    contract = launch_contract(code, target)
    entries = cast("list[dict[str, Plain]]", contract["kernels"])
    options = cast("dict[str, str]", contract["build_options"])
    spirv = cast(bytes, emit(code, "spirv", target))
    return {
        case.name: Compiled(find_function(lanes, case.name), spirv, entry, options)
        for case, entry in zip(cases, entries, strict=True)
    }

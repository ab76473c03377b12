"""Code of a module: LLVM IR, SPIR-V, and with Intel's offline compiler binaries and assembly.

LLVM is imported when it is used.
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Literal

from xetile.collector import still

if TYPE_CHECKING:
    from collections.abc import Mapping

    from xdsl.dialects.builtin import ModuleOp
    from xdsl.ir import Operation

    from xetile.codegen.contract import Plain
    from xetile.targets.target import Assume, RegisterFile
    from xetile.toolchain.ocloc import Disassembly

Kind = Literal["ll", "spirv", "zebin", "asm"]


@still()
def emit(
    module: "ModuleOp",
    kind: Kind,
    device: str | None = None,
    *,
    grf: "RegisterFile | None" = None,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> str | bytes:
    """Return code of all kernels of a module at any level, or of one: `ll`, `asm` are text, `spirv`, `zebin` bytes.

    `grf` is the register file of binaries, None for the one that `options.register_file` chooses; the
    device is chosen as `target_of` does, `assume` and `unroll` are as `lower` has them. The
    module does not change.
    Raise XetileError if a kernel cannot be lowered or is missing, for an unknown
    device, and if ocloc is needed and missing or rejects the kernel.
    """
    if kind in ("zebin", "asm"):
        from xetile.analysis.kernel_targets import target_of
        from xetile.codegen.build_options import known_register_file
        from xetile.toolchain.ocloc import need_ocloc

        module = module if kernel is None else only_kernel(module, kernel)
        device = target_of(module, device).name
        if grf is not None:
            known_register_file(grf)
        need_ocloc()
    lowered = lower_to_llvm(module, device, kernel=kernel, assume=assume, unroll=unroll)
    if kind == "ll":
        return _emitter(lowered, device).llvm_ir(lowered)
    from xetile.codegen.build_options import warn_of_small_file

    warn_of_small_file(lowered, grf)
    if kind == "spirv":
        return _emitter(lowered, device).code(lowered)
    assert device is not None
    if kind == "zebin":
        return _binary(lowered, device, grf)
    texts = disassembly(lowered, device, grf).kernels
    return "\n".join(f"// kernel {name}\n{text}" for name, text in texts.items())


def statistics(
    module: "ModuleOp",
    device: str | None = None,
    *,
    grf: "RegisterFile | None" = None,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
    arguments: "Mapping[str, int] | None" = None,
) -> dict[str, dict[str, float]]:
    """Return instruction counts of the hot loop of each kernel, per K step; for the keys see toolchain/assembly.py.

    `arguments` are values of scalar arguments by name, which decide how often loops run.
    Raise as `emit` does.
    """
    from xetile.analysis.kernel_targets import device_of
    from xetile.codegen.build_options import known_register_file
    from xetile.codegen.llvm_functions import is_kernel, llvm_functions
    from xetile.codegen.walk import walk
    from xetile.planning.xe.pressure import noted
    from xetile.targets.xe.device import XeDevice
    from xetile.toolchain.assembly import statistics as count
    from xetile.toolchain.ocloc import need_ocloc

    module = module if kernel is None else only_kernel(module, kernel)
    target = device_of(module, XeDevice, device)
    if grf is not None:
        known_register_file(grf)
    need_ocloc()
    lowered = lower_to_llvm(module, target.name, assume=assume, unroll=unroll)
    texts, description = disassembly(lowered, target.name, grf)
    counts: dict[str, dict[str, float]] = {}
    for function in filter(is_kernel, llvm_functions(lowered)):
        name = function.sym_name.data
        work = walk(function, arguments)
        counts[name] = count(texts[name], description, name, work=work, rates=target.rates)
        counts[name]["estimated_registers"] = noted(function).counted.registers
    return counts


def launch_contract(
    module: "ModuleOp",
    device: str | None = None,
    *,
    grf: "RegisterFile | None" = None,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> "dict[str, Plain]":
    """Return the launch contract of a module's kernels; docs/launch-contract.schema.json describes the keys.

    Raise XetileError if a kernel cannot be lowered or is missing.
    """
    from xetile.codegen.contract import contract_of, device_otherwise

    lowered = lower_to_llvm(module, device, kernel=kernel, assume=assume, unroll=unroll)
    return contract_of(lowered, device, grf=grf, otherwise=device_otherwise(module))


@still()
def lower_to_llvm(
    module: "ModuleOp",
    device: str | None,
    *,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
) -> "ModuleOp":
    """Return a module at the last level, with only the kernel `kernel` if given; a copy unless it is there already.

    Raise XetileError if there is no such kernel, or none at all.
    """
    from xetile.analysis.module_kernels import kernel_functions, missing_kernel
    from xetile.codegen.llvm_functions import is_kernel, llvm_functions

    lowered = module if kernel is None else only_kernel(module, kernel)
    if kernel_functions(lowered):
        from xetile.dialects.modules import context
        from xetile.passes.pipelines import lower

        lowered = module.clone() if lowered is module else lowered
        lower(context(), lowered, None, device, assume, unroll)
    elif unroll is not None:
        from xetile.errors import XetileError

        raise XetileError(f"unroll is {unroll}, but the kernels are at the last level already")
    if not any(is_kernel(function) for function in llvm_functions(lowered)):
        raise missing_kernel(module, kernel, ())
    return lowered


def only_kernel(module: "ModuleOp", wanted: str) -> "ModuleOp":
    """Return the module without its other kernels; a copy unless there are none.

    Raise XetileError if there is no such kernel.
    """
    from xetile.analysis.module_kernels import kernel_functions, missing_kernel, symbol_name
    from xetile.codegen.llvm_functions import is_kernel, llvm_functions

    def others(inside: "ModuleOp") -> "list[Operation]":
        kernels = [*kernel_functions(inside), *filter(is_kernel, llvm_functions(inside))]
        names = [symbol_name(function) for function in kernels]
        if wanted not in names:
            raise missing_kernel(inside, wanted, names)
        return [f for f, name in zip(kernels, names, strict=True) if name != wanted]

    if not others(module):
        return module
    copy = module.clone()
    for function in others(copy):
        function.detach()
        function.erase()
    return copy


def _emitter(lowered: "ModuleOp", device: str | None) -> ModuleType:
    from xetile.analysis.kernel_targets import agreed

    name = agreed(lowered, lambda target: target.emitter, "emitters", device)
    return import_module(f"{__name__}.{name}")


def _binary(lowered: "ModuleOp", device: str, grf: "RegisterFile | None") -> bytes:
    from xetile.codegen.build_options import build_options
    from xetile.toolchain.ocloc import compile_spirv

    options = build_options(lowered, device, grf=grf).level_zero
    return compile_spirv(_emitter(lowered, device).code(lowered), device, options)


def disassembly(
    lowered: "ModuleOp", device: str, grf: "RegisterFile | None" = None
) -> "Disassembly":
    """Return the assembly of the kernels of a module at the last level, and the description of its binary.

    Raise as `emit` does.
    """
    from xetile.toolchain.ocloc import disassemble

    return disassemble(_binary(lowered, device, grf), device)

"""The options that a driver needs so that a module computes what it says."""

from typing import get_args

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float16Type, Float32Type, ModuleOp, VectorType
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.kernel_targets import agreed, narrowed, targets_of
from xetile.codegen.llvm_functions import is_kernel, llvm_functions, ops_of
from xetile.errors import XetileError, warn
from xetile.hints import isa
from xetile.planning.xe.pressure import noted
from xetile.targets import find
from xetile.targets.target import RegisterFile, Target
from xetile.targets.xe.device import REGISTER_BYTES, REGISTERS, BuildOptions, XeDevice

_INEXACT = (llvm.FDivOp.name, llvm.FSqrtOp.name)
_APPROXIMATE = frozenset((FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC))


def build_options(
    module: ModuleOp, device: str | None = None, *, grf: RegisterFile | None
) -> BuildOptions:
    """Return the options for a module of the llvm dialect; its kernels are built together.

    `grf` is the register file; None is the one that `register_file` chooses.
    Raise XetileError for an unknown register file.
    """
    grf = register_file(module, device) if grf is None else known_register_file(grf)
    exact = any(map(divides, llvm_functions(module)))

    def asked(target: Target) -> BuildOptions:
        found = narrowed(target, XeDevice, module)
        options = found.build_options[grf]
        return options.also(found.exact_division) if exact else options

    return agreed(module, asked, "build options", device)


def register_file(module: ModuleOp, device: str | None = None) -> RegisterFile:
    """Return the register file for all kernels of a module, which are built with one: that of the largest kernel.

    The small one leaves room for twice the threads; it is chosen if no kernel can be expected to spill, and none would
    fill the large one with loads ahead of its products, on any target.
    """
    targets = [find(device)] if device is not None else targets_of(module)
    ahead = min(
        (target.registers_ahead for target in targets if isinstance(target, XeDevice)),
        default=0,
    )
    kernels = filter(is_kernel, llvm_functions(module))
    is_large = any(noted(function).fills_large(ahead) for function in kernels)
    return "large" if is_large else "small"


def warn_of_small_file(module: ModuleOp, grf: RegisterFile | None) -> None:
    """Warn about each kernel that the small register file may be too small for, if `grf` asks for it.

    The pass that lowers kernels (convert-xevm-to-llvm) has warned about those that the large file is too small for.
    """
    if grf is None or known_register_file(grf) != "small":
        return
    for function in filter(is_kernel, llvm_functions(module)):
        found = noted(function)
        if found.fits("large") and not found.fits("small"):
            warn(
                function,
                f"about {found.held.registers} registers of {REGISTER_BYTES} bytes are live at once, and with the "
                f"small register file a thread has {REGISTERS['small']}: some may be spilled to memory; "
                "leave out grf = small",
            )


def known_register_file(grf: RegisterFile) -> RegisterFile:
    """Return the register file; raise if it is unknown."""
    known: tuple[object, ...] = get_args(RegisterFile)
    if grf not in known:
        raise XetileError(
            f"unknown register file '{grf}'; expected {' or '.join(map(str, known))}"
        )
    return grf


def divides(function: llvm.FuncOp) -> bool:
    """Return True if a function has quotients or square roots that are exact only with a build option.

    Those that may be approximate (flags `arcp`, for quotients, and `afn`) need no option. OpenCL grants an error to
    those of f32. IGC computes square roots of f16 in f32, so that the option covers them. It approximates quotients of
    f16 whatever the options (source: ocloc's assembly), so only those that may be approximate reach it.
    """
    return any(op.name in _INEXACT and _is_inexact(op) for op in ops_of(function))


def may_be_approximate(op: Operation) -> bool:
    """Return True if an op is a quotient of f32 that need not be exact.

    The option makes it exact all the same, whatever its flags (ocloc 26.27: 18 instructions a register in place of 2).
    """
    return isinstance(op, llvm.FDivOp) and _is_single(op) and _has_flags(op)


def _is_inexact(op: Operation) -> bool:
    match op:
        case llvm.FDivOp():
            return _is_single(op) and not _has_flags(op)
        case llvm.FSqrtOp():
            is_exact = FastMathFlag.APPROX_FUNC not in op.fastmathFlags.data
            return is_exact and isinstance(_element(op.res), Float16Type | Float32Type)
        case _:
            return False


def _is_single(op: llvm.FDivOp) -> bool:
    return isinstance(_element(op.res), Float32Type)


def _has_flags(op: llvm.FDivOp) -> bool:
    return bool(_APPROXIMATE & set(op.fastmathFlags.data))


def _element(value: SSAValue) -> Attribute:
    return value.type.element_type if isa(value.type, VectorType) else value.type

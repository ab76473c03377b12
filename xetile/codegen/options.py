"""What a driver has to be told so that a module computes what it says."""

from xdsl.dialects import llvm
from xdsl.dialects.builtin import Float32Type, ModuleOp, VectorType
from xdsl.ir import Attribute, Operation
from xdsl.utils.hints import isa

from xetile.analysis.targets import agreed
from xetile.codegen.functions import llvm_functions
from xetile.targets.target import BuildOptions, RegisterFile


def build_options(
    module: ModuleOp, device: str | None = None, *, grf: RegisterFile
) -> BuildOptions:
    """The options for a module of the llvm dialect, all kernels of which are built together."""
    options = agreed(module, lambda target: target.build_options[grf], "build options", device)
    if not any(map(divides, llvm_functions(module))):
        return options
    exact = agreed(module, lambda target: target.exact_division, "build options", device)
    return options.also(exact)


def divides(function: llvm.FuncOp) -> bool:
    """Whether a function has quotients or square roots of f32, which OpenCL lets a driver round as it likes."""
    return any(map(_is_inexact, function.walk()))


def _is_inexact(op: Operation) -> bool:
    return isinstance(op, llvm.FDivOp | llvm.FSqrtOp) and _is_single(op.results[0].type)


def _is_single(type: Attribute) -> bool:
    return isa(type.element_type if isa(type, VectorType) else type, Float32Type)

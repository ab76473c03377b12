"""What a host needs to launch a compiled kernel."""

from collections.abc import Sequence
from importlib import import_module
from typing import cast

from xdsl.dialects import llvm
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp

from xetile import __version__
from xetile.analysis.kernels import kernel_functions, level
from xetile.analysis.targets import named_targets, subgroup_threads
from xetile.codegen.entries import Plain, check_launch, check_unlowered, plain, type_name
from xetile.codegen.functions import WORKGROUP_SIZE, is_kernel, llvm_functions
from xetile.codegen.options import build_options, divides, register_file
from xetile.codegen.preconditions import Precondition, preconditions
from xetile.codegen.surfaces import surface_bases
from xetile.levels import LAUNCH_ATTRIBUTE, SURFACES_ATTRIBUTE
from xetile.planning.pressure import noted
from xetile.targets import DEFAULT
from xetile.targets.target import RegisterFile
from xetile.targets.xe.surface import SURFACE

VERSION = 1
"""Of the contract: it grows when a key changes its meaning."""


def contract_of(
    module: ModuleOp,
    device: str | None = None,
    *,
    grf: RegisterFile | None,
    otherwise: str | None = None,
) -> dict[str, Plain]:
    """The launch contract of the kernels of a module of the llvm dialect.

    Its keys stand in docs/launch-contract.schema.json: sizes of the grid count workgroups, those of a
    block work-items, x first, None where they are free; extents of surfaces are bytes. The device is `device`, else
    the one that the gpu.module names, else `otherwise`. `grf` is the register file, None the one that `build_options`
    chooses.
    """
    grf = grf or register_file(module, device)
    kernels: list[Plain] = [
        _kernel(function, device or _named(function) or otherwise, grf)
        for function in llvm_functions(module)
        if is_kernel(function)
    ]
    options = build_options(module, device, grf=grf)
    return {
        "version": VERSION,
        "made_by": {"xetile": __version__, "llvm": _llvm_version()},
        "kernels": kernels,
        "build_options": {
            "opencl": " ".join(options.opencl),
            "level_zero": " ".join(options.level_zero),
        },
    }


def device_otherwise(module: ModuleOp) -> str | None:
    """The device of kernels for which nothing names one; None where they were planned earlier, for whichever."""
    kernels = kernel_functions(module)
    return DEFAULT if kernels and all(level(kernel) != "lane" for kernel in kernels) else None


def _named(kernel: llvm.FuncOp) -> str | None:
    """The one device that the kernel's gpu.module names."""
    named = named_targets(kernel)
    return named[0].name if len(named) == 1 else None


def _llvm_version() -> str:
    binding = import_module("llvmlite.binding")
    return ".".join(str(part) for part in binding.llvm_version_info)


def _kernel(function: llvm.FuncOp, device: str | None, grf: RegisterFile) -> dict[str, Plain]:
    entries = _entries(function)
    bases = surface_bases(function)
    stated = {} if SURFACES_ATTRIBUTE in function.attributes else preconditions(function)
    arguments = cast("list[dict[str, Plain]]", entries["arguments"])
    for entry, value in zip(arguments, function.body.blocks[0].args, strict=True):
        if value in bases:
            entry["surface"] = _surface_rules(stated.get(value.index, ()))
    return {
        "name": function.sym_name.data,
        "device": device,
        "grid": None,
        "block": None,
        **entries,
        "floating_point": _floating_point(function),
        "registers": {"file": grf, "estimated": noted(function).counted.registers},
    }


def _entries(function: llvm.FuncOp) -> dict[str, Plain]:
    launch = function.attributes.get(LAUNCH_ATTRIBUTE)
    if launch is None:
        return _unlowered(function)
    return check_launch(function, plain(launch))


def _unlowered(function: llvm.FuncOp) -> dict[str, Plain]:
    """The entries of a kernel that was written in the llvm dialect."""
    block = function.attributes.get(WORKGROUP_SIZE)
    sizes = (
        [int(size) for size in block.get_values()] if isinstance(block, DenseArrayBase) else []
    )
    check_unlowered(function, sizes)
    arguments: list[Plain] = []
    for number, argument in enumerate(function.body.blocks[0].args):
        is_pointer = isinstance(argument.type, llvm.LLVMPointerType)
        entry: dict[str, Plain] = {
            "name": argument.name_hint or f"arg{number}",
            "kind": "pointer" if is_pointer else "value",
            "type": type_name(argument.type),
            "source": str(argument.type),
        }
        arguments.append(entry)
    return {
        "block": [*sizes] or None,
        "arguments": arguments,
        "subgroup_size": subgroup_threads(function),
        "shared_memory": 0,
    }


def _floating_point(function: llvm.FuncOp) -> dict[str, Plain]:
    """What the kernel's arithmetic relies on, outside of matrix instructions and functions as exp."""
    return {
        "contraction": "off",
        "rounding": "to_nearest_even",
        "denormals": "preserve",
        "exact_division": divides(function),
    }


def _surface_rules(stated: Sequence[Precondition]) -> dict[str, Plain]:
    return {
        "base_alignment": SURFACE.base_alignment,
        "least_width": SURFACE.least_width,
        "width_multiple": SURFACE.width_multiple,
        "least_pitch": SURFACE.least_pitch,
        "pitch_multiple": SURFACE.pitch_multiple,
        "largest_extent": SURFACE.most,
        "preconditions": [_precondition(each) for each in stated],
    }


def _precondition(stated: Precondition) -> Plain:
    """A precondition in JSON: the bytes are the sum of products, of a factor and arguments by their numbers."""
    terms: list[Plain] = [
        {"factor": count, "arguments": [*product]}
        for product, count in (stated.bytes or {}).items()
    ]
    return {
        "of": stated.of,
        "bytes": terms or None,
        "multiple": stated.multiple,
        "least": stated.least,
        "most": stated.most,
    }

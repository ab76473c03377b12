"""What a host needs to launch a compiled kernel."""

from importlib import import_module
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import (
    ArrayAttr,
    DenseArrayBase,
    DictionaryAttr,
    IntegerAttr,
    ModuleOp,
    StringAttr,
    UnitAttr,
)
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xetile import __version__
from xetile.analysis.kernels import kernel_functions, level
from xetile.analysis.targets import named_targets, subgroup_threads
from xetile.codegen.functions import WORKGROUP_SIZE, is_kernel, llvm_functions
from xetile.codegen.options import build_options, divides
from xetile.codegen.surfaces import surface_bases
from xetile.errors import fail
from xetile.levels import LAUNCH_ATTRIBUTE
from xetile.targets import DEFAULT
from xetile.targets.target import RegisterFile
from xetile.targets.xe.surface import SURFACE

Plain: TypeAlias = "str | int | bool | list[Plain] | dict[str, Plain] | None"
"""What JSON can say of a kernel."""

VERSION = 1
"""Of the contract: it grows when a key changes its meaning."""


def contract_of(
    module: ModuleOp,
    device: str | None = None,
    *,
    grf: RegisterFile,
    otherwise: str | None = None,
) -> dict[str, Plain]:
    """The launch contract of the kernels of a module of the llvm dialect.

    Its keys stand in docs/launch-contract.schema.json: sizes of the grid count workgroups, those of a
    block work-items, x first, None where they are free; extents of surfaces are bytes. The device is `device`, else
    the one that the gpu.module names, else `otherwise`.
    """
    kernels: list[Plain] = [
        _kernel(function, device or _named(function) or otherwise)
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


def _kernel(function: llvm.FuncOp, device: str | None) -> dict[str, Plain]:
    launch = function.attributes.get(LAUNCH_ATTRIBUTE)
    entries = _plain(launch) if isinstance(launch, DictionaryAttr) else _unlowered(function)
    assert isinstance(entries, dict)
    arguments = entries.get("arguments")
    values = function.body.blocks[0].args
    if not isinstance(arguments, list) or len(arguments) != len(values):
        fail(function, f"'{LAUNCH_ATTRIBUTE}' does not list the {len(values)} arguments")
    bases = surface_bases(function)
    for entry, value in zip(arguments, values, strict=True):
        if value in bases and isinstance(entry, dict):
            entry["surface"] = _surface_rules()
    return {
        "name": function.sym_name.data,
        "device": device,
        "grid": None,
        "block": None,
        **entries,
        "floating_point": _floating_point(function),
    }


def _unlowered(function: llvm.FuncOp) -> dict[str, Plain]:
    """The entries of a kernel that was written in the llvm dialect."""
    arguments: list[Plain] = []
    for number, argument in enumerate(function.body.blocks[0].args):
        is_pointer = isinstance(argument.type, llvm.LLVMPointerType)
        entry: dict[str, Plain] = {
            "name": argument.name_hint or f"arg{number}",
            "kind": "pointer" if is_pointer else "value",
            "type": "pointer" if is_pointer else str(argument.type),
            "source": str(argument.type),
        }
        arguments.append(entry)
    block = function.attributes.get(WORKGROUP_SIZE)
    sizes: list[Plain] = (
        [int(size) for size in block.get_values()] if isinstance(block, DenseArrayBase) else []
    )
    return {
        "block": sizes or None,
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


def _surface_rules() -> dict[str, Plain]:
    return {
        "base_alignment": SURFACE.base_alignment,
        "least_width": SURFACE.least_width,
        "width_multiple": SURFACE.width_multiple,
        "least_pitch": SURFACE.least_pitch,
        "pitch_multiple": SURFACE.pitch_multiple,
        "largest_extent": SURFACE.most,
    }


def _plain(attribute: Attribute) -> Plain:
    if isinstance(attribute, DictionaryAttr):
        return {key: _plain(value) for key, value in attribute.data.items()}
    if isa(attribute, ArrayAttr):
        return [_plain(value) for value in attribute.data]
    if isa(attribute, IntegerAttr):
        return attribute.value.data
    if isinstance(attribute, UnitAttr):
        return None  # known when running
    return attribute.data if isinstance(attribute, StringAttr) else str(attribute)

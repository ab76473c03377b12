"""What a host needs to launch a compiled kernel."""

from importlib import import_module
from typing import TypeAlias

from xdsl.dialects import llvm
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xetile import __version__
from xetile.analysis.targets import agreed, targets_of
from xetile.codegen.functions import is_kernel, llvm_functions
from xetile.codegen.surfaces import surface_bases
from xetile.levels import LAUNCH_ATTRIBUTE
from xetile.targets.target import RegisterFile
from xetile.targets.xe.surface import SURFACE

Plain: TypeAlias = "str | int | list[Plain] | dict[str, Plain] | None"
"""What JSON can say of a kernel."""

VERSION = 1
"""Of the contract: it grows when a key changes its meaning."""


def contract_of(
    module: ModuleOp, device: str | None = None, *, grf: RegisterFile
) -> dict[str, Plain]:
    """The launch contract of the kernels of a module of the llvm dialect.

    Its keys stand in docs/launch-contract.schema.json: sizes of the grid count workgroups, those of a
    block work-items, x first, None where they are free; extents of surfaces are bytes.
    """
    kernels: list[Plain] = [
        _kernel(function, device) for function in llvm_functions(module) if is_kernel(function)
    ]
    options = agreed(module, lambda target: target.build_options[grf], "build options", device)
    return {
        "version": VERSION,
        "made_by": {"xetile": __version__, "llvm": _llvm_version()},
        "kernels": kernels,
        "build_options": {
            "opencl": " ".join(options.opencl),
            "level_zero": " ".join(options.level_zero),
        },
    }


def _llvm_version() -> str:
    binding = import_module("llvmlite.binding")
    return ".".join(str(part) for part in binding.llvm_version_info)


def _kernel(function: llvm.FuncOp, device: str | None) -> dict[str, Plain]:
    launch = function.attributes.get(LAUNCH_ATTRIBUTE)
    entries = _plain(launch) if isinstance(launch, DictionaryAttr) else {}
    assert isinstance(entries, dict)
    arguments = entries.get("arguments")
    if isinstance(arguments, list):
        bases = surface_bases(function)
        for entry, argument in zip(arguments, function.body.blocks[0].args, strict=True):
            if argument in bases and isinstance(entry, dict):
                entry["surface"] = _surface_rules()
    return {
        "name": function.sym_name.data,
        "device": device or targets_of(function)[0].name,
        "grid": None,
        "block": None,
        **entries,
    }


def _surface_rules() -> dict[str, Plain]:
    return {
        "base_alignment": SURFACE.base_alignment,
        "least_width": SURFACE.least_width,
        "width_multiple": SURFACE.width_multiple,
        "least_pitch": SURFACE.least_pitch,
        "pitch_multiple": SURFACE.pitch_multiple,
    }


def _plain(attribute: Attribute) -> Plain:
    if isinstance(attribute, DictionaryAttr):
        return {key: _plain(value) for key, value in attribute.data.items()}
    if isa(attribute, ArrayAttr):
        return [_plain(value) for value in attribute.data]
    if isa(attribute, IntegerAttr):
        return attribute.value.data
    return attribute.data if isinstance(attribute, StringAttr) else str(attribute)

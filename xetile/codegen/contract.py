"""What a host needs to launch a compiled kernel."""

from typing import TypeAlias

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, IntegerAttr, ModuleOp, StringAttr
from xdsl.ir import Attribute
from xdsl.utils.hints import isa

from xetile.analysis.targets import agreed
from xetile.codegen.functions import is_kernel, llvm_functions
from xetile.levels import LAUNCH_ATTRIBUTE
from xetile.targets.target import RegisterFile

Plain: TypeAlias = "str | int | list[Plain] | dict[str, Plain] | None"
"""What JSON can say of a kernel."""


def contract_of(module: ModuleOp, *, grf: RegisterFile) -> dict[str, Plain]:
    """The launch contract of the kernels of a module of the llvm dialect.

    Keys: `kernels`, each with `name`, `arguments` in order
    (convert_xevm_to_llvm/signature.py), `grid` in workgroups and `block` in work-items (x
    first, None where they are free), `subgroup_size` in lanes and `shared_memory` in bytes;
    `build_options` for whoever makes a binary of the SPIR-V.
    """
    kernels: list[Plain] = []
    for function in llvm_functions(module):
        if not is_kernel(function):
            continue
        launch = function.attributes.get(LAUNCH_ATTRIBUTE)
        entries = _plain(launch) if isinstance(launch, DictionaryAttr) else {}
        assert isinstance(entries, dict)
        kernels.append(
            {"name": function.sym_name.data, "grid": None, "block": None, **entries}
        )
    options = agreed(module, lambda target: target.build_options[grf], "build options")
    return {"kernels": kernels, "build_options": " ".join(options)}


def _plain(attribute: Attribute) -> Plain:
    if isinstance(attribute, DictionaryAttr):
        return {key: _plain(value) for key, value in attribute.data.items()}
    if isa(attribute, ArrayAttr):
        return [_plain(value) for value in attribute.data]
    if isa(attribute, IntegerAttr):
        return attribute.value.data
    return attribute.data if isinstance(attribute, StringAttr) else str(attribute)

"""The explorer: every level of a kernel side by side, linked op by op down to the device's instructions.

`explore` lowers a module level by level (`trace.py`); the files beside it add what they know to the model (`model.py`),
and the page shows it (`page/`). What is shown is what the passes decided; nothing is planned a second time.
"""

from typing import TYPE_CHECKING

from xetile.collector import still

if TYPE_CHECKING:
    from xdsl.dialects.builtin import ModuleOp

    from xetile.explorer.exploration import Exploration
    from xetile.targets.target import Assume, RegisterFile


@still()
def explore(
    module: "ModuleOp",
    device: str | None = None,
    *,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grf: "RegisterFile | None" = None,
    assembly: bool | None = None,
    source: str | None = None,
) -> "Exploration":
    """The kernels of a module, or one, at all of their levels on a device, with the links between them.

    `device`, `assume`, `unroll` and `grf` are as `xetile.emit` has them; `assembly` is whether ocloc compiles it, by
    default where it is installed. `source` is the text that the module was read from; by default it is looked for in
    the file that positions name, and where that says something else the module is printed. The module is left as it
    is.
    Errors: XetileError where a kernel cannot be lowered at all, and as `emit` has them. What stops further down is a
    note of the kernel.
    """
    from xetile.codegen.llvm_process import begin_loading

    begin_loading()
    from xetile.explanation.compile_options import Options
    from xetile.explorer.exploration import explored

    return explored(module, device, Options(kernel, assume, unroll, grf, assembly), source)

"""The explorer: every level of a kernel side by side, linked op by op down to the device's instructions.

`explore` lowers a module level by level (`trace.py`); the other files add their facts to the model (`model.py`),
and the page displays it (`page/`). It displays what the passes decided; nothing is planned a second time.
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
    """Return the kernels of a module, or one, at all of their levels on a device, with the links between them.

    `device`, `assume`, `unroll` and `grf` are as `xetile.emit` has them; `assembly` says if ocloc compiles it, by
    default if it is installed. `source` is the text that the module was read from; by default it is read from the file
    that positions name, and if that does not match, the module is printed. The module does not change.
    Raise XetileError if a kernel cannot be lowered at all, and as `emit` does. An error at a lower level becomes a
    note of the kernel.
    """
    from xetile.codegen.llvm_process import begin_loading

    begin_loading()
    from xetile.explanation.compile_options import Options
    from xetile.explorer.exploration import explored

    return explored(module, device, Options(kernel, assume, unroll, grf, assembly), source)

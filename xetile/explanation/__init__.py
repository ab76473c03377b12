"""Explanations of compiled kernels: messages, registers, conversions and instructions, as the passes decided them.

`explain` lowers a module and listens to the passes (`planning/decided.py`); nothing is planned a second time. `figures`
are the numbers by which configurations of a kernel are compared, and `rank` compares them. No GPU is needed: counts of
instructions and spills come from ocloc's assembly if it is installed, else they are estimates and marked as such.
"""

from typing import TYPE_CHECKING

from xetile.collector import still

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from xdsl.dialects.builtin import ModuleOp

    from xetile.explanation.measures import Figures
    from xetile.explanation.printed_report import Explanation
    from xetile.explanation.ranking import Ranking
    from xetile.targets.target import Assume, RegisterFile


@still()
def explain(
    module: "ModuleOp",
    device: str | None = None,
    *,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grf: "RegisterFile | None" = None,
    assembly: bool | None = None,
) -> "Explanation":
    """Explain how the kernels of a module, or one of them, are compiled for a device; `str` of it is a report.

    `device`, `assume`, `unroll` and `grf` are as `xetile.emit` has them. A kernel is explained from its own level down;
    if its ops have no positions, places count in the text of the module. `assembly` says if ocloc counts instructions
    and spills, by default if it is installed; else they are estimates. The module does not change.
    Raise XetileError if a kernel cannot be lowered or is at the last level already, and as `emit` does.
    """
    from xetile.explanation.building import explained
    from xetile.explanation.compile_options import Options

    return explained(module, device, Options(kernel, assume, unroll, grf, assembly))


def figures(
    module: "ModuleOp",
    device: str | None = None,
    *,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grf: "RegisterFile | None" = None,
    assembly: bool | None = None,
) -> "Figures":
    """Return the costs of a module's only kernel, or of the named one, on a device; arguments as in `explain`.

    Raise XetileError as `explain` does, and for several kernels.
    """
    from xetile.errors import XetileError
    from xetile.explanation.measures import figures_of

    kernels = explain(
        module,
        device,
        kernel=kernel,
        assume=assume,
        unroll=unroll,
        grf=grf,
        assembly=assembly,
    ).kernels
    if len(kernels) != 1:
        names = ", ".join(one.name for one in kernels)
        raise XetileError(f"the module has several kernels, {names}; choose one with kernel=")
    return figures_of(kernels[0])


def rank(
    configurations: "Sequence[tuple[str, ModuleOp]]",
    device: str | None = None,
    *,
    kernel: str | None = None,
    assume: "Assume" = "block",
    unroll: int | None = None,
    grf: "RegisterFile | None" = None,
    assembly: bool | None = None,
    jobs: int | None = None,
    report: "Callable[[int, int], None] | None" = None,
) -> "Ranking":
    """Rank labeled modules of a kernel, the best one first; `str` of the ranking is a table.

    They are ordered by spilled bytes, then by instructions for each matrix instruction (for each register that is
    stored, if none multiplies), then by bytes of messages for the work. One that cannot be compiled comes last, with
    its reason. `jobs` is the number of processes, by default as many as are worth their start. `report` is called with
    the numbers of finished and of all modules; by default a bar on standard error shows them. Other arguments are those
    of `explain`.
    Raise XetileError for an unknown device.
    """
    from xetile.explanation.compile_options import Options
    from xetile.explanation.ranking import ranked
    from xetile.progress import Bar
    from xetile.targets import find

    if device is not None:
        find(device)
    options = Options(kernel, assume, unroll, grf, assembly)
    if report is not None:
        return ranked(configurations, device, options, jobs=jobs, report=report)
    with Bar("rank") as bar:
        return ranked(configurations, device, options, jobs=jobs, report=bar)

"""Why a kernel is what it becomes: its messages, registers, conversions and instructions, as the passes decided them.

`explain` lowers a module and listens to the passes (`planning/decided.py`); nothing is planned a second time. `figures`
are what configurations of a kernel are compared by, and `rank` compares them. No GPU is needed: instructions and spills
are those of ocloc's assembly where it is installed, else estimates, which is said.
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
    """What becomes of the kernels of a module, or of one, on a device; `str` of it is a report for people.

    `device`, `assume`, `unroll` and `grf` are as `xetile.emit` has them. A kernel is explained from its own level down;
    where its ops have no positions, places count in the text of the module. `assembly` is whether ocloc counts
    instructions and spills, by default where it is installed; else they are estimates. The module is left as it is.
    Errors: XetileError where a kernel cannot be lowered or is at the last level already, and as `emit` has them.
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
    """What the only kernel of a module, or the one that is named, costs on a device; arguments are those of `explain`.

    Errors: XetileError as `explain` has them, and for several kernels.
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
    """Modules of a kernel with their labels, the best one first; `str` of the ranking is a table.

    They are ordered by spilled bytes, then by instructions for each matrix instruction (for each register that is
    stored, where none multiplies), then by bytes of messages for the work. One that cannot be compiled comes last, with
    its reason. `jobs` is the number of processes, by default as many as are worth their start; `report` is told how
    many are done of how many, by default a bar on standard error shows it. Other arguments are those of `explain`.
    Errors: XetileError for an unknown device.
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

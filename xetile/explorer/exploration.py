"""Explorations: a module on a device as a model, as JSON, as a page."""

import sys
import webbrowser
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cached_property
from html import escape
from os import PathLike
from pathlib import Path
from tempfile import NamedTemporaryFile

from xdsl.dialects.builtin import ModuleOp

from xetile.analysis.kernel_targets import named_targets, no_device, target_of
from xetile.codegen import only_kernel
from xetile.codegen.build_options import known_register_file
from xetile.collector import still
from xetile.explanation.compile_options import Options
from xetile.explorer.isa.instruction_levels import (
    begin_assembly,
    begin_disassembly,
    end_assembly,
)
from xetile.explorer.linking.placed_texts import source_file
from xetile.explorer.linking.trace import Traced, traced, write
from xetile.explorer.model import Model, as_json, as_line
from xetile.toolchain.paths import find_ocloc


def is_notebook() -> bool:
    """Return True if this program runs in a notebook, which displays the values of cells."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def opened(html: str, name: str) -> str:
    """Write a page to a temporary file, which is not deleted, open it in the browser, and return its path.

    If no browser can be opened, standard error says where the page is.
    """
    with NamedTemporaryFile(
        "w", prefix=f"xetile-{name}-", suffix=".html", delete=False, encoding="utf-8"
    ) as file:
        file.write(html)
    try:
        found = webbrowser.open(f"file://{file.name}")
    except webbrowser.Error:
        found = False
    if not found:
        print(f"no browser was found; the page is {file.name}", file=sys.stderr)
    return file.name


PRINTED = "<module>"
"""The name of a module that was not read from a file."""

NO_OCLOC = (
    "the device's instructions are missing: ocloc is not installed; name it in XETILE_OCLOC"
)

NOTEBOOK_HEIGHT = 640
"""Pixels of the page in a notebook."""


@dataclass(frozen=True, repr=False)
class Exploration:
    """The result of `xetile.explore`: `model` is plain data (xetile/explorer/model.py)."""

    model: Model

    @still()
    def json(self) -> str:
        """Return the model as JSON, which docs/explorer.schema.json describes; it ends with a line break."""
        return as_line(as_json(self.model))

    def html(self) -> str:
        """Return the page: one file that needs no network."""
        return self._page

    def save(self, path: str | PathLike[str]) -> None:
        """Write the page, or the model if the name ends in `.json`.

        Raise OSError if the file cannot be written.
        """
        wants_json = Path(path).suffix == ".json"
        Path(path).write_text(self.json() if wants_json else self.html(), encoding="utf-8")

    def open(self) -> str:
        """Show the page in the browser; return the path of its file, which is not deleted.

        If no browser can be opened, standard error says where the page is.
        """
        return opened(self.html(), "-".join(kernel.name for kernel in self.model.kernels[:3]))

    @cached_property
    @still()
    def _page(self) -> str:
        from xetile.explorer.page.single_file import page

        return page([as_json(self.model)])

    def _repr_html_(self) -> str:
        """Return the page in a frame, for notebooks; it may run its scripts, but cannot access the notebook."""
        style = f"width: 100%; height: {NOTEBOOK_HEIGHT}px; border: 0"
        return f'<iframe sandbox="allow-scripts" style="{style}" srcdoc="{escape(self.html())}"></iframe>'

    def __repr__(self) -> str:
        names = ", ".join(
            f"{kernel.name} ({''.join(level.id for level in kernel.levels)})"
            for kernel in self.model.kernels
        )
        return f"<exploration of {self.model.file} for {self.model.device}: {names}>"


def explored(
    module: ModuleOp, device: str | None, options: Options, source: str | None
) -> Exploration:
    """Return the exploration of a module; arguments and errors are those of `xetile.explore`."""
    file = source_file(module)
    shown = module if options.kernel is None else only_kernel(module, options.kernel)
    target = target_of(shown, device)
    if options.grf is not None:
        known_register_file(options.grf)
    traces = traced(module, device, options, source=source)
    model = Model(
        file=file or PRINTED,
        device=target.name,
        options=_told(options),
        kernels=[trace.kernel for trace in traces],
        notes=_notes(module, device, options),
    )
    for trace in traces:
        _produce(trace)
    return Exploration(model)


def _notes(module: ModuleOp, device: str | None, options: Options) -> list[str]:
    """Return notes on choices made for the user, and on missing programs."""
    notes: list[str] = []
    if device is None and not named_targets(module):
        notes.append(no_device(module))
    if options.assembly is None and find_ocloc() is None:
        notes.append(NO_OCLOC)
    return notes


def _told(options: Options) -> dict[str, str | int | None]:
    return {"assume": options.assume, "unroll": options.unroll, "grf": options.grf}


def _produce(trace: Traced) -> None:
    """Let every producer add its facts, in the order in which they need each other.

    While ocloc runs, the levels are written, and the code that reads or displays its answer is prepared.
    """
    with ExitStack() as ending:
        begun = begin_assembly(trace, ending)
        from xetile.explorer.holding.value_holdings import add_holdings

        write(trace)
        add_holdings(trace)
        built = begin_disassembly(trace, begun, ending)
        from xetile.explorer.isa.instruction_costs import add_costs
        from xetile.explorer.isa.register_places import add_registers
        from xetile.explorer.page.single_file import prepare

        if built is not None:
            prepare()
        end_assembly(trace, built)
    add_registers(trace)
    add_costs(trace)

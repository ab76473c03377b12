"""Upstream MLIR: verify our IR with it, run its passes on our IR, get the result back as xDSL IR.

There are two routes: LLVM's Python bindings (package `mlir`, in this process) and, if they
are missing, the program `mlir-opt`. Positions and the names of values are preserved. A pass that
is not known to be harmless may abort the process that it runs in, so it runs in a separate
process.
"""

import json
import re
import sys
from collections.abc import Iterable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import TemporaryDirectory
from textwrap import shorten
from typing import Literal, NoReturn

from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, FileLineColLoc, ModuleOp
from xdsl.ir import Attribute, Operation, ParametrizedAttribute

from xetile.dialects.modules import verify as verify_here
from xetile.errors import XetileError, fail, one_line
from xetile.toolchain.mlir_process import (
    SOURCE_NAME,
    Answer,
    Complaint,
    expand_pipeline,
    pass_names,
    read_answer,
    transform,
)
from xetile.toolchain.mlir_text import (
    OUR_DIALECT,
    parse_module,
    position_of,
    print_module,
    source_position,
)
from xetile.toolchain.paths import MLIR_VERSION, find_mlir_opt
from xetile.toolchain.sandbox import Outcome, ending, run

Route = Literal["bindings", "mlir-opt"]
"""The route to upstream: the Python bindings, or the program."""

TIME_LIMIT = 300.0
"""Seconds that a pipeline may take in a separate process."""

HARMLESS = frozenset(
    {
        "canonicalize",
        "control-flow-sink",
        "cse",
        "loop-invariant-code-motion",
        "loop-invariant-subset-hoisting",
        "sccp",
        "strip-debuginfo",
        "symbol-dce",
        "topological-sort",
    }
)
"""Passes that run in this process: general ones, used for every kernel upstream. Conversions and
the passes on XeGPU abort on IR that they do not expect.
"""

_ANCHORS = re.compile(r"any$|\w+\.\w+")
_STANDARD_ERROR = re.compile(
    r"^(?:<unknown>:0|(.*?):(\d+):(\d+)): (error|warning|remark): (.*)$"
)
_PIPELINE_ERROR = re.compile(
    r"<unknown>:0: error: (?:.*PassPipeline Parser|<Pass-Options-Parser>|Can't add pass|expected pass pipeline)"
)


@cache
def has_bindings() -> bool:
    """Return True if the Python bindings of MLIR 22 can be imported."""
    try:
        if version("mlir-python-bindings").partition(".")[0] != str(MLIR_VERSION):
            return False
    except PackageNotFoundError:
        pass  # not installed as a package; a folder on the module path will do
    try:
        import mlir.ir
        from mlir.passmanager import PassManager
    except ImportError:  # also if the MLIR library that they need is missing
        return False
    return hasattr(mlir.ir, "MLIRError") and hasattr(PassManager, "parse")


def find_route() -> Route:
    """Return the route to upstream on this machine.

    Raise XetileError that says what to install if there is none.
    """
    if has_bindings():
        return "bindings"
    if find_mlir_opt() is not None:
        return "mlir-opt"
    raise XetileError(
        f"MLIR {MLIR_VERSION} is needed and not installed: its Python bindings (package mlir-python-bindings of "
        f"LLVM's releases), or mlir-opt (Debian's package mlir-{MLIR_VERSION}-tools; or name one in XETILE_MLIR_OPT)"
    )


def verify(
    module: ModuleOp, *, allow_unregistered: bool = False, route: Route | None = None
) -> None:
    """Check a module at level xegpu or below with upstream's verifiers.

    Raise XetileError with upstream's message at the source position of the op.
    """
    run_passes(module, "builtin.module()", allow_unregistered=allow_unregistered, route=route)


def run_passes(
    module: ModuleOp,
    pipeline: str,
    *,
    allow_unregistered: bool = False,
    route: Route | None = None,
    seconds: float = TIME_LIMIT,
) -> ModuleOp:
    """Run a pipeline of upstream's passes on a copy of a module, and return the result.

    `pipeline` is in mlir-opt's notation, with `builtin.module(...)` around it or not. The module
    is at level xegpu or below, unless `allow_unregistered` makes upstream leave unknown ops
    alone.
    Raise XetileError, at the position of the op, if it does not verify, here or
    upstream, or a pass fails on it; if a pass aborts or takes more than `seconds`; for a
    wrong pipeline; if MLIR is not installed.
    """
    verify_here(module)  # upstream's verifiers crash on some IR that ours reject
    if not allow_unregistered:
        _refuse_our_ops(module)
    chosen = route or find_route()
    text = print_module(module)
    whole = _anchored(pipeline)
    through = _through_program if chosen == "mlir-opt" else _through_bindings
    answer = through(text, whole, allow_unregistered, seconds)
    _report(text, answer.complaints)
    assert answer.text is not None
    return parse_module(answer.text)


def _anchored(pipeline: str) -> str:
    """Return a pipeline on builtin.module."""
    inside = pipeline.strip()
    return inside if re.match(r"builtin\.module\s*\(", inside) else f"builtin.module({inside})"


def _refuse_our_ops(module: ModuleOp) -> None:
    """Raise for XeTile, which upstream does not know, at the first op that contains it."""
    for op in module.walk():
        if op.name.partition(".")[0] == OUR_DIALECT or any(map(_is_ours, _attributes(op))):
            fail(
                op,
                f"'{op.name}' is XeTile, which upstream MLIR does not know; lower the kernel to xegpu first, "
                "or allow unregistered dialects to have upstream leave such ops alone",
            )


def _attributes(op: Operation) -> list[Attribute]:
    values = [*op.operands, *op.results]
    values += [
        argument for region in op.regions for block in region.blocks for argument in block.args
    ]
    return [
        *op.properties.values(),
        *op.attributes.values(),
        *(value.type for value in values),
    ]


def _is_ours(attribute: Attribute) -> bool:
    if attribute.name.partition(".")[0] == OUR_DIALECT:
        return True
    match attribute:
        case ParametrizedAttribute():
            parts: Iterable[Attribute] = attribute.parameters
        case ArrayAttr():
            parts = attribute.data
        case DictionaryAttr():
            parts = attribute.data.values()
        case _:
            return False
    return any(map(_is_ours, parts))


def _through_bindings(
    text: str, pipeline: str, allow_unregistered: bool, seconds: float
) -> Answer:
    """Run a pipeline through the bindings: in this process if it is known to be harmless."""
    try:
        names = pass_names(expand_pipeline(pipeline))
    except ValueError as error:
        _refuse_pipeline(str(error))
    harmless = all(name in HARMLESS or _ANCHORS.match(name) for name in names)
    if harmless and not allow_unregistered:
        return transform(text, pipeline, allow_unregistered=False)
    return _through_child(text, pipeline, allow_unregistered, seconds)


def _through_child(
    text: str, pipeline: str, allow_unregistered: bool, seconds: float
) -> Answer:
    """Run a pipeline through the bindings in a separate process."""
    request = {"text": text, "pipeline": pipeline, "allow_unregistered": allow_unregistered}
    with TemporaryDirectory(prefix="xetile-") as name:
        folder = Path(name)
        (folder / "request").write_text(json.dumps(request))
        program = Path(__file__).with_name("mlir_process.py")
        # isolated from the user's folder, where a file may have the name of a module
        command = [sys.executable, "-P", program, "request", "answer"]
        outcome = run(command, folder=folder, seconds=seconds)
        answer = folder / "answer"
        if outcome.status != 0 or not answer.exists():
            _refuse_abort(outcome, pipeline)
        return read_answer(answer.read_text())


def _through_program(
    text: str, pipeline: str, allow_unregistered: bool, seconds: float
) -> Answer:
    """Run a pipeline through mlir-opt."""
    program = find_mlir_opt()
    if program is None:
        find_route()
        raise XetileError("mlir-opt is needed and not installed; name one in XETILE_MLIR_OPT")
    options = ["--mlir-print-op-generic", "--mlir-print-debuginfo", "--mlir-print-local-scope"]
    if allow_unregistered:
        options.append("--allow-unregistered-dialect")
    with TemporaryDirectory(prefix="xetile-") as name:
        folder = Path(name)
        (folder / SOURCE_NAME).write_text(text)
        command = [program, SOURCE_NAME, f"--pass-pipeline={pipeline}", *options]
        outcome = run(command, folder=folder, seconds=seconds)
    found = [_STANDARD_ERROR.match(line) for line in outcome.errors.splitlines()]
    complaints = tuple(_read_complaint(match) for match in found if match is not None)
    if outcome.status == 0:
        return Answer(outcome.output, complaints)
    if _PIPELINE_ERROR.match(outcome.errors):
        _refuse_pipeline(outcome.errors)
    if outcome.status < 0 or not any(complaint.kind == "error" for complaint in complaints):
        _refuse_abort(outcome, pipeline)
    return Answer(None, complaints)


def _read_complaint(match: "re.Match[str]") -> Complaint:
    file, line, column, kind, message = match.groups()
    return Complaint(kind, file or "", int(line or 0), int(column or 0), message)


def _report(text: str, complaints: Iterable[Complaint]) -> None:
    """Raise the first of upstream's errors at its place in the source; print the others on standard error."""
    for complaint in complaints:
        place: FileLineColLoc | None = None
        if complaint.file == SOURCE_NAME:
            place = source_position(text, complaint.line)
        elif complaint.file:
            place = position_of(complaint.file, complaint.line, complaint.column)
        said = XetileError(f"MLIR: {one_line(complaint.message)}", place)
        if complaint.kind == "error":
            raise said
        print(
            str(said).replace(": error: MLIR: ", f": {complaint.kind}: MLIR: ", 1),
            file=sys.stderr,
        )


def _refuse_pipeline(reason: str) -> NoReturn:
    first = reason.strip().splitlines()[0].rpartition("error: ")[2]
    raise XetileError(
        f"MLIR does not take the pipeline: {first.removeprefix('<Pass-Options-Parser>: ')}"
    )


def _refuse_abort(outcome: Outcome, pipeline: str) -> NoReturn:
    said = re.search(r"LLVM ERROR: *(\S.*)", outcome.errors)
    reason = f": {shorten(said.group(1), 200)}" if said is not None else ""
    raise XetileError(f"MLIR gave up ({ending(outcome)}) in the pipeline '{pipeline}'{reason}")

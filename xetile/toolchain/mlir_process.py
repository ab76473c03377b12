"""MLIR through its Python bindings, on text: in this process, or as a program of its own.

    python -m xetile.toolchain.mlir_process REQUEST ANSWER

reads a request (JSON: text, pipeline, allow_unregistered) and writes the answer. Nothing here imports xDSL, so
that a process of its own starts quickly.
"""

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mlir.ir import Context, DiagnosticInfo, Location

SOURCE_NAME = "<text for MLIR>"
"""What the text itself is called, where upstream complains of it and not of the source."""


class Complaint(NamedTuple):
    """An error that upstream reports: the file (empty where it names none), line and column, and the text."""

    file: str
    line: int
    column: int
    message: str


class Answer(NamedTuple):
    """What upstream made of a module: its text, or None and the errors."""

    text: str | None
    complaints: tuple[Complaint, ...] = ()


def expand_pipeline(pipeline: str) -> str:
    """A pipeline with the named pipelines in it written out.

    Errors: ValueError where it is malformed, with upstream's words.
    """
    from mlir.passmanager import PassManager

    return str(PassManager.parse(pipeline, context=_context(allow_unregistered=False)))


def transform(text: str, pipeline: str, *, allow_unregistered: bool) -> Answer:
    """Read a module, verify it, run a pipeline on it, and print it in generic form with positions."""
    from mlir.ir import MLIRError, Operation
    from mlir.passmanager import PassManager

    context = _context(allow_unregistered=allow_unregistered)
    try:
        module = Operation.parse(text, source_name=SOURCE_NAME, context=context)
        PassManager.parse(pipeline, context=context).run(module)
    except MLIRError as error:
        found = tuple(_complaint(diagnostic) for diagnostic in error.error_diagnostics)
        return Answer(None, found or (Complaint("", 0, 0, error.message),))
    printed = module.get_asm(
        enable_debug_info=True, print_generic_op_form=True, use_local_scope=True
    )
    return Answer(str(printed))


def _context(*, allow_unregistered: bool) -> "Context":
    from mlir.ir import Context

    context = Context()
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = allow_unregistered
    return context


def _complaint(diagnostic: "DiagnosticInfo") -> Complaint:
    return Complaint(*_place(diagnostic.location), diagnostic.message)


def _place(location: "Location") -> tuple[str, int, int]:
    """The first position in a file that a location names."""
    if location.is_a_file():
        return location.filename, location.start_line, location.start_col
    parts: list[Location] = []
    if location.is_a_fused():
        parts = list(location.locations)
    elif location.is_a_name():
        parts = [location.child_loc]
    elif location.is_a_callsite():
        parts = [location.callee, location.caller]
    return next((place for place in map(_place, parts) if place[0]), ("", 0, 0))


def pass_names(pipeline: str) -> frozenset[str]:
    """The names in a pipeline: of passes, and of the ops that they are anchored on."""
    without_options = pipeline
    while (shorter := re.sub(r"\{[^{}]*\}", "", without_options)) != without_options:
        without_options = shorter
    return frozenset(re.findall(r"[A-Za-z][\w.-]*", without_options))


def main(arguments: list[str]) -> int:
    """Answer one request."""
    request: dict[str, Any] = json.loads(Path(arguments[0]).read_text())
    answer = transform(
        request["text"], request["pipeline"], allow_unregistered=request["allow_unregistered"]
    )
    Path(arguments[1]).write_text(json.dumps(answer))
    return 0


def read_answer(text: str) -> Answer:
    """The answer that `main` wrote."""
    module, complaints = json.loads(text)
    return Answer(module, tuple(Complaint(*complaint) for complaint in complaints))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

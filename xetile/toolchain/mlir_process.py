"""MLIR through its Python bindings, on text: in this process, or as a separate program.

    python -m xetile.toolchain.mlir_process REQUEST ANSWER

reads a request (JSON: text, pipeline, allow_unregistered) and writes the answer. Nothing
here imports xDSL, so that a separate process starts quickly.
"""

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from mlir.ir import Context, Diagnostic, Location

SOURCE_NAME = "<text for MLIR>"
"""The name of the text itself, for upstream's messages about it and not about the source."""


_KINDS = {1: "warning", 3: "remark"}
"""Severities of upstream that are no errors, by their numbers."""


class Complaint(NamedTuple):
    """A report of upstream: `error`, `warning` or `remark`; the file (or empty), line and column; the text."""

    kind: str
    file: str
    line: int
    column: int
    message: str


class Answer(NamedTuple):
    """The result of upstream's passes: the module's text, or None if there are errors, and all reports."""

    text: str | None
    complaints: tuple[Complaint, ...] = ()


def expand_pipeline(pipeline: str) -> str:
    """Return a pipeline with the named pipelines in it expanded.

    Raise ValueError if it is malformed, with upstream's message.
    """
    from mlir.passmanager import PassManager

    return str(PassManager.parse(pipeline, context=_context(allow_unregistered=False)))


def transform(text: str, pipeline: str, *, allow_unregistered: bool) -> Answer:
    """Read a module, verify it, run a pipeline on it, and print it in generic form with positions."""
    from mlir.ir import MLIRError, Operation
    from mlir.passmanager import PassManager

    context = _context(allow_unregistered=allow_unregistered)
    reported: list[Complaint] = []

    def keep(diagnostic: "Diagnostic") -> bool:
        """Keep remarks and warnings; errors are part of the exception, with their notes."""
        kind = _KINDS.get(diagnostic.severity.value)
        if kind is not None:
            place = _place(diagnostic.location)
            reported.append(Complaint(kind, *place, diagnostic.message))
        return kind is not None

    context.attach_diagnostic_handler(keep)
    try:
        module = Operation.parse(text, source_name=SOURCE_NAME, context=context)
        PassManager.parse(pipeline, context=context).run(module)
    except MLIRError as error:
        found = [
            Complaint("error", *_place(diagnostic.location), diagnostic.message)
            for diagnostic in error.error_diagnostics
        ]
        found = found or [Complaint("error", "", 0, 0, error.message)]
        return Answer(None, (*found, *reported))
    printed = module.get_asm(
        enable_debug_info=True, print_generic_op_form=True, use_local_scope=True
    )
    return Answer(str(printed), tuple(reported))


def _context(*, allow_unregistered: bool) -> "Context":
    from mlir.ir import Context

    context = Context()
    context.enable_multithreading(False)
    context.allow_unregistered_dialects = allow_unregistered
    return context


def _place(location: "Location") -> tuple[str, int, int]:
    """Return the first position in a file that a location names."""
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
    """Return the names in a pipeline: of passes, and of the ops that they are anchored on."""
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
    """Return the answer that `main` wrote."""
    module, complaints = json.loads(text)
    return Answer(module, tuple(Complaint(*complaint) for complaint in complaints))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

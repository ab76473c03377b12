"""The side of a served page that compiles: `python -m xetile.explorer.serving.compiling`, started by `compiler.py`.

What it reads may be hostile, and is compiled as any file: in a process of its own, which may take so much memory and so
much time, and is ended then.
"""

import sys
from typing import TYPE_CHECKING, NamedTuple

from xetile.errors import XetileError, collected_remarks, one_command
from xetile.toolchain.sandbox import serve

if TYPE_CHECKING:
    from xetile.explorer.serving.wanted import Wanted

MEMORY_BYTES = 8 << 30
"""Of addresses that the process and what it starts may have; ocloc maps 2 GiB of them."""


TOO_LARGE = "this takes more memory than it may have"


class Question(NamedTuple):
    """What to explore, and the bytes of the first one's file; where another is of the same file, of that too."""

    wanted: "tuple[Wanted, ...]"
    source: bytes


class Answer(NamedTuple):
    """The explorations as JSON, or what is wrong; and the remarks on the way, as they are printed."""

    explorations: str | None
    error: dict[str, object] | None
    remarks: list[str]


def answer(question: object) -> Answer:
    """The explorations of a question, or how the source is refused."""
    assert isinstance(question, Question)
    from xetile.analysis.targets import option_called
    from xetile.collector import collect_much

    with one_command(), option_called("--device"), collected_remarks() as told:
        text: str | None = None
        error: dict[str, object] | None = None
        try:
            text = _explorations(question)
        except MemoryError:
            error = {"message": TOO_LARGE, "text": TOO_LARGE}
        except BaseException as fault:  # one of xDSL's errors is no Exception
            error = _as_data(fault, question.wanted[0].file)
    remarks = [f"{one.kind}: {one.message}" for one in told]
    collect_much()
    return Answer(text, error, remarks)


def _explorations(question: Question) -> str:
    import json

    from xetile.api import decode_source
    from xetile.explorer.serving.wanted import begun, refuse_alike

    first = question.wanted[0]
    text = decode_source(question.source, first.file)
    wanted = [begun(one, text if one.file == first.file else None) for one in question.wanted]
    made = [make() for make in wanted]
    if len(made) > 1:
        refuse_alike(question.wanted, made)
    return json.dumps(made, separators=(",", ":"))


def _as_data(fault: BaseException, file: str) -> dict[str, object]:
    """An error for a page: its line and column, from 1, where they are in the file."""
    from xetile.cli.frame.tools import answer as said
    from xetile.parser import as_wrong_input

    text, _ = said("xetile-explore", fault)
    wrong = fault if isinstance(fault, XetileError) else as_wrong_input(fault)
    if wrong is None:
        return {"message": text.removesuffix(" (--debug shows the trace)"), "text": text}
    found: dict[str, object] = {"message": wrong.message, "text": text}
    place = wrong.location
    if place is not None and place.filename.data == file:
        found |= {"line": place.line.data, "column": place.column.data}
    return found


def _begin() -> None:
    """Import what every answer needs, and limit the memory."""
    import gc
    import resource
    from importlib import import_module

    _, most = resource.getrlimit(resource.RLIMIT_AS)
    limit = MEMORY_BYTES if most == resource.RLIM_INFINITY else min(MEMORY_BYTES, most)
    resource.setrlimit(resource.RLIMIT_AS, (limit, most))
    for module in (
        "xetile.api",
        "xetile.codegen.llvm_ir",
        "xetile.passes.pipelines",
        "xetile.explorer.exploration",
    ):
        import_module(module)
    gc.freeze()


if __name__ == "__main__":
    from xetile.explorer.serving import compiling as child

    _begin()
    serve(sys.argv[1:3], child.answer)

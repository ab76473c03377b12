"""Pages whose Python is executed; what a block prints is what the page shows below it.

A page's blocks of Python are one file, in their order. A block of text right below one of Python is what that prints,
where `...` stands for any text; a block without one prints nothing. What is typed at the prompt `(Pdb)` is typed so.
A block of Python that needs a tool names it: `python ocloc`, `python opencl`, `python mlir` (the bindings). A test executes
it with the tools that it names and has the markers of; `python triton` is Triton's, and never executed here.

    PYTHONPATH=test python -m support.pages docs/PAGE.md    writes what blocks print now into the page, but for `...`
"""

import doctest
import io
import pdb
import re
import sys
from bdb import BdbQuit
from collections.abc import Generator, Sequence
from contextlib import chdir, contextmanager, redirect_stdout
from dataclasses import dataclass
from inspect import currentframe
from pathlib import Path
from tempfile import TemporaryDirectory
from types import FrameType, ModuleType

_BLOCK = re.compile(
    r"^```python(?: (?P<tool>\w+))?\n(?P<code>.*?)^```\n(?:\n*^```text\n(?P<text>.*?)^```\n)?",
    re.DOTALL | re.MULTILINE,
)
_PROMPT = "(Pdb) "


@dataclass(frozen=True)
class Block:
    """A block of Python: its code, after so many lines of the file, and the text that the page shows below it."""

    code: str
    tool: str | None
    lines_before: int
    shown: str
    printed: str | None
    """None where it needs a tool that it was not executed with."""

    @property
    def agrees(self) -> bool:
        """Whether the page shows what was printed."""
        if self.printed is None:
            return True
        wanted, found = (_from_prompt(text) for text in (self.shown, self.printed))
        return doctest.OutputChecker().check_output(wanted, found, doctest.ELLIPSIS)


def executed(page: Path, folder: Path, tools: Sequence[str] = ()) -> list[Block]:
    """The blocks of a page, executed as one file in `folder`, which has the page's name.

    Blocks that need a tool which is not among `tools` are left out.
    """
    name = page.stem.replace("-", "_")
    path = folder / f"{name}.py"
    found = list(_BLOCK.finditer(page.read_text()))
    path.write_text("\n".join(match["code"] for match in found))
    module = ModuleType(name)
    module.__file__ = str(path)
    blocks: list[Block] = []
    lines = 0
    with _module(module), chdir(folder):
        for match in found:
            code, tool, shown = match["code"], match["tool"], match["text"] or ""
            printed = (
                _printed(module, path, code, lines, shown)
                if not tool or tool in tools
                else None
            )
            blocks.append(Block(code, tool, lines, shown, printed))
            lines += code.count("\n") + 1
    return blocks


def _printed(module: ModuleType, path: Path, code: str, lines_before: int, shown: str) -> str:
    """What a block prints, without the folder in the names of files."""
    compiled = compile("\n" * lines_before + code, str(path), "exec")
    typed = [line.removeprefix(_PROMPT) for line in shown.splitlines() if _PROMPT in line]
    out = io.StringIO()
    with redirect_stdout(out), _typing(typed, out):
        exec(compiled, module.__dict__)
    return out.getvalue().replace(f"{path.parent}/", "")


def _from_prompt(text: str) -> str:
    """What stands above the first prompt is another with each version of Python."""
    return text[text.find(_PROMPT) :] if _PROMPT in text else text


@contextmanager
def _module(module: ModuleType) -> Generator[None]:
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]


class _Keyboard(io.StringIO):
    """Lines that are seen when they are typed."""

    def __init__(self, lines: list[str], out: io.StringIO) -> None:
        super().__init__("".join(f"{line}\n" for line in lines))
        self._out = out

    def readline(self, size: int = -1, /) -> str:
        line = super().readline(size)
        self._out.write(line)
        return line


@contextmanager
def _typing(lines: list[str], out: io.StringIO) -> Generator[None]:
    """`breakpoint()` takes these lines, and nothing else."""

    def stop() -> None:
        caller: FrameType | None = frame.f_back if (frame := currentframe()) else None
        pdb.Pdb(stdin=_Keyboard(lines, out), stdout=out, readrc=False).set_trace(caller)

    before, sys.breakpointhook = sys.breakpointhook, stop
    try:
        yield
    except BdbQuit:
        assert lines
    finally:
        sys.breakpointhook = before


def _write(page: Path) -> None:
    with TemporaryDirectory() as folder:
        blocks = executed(page, Path(folder).resolve(), ("mlir", "ocloc", "opencl"))
    text = page.read_text()
    for block in blocks:
        if block.printed is None or block.agrees or "..." in block.shown:
            continue
        start = text.index(f"{block.code}```\n") + len(block.code) + 4
        shown = f"\n```text\n{block.shown}```\n"
        rest = text[start:].removeprefix(shown) if block.shown else text[start:]
        text = (
            text[:start] + (f"\n```text\n{block.printed}```\n" if block.printed else "") + rest
        )
    page.write_text(text)
    for block in blocks:
        if not block.agrees and "..." in block.shown:
            print(f"not written, for it leaves out text:\n{block.code}{block.printed}")


if __name__ == "__main__":
    _write(Path(sys.argv[1]))

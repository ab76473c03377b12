"""What the tests of the dialects share: reading, printing, and mlir-opt's word on it."""

import os
import re
import subprocess
from bisect import bisect_left
from collections.abc import Callable, Sequence
from io import StringIO
from itertools import accumulate
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import get_all_dialects
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.printer import Printer

from xetile.dialects.modules import parse


def generic(module: ModuleOp) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(module)
    return stream.getvalue()


@pytest.fixture
def read() -> Callable[[str], ModuleOp]:
    """Reads text and verifies it."""

    def read_and_verify(text: str) -> ModuleOp:
        module = parse(text)
        module.verify()
        return module

    return read_and_verify


@pytest.fixture
def only() -> Callable[[str, str], Operation]:
    """The one op of a name in a text."""

    def find(text: str, name: str) -> Operation:
        (found,) = (operation for operation in parse(text).walk() if operation.name == name)
        return found

    return find


@pytest.fixture
def stock_context() -> Context:
    """All of xDSL's own dialects, to say what it lacks."""
    fresh = Context()
    for name, factory in get_all_dialects().items():
        fresh.register_dialect(name, factory)
    return fresh


@pytest.fixture
def round_trip() -> Callable[[str], None]:
    """Our text and our generic text read back as the same IR."""

    def check(text: str) -> None:
        module = parse(text)
        module.verify()
        for printed in (str(module), generic(module)):
            again = parse(printed)
            again.verify()
            assert module.is_structurally_equivalent(again)

    return check


@pytest.fixture
def mlir_round_trip(mlir_opt: Path) -> Callable[[str], None]:
    """mlir-opt takes our text, and prints for it what it prints for the original; we print the same."""

    def run(text: str, *flags: str) -> str:
        command = [str(mlir_opt), "--allow-unregistered-dialect", *flags]
        done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def check(text: str) -> None:
        theirs = run(text)
        module = parse(text)
        module.verify()
        assert run(str(module)) == theirs
        assert run(generic(module)) == theirs
        local = run(text, "--mlir-print-op-generic", "--mlir-print-local-scope")
        assert run(str(parse(local))) == theirs
        without_names = run(text, "--mlir-print-local-scope")  # of attributes
        assert normalized(str(parse(theirs))) == normalized(without_names)

    return check


@pytest.fixture
def upstream_refuses(mlir_opt: Path) -> Callable[[Sequence[str]], list[bool]]:
    """Which of some programs mlir-opt refuses, or ends itself on; few processes read them all."""

    def status(programs: Sequence[str]) -> tuple[int, str]:
        done = subprocess.run(
            [str(mlir_opt), "--split-input-file"],
            input="".join(programs),
            capture_output=True,
            text=True,
            env=os.environ | {"LLVM_DISABLE_SYMBOLIZATION": "1"},
            check=False,
        )
        return done.returncode, done.stderr

    def refuses(programs: Sequence[str]) -> list[bool]:
        texts = [f"{program.rstrip()}\n// -----\n" for program in programs]
        refused = [False] * len(texts)
        start = 0
        while start < len(texts):
            code, errors = status(texts[start:])
            ends = list(accumulate(text.count("\n") for text in texts[start:]))
            for line in re.findall(r"^<stdin>:(\d+):\d+: error: ", errors, re.MULTILINE):
                refused[start + bisect_left(ends, int(line))] = True
            if code >= 0:
                break
            # it ended itself on the first that it has not answered
            start = (refused + [False]).index(False, start)
            if start < len(texts):
                refused[start] = status([texts[start]])[0] != 0
            start += 1
        return refused

    return refuses


def normalized(text: str) -> str:
    """Text without the differences that are xDSL's in every dialect: names, hexadecimal case, i64."""
    text = re.sub(r"\b(builtin\.module|module)\b", "module", text)
    text = re.sub(r"\bfunc\.return\b", "return", text)
    text = re.sub(r"0x[0-9A-Fa-f]+", lambda found: found[0].lower(), text)
    text = re.sub(r"(%[\w]+)_\d+\b|(%\d+)\b", "%", text)
    text = re.sub(r"%[A-Za-z_]\w*", "%", text)
    text = re.sub(r"  // (\d+ preds|pred).*", "", text)
    text = re.sub(r", (\d+) : i64>", r", \1>", text)
    return (
        text.replace(" : i64,", ",")
        .replace(" : i64]", "]")
        .replace("nsw,nuw", "nsw, nuw")
        .strip()
    )

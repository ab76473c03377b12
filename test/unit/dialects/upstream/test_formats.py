"""Formats of upstream's ops: all compile, none before it is needed, and what they refuse names the place."""

import subprocess
import sys

import pytest
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import ParseError

from xetile.dialects import dialect_factory
from xetile.dialects.formats import format_of
from xetile.dialects.modules import parse
from xetile.parser import parse_error_location

DIALECTS = ("arith", "gpu", "index", "llvm", "memref", "vector")


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_format_compiles(dialect: str):
    declared = [
        operation
        for operation in dialect_factory(dialect)().operations
        if operation.__module__.startswith("xetile.")
        and issubclass(operation, IRDLOperation)
        and operation.get_irdl_definition().assembly_format is not None
    ]
    assert declared
    for operation in declared:
        assert format_of(operation).stmts


def test_formats_are_compiled_when_they_are_needed():
    """Gap of xDSL 0.75: it compiles each where its op is defined."""
    program = (
        "from xdsl.irdl.declarative_assembly_format_parser import FormatParser as P\n"
        "made = []\n"
        "read = P.parse_format\n"
        "P.parse_format = lambda self: (made.append(self.op_def.name), read(self))[1]\n"
        "import xdsl.dialects.memref\n"
        "assert made\n"
        "made.clear()\n"
        "import xetile.dialects.upstream.gpu, xetile.dialects.upstream.memref\n"
        "assert not any(name.startswith(('gpu.', 'memref.')) for name in made), made\n"
        "from xetile.dialects.modules import parse\n"
        "parse('func.func @f() { gpu.barrier func.return }')\n"
        "assert 'gpu.barrier' in made, made\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('gpu.printf "d", %i :', "0 types for 1 operands"),
        ('gpu.printf "d", : i32', "1 types for 0 operands"),
        (
            "gpu.launch_func <%i : > @k blocks in (%i, %i, %i) threads in (%i, %i, %i)",
            "0 types for",
        ),
    ],
)
def test_a_wrong_number_of_types_is_reported_in_its_line(line: str, message: str):
    """Gap of xDSL 0.75: it reports them behind the op."""
    with pytest.raises(ParseError) as found:
        parse(f"func.func @f(%i: i32) {{\n  {line}\n  func.return\n}}")
    number, _, said = parse_error_location(found.value)
    assert number == 2
    assert message in said

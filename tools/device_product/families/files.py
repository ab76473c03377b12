"""Every kernel that stands in a file: the examples, the RFC's programs, those of the tests, the fuzzer's seeds.

Matrices of 4096 are made smaller, and what a kernel leaves open is 64.
"""

import re
from collections.abc import Iterator, Sequence
from functools import partial
from math import prod
from pathlib import Path

from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i32
from xdsl.ir import Operation

from tools.device_product.case import Case, Extents, Given, Program
from xetile import api
from xetile.analysis.module_kernels import kernel_functions, launch_sizes, level, symbol_name
from xetile.api import parse_text
from xetile.cli.running.run_arrays import DYNAMIC, make_argument, parameter
from xetile.errors import XetileError
from xetile.interpreter.machine.workgroup_batches import parameters_of

ROOT = Path(__file__).parents[3]
FOLDERS = (
    "examples",
    "test/ir/examples",
    "test/ir/passes",
    "test/ir/run",
    "test/unit/examples/Inputs",
    "tools/fuzz/seeds/kernels",
)
EXTENT = 64
"""Stands for what a kernel leaves open."""
ONE_SUBGROUP = (16, 1, 1)
"""The block of a kernel that does not say."""
LARGEST_ARGUMENT = 1 << 20
"""Elements; kernels with more are not executed."""
MOST_WORKGROUPS = 64

_SEPARATOR = re.compile(r"(?m)^[ \t]*// -----.*$")
_LARGE = (("4096", "512"), ("array<i32: 16, 16, 1>", "array<i32: 2, 2, 1>"))


def cases() -> list[Case]:
    """A case per kernel, named by its file, the part of the file and the kernel."""
    return [case for folder in FOLDERS for path in _files(folder) for case in _of_file(path)]


def _files(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob("*.mlir"))


def _of_file(path: Path) -> Iterator[Case]:
    text = path.read_text()
    is_example = path.relative_to(ROOT).parts[0] == "examples"
    if is_example:
        for large, small in _LARGE:
            text = text.replace(large, small)
    parts = _SEPARATOR.split(text)
    for number, part in enumerate(parts):
        module = parse_text(part, path.name) if is_example else _module(part)
        kernels = [] if module is None else list(kernel_functions(module))
        for kernel in kernels:
            name = symbol_name(kernel)
            place = path.relative_to(ROOT)
            label = f"{place}/{number} {name}" if len(parts) > 1 else f"{place} {name}"
            yield Case(label, partial(_program, part, name))


def _module(text: str) -> ModuleOp | None:
    """The module of a text; tests have wrong ones, too."""
    try:
        return parse_text(text, "kernel.mlir")
    except XetileError:
        return None


def _program(text: str, name: str, parts: Sequence[str]) -> Program:
    module = parse_text(text, "kernel.mlir")
    kernel = next(k for k in kernel_functions(module) if symbol_name(k) == name)
    if launch_sizes(kernel, "known_block_size") is None and level(kernel) != "workgroup":
        block = DenseArrayBase.from_list(i32, ONE_SUBGROUP)
        kernel.properties["known_block_size"] = block
        text = api.text(module)
    return Program(text, _arguments(kernel), name, _grid(kernel))


def _grid(kernel: Operation) -> Extents | None:
    grid = launch_sizes(kernel, "known_grid_size")
    if grid is None:
        return (1, 1, 1)
    if prod(grid) > MOST_WORKGROUPS:
        raise XetileError(f"a grid of {list(grid)} is too much here")
    return None


def _arguments(kernel: Operation) -> list[Given]:
    """Small whole numbers for every memref, 64 for every extent and number that is not known."""
    made: list[Given] = []
    for position, argument in enumerate(parameters_of(kernel)):
        found = parameter(argument.type)
        if found.shape is not None:
            shape = tuple(EXTENT if n == DYNAMIC else n for n in found.shape)
            if prod(shape) > LARGEST_ARGUMENT:
                raise XetileError(f"{argument.type} is too much here")
            found = found._replace(shape=shape)
        request = str(EXTENT) if found.shape is None else "int"
        made.append(make_argument(found, request, 0, position))
    return made

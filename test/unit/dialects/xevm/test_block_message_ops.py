"""XeVM's verifiers accept what mlir-opt 22 accepts, and nothing else: every configuration of a block message."""

import re
import subprocess
from collections.abc import Iterator
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import pytest
from xdsl.dialects.builtin import BoolAttr, IntegerAttr, i32
from xdsl.dialects.llvm import LLVMPointerType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import IRDLOperation
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.test_value import create_ssa_value

from xetile.dialects.modules import Parser, context
from xetile.dialects.xevm import (
    LANES,
    BlockLoad2dOp,
    BlockLoadOp,
    BlockPrefetch2dOp,
    BlockStore2dOp,
    BlockStoreOp,
)

BITS = (4, 8, 16, 32, 64)
EXTENTS = (1, 2, 3, 4, 8, 16, 32, 64)
BLOCKS = (1, 2, 3, 4, 8)
ELEMENTS = (
    *("i1", "i4", "i8", "i16", "i32", "i64", "ui16", "si32", "index"),
    *("f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN"),
)
WIDTHS = {"tf32": 32, "index": 64, "f8E4M3FN": 8}


class Case(NamedTuple):
    """One op: its class, properties, and the type that it loads or stores (None: a prefetch)."""

    kind: type[IRDLOperation]
    properties: dict[str, int | bool]
    value: str | None


def width(element: str) -> int:
    return WIDTHS.get(element) or int(re.sub(r"\D", "", element))


def vector(bits: int, element: str) -> str | None:
    """A vector of so many bits, if it can be."""
    count = bits // width(element)
    return f"vector<{count}x{element}>" if count and bits % width(element) == 0 else None


def shapes(bits: int, rows: int, columns: int) -> dict[str, int | bool]:
    return {"elem_size_in_bits": bits, "tile_height": rows, "tile_width": columns}


def loads() -> Iterator[Case]:
    """Every shape and mode with the natural type, then chosen ones with every type and size."""
    modes = ("pack_register", "transpose")
    for bits, rows, columns, blocks, packed, transposed in product(
        BITS, EXTENTS, EXTENTS, BLOCKS, (False, True), (False, True)
    ):
        size = bits * rows * columns * blocks // LANES
        type = vector(size, "i32" if packed else f"i{bits}")
        flags = {"v_blocks": blocks} | dict(zip(modes, (packed, transposed), strict=True))
        if type is not None:
            yield Case(BlockLoad2dOp, shapes(bits, rows, columns) | flags, type)
    for bits, element, packed, off in product((8, 16, 32), ELEMENTS, (False, True), (1, 2)):
        type = vector(bits * 8 * 16 // LANES * off, element)
        flags = {"v_blocks": 1, "pack_register": packed, "transpose": False}
        if type is not None:
            yield Case(BlockLoad2dOp, shapes(bits, 8, 16) | flags, type)


def stores() -> Iterator[Case]:
    for bits, rows, columns in product(BITS, EXTENTS, EXTENTS):
        type = vector(bits * rows * columns // LANES, f"i{bits}")
        if type is not None:
            yield Case(BlockStore2dOp, shapes(bits, rows, columns), type)
    for bits, element, off in product((8, 16, 32), ELEMENTS, (1, 2)):
        type = vector(bits * 8 * 16 // LANES * off, element)
        if type is not None:
            yield Case(BlockStore2dOp, shapes(bits, 8, 16), type)


def prefetches() -> Iterator[Case]:
    for bits, rows, columns, blocks in product(BITS, EXTENTS, EXTENTS, BLOCKS):
        yield Case(BlockPrefetch2dOp, shapes(bits, rows, columns) | {"v_blocks": blocks}, None)


def lane_accesses() -> Iterator[Case]:
    types = [f"vector<{n}x{element}>" for n in (1, 2, 3, 4, 8, 16, 32) for element in ELEMENTS]
    types += [*ELEMENTS, "vector<2x4xi16>", "vector<[4]xi16>"]
    for kind, type in product((BlockLoadOp, BlockStoreOp), types):
        yield Case(kind, {}, type)


def attribute(value: int | bool) -> Attribute:
    return BoolAttr.from_bool(value) if isinstance(value, bool) else IntegerAttr(value, i32)


@cache
def parsed(type: str) -> Attribute:
    return Parser(context(), type).parse_type()


def accepted_here(case: Case) -> bool:
    pointer, number = create_ssa_value(LLVMPointerType()), create_ssa_value(i32)
    lane_access = case.kind in (BlockLoadOp, BlockStoreOp)
    operands: list[SSAValue] = [pointer] if lane_access else [pointer, *[number] * 5]
    type = None if case.value is None else parsed(case.value)
    loads = case.kind in (BlockLoad2dOp, BlockLoadOp)
    if type is not None and not loads:
        operands.append(create_ssa_value(type))
    op = case.kind.create(
        operands=operands,
        result_types=[type] if loads and type is not None else [],
        properties={name: attribute(value) for name, value in case.properties.items()},
    )
    try:
        op.verify()
    except VerifyException:
        return False
    return True


def chunk(case: Case) -> str:
    """A module of one op, on one line each for the function, the op and the return."""
    lane_access = case.kind in (BlockLoadOp, BlockStoreOp)
    operands, types = ["%p"], ["!llvm.ptr<1>"]
    if not lane_access:
        operands += ["%i"] * 5
        types += ["i32"] * 5
    loads = case.kind in (BlockLoad2dOp, BlockLoadOp)
    value = case.value or "i32"
    if case.value is not None and not loads:
        operands.append("%v")
        types.append(value)
    shown = ", ".join(f"{name} = {attribute(v)}" for name, v in case.properties.items())
    properties = f" <{{{shown}}}>" if shown else ""
    result = ("%r = ", value) if loads else ("", "()")
    return (
        f"func.func @f(%p: !llvm.ptr<1>, %i: i32, %v: {value}) {{\n"
        f'  {result[0]}"{case.kind.name}"({", ".join(operands)}){properties} : ({", ".join(types)}) -> {result[1]}\n'
        "  return\n}\n"
    )


SETS = {
    "loads": loads,
    "stores": stores,
    "prefetches": prefetches,
    "lane accesses": lane_accesses,
}
SAMPLE = 300
"""Refused cases that mlir-opt is asked about; it takes 6 ms for each."""


@cache
def judged(name: str) -> dict[bool, list[Case]]:
    """The cases of a set by what our verifiers say."""
    verdicts: dict[bool, list[Case]] = {True: [], False: []}
    for case in SETS[name]():
        verdicts[accepted_here(case)].append(case)
    return verdicts


@pytest.mark.mlir_opt
@pytest.mark.parametrize("name", SETS)
def test_upstream_accepts_all_that_is_accepted_here(
    mlir_opt: Path, tmp_path: Path, name: str
) -> None:
    cases = judged(name)[True]
    assert cases
    file = tmp_path / "cases.mlir"
    texts = (chunk(case).replace("@f", f"@f{n}") for n, case in enumerate(cases))
    file.write_text("".join(texts))
    done = subprocess.run(
        [mlir_opt, file, "-o", "/dev/null"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.mlir_opt
@pytest.mark.parametrize("name", SETS)
def test_upstream_refuses_what_is_refused_here(
    mlir_opt: Path, tmp_path: Path, name: str
) -> None:
    refused = judged(name)[False]
    cases = refused[:: max(1, len(refused) // SAMPLE)]
    assert cases
    separator = "// -----\n"
    file = tmp_path / "cases.mlir"
    file.write_text(separator.join(chunk(case) for case in cases))
    command = [mlir_opt, file, "--split-input-file", "-o", "/dev/null"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    lines = {int(n) for n in re.findall(r"cases\.mlir:(\d+):\d+: error:", done.stderr)}
    per_case = chunk(cases[0]).count("\n") + separator.count("\n")
    wrongly = [
        case
        for number, case in enumerate(cases)
        if not lines & set(range(number * per_case + 1, (number + 1) * per_case + 1))
    ]
    assert not wrongly, f"{len(wrongly)} of {len(cases)}: {wrongly[:5]}"


@pytest.mark.mlir_bindings
@pytest.mark.parametrize("name", SETS)
def test_upstream_refuses_every_case_that_is_refused_here(name: str) -> None:
    from mlir.ir import Context, MLIRError, Operation

    context = Context()

    def accepted(case: Case) -> bool:
        try:
            Operation.parse(f"module {{ {chunk(case)} }}", context=context)
        except MLIRError:
            return False
        return True

    wrongly = [case for case in judged(name)[False] if accepted(case)]
    assert not wrongly, f"{len(wrongly)}: {wrongly[:5]}"

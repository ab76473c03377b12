"""The launch contract: docs/launch-contract.schema.json holds for every one, and what they say is what kernels take."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Protocol, cast

import numpy as np
import pytest
from jsonschema import Draft202012Validator
from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.codegen import launch_contract
from xetile.codegen.contract import Plain
from xetile.dialects.modules import parse
from xetile.errors import XetileError
from xetile.targets.target import Assume


class Validator(Protocol):
    """What jsonschema's validators have, with types."""

    def validate(self, instance: object) -> None: ...

    def is_valid(self, instance: object) -> bool: ...


def validator(schema: Mapping[str, Plain]) -> Validator:
    return cast("Callable[[object], Validator]", Draft202012Validator)(schema)


ROOT = Path(__file__).parents[3]
SCHEMA = cast(
    "dict[str, Plain]", json.loads((ROOT / "docs/launch-contract.schema.json").read_text())
)
EXAMPLES = [
    *sorted((ROOT / "examples").glob("*.mlir")),
    *(ROOT / f"examples/rfc/{name}.mlir" for name in ("1-row-major", "2.5-two-cache-levels")),
]

SIZES = "known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 2, 4, 1>"

VIEWS = f"""
  gpu.func @views(%A: memref<?x?xf32, strided<[?, 1], offset: ?>>, %B: memref<64x32xf32, strided<[48, 1], offset: 32>>,
      %x: f32, %flag: i1, %n: index, %unused: memref<?x8xf16>, %small: bf16, %left: memref<?x8xf32, affine_map<(d0, d1) -> (d1, d0)>>)
      kernel attributes {{{SIZES}}} {{
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %base, %offset, %size:2, %stride:2 = memref.extract_strided_metadata %A
        : memref<?x?xf32, strided<[?, 1], offset: ?>> -> memref<f32>, index, index, index, index, index
    %bx = gpu.block_id x
    %by = gpu.block_id y
    %column = arith.muli %bx, %c16 : index
    %row = arith.muli %by, %c16 : index
    %from = xetile.init_tile %A[%row, %column], [%size#0, %size#1], [%stride#0, %c1]
        : memref<?x?xf32, strided<[?, 1], offset: ?>> -> !xetile.tile<16x16xf32>
    %to = xetile.init_tile %B[%row, %column]
        : memref<64x32xf32, strided<[48, 1], offset: 32>> -> !xetile.tile<16x16xf32>
    %a = xetile.load_tile %from : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    %zero = arith.constant dense<0.0> : vector<16x16xf32>
    %result = scf.if %flag -> vector<16x16xf32> {{
      %twice = arith.addf %a, %a : vector<16x16xf32>
      scf.yield %twice : vector<16x16xf32>
    }} else {{
      scf.yield %zero : vector<16x16xf32>
    }}
    xetile.store_tile %result, %to : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }}
"""

ADDRESSES = """
  gpu.func @addresses(%A: i64, %P: ui64, %step: i64, %B: memref<2x?x16xf32>, %n: index, %C: memref<2x16x16xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c64 = arith.constant 64 : i64
    %bytes = arith.muli %step, %c64 : i64
    %p = arith.addi %A, %bytes : i64
    %a_tile = xetile.init_tile %p[%c0, %c0], [%c16, %c16], [%c16, %c1] : i64 -> !xetile.tile<16x16xf32>
    %p_tile = xetile.init_tile %P[%c0, %c0], [%c16, %c16], [%c16, %c1] : ui64 -> !xetile.tile<16x16xf32>
    %a = xetile.load_tile %a_tile : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    xetile.store_tile %a, %p_tile : vector<16x16xf32>, !xetile.tile<16x16xf32>
    %rows = memref.dim %B, %c1 : memref<2x?x16xf32>
    %stride = arith.muli %rows, %c16 : index
    %b_tile = xetile.init_tile %B[%n, %c0, %c0], [2, %rows, 16], [%stride, 16, 1]
        : memref<2x?x16xf32> -> !xetile.tile<16x16xf32>
    xetile.store_tile %a, %b_tile : vector<16x16xf32>, !xetile.tile<16x16xf32>
    %to = scf.for %i = %c0 to %n step %c1 iter_args(%tile = %b_tile) -> !xetile.tile<16x16xf32> {
      %t = xetile.load_tile %tile : !xetile.tile<16x16xf32> -> vector<16x16xf32>
      xetile.prefetch_tile %tile : !xetile.tile<16x16xf32>
      %next = xetile.update_tile_offset %tile, [%c16, %c0] : !xetile.tile<16x16xf32>
      scf.yield %next : !xetile.tile<16x16xf32>
    }
    xetile.store_tile %a, %to : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
"""

SUM = """
  gpu.func @sum(%A: i64, %D: i64) kernel attributes {known_block_size = array<i32: 16, 1, 1>} {
    %p = arith.addi %A, %D : i64
    %tile = xetile.init_tile %p[0, 0], [16, 16], [16, 1] : i64 -> !xetile.tile<16x16xf32>
    %a = xetile.load_tile %tile : !xetile.tile<16x16xf32> -> vector<16x16xf32>
    xetile.store_tile %a, %tile : vector<16x16xf32>, !xetile.tile<16x16xf32>
    gpu.return
  }
"""

RAW = """
  llvm.func @raw(%p: !llvm.ptr<1>, %x: f32) attributes {gpu.kernel, intel_reqd_sub_group_size = 16 : i32,
      reqd_work_group_size = array<i32: 32, 1, 1>} { llvm.return }
  llvm.func @free(%n: i32) attributes {gpu.kernel, intel_reqd_sub_group_size = 16 : i32} { llvm.return }
"""


def elementwise(name: str, op: str, type: str = "f32") -> str:
    return f"""
  gpu.func @{name}(%A: memref<16x32x{type}>, %B: memref<16x32x{type}>) kernel attributes {{{SIZES}}} {{
    %a_tile = xetile.init_tile %A[0, 0] : memref<16x32x{type}> -> !xetile.tile<16x16x{type}>
    %b_tile = xetile.init_tile %B[0, 0] : memref<16x32x{type}> -> !xetile.tile<16x16x{type}>
    %a = xetile.load_tile %a_tile : !xetile.tile<16x16x{type}> -> vector<16x16x{type}>
    %r = {op} : vector<16x16x{type}>
    xetile.store_tile %r, %b_tile : vector<16x16x{type}>, !xetile.tile<16x16x{type}>
    gpu.return
  }}
"""


def on_bmg(*kernels: str) -> str:
    return f'gpu.module @kernels [#xevm.target<chip = "bmg">] {{{"".join(kernels)}}}'


AWKWARD = {
    "views": on_bmg(VIEWS),
    "addresses": on_bmg(ADDRESSES),
    "a sum of two arguments": on_bmg(SUM),
    "written in the llvm dialect": on_bmg(RAW),
    "several kernels, one divides": on_bmg(
        elementwise("adds", "arith.addf %a, %a"), elementwise("divides", "arith.divf %a, %a")
    ),
}


def module_of(text: str) -> ModuleOp:
    return parse(text, "kernel.mlir")


@cache
def contracts() -> dict[str, dict[str, Plain]]:
    texts = {path.name: path.read_text() for path in EXAMPLES} | AWKWARD
    return {name: launch_contract(module_of(text)) for name, text in texts.items()}


def kernels_of(contract: Mapping[str, Plain]) -> list[dict[str, Plain]]:
    return cast("list[dict[str, Plain]]", contract["kernels"])


def arguments_of(contract: Mapping[str, Plain]) -> list[dict[str, Plain]]:
    return cast("list[dict[str, Plain]]", kernels_of(contract)[0]["arguments"])


@pytest.mark.parametrize("name", [*(path.name for path in EXAMPLES), *AWKWARD])
def test_the_schema_holds(name: str) -> None:
    validator(SCHEMA).validate(json.loads(json.dumps(contracts()[name])))


def test_the_schema_is_strict() -> None:
    Draft202012Validator.check_schema(SCHEMA)
    for place, part in objects(SCHEMA):
        assert part.get("additionalProperties") is False, place
        properties = cast("dict[str, dict[str, Plain]]", part["properties"])
        for key, property in properties.items():
            is_said = {"description", "$ref"} & set(property)
            is_clear = key in ("kind", "name", "xetile")
            assert is_said or is_clear, f"{place}/{key} has no description"


def test_every_key_of_the_schema_is_in_some_contract() -> None:
    used: set[tuple[str, str]] = set()
    for contract in contracts().values():
        used.update(keys(SCHEMA, contract, "#"))
    listed = {
        (place, key)
        for place, part in objects(SCHEMA)
        for key in cast("dict[str, Plain]", part["properties"])
    }
    assert listed == used


def objects(schema: Plain, place: str = "#") -> Iterator[tuple[str, dict[str, Plain]]]:
    """The parts of the schema that describe objects with keys."""
    if isinstance(schema, dict):
        if "properties" in schema:
            yield place, schema
        for key, part in schema.items():
            yield from objects(part, f"{place}/{key}")
    elif isinstance(schema, list):
        for part in schema:
            yield from objects(part, place)


def keys(schema: Plain, value: Plain, place: str) -> Iterator[tuple[str, str]]:
    """Which keys of which parts of the schema a value has."""
    assert isinstance(schema, dict)
    if "$ref" in schema:
        name = str(schema["$ref"]).removeprefix("#/$defs/")
        parts = cast("dict[str, Plain]", SCHEMA["$defs"])
        yield from keys(parts[name], value, f"#/$defs/{name}")
    for choice in cast("list[dict[str, Plain]]", schema.get("oneOf", [])):
        if validator({**choice, "$defs": SCHEMA["$defs"]}).is_valid(value):
            yield from keys(choice, value, place)
    if isinstance(value, list):
        for item in value:
            yield from keys(schema.get("items", {}), item, f"{place}/items")
    elif isinstance(value, dict):
        properties = cast("dict[str, Plain]", schema.get("properties", {}))
        for key in properties.keys() & value.keys():
            yield place, key
            inside = f"{place}/properties/{key}"
            yield from keys(properties[key], value[key], inside)


def test_arguments_in_their_order() -> None:
    a, offset, rows, columns, pitch, b, x, flag, n, unused, length, small, left, size = (
        arguments_of(contracts()["views"])
    )
    assert [a[key] for key in ("shape", "strides", "offset")] == [
        [None, None],
        [None, 1],
        None,
    ]
    assert [(e["kind"], e.get("dimension")) for e in (offset, rows, columns, pitch)] == [
        ("offset", None),
        ("size", 0),
        ("size", 1),
        ("stride", 0),
    ]
    assert [b[key] for key in ("shape", "strides", "offset")] == [[64, 32], [48, 1], 32]
    assert [(e["type"], e["source"]) for e in (x, flag, n, small)] == [
        ("f32", "f32"),
        ("i8", "i1"),
        ("i64", "index"),
        ("i16", "bf16"),
    ]
    assert (unused["shape"], unused["strides"]) == ([None, 8], [8, 1])
    assert (left["shape"], left["strides"]) == ([None, 8], [1, None])
    assert [(e["name"], e["dimension"]) for e in (length, size)] == [
        ("unused", 0),
        ("left", 0),
    ]


def test_surfaces_are_what_messages_take_their_base_from() -> None:
    def with_surface(name: str) -> list[tuple[str, str]]:
        return [
            (str(entry["name"]), str(entry["kind"]))
            for entry in arguments_of(contracts()[name])
            if "surface" in entry
        ]

    # neither what counts elements of a matrix, nor what is multiplied before it is added to an address
    assert with_surface("views") == [("A", "pointer"), ("B", "pointer")]
    assert with_surface("addresses") == [(name, "pointer") for name in "APB"]
    # one of two is the address, and what they add up to is what has to be aligned
    assert with_surface("a sum of two arguments") == [("A", "value"), ("D", "value")]


BATCH = """
  gpu.func @batch(%A: memref<?x?x?xf32>, %n: index, %p: i32, %B: memref<64x64xf32>) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>} {
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %x = gpu.block_id x
    %h = memref.dim %A, %c1 : memref<?x?x?xf32>
    %w = memref.dim %A, %c2 : memref<?x?x?xf32>
    %step = arith.muli %h, %w : index
    %t = xetile.init_tile %A[%x, 0, 0], [%n, %h, %w], [%step, %w, 1] : memref<?x?x?xf32> -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    %pitch = arith.index_cast %p : i32 to index
    %more = arith.addi %pitch, %c2 : index
    %pad = arith.muli %more, %c2 : index
    %u = xetile.init_tile %A[0, 0, 0], [%n, %h, 64], [%step, %pad, 1] : memref<?x?x?xf32> -> !xetile.tile<8x16xf32>
    xetile.store_tile %v, %u : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
"""


def stated(text: str, assume: Assume = "block") -> set[tuple[int, str, str, int]]:
    """What is stated: of which argument, of what, the sum, the multiple."""
    contract = launch_contract(module_of(text), "bmg", assume=assume)
    validator(SCHEMA).validate(json.loads(json.dumps(contract)))
    found: set[tuple[int, str, str, int]] = set()
    for number, entry in enumerate(arguments_of(contract)):
        surface = cast("dict[str, Plain]", entry.get("surface") or {})
        for each in cast("list[dict[str, Plain]]", surface.get("preconditions") or []):
            terms = cast("list[dict[str, Plain]]", each["bytes"])
            words = [f"{t['factor']}*{t['arguments']}" for t in terms]
            row = (number, str(each["of"]), " + ".join(words), cast(int, each["multiple"]))
            found.add(row)
    return found


def test_what_the_arguments_decide_on_is_stated() -> None:
    assert stated(BATCH) == {
        (0, "base", "1*[0]", 64),
        (0, "step between bases", "4*[2, 3]", 64),
        (0, "width", "4*[3]", 4),
        (0, "pitch", "4*[3]", 16),
        (0, "pitch", "8*[5] + 16*[]", 16),
        (0, "pitch over width", "8*[5] + -240*[]", 1),
    }


def test_what_the_kernel_tests_is_not_stated() -> None:
    source = "memref<64x64xf32>"
    tile = "!xetile.tile<8x16xf32>"
    copy = f"""
  gpu.func @tested(%A: {source}, %p: index) kernel attributes {{known_block_size = array<i32: 16, 1, 1>}} {{
    %t = xetile.init_tile %A[0, 0] : {source} -> {tile}
    xetile.prefetch_tile %t : {tile}
    gpu.return
  }}
"""
    assert stated(copy) == {(0, "base", "1*[0]", 64)}
    assert stated(copy, "check") == set()
    assert stated(copy, "gather") == set()


def test_what_a_kernel_of_the_llvm_dialect_says() -> None:
    raw, free = kernels_of(contracts()["written in the llvm dialect"])
    assert (raw["block"], free["block"]) == ([32, 1, 1], None)
    arguments = arguments_of(contracts()["written in the llvm dialect"])
    kinds = [(entry["name"], entry["kind"], entry["type"]) for entry in arguments]
    assert kinds == [("p", "pointer", "pointer"), ("x", "value", "f32")]


POINTER = 'name = "a", kind = "pointer", type = "pointer"'
MATRIX = f'{{{POINTER}, source = "memref<?x4xf32>", element = "f32", shape = [unit, 4], strides = [4, 1], offset = 0}}'
EXTENT = '{name = "a", kind = "size", type = "i64", source = "memref<?x4xf32>", dimension = 0 : i64}'
NUMBER = '{name = "n", kind = "value", type = "i32", source = "i32"}'
GOOD = f"{MATRIX}, {EXTENT}, {NUMBER}"
REST = "subgroup_size = 16, shared_memory = 0"


def by_hand(
    arguments: str = GOOD,
    rest: str = REST,
    parameters: str = "%a: !llvm.ptr<1>, %s: i64, %n: i32",
) -> str:
    return f"""llvm.func @k({parameters}) attributes {{gpu.kernel, intel_reqd_sub_group_size = 16 : i32,
        xetile.launch = {{arguments = [{arguments}], {rest}}}}} {{ llvm.return }}"""


def test_a_launch_attribute_may_be_written_by_hand() -> None:
    contract = launch_contract(module_of(by_hand(rest=f"{REST}, block = [16, 1, 1]")))
    validator(SCHEMA).validate(json.loads(json.dumps(contract)))


WRONG_ENTRIES = [
    ("", "does not list the 3 arguments"),
    (f"{GOOD}, {NUMBER}", "does not list the 3 arguments"),
    ("{}, {}, {}", "argument 0 is {}; expected name, kind, type and source, each a string"),
    ("1, 2, 3", "argument 0 is 1; expected name, kind, type and source, each a string"),
    (
        GOOD.replace('name = "n", ', ""),
        "argument 2 is {kind, type, source}; expected name, kind, type and source, each a string",
    ),
    (
        GOOD.replace('name = "n"', "name = 1"),
        "argument 2 is {name, kind, type, source}; expected",
    ),
    (
        GOOD.replace('source = "i32"', 'source = "i32", surface = {}'),
        "argument 2 has surface; expected name, kind, type and source alone",
    ),
    (
        GOOD.replace('source = "i32"', 'source = "float 32"'),
        "argument 2 has the source 'float 32', which is no type",
    ),
    (
        GOOD.replace('source = "i32"', 'source = "f32"'),
        "argument 2 is a value of type i32, made of f32; expected a value of type f32",
    ),
    (
        GOOD.replace('source = "i32"', 'source = "vector<4xf32>"'),
        "argument 2 is a value of type i32, made of vector<4xf32>, which no kernel takes",
    ),
    (
        GOOD.replace('kind = "value"', 'kind = "size"'),
        "argument 2 is a size of type i32, made of i32; expected a value of type i32",
    ),
    (
        GOOD.replace('kind = "size"', 'kind = "stride"'),
        'argument 1 has kind "stride"; expected "size" for memref<?x4xf32>',
    ),
    (
        GOOD.replace("dimension = 0", "dimension = 5"),
        "argument 1 has dimension 5; expected 0 for memref<?x4xf32>",
    ),
    (
        GOOD.replace(", dimension = 0 : i64", ""),
        "argument 1 has no dimension; expected 0 for memref<?x4xf32>",
    ),
    (
        GOOD.replace("offset = 0", "offset = 8"),
        "argument 0 has offset 8; expected 0 for memref<?x4xf32>",
    ),
    (
        GOOD.replace("shape = [unit, 4]", "shape = [2, 4]"),
        "argument 0 has shape [2, 4]; expected [null, 4] for memref<?x4xf32>",
    ),
    (
        GOOD.replace("offset = 0", "offset = 0, more = 1"),
        "argument 0 has more, which a memref has not",
    ),
    (
        f"{MATRIX}, {NUMBER}, {NUMBER}",
        'argument 1 has name "n"; expected "a" for memref<?x4xf32>',
    ),
    (
        f"{NUMBER}, {MATRIX}, {EXTENT}",
        "argument 0 is passed as i32; the function takes a pointer",
    ),
    (
        GOOD.replace("i32", "f32"),
        "argument 2 is passed as f32; the function takes i32",
    ),
]


@pytest.mark.parametrize(("arguments", "message"), WRONG_ENTRIES)
def test_arguments_of_a_launch_attribute_are_as_the_schema_says(
    arguments: str, message: str
) -> None:
    with pytest.raises(XetileError) as refused:
        launch_contract(module_of(by_hand(arguments)))
    assert str(refused.value).startswith("kernel.mlir:1:1: error: 'xetile.launch'")
    assert message in refused.value.message
    assert "\n" not in str(refused.value)


def test_a_launch_attribute_is_a_dictionary() -> None:
    text = by_hand().replace("xetile.launch = {", "xetile.launch = 4, other = {")
    with pytest.raises(XetileError, match=r"'xetile.launch' is 4; expected a dictionary$"):
        launch_contract(module_of(text))


def test_memrefs_at_the_end_need_their_extents() -> None:
    text = by_hand(MATRIX, parameters="%a: !llvm.ptr<1>")
    with pytest.raises(
        XetileError, match="ends within memref<\\?x4xf32>; expected its size 0"
    ):
        launch_contract(module_of(text))


WRONG_SIZES = [
    (f"{REST}, block = [16, 1]", "block is [16, 1]; expected three positive sizes"),
    (f"{REST}, grid = [1, 0, 1]", "grid is [1, 0, 1]; expected three positive sizes"),
    (f"{REST}, grid = 4", "grid is 4; expected three positive sizes"),
    (f'{REST}, grid = ["a", 1, 1]', 'grid is ["a", 1, 1]; expected three positive sizes'),
    (
        "subgroup_size = 0, shared_memory = 0",
        "subgroup_size is 0; expected a number from 1 on",
    ),
    ("subgroup_size = 16", "has no shared_memory; expected a number from 0 on"),
    (f'{REST}, name = "l"', "has name; expected arguments, grid, block, subgroup_size"),
]


@pytest.mark.parametrize(("rest", "message"), WRONG_SIZES)
def test_sizes_of_a_launch_attribute_are_as_the_schema_says(rest: str, message: str) -> None:
    with pytest.raises(XetileError) as refused:
        launch_contract(module_of(by_hand(rest=rest)))
    assert str(refused.value).startswith("kernel.mlir:1:1: error: 'xetile.launch'")
    assert message in refused.value.message


@pytest.mark.parametrize(
    ("parameters", "block", "message"),
    [
        ("%x: f32", "16, 1", "reqd_work_group_size is [16, 1]; expected three positive sizes"),
        ("%x: f32", "16, 0, 1", "reqd_work_group_size is [16, 0, 1]; expected three positive"),
        ("%x: f32, %t: i1", "16, 1, 1", "argument 1 is i1, which is passed as i8"),
        ("%x: bf16", "16, 1, 1", "argument 0 is bf16, which is passed as i16"),
        (
            "%x: vector<4xf32>",
            "16, 1, 1",
            "argument 0 is vector<4xf32>, which no kernel takes",
        ),
    ],
)
def test_what_a_kernel_of_the_llvm_dialect_cannot_take(
    parameters: str, block: str, message: str
) -> None:
    text = f"""llvm.func @k({parameters}) attributes {{gpu.kernel, intel_reqd_sub_group_size = 16 : i32,
        reqd_work_group_size = array<i32: {block}>}} {{ llvm.return }}"""
    with pytest.raises(XetileError) as refused:
        launch_contract(module_of(text))
    assert str(refused.value).startswith(f"kernel.mlir:1:1: error: {message}")


@pytest.mark.parametrize(
    ("op", "type", "exact"),
    [
        ("arith.divf %a, %a", "f32", True),
        ("math.sqrt %a", "f32", True),
        ("arith.divf %a, %a", "bf16", True),  # computed in f32
        ("math.sqrt %a", "f16", True),  # in f32 too, on the hardware
        ("arith.divf %a, %a", "f16", True),  # in f32 too
        ("arith.mulf %a, %a", "f32", False),
        # what may be approximate asks for nothing
        ("arith.divf %a, %a fastmath<arcp>", "f32", False),
        ("arith.divf %a, %a fastmath<afn>", "f16", False),
        ("math.sqrt %a fastmath<afn>", "f32", False),
        ("arith.divf %a, %a fastmath<nnan>", "f32", True),
    ],
)
def test_options_for_exact_division(op: str, type: str, exact: bool) -> None:
    contract = launch_contract(module_of(on_bmg(elementwise("k", op, type))), grf="small")
    needed = "fp32-correctly-rounded-divide-sqrt"
    assert contract["build_options"] == {
        "opencl": f"-cl-{needed}" if exact else "",
        "level_zero": f"-ze-{needed}" if exact else "",
    }
    (kernel,) = kernels_of(contract)
    assert cast("dict[str, Plain]", kernel["floating_point"])["exact_division"] == exact


def test_one_kernel_that_divides_decides_for_the_module() -> None:
    contract = contracts()["several kernels, one divides"]
    flags = [
        cast("dict[str, Plain]", kernel["floating_point"])["exact_division"]
        for kernel in kernels_of(contract)
    ]
    assert flags == [False, True]
    assert "correctly-rounded" in str(contract["build_options"])


@pytest.mark.parametrize("flags", ["", " fastmath<fast>", " fastmath<nnan,nsz>"])
def test_the_module_says_what_the_contract_says_of_floats(flags: str) -> None:
    """Nothing is contracted; an op is as inexact as its own flags allow."""
    from xetile.codegen.spirv_emitter import instructions

    text = on_bmg(
        elementwise("k", f"arith.mulf %a, %a{flags}"), elementwise("l", "arith.addf %a, %a")
    )
    module = module_of(text)
    spirv = xetile.emit(module, "spirv")
    assert isinstance(spirv, bytes)
    op_execution_mode, contraction_off = 16, 31
    op_decorate, fp_fast_math_mode = 71, 40
    found = list(instructions(spirv))
    modes = [i.operands[1] for i in found if i.opcode == op_execution_mode]
    assert modes.count(contraction_off) == 2
    decorated = {
        i.operands[0]
        for i in found
        if i.opcode == op_decorate and i.operands[1] == fp_fast_math_mode
    }
    op_fadd, op_fmul = 129, 133
    multiplied = {i.operands[1] for i in found if i.opcode == op_fmul}
    assert decorated == (multiplied if flags else set())
    assert any(i.opcode == op_fadd for i in found)


@pytest.mark.ocloc
def test_the_offline_compiler_is_told_the_same() -> None:
    text = xetile.emit(module_of(on_bmg(elementwise("k", "arith.divf %a, %a"))), "asm")
    assert "math.invm" in str(text)
    assert "math.inv " not in str(text)


def test_the_device() -> None:
    plain, named = elementwise("k", "arith.negf %a"), elementwise("l", "arith.negf %a")

    def devices(module: ModuleOp, option: str | None = None) -> list[Plain]:
        return [kernel["device"] for kernel in kernels_of(launch_contract(module, option))]

    nothing_said = f"gpu.module @m {{{plain}}}"
    assert devices(module_of(nothing_said)) == ["pvc"]
    assert devices(module_of(nothing_said), "ptl") == ["ptl"]
    # what a kernel was lowered for earlier, the IR does not say
    assert devices(xetile.lower(module_of(nothing_said), to="xevm", device="bmg")) == [None]
    assert devices(xetile.lower(module_of(nothing_said), to="llvm", device="bmg")) == [None]
    assert devices(xetile.lower(module_of(on_bmg(plain)), to="llvm")) == ["bmg"]
    several = f'gpu.module @a [#xevm.target<chip = "cri">] {{{plain}}} {on_bmg(named)}'
    assert devices(module_of(several)) == ["cri", "bmg"]
    both = 'gpu.module @m [#xevm.target<chip = "cri">, #xevm.target<chip = "lnl">]'
    assert devices(module_of(f"{both} {{{RAW}}}")) == [None, None]


@pytest.mark.opencl
def test_views_are_what_the_contract_says() -> None:
    from xetile.runtime.devices import open_device
    from xetile.runtime.launch import execute_on

    module = module_of(AWKWARD["views"])
    values = np.random.default_rng(0).standard_normal((70, 48)).astype(np.float32)
    unused, left = np.zeros((0, 8), np.float16), np.zeros((8, 3), np.float32).T
    results: list[NDArray[np.float32]] = []
    for is_device in (False, True):
        source, target = values.copy(), np.full((66, 48), 7, np.float32)
        arrays = [source[3:63, :32], target[1:65, :32], 1.5, 1, 3, unused, 2.5, left]
        if is_device:
            with open_device("opencl:cpu") as device:
                execute_on(device, module, None, arrays)
        else:
            xetile.execute(xetile.lower(module, to="xevm"), "views", *arrays)
        assert (source == values).all()
        results.append(target)
    assert (results[0] == results[1]).all()
    assert (results[1][1:61, :32] == 2 * values[3:63, :32]).all()
    assert (results[1][61:65, :32] == 0).all()
    assert (results[1][:, 32:] == 7).all()

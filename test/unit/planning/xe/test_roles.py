"""What loaded vectors are for, followed through loops, elementwise ops, blocks and slices."""

import pytest
from xdsl.dialects.builtin import ModuleOp

from xetile.dialects.modules import parse
from xetile.dialects.xetile import LoadTileOp
from xetile.planning.xe.roles import Roles
from xetile.planning.xe.uses import Tiles, use_of

TILE = "!xetile.tile<32x32xf16>"
VECTOR = "vector<32x32xf16>"
PRODUCT = f"{VECTOR}, {VECTOR} -> vector<32x32xf32>"


def kernel(body: str) -> ModuleOp:
    return parse(
        f"""
        func.func @k(%t: {TILE}, %u: {TILE}, %o: {VECTOR}, %n: index, %c: i1) {{
          %v = xetile.load_tile %t : {TILE} -> {VECTOR}
          {body}
          func.return
        }}"""
    )


def roles(body: str) -> tuple[str, bool]:
    operations = list(kernel(body).walk())
    loads = [op for op in operations if isinstance(op, LoadTileOp)][:1]
    found = Roles(operations)
    return found.role(loads), found.is_only_b(loads)


def mma(a: str, b: str) -> str:
    return f"%d_{a}_{b} = xetile.tile_mma %{a}, %{b} : {PRODUCT}"


SLICE = "offsets = [{row}, 0], sizes = [16, 32], strides = [1, 1]"


@pytest.mark.parametrize(
    ("body", "role", "only_b"),
    [
        ("", "c", False),
        (mma("v", "o"), "a", False),
        (mma("o", "v"), "b", True),
        (mma("o", "v") + "\n" + mma("v", "o"), "a", False),
        (f"%w = arith.negf %v : {VECTOR}\n" + mma("o", "w"), "b", False),
        (mma("o", "v") + f"\nxetile.store_tile %v, %u : {VECTOR}, {TILE}", "b", False),
        (
            f"%w = scf.if %c -> ({VECTOR}) {{ scf.yield %v : {VECTOR} }} "
            f"else {{ scf.yield %v : {VECTOR} }}\n" + mma("o", "w"),
            "b",
            True,
        ),
        (
            f"%w = xetile.tile_transpose %v, [1, 0] : {VECTOR} -> {VECTOR}\n" + mma("o", "w"),
            "c",
            False,
        ),
    ],
)
def test_roles(body: str, role: str, only_b: bool) -> None:
    assert roles(body) == (role, only_b)


@pytest.mark.parametrize(("row", "only_b"), [(16, True), (8, False)])
def test_slices_between_instructions_stay_operand_b(row: int, only_b: bool) -> None:
    a, b = "vector<32x16xf16>", "vector<16x32xf16>"
    body = f"""
    %s = vector.extract_strided_slice %v {{{SLICE.format(row=row)}}} : {VECTOR} to {b}
    %p = vector.extract_strided_slice %o {{offsets = [0, 0], sizes = [32, 16], strides = [1, 1]}} : {VECTOR} to {a}
    %d = xetile.tile_mma %p, %s : {a}, {b} -> vector<32x32xf32>"""
    assert roles(body) == ("b", only_b)


def test_padding_is_no_plain_operand() -> None:
    module = parse(
        f"""
        func.func @k(%t: {TILE}, %o: {VECTOR}) {{
          %v = xetile.load_tile %t {{padding = 1.0 : f16}} : {TILE} -> {VECTOR}
          {mma("o", "v")}
          func.return
        }}"""
    )
    operations = list(module.walk())
    loads = [op for op in operations if isinstance(op, LoadTileOp)]
    assert not Roles(operations).is_only_b(loads)


def test_tiles_are_followed_through_loops_and_updates() -> None:
    module = kernel(
        f"""
        %m = memref.alloc() : memref<64x64xf16>
        %i = xetile.init_tile %m[0, 0] : memref<64x64xf16> -> {TILE}
        %l = scf.for %x = %n to %n step %n iter_args(%moving = %i) -> ({TILE}) {{
          %w = xetile.load_tile %moving : {TILE} -> {VECTOR}
          xetile.prefetch_tile %moving : {TILE}
          %next = xetile.update_tile_offset %moving, [0, 32] : {TILE}
          scf.yield %next : {TILE}
        }}
        xetile.store_tile %o, %l : {VECTOR}, {TILE}"""
    )
    operations = list(module.walk())
    tiles = Tiles(operations)
    made = next(op for op in operations if op.name == "xetile.init_tile").results[0]
    assert tiles.uses(made) == ["load", "prefetch", "store"]
    assert [op.name for op in tiles.accesses(made, "store")] == ["xetile.store_tile"]
    assert tiles.moving_dimensions(made) == (1,)
    given = module.body.block.first_op
    assert given is not None
    assert tiles.uses(given.regions[0].blocks[0].args[0]) == ["load"]


def test_atomics_have_no_message() -> None:
    module = kernel(
        f"%r = xetile.atomic_rmw_tile <addf> %o, %u : {VECTOR}, {TILE} -> {VECTOR}"
    )
    found = {op.name: use_of(op) for op in module.walk()}
    assert found["xetile.atomic_rmw_tile"] is None
    assert found["xetile.load_tile"] == "load"


@pytest.mark.parametrize(
    ("more", "transposed"),
    [
        ("", True),
        (mma("o", "w"), True),
        (f"%x = arith.negf %v : {VECTOR}", True),
        (f"%x = arith.negf %v : {VECTOR}\nxetile.store_tile %x, %u : {VECTOR}, {TILE}", False),
        (mma("o", "v"), False),
        (f"%x = xetile.tile_transpose %v, [0, 1] : {VECTOR} -> {VECTOR}", False),
    ],
)
def test_what_is_only_transposed(more: str, *, transposed: bool) -> None:
    body = f"%w = xetile.tile_transpose %v, [1, 0] : {VECTOR} -> {VECTOR}\n{more}"
    operations = list(kernel(body).walk())
    loads = [op for op in operations if isinstance(op, LoadTileOp)][:1]
    assert Roles(operations).is_only_transposed(loads) == transposed

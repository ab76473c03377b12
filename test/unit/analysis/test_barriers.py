"""Which writes meet a load: those to the same memref that no barrier keeps apart from it, in either direction."""

import pytest

from xetile.analysis.barriers import WrittenMemory, until_barrier
from xetile.dialects.modules import parse

TILE = "!xetile.tile<8x16xf32>"
LOAD = f"%v = xetile.load_tile %t : {TILE} -> vector<8x16xf32>"
STORE = f"xetile.store_tile %x, %t : vector<8x16xf32>, {TILE}"
ELSEWHERE = f"xetile.store_tile %x, %u : vector<8x16xf32>, {TILE}"
ELEMENT = "memref.store %f, %view[%i, %i] : memref<8x16xf32, strided<[16, 1]>>"


def function(body: str) -> str:
    return f"""
    func.func private @other(memref<8x16xf32>)
    func.func private @unknown()
    func.func @k(%a: memref<8x16xf32>, %b: memref<8x16xf32>, %p: i64, %i: index, %f: f32, %c: i1) {{
      %one = arith.constant 1 : index
      %x = arith.constant dense<1.0> : vector<8x16xf32>
      %view = memref.subview %a[0, 0] [8, 16] [1, 1] : memref<8x16xf32> to memref<8x16xf32, strided<[16, 1]>>
      %t = xetile.init_tile %a[0, 0] : memref<8x16xf32> -> {TILE}
      %u = xetile.init_tile %b[0, 0] : memref<8x16xf32> -> {TILE}
      {body}
      func.return
    }}"""


def loop(body: str) -> str:
    return f"scf.for %k = %i to %i step %one {{\n {body} \n}}"


def branch(body: str) -> str:
    return f"scf.if %c {{\n {body} \n}}"


FREE = {
    "nothing is written": LOAD,
    "another argument": f"{LOAD}\n{ELSEWHERE}",
    "a barrier behind": f"{LOAD}\ngpu.barrier\n{STORE}",
    "a barrier before": f"{STORE}\ngpu.barrier\n{LOAD}",
    "two in a loop": loop(f"{LOAD}\ngpu.barrier\n{STORE}\ngpu.barrier"),
    "a loop that begins with one": loop(f"gpu.barrier\n{LOAD}\ngpu.barrier\n{STORE}"),
    "what is printed": f'{LOAD}\ngpu.printf "%f", %f : f32',
    "an address that is another argument": f"""{LOAD}
      %q = xetile.init_tile %p[0, 0], [8, 16], [16, 1] : i64 -> {TILE}
      xetile.store_tile %x, %q : vector<8x16xf32>, {TILE}""",
    "an allocation": f"""%m = memref.alloc() : memref<8x16xf32>
      memref.store %f, %m[%i, %i] : memref<8x16xf32>
      {LOAD}""",
}
MET = {
    "behind": f"{LOAD}\n{STORE}",
    "before": f"{STORE}\n{LOAD}",
    "through a view": f"{LOAD}\n{ELEMENT}",
    "in the next round": loop(f"{STORE}\ngpu.barrier\n{LOAD}"),
    "in a round before": loop(f"{LOAD}\ngpu.barrier\n{STORE}"),
    "behind the loop": f"{loop(LOAD)}\n{STORE}",
    "behind a loop in a branch": f"{branch(loop(LOAD))}\n{STORE}",
    "in a branch": f"{LOAD}\n{branch(STORE)}",
    "a barrier of some rounds": f"{LOAD}\n{loop('gpu.barrier')}\n{STORE}",
    "what is called": f"{LOAD}\nfunc.call @other(%a) : (memref<8x16xf32>) -> ()",
    "what nobody knows": f"{LOAD}\nfunc.call @unknown() : () -> ()",
    "an address that is computed": f"""{LOAD}
      %r = arith.addi %p, %p : i64
      %q = xetile.init_tile %r[0, 0], [8, 16], [16, 1] : i64 -> {TILE}
      %moved = xetile.update_tile_offset %q, [%i, %i] : {TILE}
      xetile.store_tile %x, %moved : vector<8x16xf32>, {TILE}""",
}


@pytest.mark.parametrize(
    ("body", "met"),
    [*((body, False) for body in FREE.values()), *((body, True) for body in MET.values())],
    ids=[*FREE, *MET],
)
def test_writes_meet_a_load(body: str, *, met: bool) -> None:
    module = parse(function(body))
    (function_,) = (
        op for op in module.walk() if op.name == "func.func" and op.regions[0].blocks
    )
    (load,) = (op for op in module.walk() if op.name == "xetile.load_tile")
    assert WrittenMemory(function_).meets(load) == met


def test_what_follows_until_a_barrier_goes_around_loops() -> None:
    module = parse(function(loop(f"{STORE}\ngpu.barrier\n{LOAD}") + "\n" + ELSEWHERE))
    (load,) = (op for op in module.walk() if op.name == "xetile.load_tile")
    names = [op.name for op in until_barrier(load)]
    assert names.count("xetile.store_tile") == 2
    assert "xetile.load_tile" not in names

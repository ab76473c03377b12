"""Bank conflicts, counted over the addresses of an execution."""

import numpy as np
import pytest

from xetile.api import parse_text
from xetile.interpreter import count_bank_conflicts

KERNEL = """
gpu.module @m {
  gpu.func @k(%n: i32) workgroup(%s: memref<8192xi8, 3>) kernel attributes {xetile.level = "lane",
      known_block_size = array<i32: 32, 1, 1>, known_grid_size = array<i32: 2, 1, 1>} {
    %lane = xevm.lane_id : i32
    %i = memref.extract_aligned_pointer_as_index %s : memref<8192xi8, 3> -> index
    %l = arith.index_cast %i : index to i64
    %p = llvm.inttoptr %l : i64 to !llvm.ptr<3>
    %step = arith.constant STEP : i32
    %bytes = arith.muli %lane, %step : i32
    %q = llvm.getelementptr %p[%bytes] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i8
    %zero = arith.constant dense<0> : vector<4xTYPE>
    %v = vector.extract %zero[0] : TYPE from vector<4xTYPE>
    BODY
    gpu.return
  }
}"""
STORE = "llvm.store %v, %q : TYPE, !llvm.ptr<3>"
WIDE = "llvm.store %zero, %q : vector<4xTYPE>, !llvm.ptr<3>"


def conflicts(step: int, type: str, body: str = STORE) -> tuple[int, int, int]:
    """How often lanes were served, the conflicts of all times, and those of the worst."""
    text = KERNEL.replace("BODY", body).replace("TYPE", type).replace("STEP", str(step))
    (site,) = count_bank_conflicts(
        parse_text(text, "k.mlir"), "k", [0], sanitize=False, banks=32
    )
    assert site.stores
    return site.accesses, site.conflicts, site.most


@pytest.mark.parametrize(
    ("step", "type", "most"),
    [
        (4, "i32", 0),
        (8, "i32", 0),
        (16, "i32", 1),
        (128, "i32", 15),
        (132, "i32", 0),
        (0, "i32", 0),
        # lanes that ask for parts of one word do not conflict
        (2, "f16", 0),
        (1, "i8", 0),
        (128, "f16", 15),
        (64, "i8", 7),
        (8, "i64", 0),
        (128, "i64", 15),
    ],
)
def test_one_element_of_each_lane(step: int, type: str, most: int) -> None:
    # two subgroups in each of two workgroups
    assert conflicts(step, type) == (4, 4 * most, most)


@pytest.mark.parametrize(
    ("step", "type", "together", "most"),
    [
        # rows of 128 bytes: of 8 lanes each asks for the same 4 banks
        (128, "i32", 8, 7),
        (16, "i32", 8, 0),
        (144, "i32", 8, 0),
        (128, "f16", 16, 15),
        (32, "i64", 4, 0),
    ],
)
def test_vectors_take_fewer_lanes_at_once(
    step: int, type: str, together: int, most: int
) -> None:
    served = 4 * 16 // together
    assert conflicts(step, type, WIDE) == (served, served * most, most)


def test_block_messages_are_served_row_by_row() -> None:
    body = """%b = arith.constant dense<0> : vector<8xTYPE>
    xevm.blockstore %p, %b : (!llvm.ptr<3>, vector<8xTYPE>)"""
    assert conflicts(0, "i32", body) == (4 * 8, 0, 0)


def test_lanes_that_ask_for_nothing_do_not_count() -> None:
    body = f"""%two = arith.constant 2 : i32
    %some = arith.cmpi ult, %lane, %two : i32
    scf.if %some {{ {STORE} }}"""
    assert conflicts(128, "i32", body) == (4, 4, 1)


def test_the_kernel_is_watched_beside() -> None:
    text = KERNEL.replace("BODY", "%w = llvm.load %q : !llvm.ptr<3> -> i32")
    module = parse_text(text.replace("TYPE", "i32").replace("STEP", "4"), "k.mlir")
    (site,) = count_bank_conflicts(module, "k", [0], sanitize=False, banks=32)
    assert (site.at.name, site.stores) == ("llvm.load", False)
    with pytest.raises(Exception, match="which nothing has written"):
        count_bank_conflicts(module, "k", [0])


def test_global_memory_has_no_banks() -> None:
    text = KERNEL.replace("BODY", "llvm.store %n, %g : i32, !llvm.ptr<1>")
    text = text.replace("%n: i32", "%n: i32, %m: memref<1xi32>").replace(
        "%step =",
        """%gi = memref.extract_aligned_pointer_as_index %m : memref<1xi32> -> index
    %gl = arith.index_cast %gi : index to i64
    %g = llvm.inttoptr %gl : i64 to !llvm.ptr<1>
    %step =""",
    )
    module = parse_text(text.replace("TYPE", "i32").replace("STEP", "4"), "k.mlir")
    assert count_bank_conflicts(module, "k", [0, np.zeros(1, np.int32)]) == ()


def test_by_default_banks_are_those_of_xe() -> None:
    text = KERNEL.replace("BODY", STORE).replace("TYPE", "i32").replace("STEP", "8")
    module = parse_text(text, "k.mlir")
    (site,) = count_bank_conflicts(module, "k", [0])
    assert site.most == 1

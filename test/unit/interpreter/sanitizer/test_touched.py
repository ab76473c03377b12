"""Which parameters a kernel may read and write: op by op, and however an address comes to an op."""

import pytest

from xetile.dialects.modules import parse
from xetile.interpreter.sanitizer.touched import touched_parameters

HEAD = """
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %two = arith.constant 2.0 : f32
    %all = arith.constant dense<true> : vector<8xi1>
    %at = arith.constant dense<0> : vector<8xindex>
    %zero = arith.constant dense<0.0> : vector<8xf32>"""
POINTER = """
    %number = memref.extract_aligned_pointer_as_index %A : memref<8xf32> -> index
    %integer = arith.index_cast %number : index to i64
    %p = llvm.inttoptr %integer : i64 to !llvm.ptr<1>
    """
READ, WRITTEN, BOTH, NEITHER = ("A", ""), ("", "A"), ("A", "A"), ("", "")


def touched(body: str) -> tuple[str, str] | None:
    """The names of what is read, and of what is written; %flag is left out, which decides between matrices."""
    module = parse(f"""gpu.module @m {{
      func.func private @f(%X: memref<8xf32>)
      gpu.func @k(%A: memref<8xf32>, %B: memref<8xf32>, %N: memref<8xindex>, %flag: i1, %x: index) kernel {{
        {HEAD}
        {body}
        gpu.return
      }} }}""")
    (kernel,) = (op for op in module.walk() if op.name == "gpu.func")
    found = touched_parameters(kernel)
    if found is None:
        return None
    read, written = ("".join("ABN?x"[n] for n in sorted(numbers - {3})) for numbers in found)
    return read, written


TILE = """%M = memref.reinterpret_cast %A to offset: [0], sizes: [2, 4], strides: [4, 1]
      : memref<8xf32> to memref<2x4xf32, strided<[4, 1]>>
    %t = xetile.init_tile %M[0, 0] : memref<2x4xf32, strided<[4, 1]>> -> !xetile.tile<2x4xf32>
    """
VALUE = "%s = arith.constant dense<0.0> : vector<2x4xf32>\n"
ACCESSES = {
    TILE + "%v = xetile.load_tile %t : !xetile.tile<2x4xf32> -> vector<2x4xf32>": READ,
    TILE
    + VALUE
    + "xetile.store_tile %s, %t : vector<2x4xf32>, !xetile.tile<2x4xf32>": WRITTEN,
    TILE + "xetile.prefetch_tile %t : !xetile.tile<2x4xf32>": NEITHER,
    'gpu.printf "%d", %x : index': NEITHER,
    "%v = memref.load %A[%c0] : memref<8xf32>": READ,
    "memref.store %two, %A[%c0] : memref<8xf32>": WRITTEN,
    "%v = memref.atomic_rmw addf %two, %A[%c0] : (f32, memref<8xf32>) -> f32": BOTH,
    "%v = vector.load %A[%c0] : memref<8xf32>, vector<8xf32>": READ,
    "vector.store %zero, %A[%c0] : memref<8xf32>, vector<8xf32>": WRITTEN,
    "%v = vector.gather %A[%c0] [%at], %all, %zero : memref<8xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>"
    " into vector<8xf32>": READ,
    "vector.scatter %A[%c0] [%at], %all, %zero : memref<8xf32>, vector<8xindex>, vector<8xi1>, vector<8xf32>": WRITTEN,
    "%v = vector.transfer_read %A[%c0], %two : memref<8xf32>, vector<8xf32>": READ,
    "vector.transfer_write %zero, %A[%c0] : vector<8xf32>, memref<8xf32>": WRITTEN,
    POINTER + "%v = llvm.load %p : !llvm.ptr<1> -> f32": READ,
    POINTER + "llvm.store %two, %p : f32, !llvm.ptr<1>": WRITTEN,
    POINTER + "%o = llvm.mlir.constant(1 : i32) : i32\n"
    "%v = llvm.atomicrmw add %p, %o monotonic : !llvm.ptr<1>, i32": BOTH,
    "memref.copy %A, %A : memref<8xf32> to memref<8xf32>": BOTH,
    "%d = memref.dim %A, %c0 : memref<8xf32>": NEITHER,
    "gpu.barrier": NEITHER,
}


@pytest.mark.parametrize("op", ACCESSES)
def test_an_op_reads_and_writes_what_its_kind_does(op: str) -> None:
    assert touched(op) == ACCESSES[op]


LOAD = "%v = memref.load %m[%c0] : memref<8xf32>"
METADATA = """%base, %offset, %size, %step = memref.extract_strided_metadata %A
      : memref<8xf32> -> memref<f32>, index, index, index
    """
WAYS: dict[str, tuple[str, tuple[str, str]]] = {
    "a view": (
        f"%m = memref.cast %A : memref<8xf32> to memref<8xf32>\n{LOAD}",
        ("A", ""),
    ),
    "either of two": (
        f"%m = arith.select %flag, %A, %B : memref<8xf32>\n{LOAD}",
        ("AB", ""),
    ),
    "a branch": (
        f"""%m = scf.if %flag -> (memref<8xf32>) {{ scf.yield %A : memref<8xf32> }}
        else {{ scf.yield %B : memref<8xf32> }}
        {LOAD}""",
        ("AB", ""),
    ),
    "a loop": (
        f"""%r = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %A) -> (memref<8xf32>) {{
          {LOAD}
          scf.yield %B : memref<8xf32>
        }}""",
        ("AB", ""),
    ),
    "a loop that carries what it does not touch": (
        POINTER.replace("%A", "%B")
        + """%r = scf.for %i = %c0 to %c8 step %c1 iter_args(%m = %A) -> (memref<8xf32>) {
          %v = llvm.load %p : !llvm.ptr<1> -> f32
          scf.yield %m : memref<8xf32>
        }""",
        ("B", ""),
    ),
    "a pointer that is loaded": (
        """%i = memref.load %N[%c0] : memref<8xindex>
        %j = arith.index_cast %i : index to i64
        %p = llvm.inttoptr %j : i64 to !llvm.ptr<1>
        llvm.store %two, %p : f32, !llvm.ptr<1>""",
        ("N", ""),
    ),
    "a number of elements in an address": (
        POINTER
        + METADATA.replace("%A", "%B")
        + """%extent = memref.dim %B, %c0 : memref<8xf32>
        %more = arith.addi %extent, %size : index
        %sum = arith.addi %number, %more : index
        %j = arith.index_cast %sum : index to i64
        %q = llvm.inttoptr %j : i64 to !llvm.ptr<1>
        %v = llvm.load %q : !llvm.ptr<1> -> f32""",
        ("A", ""),
    ),
    "a base": (METADATA + "%v = memref.load %base[] : memref<f32>", ("A", "")),
    "an index": ("%v = memref.load %A[%x] : memref<8xf32>", ("A", "")),
    "an index that is loaded": (
        """%i = memref.load %N[%c0] : memref<8xindex>
        %v = memref.load %A[%i] : memref<8xf32>""",
        ("AN", ""),
    ),
    "an extent": (
        """%d = memref.dim %B, %c0 : memref<8xf32>
        %v = memref.load %A[%d] : memref<8xf32>""",
        ("A", ""),
    ),
    "a value stored": (
        """%v = memref.load %A[%c0] : memref<8xf32>
        memref.store %v, %B[%c0] : memref<8xf32>""",
        ("A", "B"),
    ),
}


@pytest.mark.parametrize("way", WAYS)
def test_addresses_are_followed_to_parameters(way: str) -> None:
    body, expected = WAYS[way]
    assert touched(body) == expected


def test_nothing_is_known_of_a_kernel_that_calls_a_function() -> None:
    assert touched("func.call @f(%A) : (memref<8xf32>) -> ()") is None

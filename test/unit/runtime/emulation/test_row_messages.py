"""1D block messages and shuffles on the device and at level V, held against what the extensions say."""

from collections.abc import Callable, Mapping
from itertools import product

import numpy
import pytest
from support.on_device import PLACES, Place

from xetile.dialects.modules import parse

LANES = 16
CASES = [*product((8, 16, 32, 64), (1, 2, 4, 8), ("global", "local"))]


def kernel(body: str, buffers: Mapping[str, int], *, bits: int, rows: int) -> str:
    """Two subgroups, each with a pointer `%name_at` to its part of every buffer (elements of `bits` bits)."""
    size = rows * LANES * bits // 8
    types = {name: f"memref<{count}xi{bits}>" for name, count in buffers.items()}
    spaces = {**dict.fromkeys(types, 1), "shared": 3}
    types["shared"] = f"memref<{2 * size}xi8, 3>"
    pointers = [
        f"""
          %{name}_start = memref.extract_aligned_pointer_as_index %{name} : {type} -> index
          %{name}_index = arith.addi %{name}_start, %offset : index
          %{name}_number = arith.index_cast %{name}_index : index to i64
          %{name}_at = llvm.inttoptr %{name}_number : i64 to !llvm.ptr<{spaces[name]}>"""
        for name, type in types.items()
    ]
    arguments = ", ".join(f"%{name}: {types[name]}" for name in buffers)
    return f"""
      gpu.module @m {{
        gpu.func @k({arguments}) workgroup(%shared: {types["shared"]})
            kernel attributes {{known_block_size = array<i32: 32, 1, 1>, xetile.level = "lane"}} {{
          %subgroup = gpu.subgroup_id : index
          %size = arith.constant {size} : index
          %offset = arith.muli %subgroup, %size : index
          {"".join(pointers)}
          {body}
          gpu.return
        }}
      }}"""


@pytest.mark.parametrize("place", PLACES, indirect=True)
@pytest.mark.parametrize("bits, rows, space", CASES)
def test_rows_of_all_lanes(place: Place, bits: int, rows: int, space: str) -> None:
    """Two subgroups: row r of lane l is word 16 r + l; shared memory is read where it was written."""
    count, type = 2 * rows * LANES, f"i{bits}" if rows == 1 else f"vector<{rows}xi{bits}>"
    through = {
        "global": "",
        "local": f"""
            xevm.blockstore %shared_at, %w : (!llvm.ptr<3>, {type})
            spirv.ControlBarrier <Subgroup>, <Subgroup>, <AcquireRelease|WorkgroupMemory>
            %v = xevm.blockload %shared_at : (!llvm.ptr<3>) -> {type}""",
    }[space]
    result = "%w" if space == "global" else "%v"
    body = f"""
      %w = xevm.blockload %in_at : (!llvm.ptr<1>) -> {type}
      {through}
      xevm.blockstore %out_at, {result} : (!llvm.ptr<1>, {type})"""
    text = kernel(body, {"in": count, "out": count}, bits=bits, rows=rows)
    kind = numpy.dtype(f"int{bits}")
    values = numpy.random.default_rng(bits).integers(-100, 100, count).astype(kind)
    found = numpy.zeros(count, kind)
    place.execute(parse(text), "k", [values, found], grid=(1, 1, 1))
    assert found.tolist() == values.tolist()


SHUFFLES: dict[str, Callable[[int, int], int]] = {
    "xor": lambda lane, number: lane ^ number,
    "idx": lambda lane, number: number,
    "up": lambda lane, number: lane - number,
    "down": lambda lane, number: lane + number,
}


@pytest.mark.parametrize("place", PLACES, indirect=True)
@pytest.mark.parametrize("mode", SHUFFLES)
@pytest.mark.parametrize("type, bits", [("i8", 8), ("f16", 16), ("f32", 32), ("f64", 64)])
def test_shuffles(place: Place, mode: str, type: str, bits: int) -> None:
    """Where there is no such lane the value is any; whether there is says the second result."""
    body = f"""
      %n = arith.constant 5 : i32
      %c16 = arith.constant 16 : i32
      %v = xevm.blockload %in_at : (!llvm.ptr<1>) -> i{bits}
      %f = arith.bitcast %v : i{bits} to {type}
      %r, %p = gpu.shuffle {mode} %f, %n, %c16 : {type}
      %w = arith.bitcast %r : {type} to i{bits}
      xevm.blockstore %out_at, %w : (!llvm.ptr<1>, i{bits})
      %q = arith.extui %p : i1 to i{bits}
      xevm.blockstore %ok_at, %q : (!llvm.ptr<1>, i{bits})"""
    text = kernel(body, dict.fromkeys(("in", "out", "ok"), 32), bits=bits, rows=1)
    values = numpy.arange(1, 33).astype(f"int{bits}")
    found, valid = numpy.zeros_like(values), numpy.zeros_like(values)
    place.execute(parse(text), "k", [values, found, valid], grid=(1, 1, 1))
    for item in range(32):
        other = SHUFFLES[mode](item % LANES, 5)
        assert valid[item] == (0 <= other < LANES)
        if valid[item]:
            assert found[item] == values[item // LANES * LANES + other]


@pytest.mark.parametrize("place", PLACES, indirect=True)
@pytest.mark.parametrize("bits", [8, 16, 32, 64])
def test_reductions_of_integers(place: Place, bits: int) -> None:
    """Each subgroup on its own, modulo 2^bits, signed and unsigned."""
    kinds = ("add", "minsi", "maxsi", "minui", "maxui")
    body = "\n".join(
        [
            f"%v = xevm.blockload %in_at : (!llvm.ptr<1>) -> i{bits}",
            *(
                f"""
                %of_{kind} = gpu.subgroup_reduce {kind} %v uniform : (i{bits}) -> i{bits}
                xevm.blockstore %{kind}_at, %of_{kind} : (!llvm.ptr<1>, i{bits})"""
                for kind in kinds
            ),
        ]
    )
    text = kernel(body, dict.fromkeys(("in", *kinds), 32), bits=bits, rows=1)
    info = numpy.iinfo(f"int{bits}")
    random = numpy.random.default_rng(bits)
    values = random.integers(info.min, info.max, 32).astype(f"int{bits}")
    found = [numpy.zeros_like(values) for _ in kinds]
    place.execute(parse(text), "k", [values, *found], grid=(1, 1, 1))
    rows, unsigned = values.reshape(2, LANES), values.reshape(2, LANES).view(f"uint{bits}")
    wanted = [
        rows.sum(1, dtype=values.dtype), rows.min(1), rows.max(1),
        unsigned.min(1).view(values.dtype), unsigned.max(1).view(values.dtype),
    ]  # fmt: skip
    for got, expected in zip(found, wanted, strict=True):
        assert got.reshape(2, LANES).tolist() == [[int(n)] * LANES for n in expected]

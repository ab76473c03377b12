"""Loads by the subgroups that need the elements, in place of exchanges: the same bits, and no new race."""

from random import Random

import numpy
import pytest
from support.subgroup import Shape, memref, turned, vector
from support.workgroup import (
    Map,
    convert_and_store,
    distributed,
    kernel,
    random_array,
    same_below,
    tile,
    to_level,
    wg_map,
)

from xetile.api import lower, parse_text

SHAPES: tuple[Shape, ...] = ((32, 32), (64, 32), (32, 64), (16, 64))
TYPE = "i32"


def random_map(random: Random, shape: Shape, subgroups: int) -> Map:
    """Powers of two distribute what are powers of two."""
    rows = random.choice([n for n in range(1, subgroups + 1) if subgroups % n == 0])
    data = [1 << random.randrange(1, extent.bit_length()) for extent in shape]
    return (rows, subgroups // rows), (data[0], data[1])


def is_shared(map: Map, shape: Shape) -> bool:
    return any(n // d < g for n, d, g in zip(shape, map[1], map[0], strict=True))


class Program:
    """A loop that loads, computes, rearranges and stores; what may stand between, `random` says."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        self.subgroups = self.random.choice((2, 4, 8, 16, 32))
        self.shape = self.random.choice(SHAPES)
        self.map = self.own_map()
        self.body: list[str] = []

    def own_map(self) -> Map:
        """A map by which each element has one subgroup."""
        while True:
            map = random_map(self.random, self.shape, self.subgroups)
            if not is_shared(map, self.shape):
                return map

    def chance(self) -> bool:
        return self.random.random() < 0.5

    def computed(self) -> str:
        """What is loaded, or made of it element by element."""
        type = vector(self.shape, TYPE)
        match self.random.randrange(4):
            case 0:
                return "%v"
            case 1:
                self.body.append(f"""
          %seven = arith.constant dense<7> : {type}
          %x = arith.muli %v, %seven : {type}""")
            case 2:
                half = vector(self.shape, "i8")
                self.body.append(f"""
          %half = arith.trunci %v : {type} to {half}
          %x = arith.extsi %half : {half} to {type}""")
            case _:
                bounds = [self.random.randrange(1, n + 1) for n in self.shape]
                mask = vector(self.shape, "i1")
                self.body.append(f"""
          %mask = vector.constant_mask {bounds} : {mask}
          %minus = arith.constant dense<-1> : {type}
          %x = arith.select %mask, %v, %minus : {mask}, {type}""")
        return "%x"

    def rearranged(self, source: str) -> tuple[Shape, Map]:
        """`%r`: the transpose, or the same in another map."""
        if self.chance():
            shape = turned(self.shape)
            map = random_map(self.random, shape, self.subgroups)
            maps = f"{{wg_map_result = {wg_map(map)}, wg_map_source = {wg_map(self.map)}}}"
            self.body.append(
                f"%r = xetile.tile_transpose {source}, [1, 0] {maps} : "
                f"{vector(self.shape, TYPE)} -> {vector(shape, TYPE)}"
            )
            return shape, map
        map = random_map(self.random, self.shape, self.subgroups)
        self.body.append(
            f"%r = xetile.tile_conv_layout {source} {{wg_map_result = {wg_map(map)}}} : "
            f"{vector(self.shape, TYPE)}"
        )
        return self.shape, map

    def guarded(self, load: str, type: str) -> str:
        """The load as it is, or where the second of two rounds is."""
        if self.chance():
            return f"%v = {load}"
        return f"""%first = arith.cmpi eq, %i, %c0 : index
          %v = scf.if %first -> ({type}) {{
            %none = arith.constant dense<5> : {type}
            scf.yield %none : {type}
          }} else {{
            %loaded = {load}
            scf.yield %loaded : {type}
          }}"""

    def text(self, *, shared: bool) -> str:
        """Two rounds over a matrix of two tiles, in global memory or in a shared buffer that is filled before.

        In a shared buffer the sanitizer watches the subgroups of a workgroup. It is written again
        without a barrier by those that have read.
        """
        rows, columns = self.shape
        of, type = tile(self.shape, TYPE, self.map), vector(self.shape, TYPE)
        whole = memref((rows, 2 * columns), TYPE)
        space = f"memref<{rows}x{2 * columns}x{TYPE}, 3>"
        self.body = []
        source, taken = "%A", whole
        tiles = of
        if shared:
            source, taken = "%M", space
            tiles = of.replace("tile_attr<", "tile_attr<memory_space = 3, ")
        written = shared and self.chance()
        again = f"""
          %changed = arith.addi %v, %v : {type}
          xetile.store_tile %changed, %t : {type}, {tiles}"""
        self.body.append(self.guarded(f"xetile.load_tile %t : {tiles} -> {type}", type))
        if written and self.chance():
            self.body.append("gpu.barrier")
        value = self.computed()
        if written:
            self.body.append(again)
        prefetches = not shared and self.chance()
        if prefetches:
            self.body.append(f"xetile.prefetch_tile %t : {tiles}")
        shape, map = self.rearranged(value)
        self.body.append("%sum = arith.addi %s, %r : " + vector(shape, TYPE))
        plain = self.chance()
        out = vector(shape, TYPE)
        fill = ""
        if shared:
            fill = "%M = memref.alloc() : " + space
            for part in range(2):
                at = f"[0, {part * columns}]"
                fill += f"""
        %g{part} = xetile.init_tile %A{at} : {whole} -> {of}
        %w{part} = xetile.load_tile %g{part} : {of} -> {type}
        %m{part} = xetile.init_tile %M{at} : {space} -> {tiles}
        xetile.store_tile %w{part}, %m{part} : {type}, {tiles}"""
            if self.chance():
                fill += "\n        gpu.barrier"
        kept = ""
        if plain:
            kept = f"""
          %k = arith.addi %kept, %v : {type}"""
        else:
            kept = f"""
          %k = arith.addi %kept, %kept : {type}"""
        body = "\n          ".join(self.body)
        loop = f"""
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c2 = arith.constant 2 : index
        %step = arith.constant {columns} : index
        {fill}
        %start = xetile.init_tile {source}[0, 0] : {taken} -> {tiles}
        %zero = arith.constant dense<0> : {out}
        %ones = arith.constant dense<1> : {type}
        %end:3 = scf.for %i = %c0 to %c2 step %c1 iter_args(%t = %start, %s = %zero, %kept = %ones)
            -> ({tiles}, {out}, {type}) {{
          {body}{kept}
          %next = xetile.update_tile_offset %t, [%c0, %step] : {tiles}
          scf.yield %next, %sum, %k : {tiles}, {out}, {type}
        }}
        %o = arith.addi %end#1, %end#1 : {out}
        %p = arith.addi %end#2, %end#2 : {type}"""
        stores = convert_and_store("o", "B", memref(shape, TYPE), shape, TYPE, map)
        stores += convert_and_store(
            "p", "C", memref(self.shape, TYPE), self.shape, TYPE, self.map
        )
        self.result = shape
        arguments = [
            f"%A: {whole}",
            f"%B: {memref(shape, TYPE)}",
            f"%C: {memref(self.shape, TYPE)}",
        ]
        return kernel(arguments, self.subgroups, loop + stores)


def arrays_of(program: Program, seed: int) -> list[numpy.ndarray]:
    rows, columns = program.shape
    a = random_array((rows, 2 * columns), TYPE, seed)
    return [a, numpy.zeros(program.result, a.dtype), numpy.zeros(program.shape, a.dtype)]


@pytest.mark.parametrize("shared", [False, True], ids=["global", "shared"])
@pytest.mark.parametrize("seed", range(18))
def test_random_loops(seed: int, *, shared: bool) -> None:
    program = Program(seed)
    text = program.text(shared=shared)
    same_below(text, arrays_of(program, seed), to_level("subgroup"), distributed())


A, B, C = ((8, 4), (32, 32)), ((8, 4), (32, 64)), ((8, 4), (32, 64))
TURNED_A, TURNED_B = ((4, 8), (32, 32)), ((4, 8), (64, 32))


def product(a: str, b: str) -> str:
    """The loop of a product of 32 subgroups; each operand is indexed as it is used, or transposed after its load."""
    return f"""
    !a = {a}
    !b = {b}
    gpu.module @m {{
      gpu.func @k(%A: memref<256x256xf16>, %B: memref<256x256xf16>, %AT: memref<256x256xf16, strided<[1, 256]>>,
          %BT: memref<256x256xf16, strided<[1, 256]>>, %C: memref<256x256xf32>) kernel
          attributes {{known_block_size = array<i32: 512, 1, 1>}} {{
        %c0 = arith.constant 0 : index
        %c32 = arith.constant 32 : index
        %c256 = arith.constant 256 : index
        %zero = arith.constant dense<0.0> : vector<256x256xf32>
        %end = scf.for %k = %c0 to %c256 step %c32 iter_args(%c = %zero) -> (vector<256x256xf32>) {{
          LOAD_A
          LOAD_B
          %n = xetile.tile_mma %a, %b, %c : vector<256x32xf16>, vector<32x256xf16>, vector<256x256xf32> -> vector<256x256xf32>
          scf.yield %n : vector<256x256xf32>
        }}
        %ct = xetile.init_tile %C[0, 0] : memref<256x256xf32> -> {tile((256, 256), "f32", C)}
        xetile.store_tile %end, %ct : vector<256x256xf32>, {tile((256, 256), "f32", C)}
        gpu.return
      }}
    }}"""


VIEWED = {
    "LOAD_A": """%ta = xetile.init_tile %AT[0, %k] : memref<256x256xf16, strided<[1, 256]>> -> !a
          %a = xetile.load_tile %ta : !a -> vector<256x32xf16>""",
    "LOAD_B": """%tb = xetile.init_tile %BT[%k, 0] : memref<256x256xf16, strided<[1, 256]>> -> !b
          %b = xetile.load_tile %tb : !b -> vector<32x256xf16>""",
}
TURNED = {
    "LOAD_A": """%ta = xetile.init_tile %A[%k, 0] : memref<256x256xf16> -> !a
          %at = xetile.load_tile %ta : !a -> vector<32x256xf16>
          %a = xetile.tile_transpose %at, [1, 0] : vector<32x256xf16> -> vector<256x32xf16>""",
    "LOAD_B": """%tb = xetile.init_tile %B[0, %k] : memref<256x256xf16> -> !b
          %bt = xetile.load_tile %tb : !b -> vector<256x32xf16>
          %b = xetile.tile_transpose %bt, [1, 0] : vector<256x32xf16> -> vector<32x256xf16>""",
}


def loads_of(text: str, device: str) -> tuple[int, int]:
    """The 2D loads, and the barriers, of a kernel on a device."""
    module = lower(parse_text(text, "product.mlir"), to="xevm", device=device)
    names = [op.name for op in module.walk()]
    return names.count("xevm.blockload2d"), names.count("gpu.barrier")


@pytest.mark.parametrize("device", ["bmg", "pvc", "cri"])
@pytest.mark.parametrize("written", [True, False], ids=["written", "inferred"])
def test_transposes_of_loads_take_as_many_messages_as_column_major_tiles(
    device: str, *, written: bool
) -> None:
    def of(shape: Shape, map: Map, more: str = "") -> str:
        return tile(shape, "f16", map if written else None, more)

    column_major = "order = [0, 1]"
    viewed = product(of((256, 32), A, column_major), of((32, 256), B, column_major))
    turned_ = product(of((32, 256), TURNED_A), of((256, 32), TURNED_B))
    for name in ("LOAD_A", "LOAD_B"):
        viewed = viewed.replace(name, VIEWED[name])
        turned_ = turned_.replace(name, TURNED[name])
    loads, barriers = loads_of(turned_, device)
    assert (loads, barriers) == loads_of(viewed, device)
    assert barriers == 0 < loads

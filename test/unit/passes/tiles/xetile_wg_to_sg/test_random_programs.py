"""Random workgroup programs of every op that moves data between subgroups: distribution keeps their bits."""

from math import prod
from random import Random
from typing import NamedTuple

import numpy
import pytest
from support.subgroup import Shape, memref, turned, vector
from support.workgroup import (
    Map,
    convert_and_store,
    distributed,
    kernel,
    load,
    own_map,
    random_array,
    same_below,
    to_level,
    wg_map,
)
from xdsl.dialects.builtin import ModuleOp

SHAPES = ((16, 24), (24, 16), (12, 36), (32, 32), (1, 48))
KINDS = ("add", "mul", "minui", "minsi", "maxui", "maxsi", "and", "or", "xor")


class Value(NamedTuple):
    """A vector of i32 of the program, with its map."""

    name: str
    shape: Shape
    map: Map


class Program:
    """A program that grows; all its values are i32, whose sums are the same in any order."""

    def __init__(self, seed: int) -> None:
        self.random = Random(seed)
        cases = [(n, s) for n in (2, 4, 6, 8, 12) for s in SHAPES if own_map(s, n) is not None]
        self.subgroups, shape = self.random.choice(cases)
        self.shape: Shape = shape
        start = Value("v", self.shape, self.map_of(self.shape))
        self.argument = memref(self.shape, "i32")
        self.body = load("v", "A", self.argument, start.shape, "i32", start.map)
        self.value = start
        self.count = 0

    def map_of(self, shape: Shape) -> Map:
        """A map that distributes the shape over the program's subgroups."""
        rows = self.random.choice(
            [n for n in range(1, self.subgroups + 1) if self.subgroups % n == 0]
        )
        layout = (rows, self.subgroups // rows)
        data = [
            self.random.choice(legal_units(n, g)) for n, g in zip(shape, layout, strict=True)
        ]
        return layout, (data[0], data[1])

    def emit(self, text: str, shape: Shape, map: Map) -> None:
        """Add an op; `{r}` is its result, `{v}` and `{t}` the last value and its type."""
        self.count += 1
        name = f"v{self.count}"
        types = {"t": vector(self.value.shape, "i32"), "to": vector(shape, "i32")}
        self.body += "\n" + text.format(r=f"%{name}", v=f"%{self.value.name}", **types)
        self.value = Value(name, shape, map)

    def maps(self, result: Map) -> str:
        """Both maps as attributes, in the braces that `format` wants."""
        return f"{{{{wg_map_result = {wg_map(result)}, wg_map_source = {wg_map(self.value.map)}}}}}"

    def change(self) -> None:
        """A change of the map."""
        map = self.map_of(self.value.shape)
        self.emit(
            f"{{r}} = xetile.tile_conv_layout {{v}} {self.maps(map)} : {{t}}",
            self.value.shape,
            map,
        )

    def transpose(self) -> None:
        """A transpose between any two maps."""
        shape = turned(self.value.shape)
        map = self.map_of(shape)
        self.emit(
            f"{{r}} = xetile.tile_transpose {{v}}, [1, 0] {self.maps(map)} : {{t}} -> {{to}}",
            shape,
            map,
        )

    def reduce(self) -> None:
        """A reduction between any two maps, and the broadcast back."""
        whole, dims = self.value.shape, self.random.choice(([0], [1], [0, 1]))
        rows, columns = (1 if d in dims else n for d, n in enumerate(whole))
        map = self.map_of((rows, columns))
        kind = self.random.choice(KINDS)
        self.emit(
            f"{{r}} = xetile.tile_reduce <{kind}>, {{v}} {dims} {self.maps(map)} : {{t}} -> {{to}}",
            (rows, columns),
            map,
        )
        wide = self.map_of(whole)
        source = tuple(1 if d in dims else n for d, n in enumerate(wide[1]))
        narrow = (wide[0], (source[0], source[1]))
        self.emit(
            f"{{r}} = xetile.tile_conv_layout {{v}} {self.maps(narrow)} : {{t}}",
            (rows, columns),
            narrow,
        )
        self.emit(
            f"{{r}} = xetile.tile_broadcast {{v}} {dims} {self.maps(wide)} : {{t}} -> {{to}}",
            whole,
            wide,
        )

    def mask(self) -> None:
        """Elements outside of a random box are negated, all are mixed with a constant that is no splat."""
        rows, columns = self.value.shape
        values = [
            [self.random.randrange(-99, 99) for _ in range(columns)] for _ in range(rows)
        ]
        bounds = [self.random.randrange(1, n + 1) for n in self.value.shape]
        i = self.count
        mask = vector(self.value.shape, "i1")
        self.body += f"""
        %d{i} = arith.constant dense<{values}> : {vector(self.value.shape, "i32")}
        %m{i} = vector.constant_mask {bounds} : {mask}"""
        self.emit(
            f"{{r}} = arith.select %m{i}, {{v}}, %d{i} : {mask}, {{t}}",
            self.value.shape,
            self.value.map,
        )

    def text(self) -> str:
        """The kernel, which stores the last value."""
        shape, map = self.value.shape, self.value.map
        output = memref(shape, "i32")
        end = convert_and_store(self.value.name, "B", output, shape, "i32", map)
        return kernel(
            [f"%A: {self.argument}", f"%B: {output}"], self.subgroups, self.body + end
        )


def legal_units(extent: int, subgroups: int) -> list[int]:
    """The sg_data that distribute an extent over subgroups."""
    units = [unit for unit in range(1, extent + 1) if extent % unit == 0]
    return [u for u in units if subgroups % (extent // u) == 0 or extent // u % subgroups == 0]


@pytest.mark.parametrize("seed", range(25))
def test_random_programs(seed: int) -> None:
    program = Program(seed)
    steps = (program.change, program.transpose, program.reduce, program.mask)
    for _ in range(6):
        program.random.choice(steps)()
    a = random_array(program.shape, "i32", seed)
    arrays = [a, numpy.zeros(program.value.shape, a.dtype)]
    limit = program.random.choice((64, 256, 1024))

    def blocked_in_bands(module: ModuleOp) -> None:
        distributed(limit)(module)
        to_level("blocked")(module)

    found = same_below(
        program.text(), arrays, to_level("subgroup"), distributed(), blocked_in_bands
    )
    assert found[1].size == prod(program.shape)

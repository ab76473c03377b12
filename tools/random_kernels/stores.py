"""Drawing stores: each workgroup has its own elements of each output, so that their order does not matter."""

import numpy as np

from tools.random_kernels.arrays import BYTES, added, put, seen
from tools.random_kernels.expressions import Expressions
from tools.random_kernels.indices import affine, program_id
from tools.random_kernels.nodes import INDEX, Frame, Kind, Node, Step, Value, step


class Stores(Expressions):
    """Stores of a tile to a new array."""

    def output(self, value: Node, number: int) -> None:
        """Store a tile to a region, to rows or columns that are data, or add it."""
        random = self.random
        element, rows, columns = value.kind
        width_of_grid, height_of_grid = self.grid
        batched = height_of_grid > 1 and random.random() < 0.5
        height = self.reached(rows * width_of_grid)
        width = self.reached(columns * (1 if batched else height_of_grid))
        if random.random() < 0.6:
            bytes = BYTES[element]
            width = max(-(-width * bytes // 16) * 16, 64) // bytes
        transposed = random.random() < 0.25
        shape = [height_of_grid] * batched + (
            [width, height] if transposed else [height, width]
        )
        data = self.numbers(tuple(shape), 0, 7)
        array = self.array(element, data, written=True)
        batch = (program_id(1, self.grid),) if batched else ()
        row = self.bind(self.own(rows), "r")
        first = 0 if batched else 1
        column = program_id(1, self.grid) if first else self.index(0, 0)
        column = self.bind(affine(column, 0, columns), "c")
        places = [self.slice_of(row, rows, 0), self.slice_of(column, columns, 1)]
        scattered = random.random() < 0.3
        if scattered:
            places[0] = self.permuted(rows)
        adds = element in ("f32", "i32") and random.random() < 0.2
        masks = [self.mask(places[0], height)] if scattered and random.random() < 0.4 else []
        view = f"{array.name}.T" if transposed else array.name
        indices = ", ".join("{}" for _ in (*batch, *places))
        mask = ", mask={}" if masks else ""
        method = "add" if adds else "store"
        form = f"{view}[{indices}] = {{}}"
        if adds or masks or random.random() < 0.2:
            form = f"{view}.at[{indices}].{method}({{}}{mask})"
        batches = len(batch)

        def run(frame: Frame, self: Step) -> None:
            values = [node.value(frame) for node in self.nodes]
            matrix = seen(frame.arrays[array.name], values[:batches], transposed=transposed)
            at, rest = values[batches : batches + 2], values[batches + 2 :]
            held = rest[1] if masks else np.asarray(1)
            (added if adds else put)(matrix, at[0], at[1], rest[0], held)

        self.block.append(step(form, run, *batch, *places, value, *masks))

    def reached(self, size: int) -> int:
        """The extent of an output, of which tiles may reach beyond it."""
        return max(1, size + self.random.choice((0, 0, 0, 0, -1, -3, 2, 7)))

    def own(self, rows: int) -> Node:
        """The first row of the workgroup, which data may say."""
        count = self.grid[0]
        if self.random.random() < 0.6:
            return affine(program_id(0, self.grid), 0, rows)
        order = np.random.default_rng(self.random.getrandbits(32)).permutation(count)
        array = self.array("i32", order)

        def compute(frame: Frame, values: list[Value]) -> Value:
            (at,) = values
            return frame.arrays[array.name][int(at)]

        node = Node(
            INDEX,
            f"xt.index({array.name}[{{}}])",
            compute,
            0,
            count,
            (program_id(0, self.grid),),
        )
        return affine(node, 0, rows)

    def permuted(self, rows: int) -> Node:
        """Rows of which no workgroup has another's."""
        count = self.grid[0]
        order = np.random.default_rng(self.random.getrandbits(32)).permutation(rows * count)
        array = self.array("i32", order)
        first = self.bind(affine(program_id(0, self.grid), 0, rows), "m")

        def compute(frame: Frame, values: list[Value]) -> Value:
            (at,) = values
            return frame.arrays[array.name][int(at) : int(at) + rows].reshape(rows, 1)

        form = f"{array.name}[{{0}} : {{0}} + {rows}, None]"
        return self.bind(
            Node(Kind("i32", rows, 1), form, compute, 0, rows * count, (first,)), "i"
        )

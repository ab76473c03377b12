"""Drawing tiles, of which most are loaded, and expressions of them."""

from collections.abc import Callable

import numpy as np

from tools.random_kernels.arrays import BYTES, Array, seen, taken
from tools.random_kernels.indices import BOUNDARY, FLOATS, Drawing, start
from tools.random_kernels.nodes import (
    INTEGERS,
    Frame,
    Kind,
    Node,
    Value,
    limits,
)


class Expressions(Drawing):
    """Tiles of a kind, with operators up to a depth."""

    def tile(self, kind: Kind, depth: int) -> Node:
        """A tile whose elements its type holds exactly."""
        low, high = limits(kind.element)
        for _ in range(4):
            names, block, arrays = dict(self.names), [*self.block], [*self.arrays]
            found = self.attempt(kind, depth)
            if kind.element in INTEGERS or (low <= found.low and found.high <= high):
                return found
            self.names, self.block[:], self.arrays[:] = names, block, arrays
            depth = max(0, depth - 1)
        return self.load(kind)

    def attempt(self, kind: Kind, depth: int) -> Node:
        """A tile whose elements may be too large."""
        random = self.random
        known = [node for node in self.names.values() if node.kind == kind]
        if known and random.random() < 0.3:
            return random.choice(known)
        if depth == 0 or random.random() < 0.2:
            if random.random() < 0.12:
                return self.full(kind)
            return self.load(kind)
        forms: list[Callable[[Kind, int], Node]] = [
            self.binary,
            self.binary,
            self.broadcast,
            self.select,
            self.transposed,
            self.converted,
            self.load_of,
            self.load_of,
        ]
        if 1 in (kind.rows, kind.columns):
            forms += [self.reduced] * 3
        if kind.element in ("f32", "i32") and min(kind.rows, kind.columns) > 1:
            forms += [self.product]
        if kind.element in INTEGERS:
            forms += [self.bits]
        return random.choice(forms)(kind, depth - 1)

    def load_of(self, kind: Kind, _: int) -> Node:
        """A load, whatever the depth."""
        return self.load(kind)

    def full(self, kind: Kind) -> Node:
        """A tile of one number."""
        number = self.random.randint(0, 7)
        form = f"xt.full(({kind.rows}, {kind.columns}), {number}, xt.{kind.element})"
        shape = kind.rows, kind.columns
        return Node(kind, form, lambda _, v: np.full(shape, number), number, number)

    def binary(self, kind: Kind, depth: int) -> Node:
        """Two tiles of the kind, one operator."""
        return self.combined(kind, self.tile(kind, depth), self.tile(kind, depth))

    def combined(self, kind: Kind, one: Node, other: Node) -> Node:
        """Two tiles, one operator."""
        choices = ("+", "-", "*", "max", "min")
        operator = self.random.choice(choices)
        if operator in ("max", "min"):
            function = np.maximum if operator == "max" else np.minimum
            low, high = min(one.low, other.low), max(one.high, other.high)
            form = f"xt.{operator}imum({{}}, {{}})"
            return Node(kind, form, lambda _, v: function(v[0], v[1]), low, high, (one, other))
        functions: dict[str, Callable[[int, int], int]] = {
            "+": lambda a, b: a + b,
            "-": lambda a, b: a - b,
            "*": lambda a, b: a * b,
        }
        operation = functions[operator]
        corners = [
            operation(a, b) for a in (one.low, one.high) for b in (other.low, other.high)
        ]
        low, high = self.held(kind, min(corners), max(corners))
        form = f"({{}} {operator} {{}})"

        def compute(_: Frame, values: list[Value]) -> Value:
            a, b = values
            if operator == "+":
                return a + b
            return a - b if operator == "-" else a * b

        return Node(kind, form, compute, low, high, (one, other))

    def held(self, kind: Kind, low: int, high: int) -> tuple[int, int]:
        """The range of a result, that of its whole type where it may wrap."""
        if kind.element in INTEGERS:
            least, most = INTEGERS[kind.element]
            return (low, high) if least <= low and high <= most else (least, most)
        return low, high

    def broadcast(self, kind: Kind, depth: int) -> Node:
        """A tile and a row or a column."""
        narrow = self.random.choice((kind._replace(rows=1), kind._replace(columns=1)))
        return self.combined(kind, self.tile(kind, depth), self.tile(narrow, depth))

    def select(self, kind: Kind, depth: int) -> Node:
        """One of two tiles, by element."""
        parts = [self.tile(kind, depth), *(self.tile(kind, 0) for _ in range(3))]
        operator = self.random.choice(("<", ">=", "=="))

        def compute(_: Frame, values: list[Value]) -> Value:
            a, b, c, d = values
            chosen = {"<": a < b, ">=": a >= b, "==": a == b}[operator]
            return np.where(chosen, c, d)

        low, high = min(n.low for n in parts[2:]), max(n.high for n in parts[2:])
        form = f"xt.where({{}} {operator} {{}}, {{}}, {{}})"
        return Node(kind, form, compute, low, high, tuple(parts))

    def transposed(self, kind: Kind, depth: int) -> Node:
        """A tile that is exchanged."""
        part = self.tile(Kind(kind.element, kind.columns, kind.rows), depth)
        return Node(kind, "({}).T", lambda _, v: v[0].T, part.low, part.high, (part,))

    def converted(self, kind: Kind, depth: int) -> Node:
        """From another type; only floats whose values an integer type holds become integers."""
        element = self.random.choice(("f32", "f16", "i32", "i8", "ui8", "i16", "bf16"))
        part = self.tile(kind.of(element), depth)
        low, high = part.low, part.high
        if kind.element in INTEGERS:
            least, most = INTEGERS[kind.element]
            if not (least <= low and high <= most):
                if element in FLOATS:
                    return self.load(kind)
                low, high = least, most
        form = f"({{}}).to(xt.{kind.element})"
        return Node(kind, form, lambda _, v: v[0], low, high, (part,))

    def reduced(self, kind: Kind, depth: int) -> Node:
        """A row or a column that is reduced from a wider tile."""
        axis = 0 if kind.rows == 1 else 1
        if kind.rows == kind.columns == 1:
            axis = self.random.randrange(2)
        extent = self.random.choice((3, 5, 8, 16, 16, 32, 24))
        wide = kind._replace(rows=extent) if axis == 0 else kind._replace(columns=extent)
        part = self.tile(wide, depth)
        chosen = self.random.choice(("sum", "max", "min"))
        low, high = part.low, part.high
        if chosen == "sum":
            low, high = self.held(kind, min(0, extent * low), max(0, extent * high))

        def compute(_: Frame, values: list[Value]) -> Value:
            (a,) = values
            found = {"sum": a.sum, "max": a.max, "min": a.min}[chosen]
            return found(axis=axis, keepdims=True)

        return Node(kind, f"({{}}).{chosen}({axis})", compute, low, high, (part,))

    def product(self, kind: Kind, depth: int) -> Node:
        """A product of two tiles."""
        element = self.random.choice(
            ("f16", "bf16") if kind.element == "f32" else ("i8", "ui8")
        )
        depth_of = self.random.choice((8, 16, 16, 32, 5))
        left = self.tile(Kind(element, kind.rows, depth_of), min(depth, 1))
        right = self.tile(Kind(element, depth_of, kind.columns), 0)
        most = depth_of * max(-left.low, left.high) * max(-right.low, right.high)
        return Node(kind, "({} @ {})", lambda _, v: v[0] @ v[1], -most, most, (left, right))

    def bits(self, kind: Kind, depth: int) -> Node:
        """The bits of two tiles."""
        operator = self.random.choice("&|^")

        def compute(_: Frame, values: list[Value]) -> Value:
            a, b = values
            return a & b if operator == "&" else a | b if operator == "|" else a ^ b

        low, high = INTEGERS[kind.element]
        parts = self.tile(kind, depth), self.tile(kind, depth)
        return Node(kind, f"({{}} {operator} {{}})", compute, low, high, parts)

    def load(self, kind: Kind) -> Node:
        """A region or a gather of a new array, bound to a name."""
        random = self.random
        element, rows, columns = kind
        transposed = random.random() < 0.25
        array = self.matrix(kind, transposed=transposed)
        shape = array.shape
        height, width = shape[:-3:-1] if transposed else shape[-2:]
        batches = len(shape) - 2
        batch = tuple(self.bind(self.index(0, n - 1), "b") for n in shape[:batches])
        contiguous = transposed == array.column_major
        row = self.bind(start(self, height, rows, None if contiguous else element), "r")
        column = self.bind(start(self, width, columns, element if contiguous else None), "c")
        places = [self.slice_of(row, rows, 0), self.slice_of(column, columns, 1)]
        masks = list[Node]()
        if random.random() < 0.35:
            axis = random.randrange(2)
            extent, size = ((height, rows), (width, columns))[axis]
            places[axis] = self.scattered(extent, size, axis)
            if random.random() < 0.3:
                masks = [self.mask(places[axis], extent)]
        padding = random.choice((0, 0, 0, 3))
        view = f"{array.name}.T" if transposed else array.name
        indices = ", ".join("{}" for _ in (*batch, *places))
        arguments = [f"padding={padding}"] * (padding != 0) + ["mask={}"] * len(masks)
        form = f"{view}[{indices}]"
        if arguments:
            form = f"{view}.at[{indices}].load({', '.join(arguments)})"

        def compute(frame: Frame, values: list[Value]) -> Value:
            matrix = seen(frame.arrays[array.name], values[:batches], transposed=transposed)
            at = values[batches : batches + 2]
            found = taken(matrix, at[0], at[1], padding)
            return np.where(values[-1] != 0, found, padding) if masks else found

        low, high = min(array.low, padding), max(array.high, padding)
        node = Node(kind, form, compute, low, high, (*batch, *places, *masks))
        return self.bind(node, "x")

    def matrix(self, kind: Kind, *, transposed: bool) -> Array:
        """An array that is loaded already, or a new one that such a tile is taken of."""
        random = self.random
        known = [
            a
            for a in self.arrays
            if a.element == kind.element and len(a.shape) > 1 and not a.written
        ]
        if known and random.random() < 0.5:
            return random.choice(known)
        shape = [random.choice((1, 2, 3)) for _ in range(random.choice((0, 0, 0, 1, 2)))]
        last = [self.extent(kind.rows), self.width(kind.columns, kind.element)]
        shape += reversed(last) if transposed else last
        low = 0 if kind.element == "ui8" else -5
        return self.array(kind.element, self.numbers(tuple(shape), low, 5))

    def extent(self, size: int) -> int:
        """The extent of a dimension that such a tile lies in, at times in part."""
        return max(
            1,
            size * self.random.choice((1, 2, 3)) + self.random.choice((0, 0, 0, -1, 1, -3, 5)),
        )

    def width(self, columns: int, element: str) -> int:
        """The extent of the last dimension, mostly one that block messages reach."""
        bytes = BYTES[element]
        if self.random.random() < 0.6:
            least = max(BOUNDARY, columns * bytes)
            return -(-least // 16) * 16 // bytes + self.random.choice((0, 0, 16))
        return self.extent(columns)

    def slice_of(self, first: Node, size: int, axis: int) -> Node:
        """A place in brackets: as many rows or columns from a first one."""

        def compute(_: Frame, values: list[Value]) -> Value:
            (at,) = values
            places = at + np.arange(size)
            return places[:, None] if axis == 0 else places[None, :]

        return Node(Kind("place"), f"{{0}} : {{0}} + {size}", compute, 0, 0, (first,))

    def scattered(self, extent: int, size: int, axis: int) -> Node:
        """A tile of indices: data, or computed."""
        random = self.random
        shape = (size, 1) if axis == 0 else (1, size)
        kind = Kind("i32", *shape)
        if random.random() < 0.6:
            reach = random.choice((0, 0, 2))
            shift = random.choice((0, 0, 3))
            array = self.array(
                "i32", self.numbers((size + shift,), -reach, extent - 1 + reach)
            )
            first = f"{shift}:{shift + size}"
            form = f"{array.name}[{first}, None]" if axis == 0 else f"{array.name}[{first}]"

            def load(frame: Frame, values: list[Value]) -> Value:
                return frame.arrays[array.name][shift : shift + size].reshape(shape)

            node = Node(kind, form, load, -reach, extent)
        else:
            scale, first = random.choice((1, 1, 2, 3)), self.bind(self.index(0, 5), "f")
            form = f"(xt.arange(0, {size}, axis={axis}) * {scale} + {{}}) % {extent}"

            def count(_: Frame, values: list[Value]) -> Value:
                (at,) = values
                return ((np.arange(size) * scale + at) % extent).reshape(shape)

            node = Node(Kind("index", *shape), form, count, 0, extent, (first,))
        return self.bind(node, "i")

    def mask(self, places: Node, extent: int) -> Node:
        """Which of the places of a gather are taken."""
        limit = self.random.randint(0, extent)
        kind = places.kind.of("i1")
        return Node(
            kind,
            f"{{}} < {limit}",
            lambda _, v: (v[0] < limit).astype(np.int64),
            0,
            1,
            (places,),
        )

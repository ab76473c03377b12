"""Texts of kernels in blocks: lines with counted names, and types of descriptors."""

from dataclasses import dataclass, field


@dataclass
class Text:
    """Lines with counted names."""

    lines: list[str] = field(default_factory=list[str])
    types: dict[str, str] = field(default_factory=dict[str, str])
    count: int = 0

    def add(self, line: str) -> None:
        """A line as it is."""
        self.lines.append(line)

    def new(self, operation: str) -> str:
        """An op with a result, and its name."""
        self.count += 1
        self.add(f"%v{self.count} = {operation}")
        return f"%v{self.count}"

    def constant(self, number: int) -> str:
        """An index."""
        return self.new(f"arith.constant {number} : index")

    def plus(self, value: str, number: int) -> str:
        """An index so much further."""
        if not number:
            return value
        return self.new(f"arith.addi {value}, {self.constant(number)} : index")

    def load(
        self,
        tile: str,
        place: tuple[str, str],
        shape: tuple[int, int],
        element: str,
        *,
        blocks: int = 1,
    ) -> list[str]:
        """Blocks side by side, by one load."""
        flat = f"vector<{shape[0]}x{shape[1]}x{element}>"
        kind = descriptor(shape, element, blocks)
        at = f"xegpu.load_nd {tile}[{place[0]}, {place[1]}] : {kind}"
        if blocks == 1:
            return [self.new(f"{at} -> {flat}")]
        whole = f"vector<{blocks}x{shape[0]}x{shape[1]}x{element}>"
        loaded = self.new(f"{at} -> {whole}")
        return [
            self.new(f"vector.extract {loaded}[{number}] : {flat} from {whole}")
            for number in range(blocks)
        ]

    def rows(
        self, value: str, first: int, count: int, shape: tuple[int, int], element: str
    ) -> str:
        """Some rows of a block."""
        if count == shape[0]:
            return value
        return self.new(
            f"vector.extract_strided_slice {value} "
            f"{{offsets = [{first}, 0], sizes = [{count}, {shape[1]}], strides = [1, 1]}} : "
            f"vector<{shape[0]}x{shape[1]}x{element}> to vector<{count}x{shape[1]}x{element}>"
        )

    def chain(self, op: str, values: list[str], flags: str = "") -> str:
        """Blocks of 8x16 combined, one after the other."""
        total = values[0]
        for value in values[1:]:
            total = self.new(f"arith.{op} {total}, {value}{flags} : vector<8x16xf32>")
        return total

    def across(self, kind: str, value: str) -> str:
        """What a row of a block of 8x16 has in all its columns, combined, in each of them."""
        tile = "vector<8x16xf32>"
        start = "0.0" if kind == "add" else "0xFF800000"
        initial = self.new(f"arith.constant dense<{start}> : vector<8xf32>")
        line = self.new(
            f"vector.multi_reduction <{kind}>, {value}, {initial} [1] : {tile} to vector<8xf32>"
        )
        column = self.new(f"vector.shape_cast {line} : vector<8xf32> to vector<8x1xf32>")
        return self.new(f"vector.broadcast {column} : vector<8x1xf32> to {tile}")


def descriptor(shape: tuple[int, int], element: str, array_length: int = 1) -> str:
    """The type of a descriptor."""
    array = (
        f", #xegpu.block_tdesc_attr<array_length = {array_length} : i64>"
        if array_length > 1
        else ""
    )
    return f"!xegpu.tensor_desc<{shape[0]}x{shape[1]}x{element}{array}>"

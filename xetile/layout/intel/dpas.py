"""Register layouts that Intel's hardware prescribes: DPAS operands and 2D blocks of a subgroup.

Dimension names are Triton's: register, lane, warp (the subgroup), block; dim0, dim1 (rows, columns).

Source of the rules: intel/intel-xpu-backend-for-triton, lib/Dialect/TritonIntelGPU/IR/LinearLayoutConversions.cpp
(`DPAStoLinearLayout`, `BlockScaledDPAStoLinearLayout`, `subgroup2DBlockToLinearLayout`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from xetile.layout.algebra.columns import combine_cta_cga_with_shape
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

_OPERANDS = ("a", "b", "c")


def dpas_instruction_shape(
    operand: str,
    *,
    repeat_count: int,
    ops_per_channel: int,
    systolic_depth: int = 8,
    execution_size: int = 16,
) -> tuple[int, int]:
    """Rows and columns, in elements, of what one DPAS takes as `operand` "a" or "b", or gives as "c".

    Raises:
        LayoutError: there is no such operand.
    """
    depth = systolic_depth * ops_per_channel
    shapes = {
        "a": (repeat_count, depth),
        "b": (depth, execution_size),
        "c": (repeat_count, execution_size),
    }
    if operand not in shapes:
        raise LayoutError(f"operand '{operand}' of DPAS must be one of a, b, c")
    return shapes[operand]


def dpas_operand_layout(
    operand: str,
    shape: Sequence[int],
    *,
    repeat_count: int = 8,
    ops_per_channel: int,
    systolic_depth: int = 8,
    execution_size: int = 16,
    lanes: int = 16,
) -> LinearLayout:
    """(register, lane) -> (dim0, dim1) of one subgroup's whole tile, as a sequence of DPAS takes it.

    The registers of one instruction come first. Instructions repeat along K before M for A, along K before N
    for B, along N before M for C.

    Args:
        operand: "a" (M x K), "b" (K x N) or "c" (M x N; accumulator and result).
        shape: rows and columns of the tile, in elements: multiples of the instruction's by powers of two.
        repeat_count: rows of A and C per instruction: 1, 2, 4 or 8.
        ops_per_channel: elements per 32 bits of K: 1 (tf32), 2 (16 bits), 4 (8 bits), 8 (4 bits).
        systolic_depth: 8 on every device.
        execution_size: columns of B and C per instruction.
        lanes: lanes of the subgroup.

    Raises:
        LayoutError: no such operand or instruction, or the tile is not made of whole instructions.
    """
    if len(shape) != 2:
        raise LayoutError(f"shape {list(shape)} of DPAS must be rows and columns")
    return _operand_layout(
        operand,
        (shape[0], shape[1]),
        (repeat_count, ops_per_channel, systolic_depth, execution_size, lanes),
    )


def dpas_register_word(operand: str, *, ops_per_channel: int) -> int:
    """How many elements of a DPAS operand share one register word; they are its lowest registers.

    A is taken in 16-bit words (tf32: 32), B in 32-bit words of consecutive rows, C element by element.

    Raises:
        LayoutError: no such operand.
    """
    words = {"a": max(1, ops_per_channel // 2), "b": ops_per_channel, "c": 1}
    if operand not in words:
        raise LayoutError(f"operand '{operand}' of DPAS must be one of a, b, c")
    return words[operand]


@lru_cache(maxsize=256)
def _operand_layout(
    operand: str, shape: tuple[int, int], parameters: tuple[int, int, int, int, int]
) -> LinearLayout:
    repeat_count, ops_per_channel, systolic_depth, execution_size, lanes = parameters
    instruction = dpas_instruction_shape(
        operand,
        repeat_count=repeat_count,
        ops_per_channel=ops_per_channel,
        systolic_depth=systolic_depth,
        execution_size=execution_size,
    )
    tile = dpas_instruction_layout(
        operand,
        repeat_count=repeat_count,
        ops_per_channel=ops_per_channel,
        systolic_depth=systolic_depth,
        execution_size=execution_size,
        lanes=lanes,
    )
    repetitions = [extent // step for extent, step in zip(shape, instruction, strict=True)]
    for extent, step, count in zip(shape, instruction, repetitions, strict=True):
        if extent % step or count < 1 or count & (count - 1):
            raise LayoutError(
                f"operand {operand} of shape {list(shape)} is not made of DPAS operands of "
                f"{list(instruction)}; legal are those extents times powers of two"
            )
    first, second = (0, 1) if operand == "b" else (1, 0)
    for d in (first, second):
        tile = tile * LinearLayout.identity_1d(repetitions[d], "register", f"dim{d}")
    return tile


@lru_cache(maxsize=64)
def dpas_instruction_layout(
    operand: str,
    *,
    repeat_count: int,
    ops_per_channel: int,
    systolic_depth: int = 8,
    execution_size: int = 16,
    lanes: int = 16,
) -> LinearLayout:
    """(register, lane) -> (dim0, dim1) of one DPAS instruction's operand; arguments as above.

    Where the operand has fewer elements than there are lanes, the lanes beyond hold it again.

    Raises:
        LayoutError: there is no such instruction.
    """
    _check_instruction(repeat_count, ops_per_channel, systolic_depth, execution_size, lanes)
    shape = dpas_instruction_shape(
        operand,
        repeat_count=repeat_count,
        ops_per_channel=ops_per_channel,
        systolic_depth=systolic_depth,
        execution_size=execution_size,
    )
    word = dpas_register_word(operand, ops_per_channel=ops_per_channel)
    word_dim = "dim0" if operand == "b" else "dim1"
    rows, columns = (shape[0] // word, shape[1]) if operand == "b" else (shape[0], shape[1] // word)
    lane_columns = min(lanes, columns)
    lane_rows = min(lanes // lane_columns, rows)
    layout = (
        LinearLayout.identity_1d(word, "register", word_dim)
        * LinearLayout.identity_1d(lane_columns, "lane", "dim1")
        * LinearLayout.identity_1d(columns // lane_columns, "register", "dim1")
        * LinearLayout.identity_1d(lane_rows, "lane", "dim0")
        * LinearLayout.zeros_1d(lanes // lane_columns // lane_rows, "lane", "dim0")
        * LinearLayout.identity_1d(rows // lane_rows, "register", "dim0")
    )
    return layout.transpose_ins(["register", "lane"]).transpose_outs(["dim0", "dim1"])


def _check_instruction(
    repeat_count: int, ops_per_channel: int, systolic_depth: int, execution_size: int, lanes: int
) -> None:
    for name, value, legal in (
        ("repeat_count", repeat_count, (1, 2, 4, 8)),
        ("ops_per_channel", ops_per_channel, (1, 2, 4, 8)),
        ("systolic_depth", systolic_depth, (8,)),
        ("execution_size", execution_size, (8, 16)),
        ("lanes", lanes, (8, 16, 32)),
    ):
        if value not in legal:
            choices = ", ".join(str(choice) for choice in legal)
            raise LayoutError(f"{name} = {value} of DPAS must be one of {choices}")
    if lanes < execution_size:
        raise LayoutError(f"{lanes} lanes are fewer than DPAS's execution_size = {execution_size}")


class Dpas(NamedTuple):
    """Intel's `#ttig.dpas`: how a workgroup's tiles lie in the registers of its subgroups for DPAS.

    Attributes:
        repeat_count: rows of A and C per instruction.
        systolic_depth: 8.
        execution_size: columns of B and C per instruction.
        ops_per_channel: elements of K per 32 bits.
        threads_per_warp: lanes of the subgroup.
        warps_per_cta: subgroups per dimension (batch, rows, columns), the last dimension fastest.
        rep_cluster: instructions of one subgroup side by side per dimension.
        fp4_k_pack: 2 where two 4-bit elements share a byte, else 1.
    """

    repeat_count: int
    systolic_depth: int
    execution_size: int
    ops_per_channel: int
    threads_per_warp: int
    warps_per_cta: tuple[int, ...]
    rep_cluster: tuple[int, ...]
    fp4_k_pack: int = 1

    @property
    def instruction_shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Shapes of A, B and C of one instruction, in elements."""
        depth = self.systolic_depth * self.ops_per_channel
        rows, columns = self.repeat_count, self.execution_size
        return (rows, depth), (depth, columns), (rows, columns)

    @property
    def cluster_shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Shapes of A, B and C of one subgroup's cluster of instructions, in elements."""
        (rows, depth), (_, columns), _ = self.instruction_shapes
        rows, columns = rows * self.rep_cluster[-2], columns * self.rep_cluster[-1]
        return (rows, depth), (depth, columns), (rows, columns)

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """The layout of C: (register, lane, warp, block) -> (dim0, dim1, ...) for a tile of `shape`."""
        return self.operand_layout(2, shape)

    def operand_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """The layout of operand 0 (A), 1 (B) or 2 (C): (register, lane, warp, block) -> (dim0, ...).

        Where the tile is smaller than what the subgroups hold together, they hold it several times.

        Args:
            operand: 0, 1 or 2.
            shape: extents in elements, powers of two: rows and columns, before them a batch where rank is 3.

        Raises:
            LayoutError: no such instruction, or the rank is not that of the warps.
        """
        self._check(shape)
        self._check_operand(operand)
        rank = len(shape)
        outer = rank - 1 if operand == 1 else rank - 2
        inner = rank - 2 if operand == 1 else rank - 1
        layout = self._tile(operand, rank)
        if operand == 2:
            layout = layout * _repeat(self.rep_cluster[-1], inner)
        layout = layout * _repeat(self.rep_cluster[-1 if operand == 1 else -2], outer)
        for d in (rank - 1, rank - 2):
            shared = operand != 2 and d == inner
            layout = layout * _warps(self.warps_per_cta[d], d, shared=shared)
        if rank == 3:
            layout = layout * _warps(self.warps_per_cta[0], 0, shared=False)
        cluster = self.cluster_shapes[operand]
        for d in (inner, outer):
            held = cluster[d - rank]
            if operand == 2 or d == outer:
                held *= self.warps_per_cta[d]
            layout = layout * _repeat(max(1, shape[d] // held), d)
        if rank == 3:
            layout = layout * _repeat(max(1, shape[0] // self.warps_per_cta[0]), 0)
        return fit_to_shape(layout, shape)

    def scale_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """The layout of the scales of A (operand 3) or B (4) of a block-scaled DPAS.

        Args:
            operand: 3 or 4.
            shape: rows (M for A, N for B) and scales along K, before them a batch where rank is 3.

        Raises:
            LayoutError: no such instruction, or the rank is not that of the warps.
        """
        self._check(shape)
        rank = len(shape)
        steps = self.ops_per_channel * self.fp4_k_pack
        if self.repeat_count != 8 or steps not in (2, 4, 8):
            raise LayoutError(
                f"block-scaled DPAS takes repeatCount = 8 and opsPerChan * fp4KPack of 2, 4 or 8, "
                f"not {self.repeat_count} and {steps}"
            )
        rows = self.repeat_count if operand == 3 else self.execution_size
        along = -2 if operand == 3 else -1
        outer, inner = rank - 2, rank - 1
        layout = (
            _repeat(2 if steps == 8 else 1, inner)
            * LinearLayout.identity_1d(rows, "lane", f"dim{outer}")
            * LinearLayout.zeros_1d(self.threads_per_warp // rows, "lane", f"dim{outer}")
            * _repeat(self.rep_cluster[along], outer)
        )
        for d in (-1, -2):
            layout = layout * _warps(self.warps_per_cta[d], outer, shared=d != along)
        if rank == 3:
            layout = layout * _warps(self.warps_per_cta[0], 0, shared=False)
        held = rows * self.rep_cluster[along] * self.warps_per_cta[along]
        layout = layout * _repeat(max(1, shape[inner] // (2 if steps == 8 else 1)), inner)
        layout = layout * _repeat(max(1, shape[outer] // held), outer)
        if rank == 3:
            layout = layout * _repeat(max(1, shape[0] // self.warps_per_cta[0]), 0)
        return fit_to_shape(layout, shape)

    def _tile(self, operand: int, rank: int) -> LinearLayout:
        lanes, ops = self.threads_per_warp, self.ops_per_channel
        height, width = self.instruction_shapes[operand]
        # Elements that share a register word lie along K: columns of A, rows of B.
        word = (2 if ops == 4 else 1, ops, 1)[operand]
        if operand == 0:
            width //= word
        if operand == 1:
            height //= word
        down = word if operand == 1 else 1
        across = word if operand == 0 else 1
        lane_rows = max(1, lanes // width)
        registers = [(i, 0) if operand == 1 else (0, i) for i in _powers(1, word)]
        registers += [(row * down, 0) for row in _powers(lane_rows, height)]
        in_lanes = [(0, column * across) for column in _powers(1, width)]
        in_lanes += [(row * down, 0) for row in _powers(1, lane_rows)]
        outs = [f"dim{rank - 2}", f"dim{rank - 1}"]
        return LinearLayout.from_bases({"register": registers, "lane": in_lanes}, outs)

    def _check_operand(self, operand: int) -> None:
        if operand not in (0, 1, 2):
            raise LayoutError(f"operand {operand} of DPAS must be 0 (A), 1 (B) or 2 (C)")
        if operand != 1 and self.repeat_count & (self.repeat_count - 1):
            raise LayoutError(
                f"repeatCount = {self.repeat_count}: the rows of operand {'ABC'[operand]} are no power of "
                "two, so it has no linear layout"
            )
        words = self.repeat_count * (8 if self.ops_per_channel == 1 else 16)
        if operand == 0 and words < self.threads_per_warp:
            raise LayoutError(
                f"operand A of repeatCount = {self.repeat_count} and opsPerChan = "
                f"{self.ops_per_channel} has {words} register words, fewer than threadsPerWarp = "
                f"{self.threads_per_warp}"
            )

    def _check(self, shape: Sequence[int]) -> None:
        legal = (
            ("repeatCount", self.repeat_count, range(1, 9)),
            ("systolicDepth", self.systolic_depth, (8,)),
            ("opsPerChan", self.ops_per_channel, (1, 2, 4)),
            ("fp4KPack", self.fp4_k_pack, (1, 2)),
        )
        for name, value, choices in legal:
            if value not in choices:
                raise LayoutError(
                    f"{name} = {value} of DPAS must be one of {', '.join(map(str, choices))}"
                )
        for name, value in (
            ("executionSize", (self.execution_size,)),
            ("threadsPerWarp", (self.threads_per_warp,)),
            ("warpsPerCTA", self.warps_per_cta),
            ("repCluster", self.rep_cluster),
        ):
            check_powers_of_two(name, value)
        if self.threads_per_warp < self.execution_size:
            raise LayoutError(
                f"threadsPerWarp = {self.threads_per_warp} of DPAS must be at least "
                f"executionSize = {self.execution_size}"
            )
        rank = len(self.warps_per_cta)
        if len(shape) != rank or len(self.rep_cluster) != rank or rank not in (2, 3):
            raise LayoutError(
                f"shape {list(shape)}, warpsPerCTA {list(self.warps_per_cta)} and repCluster "
                f"{list(self.rep_cluster)} must have the same rank, 2 or 3"
            )


class Subgroup2DBlock(NamedTuple):
    """Intel's `#ttig.subgroup_2d_block`: what 2D block messages of the subgroups leave in registers.

    Attributes:
        warps_per_cta: subgroups per dimension, the last dimension fastest.
        instruction_shape: rows and columns of one block, in elements.
        blocks: blocks side by side.
        order: dimensions, fastest first; subgroups along the first one hold the same data.
        k_width: elements per 32 bits; does not enter the layout.
        threads_per_warp: lanes of the subgroup, 16.
    """

    warps_per_cta: tuple[int, ...]
    instruction_shape: tuple[int, ...]
    blocks: int
    order: tuple[int, ...]
    k_width: int
    threads_per_warp: int = 16

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """(register, lane, warp, block) -> (dim0, dim1) for a tile of `shape`, in elements.

        Raises:
            LayoutError: the shape is not two extents, there are not 16 lanes, or a number is wrong.
        """
        if len(shape) != 2 or self.threads_per_warp != 16:
            raise LayoutError(
                f"a subgroup 2D block needs a shape of rank 2 and 16 lanes, "
                f"not {list(shape)} and {self.threads_per_warp}"
            )
        for name, value in (
            ("warpsPerCTA", self.warps_per_cta),
            ("instrShape", self.instruction_shape),
        ):
            check_powers_of_two(name, value)
            if len(value) != 2:
                raise LayoutError(f"{name} {list(value)} of a subgroup 2D block must have rank 2")
        check_powers_of_two("numBlocks", (self.blocks,))
        if sorted(self.order) != [0, 1]:
            raise LayoutError(f"order {list(self.order)} is no permutation of 0 to 1")
        height, width = self.instruction_shape
        lanes = self.threads_per_warp
        neighbours = max(1, width // lanes)
        lane_rows = lanes // (width // neighbours)
        registers = [(0, column) for column in _powers(1, neighbours)]
        registers += [(row, 0) for row in _powers(lane_rows, height)]
        in_lanes = [(0, column) for column in _powers(neighbours, width)]
        in_lanes += [(row, 0) for row in _powers(1, lane_rows)]
        layout = LinearLayout.from_bases(
            {"register": registers, "lane": in_lanes}, ["dim0", "dim1"]
        ) * _repeat(self.blocks, 1)
        for d in (1, 0):
            layout = layout * _warps(self.warps_per_cta[d], d, shared=d == self.order[0])
        return fit_to_shape(layout, shape)


def check_powers_of_two(name: str, values: Sequence[int]) -> None:
    """LayoutError, by this name, for counts or extents of which one is no power of two."""
    if any(value < 1 or value & (value - 1) for value in values):
        raise LayoutError(f"{name} {list(values)} must hold powers of two")


def fit_to_shape(
    layout: LinearLayout,
    shape: Sequence[int],
    cga_layout: Sequence[Sequence[int]] = (),
) -> LinearLayout:
    """A workgroup's layout repeated in registers, or cut, to fill a tile, over (dim0, dim1, ...).

    Args:
        layout: (register, lane, warp) -> dims of one workgroup's layout.
        shape: extents of the tile in elements, powers of two.
        cga_layout: one basis per bit of the workgroup's id in its cluster, in units of a workgroup's tile.
    """
    dims = [f"dim{d}" for d in range(len(shape))]
    for d in dims:
        layout = layout * LinearLayout.identity_1d(1, "register", d)
        layout = layout * LinearLayout.identity_1d(1, "lane", d)
        layout = layout * LinearLayout.identity_1d(1, "warp", d)
    clusters = cluster_layout(cga_layout, len(shape))
    layout = layout.transpose_ins(["register", "lane", "warp"])
    return combine_cta_cga_with_shape(layout, clusters, shape)


def cluster_layout(cga_layout: Sequence[Sequence[int]], rank: int) -> LinearLayout:
    """(block) -> (dim0, dim1, ...) in units of a workgroup's tile, from one basis per bit of `block`."""
    largest = [max([0, *(basis[d] for basis in cga_layout)]) for d in range(rank)]
    return LinearLayout.from_bases(
        {"block": [tuple(basis) for basis in cga_layout]},
        {f"dim{d}": 1 << value.bit_length() for d, value in enumerate(largest)},
    )


def _repeat(count: int, dimension: int) -> LinearLayout:
    return LinearLayout.identity_1d(count, "register", f"dim{dimension}")


def _warps(count: int, dimension: int, *, shared: bool) -> LinearLayout:
    if shared:
        return LinearLayout.zeros_1d(count, "warp", f"dim{dimension}")
    return LinearLayout.identity_1d(count, "warp", f"dim{dimension}")


def _powers(first: int, end: int) -> list[int]:
    """`first`, twice, four times `first`, ... below `end`."""
    powers: list[int] = []
    while first < end:
        powers.append(first)
        first *= 2
    return powers

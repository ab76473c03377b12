"""Register layouts of DPAS operands: an instruction's, a subgroup's, Intel's `#ttig.dpas`.

Dimension names are Triton's: register, lane, warp (the subgroup), block; dim0, dim1.

Source: intel/intel-xpu-backend-for-triton, lib/Dialect/TritonIntelGPU/IR/
LinearLayoutConversions.cpp (`DPAStoLinearLayout`, `BlockScaledDPAStoLinearLayout`).
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from xetile.layout.algebra.fitting import check_powers_of_two, fit_to_shape
from xetile.layout.algebra.identities import identities
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout


class DpasInstruction(NamedTuple):
    """One DPAS; operands are "a" (M x K), "b" (K x N) and "c" (M x N; accumulator and result).

    `repeat_count` rows of A and C: 1, 2, 4 or 8; `ops_per_channel` elements per 32 bits of
    K: 1 (tf32), 2 (16 bits), 4 (8 bits), 8 (4 bits); `execution_size` columns of B and C;
    `systolic_depth` is 8 on every device.
    """

    repeat_count: int
    ops_per_channel: int
    systolic_depth: int = 8
    execution_size: int = 16
    lanes: int = 16

    def check(self) -> None:
        """Raise LayoutError unless there is such an instruction."""
        legal = ((1, 2, 4, 8), (1, 2, 4, 8), (8,), (8, 16), (8, 16, 32))
        for (name, value), choices in zip(self._asdict().items(), legal, strict=True):
            _check_choice(name, value, choices)
        if self.lanes < self.execution_size:
            raise LayoutError(
                f"{self.lanes} lanes are fewer than DPAS's execution_size = {self.execution_size}"
            )

    def shape(self, operand: str) -> tuple[int, int]:
        """Return rows and columns of an operand, in elements; LayoutError if there is no such operand."""
        depth = self.systolic_depth * self.ops_per_channel
        shapes = {
            "a": (self.repeat_count, depth),
            "b": (depth, self.execution_size),
            "c": (self.repeat_count, self.execution_size),
        }
        return shapes[_operand(operand)]

    def layout(self, operand: str) -> LinearLayout:
        """Return (register, lane) -> (dim0, dim1) of an operand; LayoutError if there is no such operand.

        Lanes beyond the operand's elements repeat them.
        """
        rows, columns = self.shape(operand)
        word = dpas_register_word(operand, ops_per_channel=self.ops_per_channel)
        if operand == "b":
            word_dim, rows = "dim0", rows // word
        else:
            word_dim, columns = "dim1", columns // word
        lane_columns = min(self.lanes, columns)
        lane_rows = min(self.lanes // lane_columns, rows)
        in_lanes = identities(
            ("register", word_dim, word),
            ("lane", "dim1", lane_columns),
            ("register", "dim1", columns // lane_columns),
            ("lane", "dim0", lane_rows),
        )
        again = LinearLayout.zeros_1d(self.lanes // lane_columns // lane_rows, "lane", "dim0")
        layout = in_lanes * again * identities(("register", "dim0", rows // lane_rows))
        return layout.transpose_ins(["register", "lane"]).transpose_outs(["dim0", "dim1"])


def dpas_register_word(operand: str, *, ops_per_channel: int) -> int:
    """Return the number of elements of a DPAS operand in a register word, as its lowest registers.

    A is read in 16-bit words (tf32: 32), B in 32-bit words of consecutive rows, C by
    elements. LayoutError if there is no such operand.
    """
    words = {"a": max(1, ops_per_channel // 2), "b": ops_per_channel, "c": 1}
    return words[_operand(operand)]


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
    """Return (register, lane) -> (dim0, dim1) of a subgroup's tile for a sequence of DPAS.

    The registers of one instruction come first. Instructions repeat along K before M for A,
    along K before N for B, along N before M for C. The extents of `shape`, in elements, are the
    instruction's rows and columns times powers of two; the rest is as in DpasInstruction.

    LayoutError: no such operand or instruction, or the tile is not made of whole
    instructions.
    """
    if len(shape) != 2:
        raise LayoutError(f"shape {list(shape)} of DPAS must be rows and columns")
    instruction = DpasInstruction(
        repeat_count, ops_per_channel, systolic_depth, execution_size, lanes
    )
    return _operand_layout(operand, (shape[0], shape[1]), instruction)


@lru_cache(maxsize=256)
def _operand_layout(
    operand: str, shape: tuple[int, int], instruction: DpasInstruction
) -> LinearLayout:
    step = instruction.shape(operand)
    instruction.check()
    counts = [extent // own for extent, own in zip(shape, step, strict=True)]
    for extent, own, count in zip(shape, step, counts, strict=True):
        if extent % own or count < 1 or count & (count - 1):
            raise LayoutError(
                f"operand {operand} of shape {list(shape)} is not made of DPAS operands of "
                f"{list(step)}; legal are those extents times powers of two"
            )
    order = (0, 1) if operand == "b" else (1, 0)
    repeated = identities(*(("register", f"dim{d}", counts[d]) for d in order))
    return instruction.layout(operand) * repeated


def _operand(operand: str) -> str:
    if operand not in ("a", "b", "c"):
        raise LayoutError(f"operand '{operand}' of DPAS must be one of a, b, c")
    return operand


class Dpas(NamedTuple):
    """Intel's `#ttig.dpas`: the layout of a workgroup's tiles in its subgroups' registers for DPAS.

    The first four fields are as in DpasInstruction. Subgroups (`warps_per_cta`) and the
    instructions of one subgroup's cluster (`rep_cluster`) count per dimension (batch, rows,
    columns), the last one fastest; `fp4_k_pack` is 2 if two 4-bit elements share a byte,
    else 1.
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
    def instruction(self) -> DpasInstruction:
        """One instruction, on this layout's lanes."""
        sizes = (self.systolic_depth, self.execution_size, self.threads_per_warp)
        return DpasInstruction(self.repeat_count, self.ops_per_channel, *sizes)

    @property
    def instruction_shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Shapes of A, B and C of one instruction, in elements."""
        shape = self.instruction.shape
        return shape("a"), shape("b"), shape("c")

    @property
    def cluster_shapes(self) -> tuple[tuple[int, int], tuple[int, int], tuple[int, int]]:
        """Shapes of A, B and C of one subgroup's cluster of instructions, in elements."""
        (rows, depth), (_, columns), _ = self.instruction_shapes
        rows, columns = rows * self.rep_cluster[-2], columns * self.rep_cluster[-1]
        return (rows, depth), (depth, columns), (rows, columns)

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout of C: (register, lane, warp, block) -> (dim0, dim1, ...)."""
        return self.operand_layout(2, shape)

    def operand_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """Return (register, lane, warp, block) -> (dim0, ...) of operand 0 (A), 1 (B) or 2 (C).

        A tile smaller than that of all subgroups together is repeated. `shape`
        is rows and columns in elements, powers of two, after a batch if the rank is 3.

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
        """Return the layout of the scales of A (operand 3) or B (4) of a block-scaled DPAS.

        `shape` is rows (M for A, N for B) and scales along K, after a batch if the rank
        is 3. LayoutError: no such instruction, or the rank is not that of the warps.
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
        word = dpas_register_word("a", ops_per_channel=self.ops_per_channel)
        columns = self.execution_size if operand else self.instruction_shapes[0][1] // word
        # A row is never folded; lanes beyond the rows count as further rows, which are cut off later.
        lanes = max(self.threads_per_warp, columns)
        instruction = self.instruction._replace(lanes=lanes)
        if operand == 1:
            instruction = instruction._replace(systolic_depth=max(8, lanes // columns))
        else:
            rows = max(self.repeat_count, lanes // columns)
            instruction = instruction._replace(repeat_count=rows)
        layout = instruction.layout("abc"[operand])
        sizes = zip((f"dim{rank - 2}", f"dim{rank - 1}"), layout.out_dim_sizes, strict=True)
        return layout.reshape_outs(sizes)

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
        _check_choice("repeatCount", self.repeat_count, range(1, 9))
        _check_choice("systolicDepth", self.systolic_depth, (8,))
        _check_choice("opsPerChan", self.ops_per_channel, (1, 2, 4))
        _check_choice("fp4KPack", self.fp4_k_pack, (1, 2))
        check_powers_of_two("executionSize", (self.execution_size,))
        check_powers_of_two("threadsPerWarp", (self.threads_per_warp,))
        check_powers_of_two("warpsPerCTA", self.warps_per_cta)
        check_powers_of_two("repCluster", self.rep_cluster)
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


def _check_choice(name: str, value: int, choices: Sequence[int]) -> None:
    if value not in choices:
        listed = ", ".join(map(str, choices))
        raise LayoutError(f"{name} = {value} of DPAS must be one of {listed}")


def _repeat(count: int, dimension: int) -> LinearLayout:
    return LinearLayout.identity_1d(count, "register", f"dim{dimension}")


def _warps(count: int, dimension: int, *, shared: bool) -> LinearLayout:
    if shared:
        return LinearLayout.zeros_1d(count, "warp", f"dim{dimension}")
    return LinearLayout.identity_1d(count, "warp", f"dim{dimension}")

"""Register layouts of NVIDIA's matrix instructions: `#ttg.nvidia_mma`, its result and its operands.

Version 2 is mma.sync (16 rows of A, 8 columns of B), version 3 wgmma, whose B is never in registers. Both assign rows
and columns alike: 4 lanes along a row, 8 along a column, a second row group 8 rows below.

Source of the rules: triton, lib/Dialect/TritonGPU/IR/LinearLayoutConversions.cpp (`nvidiaMmaTile`,
`nvidiaDotToLinearLayout`), checked against its unit tests.
"""

from collections.abc import Sequence
from typing import NamedTuple

from xetile.layout.algebra.fitting import check_powers_of_two, fit_to_shape
from xetile.layout.algebra.identities import identities
from xetile.layout.algebra.linear_layout import LayoutError, LinearLayout

ROWS = 16
COLUMNS = 8
LANES_ALONG = 4
LANES_DOWN = 8


class NvidiaMma(NamedTuple):
    """`#ttg.nvidia_mma`: the layout of a dot's result.

    `instruction_shape` is [16, 8] of version 2, rows, columns and K of version 3, after a 1
    for a batch. `cga_layout` as in `Blocked`.
    """

    version_major: int
    version_minor: int
    warps_per_cta: tuple[int, ...]
    instruction_shape: tuple[int, ...]
    cga_layout: tuple[tuple[int, ...], ...] = ()

    def to_linear_layout(self, shape: Sequence[int]) -> LinearLayout:
        """Return the layout of the result; LayoutError if there is no such instruction, or the ranks differ."""
        columns = self.check(shape)
        row, column = f"dim{len(shape) - 2}", f"dim{len(shape) - 1}"
        layout = identities(
            ("register", column, 2),
            ("lane", column, LANES_ALONG),
            ("lane", row, LANES_DOWN),
            ("register", row, ROWS // LANES_DOWN),
            ("register", column, columns // COLUMNS),
        )
        return fit_to_shape(layout * self.warps(None), shape, self.cga_layout)

    def warps(self, shared: int | None) -> LinearLayout:
        """Return the layout of the subgroups; those along the dimension `shared` have the same elements."""
        rank = len(self.warps_per_cta)
        order = range(rank - 1, -1, -1) if self.version_major == 2 else range(rank)
        layout = LinearLayout.empty()
        for d in order:
            along = LinearLayout.zeros_1d if d == shared else LinearLayout.identity_1d
            layout = layout * along(self.warps_per_cta[d], "warp", f"dim{d}")
        return layout

    def check(self, shape: Sequence[int]) -> int:
        """Return the columns of one instruction; LayoutError if there is no such instruction, or for another rank."""
        if self.version_major not in (2, 3):
            raise LayoutError(
                f"versionMajor = {self.version_major} of #ttg.nvidia_mma must be 2 (mma.sync) or 3 (wgmma)"
            )
        rank = len(self.warps_per_cta)
        clusters = {len(basis) for basis in self.cga_layout}
        if len(shape) != rank or rank not in (2, 3) or clusters - {rank}:
            raise LayoutError(
                f"an nvidia_mma layout of rank {rank} does not fit the shape {list(shape)}; "
                "both must be 2 or 3"
            )
        check_powers_of_two("warpsPerCTA", self.warps_per_cta)
        check_powers_of_two("instrShape", self.instruction_shape)
        return self._columns(rank)

    def _columns(self, rank: int) -> int:
        tile = self.instruction_shape
        if self.version_major == 2:
            if tile != (1,) * (rank - 2) + (ROWS, COLUMNS):
                raise LayoutError(
                    f"instrShape {list(tile)} of version 2 must be {[ROWS, COLUMNS]}, after a 1 for a batch"
                )
            return COLUMNS
        if rank != 2 or len(tile) != 3 or tile[0] != ROWS or tile[1] < COLUMNS:
            raise LayoutError(
                f"instrShape {list(tile)} of version 3 must be [16, N, K] with N of 8 or more, of rank 2"
            )
        return tile[1]


class NvidiaOperands(NamedTuple):
    """The operands of a dot whose result is `parent`; a lane has `k_width` neighbors along K."""

    parent: NvidiaMma
    k_width: int

    def operand_layout(self, operand: int, shape: Sequence[int]) -> LinearLayout:
        """Return the layout of A (0) or B (1); LayoutError if it cannot be in registers."""
        parent = self.parent
        parent.check(shape)
        check_powers_of_two("kWidth", (self.k_width,))
        if operand == 1 and parent.version_major == 3:
            raise LayoutError("operand B of wgmma (versionMajor = 3) is in shared memory only")
        k, other = len(shape) - 1 - operand, len(shape) - 2 + operand
        layout = identities(
            ("register", f"dim{k}", self.k_width),
            ("lane", f"dim{k}", LANES_ALONG),
            ("lane", f"dim{other}", LANES_DOWN),
            ("register", f"dim{other}", 1 if operand else ROWS // LANES_DOWN),
            ("register", f"dim{k}", 2),
        )
        clusters = [
            tuple(0 if d == k else c for d, c in enumerate(basis))
            for basis in parent.cga_layout
        ]
        return fit_to_shape(layout * parent.warps(k), shape, clusters)

"""Access element by element the tiles that no 2D block message may move.

2D block access needs a matrix whose base, pitch, rows and columns are multiples of the numbers in
`xetile.targets.xe.surface`, and tiles as wide as the device's messages. If one of these is impossible, loads become
gathers and stores scatters, with the matrix's bounds as masks; prefetches are dropped. All other accesses stay.

Before (rows of 100 halves lie 200 bytes apart):

    %t = xetile.init_tile %A[%m, %n] : memref<64x100xf16> -> !xetile.tile<16x32xf16>
    %v = xetile.load_tile %t {padding = 1.0 : f16} : !xetile.tile<16x32xf16> -> vector<16x32xf16>

After:

    %places = arith.constant dense<[[0, 1, ...], [100, 101, ...], ...]> : vector<16x32xindex>
    %p = memref.extract_aligned_pointer_as_index %A : memref<64x100xf16> -> index
    %a = arith.index_cast %p : index to i64
    (%corner: %a and (%m * 100 + %n) * 2 bytes)
    %t = xetile.init_tile %corner, %places : i64, vector<16x32xindex>
        -> !xetile.tile<16x32xf16, #xetile.tile_attr<scattered = true>>
    %mask = vector.create_mask %64_less_m, %100_less_n : vector<16x32xi1>
    %v = xetile.load_gather %t, %mask {padding = 1.0 : f16} : ... -> vector<16x32xf16>

A tile becomes the parts that loops carry (its corner, if it moves), so that places and bounds are computed at the
access. `assume` decides about properties known only at run time (a base, a pitch, a width, a column): the host ensures
them, or a test chooses between two versions of the accesses to such matrices, or gathers are used.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import assumption, check_option, device_of
from xetile.analysis.module_kernels import functions, holds_dialect, level
from xetile.dialects.xetile import LoadTileOp, PrefetchTileOp, StoreTileOp
from xetile.errors import fail, remark
from xetile.levels import SURFACES_ATTRIBUTE
from xetile.passes.xe.xetile_blockop_fallback.element_accesses import HANDLERS
from xetile.passes.xe.xetile_blockop_fallback.fallback_view import FallbackView
from xetile.passes.xe.xetile_blockop_fallback.versions import Versions, with_versions
from xetile.passes.xe.xetile_init_duplicate import duplicate
from xetile.planning.decided import decided
from xetile.planning.xe.fallbacks import COLUMN, Family, families
from xetile.rewriting.straight_blocks import merge_straight_blocks
from xetile.targets.xe.device import XeDevice
from xetile.targets.xe.surface import SURFACE


@dataclass(frozen=True)
class XeTileBlockOpFallback(ModulePass):
    """Reach element by element the tiles that no 2D block message may move.

    Parameters:
        assume: what of bases, pitches, widths and columns that are known at run time only: block (the host
            sees to it), check (the kernel tests it), gather (nothing relies on it); block by default.
    """

    name = "xetile-blockop-fallback"

    device: str | None = None
    assume: str = "block"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        check_option(op, self.device)
        assumption(self.assume)
        for function in list(functions(op)):
            if not holds_dialect(function, "xetile"):
                continue
            if level(function) == "workgroup":
                fail(function, "the kernel is at workgroup level; run xetile-wg-to-sg first")
            merge_straight_blocks(function)
            self._fall_back(function, device_of(function, XeDevice, self.device))

    def _fall_back(self, function: Operation, device: XeDevice) -> None:
        versions = Versions()
        found = list(families(function, device))
        if any(_is_used_in_several_ways(f) and self._falls(f, versions) for f in found):
            duplicate(function)
            found = list(families(function, device))
        self._tell(found)
        if self.assume == "check":
            versions = with_versions(function, [f for f in found if _is_open(f)])
            if versions.gathered:
                function.attributes[SURFACES_ATTRIBUTE] = StringAttr("tested")
                found = list(families(function, device))
        fallen = [family for family in found if self._falls(family, versions)]
        if not fallen:
            return
        view = FallbackView(function, HANDLERS, fallen)
        view.run()
        decided(function, view)
        for family in families(function, device):
            if self._falls(family, versions) and family.accesses:
                fail(family.accesses[0], f"'{family.uses[0]}' has no gather or scatter yet")

    def _falls(self, family: Family, versions: "Versions") -> bool:
        """Return True if a family is accessed element by element."""
        if family.reason is not None:
            return True
        if self.assume == "check":
            return any(op in versions.gathered for op in family.beginnings)
        return self.assume == "gather" and bool(family.unknown)

    def _tell(self, found: list[Family]) -> None:
        """Emit remarks on the tiles that fall back and the reasons, once for each matrix and reason."""
        told: dict[tuple[object, str], list[Family]] = {}
        for family in found:
            for reason in self._reasons(family):
                told.setdefault((family.beginnings[0].source, reason), []).append(family)
        for (_, reason), alike in told.items():
            uses = dict.fromkeys(_BECOMES.get(use, use) for f in alike for use in f.uses)
            remark(alike[0].beginnings[0], reason.format(uses=" and ".join(uses)))

    def _reasons(self, family: Family) -> Iterator[str]:
        if family.reason is not None:
            yield f"{{uses}}: {family.reason}"
            return
        if self.assume == "check":
            return
        prefix = "{uses}: " if self.assume == "gather" else ""
        if COLUMN in family.unknown:
            yield (
                f"{prefix}the column offset of this tile is known at run time only; "
                f"2D block access needs a multiple of {SURFACE.column_multiple} bytes"
            )
        names = family.unknown if self.assume == "gather" else family.dynamic
        names = [name for name in names if name != COLUMN]
        if not names:
            return
        rules = SURFACE.rules
        if "stride along rows" in names:
            rules += ", and a stride of 1 along rows"
        known = (
            f"the {', '.join(names)} of this matrix {'is' if len(names) == 1 else 'are'} "
            "known at run time only"
        )
        yield f"{prefix}{known}; {rules}"


_BECOMES = {
    LoadTileOp.name: "gathers in place of 2D block loads",
    StoreTileOp.name: "scatters in place of 2D block stores",
    PrefetchTileOp.name: "no prefetches",
}


def _is_used_in_several_ways(family: Family) -> bool:
    return len([use for use in family.uses if use != PrefetchTileOp.name]) > 1


def _is_open(family: Family) -> bool:
    """Return True if only run time decides whether messages reach a family."""
    return family.reason is None and bool(family.unknown)

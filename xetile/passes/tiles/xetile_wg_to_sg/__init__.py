"""Distribute workgroup-level XeTile over the subgroups of the workgroup.

Before (2 x 2 subgroups, each with one unit of 64x64):

    %t = xetile.init_tile %src[%m, 0] : memref<512x128xf16>
        -> !xetile.tile<128x128xf16, #xetile.tile_attr<wg_map = <sg_layout = [2, 2], sg_data = [64, 64]>>>
    %v = xetile.load_tile %t : !xetile.tile<128x128xf16, ...> -> vector<128x128xf16>

After:

    %id = gpu.subgroup_id : index
    %row = arith.divui %id, %c2 : index
    %column = arith.remui %id, %c2 : index
    %r = arith.muli %row, %c64 : index
    %c = arith.muli %column, %c64 : index
    %m0 = arith.addi %m, %r : index
    %t = xetile.init_tile %src[%m0, %c] : memref<512x128xf16> -> !xetile.tile<64x64xf16>
    %v = xetile.load_tile %t : !xetile.tile<64x64xf16> -> vector<64x64xf16>

A subgroup with several units (round-robin) gets one op per unit, rows outer. If there are fewer units than subgroups,
several subgroups hold the same one. `Distribution` (layout/algebra) computes owners and offsets. Maps that the program
leaves out are written first (`xetile-infer-wg-map`).

The modules:

- `tile_units`: one tile, load, store, gather, scatter, atomic or prefetch per unit.
- `subgroup_view`, `units`, `unit_products`, `workgroup_vectors`: elementwise ops, products, constants, masks and
  broadcasts of each unit.
- `rearranged_units`, `reduced_units`: transposes, broadcasts, changes of the map, reductions: in registers if every
  subgroup holds the sources of its new units, else through shared memory (`exchanged_units`). A reduction whose
  dimension is cut into several units may form sums and products of floats in another order; `reduced_units` states
  the bound.
- `workgroup_vectors` also has slices, casts and reductions that need parts of several units: each subgroup gets the
  whole vectors.
- `exchange_buffers`: the barriers and buffers that all exchanges of a function need together.
- `tiled_buffers`: the program's own buffers that only tiles access, in the layout that suits the tiles.

If such an op uses loaded values, or values computed from them element by element, and it is cheaper, no data moves:
each subgroup loads what it needs, at the place of the load (planning/distribution/holdings).

Operands of products that a loop computes may be exchanged (`once`), so that each element has one owner, which does the
work for all subgroups that need it (planning/distribution/operands.py).

- `once`: ops that a workgroup does once and that its subgroups would do many times.
"""

import sys
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation
from xdsl.passes import ModulePass

from xetile.analysis.kernel_targets import targets_of
from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.analysis.missing_maps import warn_of_missing_maps
from xetile.analysis.module_kernels import functions, level, set_level
from xetile.errors import XetileError, remark
from xetile.levels import SG_LAYOUT_ATTRIBUTE
from xetile.passes.tiles.xetile_infer_wg_map import write_workgroup_maps
from xetile.passes.tiles.xetile_wg_to_sg import (
    once,
    rearranged_units,
    reduced_units,
    tile_units,
    unit_products,
    workgroup_vectors,
)
from xetile.passes.tiles.xetile_wg_to_sg.exchange_buffers import settle
from xetile.passes.tiles.xetile_wg_to_sg.once import cut_operands
from xetile.passes.tiles.xetile_wg_to_sg.report import Owners, report
from xetile.passes.tiles.xetile_wg_to_sg.subgroup_view import MOST_UNITS, SubgroupView
from xetile.passes.tiles.xetile_wg_to_sg.tiled_buffers import lay_out
from xetile.planning.decided import decided
from xetile.planning.distribution.holdings import Holdings
from xetile.planning.shared_memory import program_bytes, shared_program_bytes
from xetile.rewriting.rewriter import Handlers
from xetile.targets import find, names

HANDLERS: Handlers[SubgroupView] = {
    **tile_units.HANDLERS,
    **unit_products.HANDLERS,
    **rearranged_units.HANDLERS,
    **reduced_units.HANDLERS,
    **workgroup_vectors.HANDLERS,
    **once.HANDLERS,
}

LOADS = ("needed", "mapped")
OPERANDS = ("once", "mapped")


@dataclass(frozen=True)
class XeTileWgToSg(ModulePass):
    """Distribute workgroup-level tiles and vectors over subgroups, by their wg_maps.

    Parameters:
        exchange_bytes: most bytes of shared memory that one exchange takes, larger ones go in bands; by default what a
            workgroup of the target can have beside the buffers of the program.
        loads: who loads what an exchange would move: needed (the subgroups that need it, where that is cheaper),
            mapped (those of the tile's map); needed by default.
        operands: who computes operands of products in loops from what is loaded: once (each element one subgroup, which
            hands it on through shared memory, where that is cheaper), mapped (those of the map, as with loads=mapped);
            once by default.
        print_plan: whether standard error shows how values change their owners, a line each; false by default.
    """

    name = "xetile-wg-to-sg"

    exchange_bytes: int = max(find(name).shared_bytes for name in names())
    loads: str = LOADS[0]
    operands: str = OPERANDS[0]
    print_plan: bool = False

    def __post_init__(self) -> None:
        if self.exchange_bytes < 1:
            raise XetileError(
                f"pass '{self.name}': exchange_bytes is {self.exchange_bytes}, expected at least 1"
            )
        for option, given, known in (
            ("loads", self.loads, LOADS),
            ("operands", self.operands, OPERANDS),
        ):
            if given not in known:
                raise XetileError(
                    f"pass '{self.name}': {option} is '{given}', expected {' or '.join(known)}"
                )

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        warn_of_missing_maps(op)
        for function in list(functions(op)):
            if level(function) == "workgroup":
                self.distribute(function)

    def distribute(self, function: Operation) -> None:
        """Rewrite the function for one subgroup."""
        write_workgroup_maps(function)
        maps = infer_workgroup_maps(function)
        limit, left = self.limit(function), _left(function)
        avoids = self.loads == LOADS[0]
        operands: list[Operation] = []
        if avoids and self.operands == OPERANDS[0]:
            operands = cut_operands(function, maps)
        holdings = Holdings(
            function,
            maps,
            most_units=MOST_UNITS,
            avoids=avoids,
            operands=operands,
            most_bytes=limit,
        )
        view = SubgroupView(
            function,
            HANDLERS,
            holdings,
            exchange_bytes=limit,
            device=targets_of(function)[0],
        )
        view.run()
        settle(view, left)
        exchanged = [made.memory for made in view.exchanges]
        laid = lay_out(function, exchanged, view.device)
        set_level(function, "subgroup")
        function.attributes.pop(SG_LAYOUT_ATTRIBUTE, None)
        owners = Owners(view.moves, laid, holdings.shared)
        decided(function, owners)
        decided(function, view)
        for line in report(owners) if self.print_plan else ():
            print(line, file=sys.stderr)

    def limit(self, function: Operation) -> int:
        """Return the bytes of one exchange: the option, but no more than the program's buffers leave on any target."""
        there = min(target.shared_bytes for target in targets_of(function))
        if there < self.exchange_bytes != XeTileWgToSg.exchange_bytes:
            remark(
                function,
                f"exchange_bytes is {self.exchange_bytes}; exchanges take {there}, "
                "the shared memory that a workgroup of the target can have",
            )
        return min(self.exchange_bytes, _left(function))


def _left(function: Operation) -> int:
    """Return the bytes that the program's buffers, which share bytes only if they have to, leave on any target.

    All bytes if they leave none: no exchange fits beside them.
    """
    there = min(target.shared_bytes for target in targets_of(function))
    own = program_bytes(function)
    if own >= there:
        own = shared_program_bytes(function)
    return there - own if own < there else there

"""The matrix product C = A * B as a workgroup-level kernel."""

from collections.abc import Sequence
from typing import Literal

from xdsl.dialects import arith, builtin, scf
from xdsl.dialects.builtin import (
    AnyFloat,
    DenseIntOrFPElementsAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    VectorType,
)
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue

from xetile.dialects import dialect_factory
from xetile.dialects.upstream import gpu
from xetile.dialects.xetile import (
    InitTileOp,
    LoadTileOp,
    PrefetchTileOp,
    StoreTileOp,
    TileAttr,
    TileMMAOp,
    TileType,
    UpdateTileOffsetOp,
    WorkgroupMapAttr,
)
from xetile.kernels.gemm_plan import GemmPlan, Map, Pair, check_plan

_NAMED = ("f16", "bf16", "tf32", "f32", "f64", "f8E4M3FN", "f8E5M2", "i8", "i16", "i32", "i64")
_TYPES: dict[str, Attribute] = {
    **{name: getattr(builtin, name) for name in _NAMED},
    "si8": builtin.IntegerType(8, builtin.Signedness.SIGNED),
    "ui8": builtin.IntegerType(8, builtin.Signedness.UNSIGNED),
}


def gemm_module(
    *,
    m: int,
    n: int,
    k: int,
    a: str = "f16",
    b: str | None = None,
    accumulator: str = "f32",
    c: str | None = None,
    workgroup_tile: Pair = (256, 256),
    subgroup_tile: Pair = (32, 64),
    k_step: int = 32,
    prefetch: int | None = None,
) -> builtin.ModuleOp:
    """C = A * B, one workgroup per tile of C: block_id x is the row of tiles, y the column.

    Shapes: A is `m` x `k`, B `k` x `n`, C `m` x `n`, in elements, as are the tiles of C; no
    extent need divide a tile. Units: `k_step` counts elements of K, `prefetch` rounds of the
    loop, None for none. Types have MLIR's names; `b` is that of `a` by default, `c` that of
    the accumulator, from which it is converted after the loop.
    Errors: XetileError with the values and what would be legal.
    Source: XeTile RFC, appendix 2.1.
    """
    plan = GemmPlan(
        m=m,
        n=n,
        k=k,
        a=a,
        b=a if b is None else b,
        accumulator=accumulator,
        c=accumulator if c is None else c,
        workgroup_tile=workgroup_tile,
        subgroup_tile=subgroup_tile,
        k_step=k_step,
        prefetch=prefetch,
    )
    return _Builder(check_plan(plan)).module()


def _map(plain: Map) -> WorkgroupMapAttr:
    return WorkgroupMapAttr(plain.sg_layout, plain.sg_data)


class _Builder:
    def __init__(self, plan: GemmPlan) -> None:
        self.plan = plan
        self.constants: dict[int, SSAValue] = {}
        self.map_a = _map(plan.operand_map("a"))
        self.map_b = _map(plan.operand_map("b"))
        self.map_c = _map(plan.operand_map("c"))
        shapes = {"A": (plan.m, plan.k), "B": (plan.k, plan.n), "C": (plan.m, plan.n)}
        elements = {"A": plan.a, "B": plan.b, "C": plan.c}
        types = [MemRefType(_TYPES[elements[name]], shape) for name, shape in shapes.items()]
        self.block = Block(arg_types=types)
        for argument, name in zip(self.block.args, shapes, strict=True):
            argument.name_hint = name

    def module(self) -> builtin.ModuleOp:
        self.body()
        function = gpu.FuncOp(
            "gemm",
            ([argument.type for argument in self.block.args], ()),
            Region(self.block),
            kernel=True,
            known_block_size=(self.plan.work_items, 1, 1),
            known_grid_size=self.plan.grid,
        )
        return builtin.ModuleOp([gpu.ModuleOp("kernels", [function])])

    def body(self) -> None:
        a, b, c = self.block.args
        bounds = [self.constant(value) for value in (0, self.plan.k, self.plan.k_step)]
        m = self.corner("x", "m", self.plan.workgroup_tile[0])
        n = self.corner("y", "n", self.plan.workgroup_tile[1])
        starts = {
            "a_tile": self.tile(a, (m, 0), "a", self.map_a, "a_start"),
            "b_tile": self.tile(b, (0, n), "b", self.map_b, "b_start"),
        }
        if self.plan.prefetch is not None:
            ahead = self.plan.prefetch * self.plan.k_step
            map_a, map_b = _map(self.plan.prefetch_map("a")), _map(self.plan.prefetch_map("b"))
            starts["a_ahead"] = self.tile(a, (m, ahead), "a", map_a, "a_ahead_start")
            starts["b_ahead"] = self.tile(b, (ahead, n), "b", map_b, "b_ahead_start")
        starts["acc"] = self.zero()
        total = self.loop(bounds, starts)
        tile = self.tile(c, (m, n), "c", self.map_c, "c_tile")
        self.block.add_op(StoreTileOp(self.converted(total), tile))
        self.block.add_op(gpu.ReturnOp())

    def loop(self, bounds: Sequence[SSAValue], starts: dict[str, SSAValue]) -> SSAValue:
        """The loop over K, which carries `starts` by name; the accumulator after it."""
        outer = self.block
        self.block = Block(arg_types=[IndexType(), *(value.type for value in starts.values())])
        for argument, name in zip(self.block.args, ("k", *starts), strict=True):
            argument.name_hint = name
        carried = dict(zip(starts, self.block.args[1:], strict=True))
        a = self.named(LoadTileOp(carried["a_tile"]), "a")
        b = self.named(LoadTileOp(carried["b_tile"]), "b")
        for name in ("a_ahead", "b_ahead"):
            if name in carried:
                self.block.add_op(PrefetchTileOp(carried[name]))
        product = TileMMAOp(
            a,
            b,
            carried.pop("acc"),
            wg_map_a=self.map_a,
            wg_map_b=self.map_b,
            wg_map_c=self.map_c,
        )
        total = self.named(product, "sum")
        moved = [self.moved(tile, name) for name, tile in carried.items()]
        self.block.add_op(scf.YieldOp(*moved, total))
        low, high, step = bounds
        loop = scf.ForOp(low, high, step, list(starts.values()), Region(self.block))
        self.block = outer
        self.block.add_op(loop)
        loop.results[-1].name_hint = "total"
        return loop.results[-1]

    def moved(self, tile: SSAValue, name: str) -> SSAValue:
        step = self.plan.k_step
        offsets = (0, step) if name.startswith("a") else (step, 0)
        return self.named(UpdateTileOffsetOp(tile, offsets), f"{name}_next")

    def named(self, op: Operation, name: str) -> SSAValue:
        self.block.add_op(op)
        op.results[0].name_hint = name
        return op.results[0]

    def constant(self, value: int) -> SSAValue:
        if value not in self.constants:
            constant = arith.ConstantOp(IntegerAttr(value, IndexType()))
            self.constants[value] = self.named(constant, f"c{value}")
        return self.constants[value]

    def corner(self, axis: Literal["x", "y"], name: str, extent: int) -> SSAValue:
        """The first row or column of the workgroup's tile of C."""
        block_id = self.named(gpu.BlockIdOp(axis), f"block_{axis}")
        return self.named(arith.MuliOp(block_id, self.constant(extent)), name)

    def tile(
        self,
        matrix: SSAValue,
        offsets: tuple[SSAValue | int, SSAValue | int],
        operand: Literal["a", "b", "c"],
        wg_map: WorkgroupMapAttr,
        name: str,
    ) -> SSAValue:
        element = _TYPES[getattr(self.plan, operand)]
        kind = TileType(self.plan.tile_shape(operand), element, TileAttr(wg_map=wg_map))
        return self.named(InitTileOp(matrix, offsets, (), (), kind), name)

    def zero(self) -> SSAValue:
        element, shape = _TYPES[self.plan.accumulator], self.plan.workgroup_tile
        if isinstance(element, AnyFloat):
            value = DenseIntOrFPElementsAttr.from_list(VectorType(element, shape), [0.0])
        else:
            value = DenseIntOrFPElementsAttr.from_list(VectorType(builtin.i32, shape), [0])
        zero = arith.ConstantOp(value)
        zero.attributes["wg_map"] = self.map_c
        return self.named(zero, "zero")

    def converted(self, total: SSAValue) -> SSAValue:
        for name, element in conversions(self.plan.accumulator, self.plan.c):
            kind = VectorType(_TYPES[element], self.plan.workgroup_tile)
            op = _arith_op(name).create(operands=[total], result_types=[kind])
            op.attributes["wg_map"] = self.map_c
            total = self.named(op, "result")
        return total


def conversions(source: str, target: str) -> list[tuple[str, str]]:
    """The arith ops that make one type of another, with the type that each gives."""
    if source == target:
        return []
    if source.startswith("i"):
        return [(_from_integer(source, target), target)]
    if _bits(source) == _bits(target):  # f16 and bf16 hold values that the other does not
        return [("arith.extf", "f32"), ("arith.truncf", target)]
    return [("arith.truncf" if _bits(source) > _bits(target) else "arith.extf", target)]


def _from_integer(source: str, target: str) -> str:
    if not target.startswith("i"):
        return "arith.sitofp"
    return "arith.trunci" if _bits(source) > _bits(target) else "arith.extsi"


def _bits(name: str) -> int:
    kind = _TYPES[name]
    assert isinstance(kind, AnyFloat | IntegerType)
    return kind.bitwidth


def _arith_op(name: str) -> type[Operation]:
    return next(op for op in dialect_factory("arith")().operations if op.name == name)

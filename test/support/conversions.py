"""Kernels at lane level that bring registers from one layout into another, for each of several subgroups."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from support.layouts import held_by
from xdsl.dialects.builtin import IntAttr, IntegerType, ModuleOp, VectorType, i64
from xdsl.dialects.llvm import IntToPtrOp, LLVMPointerType
from xdsl.ir import Attribute, Operation, SSAValue

from xetile.analysis.kernel_targets import device_of
from xetile.analysis.module_kernels import functions, set_level
from xetile.dialects.modules import parse
from xetile.dialects.upstream import arith, memref
from xetile.dialects.upstream.gpu import SubgroupIdOp
from xetile.dialects.upstream.vector import BitcastOp, FromElementsOp, ToElementsOp
from xetile.dialects.xevm import BlockLoadOp, BlockStoreOp
from xetile.layout.algebra.linear_layout import LinearLayout
from xetile.passes.xe.convert_xegpu_to_xevm.held_registers import Registers, natural_type
from xetile.passes.xe.convert_xegpu_to_xevm.lane_view import LaneView, converted
from xetile.passes.xe.convert_xegpu_to_xevm.shared_slice import settle
from xetile.planning.xe.register_layouts import plan_registers
from xetile.rewriting.rewriter import Handlers
from xetile.targets.xe.device import XeDevice

Array = NDArray[Any]
LANES = 16


class Conversion:
    """A kernel `convert(in, out)`; both buffers hold [subgroup, register, lane], elements of `bits` bits."""

    def __init__(
        self,
        source: LinearLayout,
        target: LinearLayout,
        element: Attribute,
        bits: int,
        *,
        subgroups: int = 2,
        device: str = "bmg",
    ) -> None:
        self.source, self.target = source, target
        self.bits, self.subgroups = bits, subgroups
        sizes = [self._size(layout) for layout in (source, target)]
        ins, outs = (f"memref<{size}xi{bits}>" for size in sizes)
        self.module: ModuleOp = parse(f"""
            gpu.module @m {{
              gpu.func @convert(%in: {ins}, %out: {outs}) kernel
                  attributes {{known_block_size = array<i32: {LANES * subgroups}, 1, 1>}} {{
                gpu.return
              }}
            }}""")
        (function,) = functions(self.module)
        target_device = device_of(function, XeDevice, device)
        self._element = element
        handlers: Handlers[LaneView] = {"gpu.return": self._body}
        layouts = plan_registers(function, target_device)
        view = LaneView(function, handlers, target_device, layouts)
        view.run()
        settle(view)
        set_level(function, "lane")
        self.module.verify()

    def arrays(self) -> tuple[Array, Array, Array]:
        """What goes in, room for what comes out, and what has to come out."""
        numbers, wanted = (
            np.array(held_by(layout), dtype=np.int64).T
            for layout in (self.source, self.target)
        )
        kinds = {8: np.uint8, 16: np.uint16, 32: np.uint32, 64: np.uint64}
        kind = kinds[self.bits]
        subgroup = np.arange(self.subgroups)[:, None, None]
        factor = 0x9E3779B97F4A7C15 | 1
        mixed = [
            ((part + 1 + 256 * subgroup).astype(np.uint64) * np.uint64(factor)).astype(kind)
            for part in (numbers, wanted)
        ]
        if self._element == IntegerType(1):
            mixed = [part & kind(1) for part in mixed]
        before, expected = (np.ascontiguousarray(part).reshape(-1) for part in mixed)
        signed = np.dtype(f"int{self.bits}")
        return before.view(signed), np.zeros_like(expected).view(signed), expected.view(signed)

    def _size(self, layout: LinearLayout) -> int:
        return layout.in_dim_size("register") * LANES * self.subgroups

    def _body(self, view: LaneView, op: Operation) -> None:
        ins, outs = view.entry.args[:2]
        count = self.source.in_dim_size("register")
        loaded = [self._load(view, ins, register, count) for register in range(count)]
        value = self._narrowed(view, loaded)
        width = 1 if self._element == IntegerType(1) else self.bits
        held = Registers(value, self._element, self.source, word_bits=width)
        made = converted(view, held, self.target)
        result = made.read(view, natural_type(self._element), width)
        self._store(view, outs, result)
        view.copy(op)

    def _narrowed(self, view: LaneView, loaded: Sequence[SSAValue]) -> SSAValue:
        type = VectorType(IntegerType(self.bits), (len(loaded),))
        value = view.new(FromElementsOp(list(loaded), type))
        natural = VectorType(natural_type(self._element), (len(loaded),))
        if self._element == IntegerType(1):
            return view.new(arith.TruncIOp(value, natural))
        return value if value.type == natural else view.new(BitcastOp(value, natural))

    def _store(self, view: LaneView, buffer: SSAValue, result: SSAValue) -> None:
        count = self.target.in_dim_size("register")
        type = VectorType(IntegerType(self.bits), (count,))
        if self._element == IntegerType(1):
            result = view.new(arith.ExtUIOp(result, type))
        elif result.type != type:
            result = view.new(BitcastOp(result, type))
        parts = [type.element_type] * count
        elements = ToElementsOp.create(operands=[result], result_types=parts)
        for register, part in enumerate(view.emit(elements).results):
            view.emit(BlockStoreOp(self._row(view, buffer, register, count), part))

    def _load(self, view: LaneView, buffer: SSAValue, register: int, count: int) -> SSAValue:
        return view.new(
            BlockLoadOp(
                self._row(view, buffer, register, count), result_type=IntegerType(self.bits)
            )
        )

    def _row(self, view: LaneView, buffer: SSAValue, register: int, count: int) -> SSAValue:
        subgroup = view.new(SubgroupIdOp())
        size = LANES * self.bits // 8
        offset = view.add(view.multiply(subgroup, size * count), register * size)
        base = view.new(memref.ExtractAlignedPointerAsIndexOp(buffer))
        address = view.new(arith.AddiOp(base, view.index(offset)))
        number = view.new(arith.IndexCastOp(address, i64))
        return view.new(
            IntToPtrOp.create(operands=[number], result_types=[LLVMPointerType(IntAttr(1))])
        )

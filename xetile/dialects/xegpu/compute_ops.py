"""Matrix multiplication, memory fences, named barriers, and changes of layout."""

from xdsl.dialects.builtin import IntegerAttr, VectorType, i8, i64
from xdsl.interfaces import HasFolderInterface
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.directives import SameType
from xetile.dialects.formats import sorted_op
from xetile.dialects.upstream.bases import verify_is
from xetile.dialects.xegpu.access import LAYOUT, XeGPUOp, vector_type
from xetile.dialects.xegpu.even_shares import is_evenly_distributable
from xetile.dialects.xegpu.layouts import LayoutAttr, SliceAttr
from xetile.dialects.xegpu.xegpu_attributes import (
    FenceScopeAttr,
    MemorySpaceAttr,
)
from xetile.dialects.xegpu.xegpu_constraints import value_constraint
from xetile.dialects.xegpu.xegpu_types import NbarrierType

REGISTER_UNIT_BITS = 32
"""One lane's B operand comes in units of this many bits."""


@sorted_op
class DpasOp(XeGPUOp):
    """Multiply A by B and add the accumulator: one systolic instruction.

    ```mlir
    %d = xegpu.dpas %a, %b, %c : vector<8x16xf16>, vector<8x16x2xf16>, vector<8x16xf32> -> vector<8x16xf32>
    ```

    Shapes: A (m, k), B (k, n) or packed (k / p, n, p), accumulator and result (m, n); all of
    rank 1 is one lane's share, whose sizes are not checked.
    """

    name = "xegpu.dpas"

    lhs = operand_def(value_constraint((1, 2, 3)))
    rhs = operand_def(value_constraint((1, 2, 3)))
    acc = opt_operand_def(value_constraint((1, 2)))
    layout_a = opt_prop_def(LAYOUT)
    layout_b = opt_prop_def(LAYOUT)
    layout_cd = opt_prop_def(LAYOUT)
    result = result_def(value_constraint((1, 2)))

    traits = traits_def(Pure())

    assembly_format = (
        "$lhs `,` $rhs (`,` $acc^)? attr-dict `:` type(operands) `->` type($result)"
    )

    def verify_(self) -> None:
        a, b, d = (vector_type(value) for value in (self.lhs, self.rhs, self.result))
        if a.element_type != b.element_type:
            raise VerifyException(
                f"'lhs' has elements of {a.element_type}, 'rhs' of {b.element_type}, must be equal"
            )
        if self.acc is not None:
            verify_is("acc", self.acc.type, d, "must be as the result,")
        ranks = (a.get_num_dims(), b.get_num_dims(), d.get_num_dims())
        if ranks == (1, 1, 1):
            _verify_lane_b(b)
            return
        if ranks not in ((2, 2, 2), (2, 3, 2)):
            raise VerifyException(
                f"'lhs', 'rhs' and result have ranks {ranks[0]}, {ranks[1]} and {ranks[2]}, "
                "must be 2, 2 or 3 (packed), and 2"
            )
        _verify_sizes(a.get_shape(), b.get_shape(), d.get_shape())


def _verify_lane_b(b: VectorType[Attribute]) -> None:
    bits: int = getattr(b.element_type, "bitwidth", REGISTER_UNIT_BITS)
    if bits > REGISTER_UNIT_BITS:  # mlir-opt divides by how many fill a unit
        raise VerifyException(
            f"'rhs' has elements of {b.element_type}, at most {REGISTER_UNIT_BITS} bits fit its units"
        )
    granule = REGISTER_UNIT_BITS // bits
    if b.element_count() % granule:
        raise VerifyException(
            f"'rhs' has {b.element_count()} elements of {b.element_type}, must be a multiple of {granule}"
        )


def _verify_sizes(a: tuple[int, ...], b: tuple[int, ...], d: tuple[int, ...]) -> None:
    k = b[0] * b[2] if len(b) == 3 else b[0]
    if k != a[1]:
        raise VerifyException(f"k is {a[1]} in 'lhs' and {k} in 'rhs', must be equal")
    if a[0] != d[0]:
        raise VerifyException(f"m is {a[0]} in 'lhs' and {d[0]} in the result, must be equal")
    if b[1] != d[1]:
        raise VerifyException(f"n is {b[1]} in 'rhs' and {d[1]} in the result, must be equal")


@sorted_op
class FenceOp(XeGPUOp):
    """Order memory accesses: those before the op are seen before those after it.

    ```mlir
    xegpu.fence memory_kind = global, fence_scope = workgroup
    ```
    """

    name = "xegpu.fence"

    memory_kind = prop_def(MemorySpaceAttr)
    fence_scope = prop_def(FenceScopeAttr)

    # It changes no value, but must stay where it is.
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    assembly_format = (
        "`memory_kind` `=` $memory_kind `,` `fence_scope` `=` $fence_scope attr-dict"
    )

    @property
    def memory_kind_name(self) -> str:
        """Global or slm."""
        return self.memory_kind.data.value

    @property
    def scope_name(self) -> str:
        """Workgroup or gpu."""
        return self.fence_scope.data.value


@sorted_op
class ConvertLayoutOp(XeGPUOp, HasFolderInterface):
    """Share the same value out in another way.

    ```mlir
    %w = xegpu.convert_layout %v <{input_layout = #a, target_layout = #b}> : vector<32x64xf16>
    ```
    """

    name = "xegpu.convert_layout"

    source = operand_def(value_constraint((1, 2, 3, 4, 5, 6)))
    input_layout = prop_def(LAYOUT)
    target_layout = prop_def(LAYOUT)
    result = result_def(value_constraint((1, 2, 3, 4, 5, 6)))

    traits = traits_def(Pure())

    assembly_format = (
        "$source prop-dict attr-dict `:` custom<SameType>(type($source), type($result))"
    )
    custom_directives = (SameType,)

    def fold(self) -> tuple[SSAValue] | None:
        """Between equal layouts nothing moves."""
        return (self.source,) if self.input_layout == self.target_layout else None

    def verify_(self) -> None:
        verify_is("source", self.source.type, self.result.type, "must be as the result,")
        source, target = self.input_layout, self.target_layout
        assert isinstance(source, LayoutAttr | SliceAttr)
        assert isinstance(target, LayoutAttr | SliceAttr)
        if source.is_for_workgroup != target.is_for_workgroup:
            raise VerifyException(
                "'input_layout' and 'target_layout' must both have sg_layout, or neither"
            )
        shape = vector_type(self.source).get_shape()
        for name, layout in (("input_layout", source), ("target_layout", target)):
            if not is_evenly_distributable(shape, layout):
                raise VerifyException(
                    f"'{name}' is {layout}, does not distribute {list(shape)} evenly"
                )


@irdl_op_definition
class CompileHintOp(IRDLOperation):
    """Keep what stands before in front of what stands behind: `xegpu.compile_hint`.

    It executes as nothing, and lowering drops it. Source: Intel's mlir-extensions; upstream
    does not have it.
    """

    name = "xegpu.compile_hint"

    assembly_format = "attr-dict"


@sorted_op
class AllocNbarrierOp(XeGPUOp):
    """Reserve named barriers for the workgroup: `xegpu.alloc_nbarrier 8`."""

    name = "xegpu.alloc_nbarrier"

    nbarrier_num = prop_def(IntegerAttr.constr(i64))

    assembly_format = "$nbarrier_num attr-dict"


@irdl_op_definition
class InitNbarrierOp(XeGPUOp):
    """Take part in a named barrier: `%b = xegpu.init_nbarrier %id, %count : i8, i8 -> !xegpu.nbarrier`."""

    name = "xegpu.init_nbarrier"

    nbarrier_id = operand_def(i8)
    participant_thread_num = operand_def(i8)
    result = result_def(NbarrierType)

    assembly_format = (
        "$nbarrier_id `,` $participant_thread_num attr-dict `:` "
        "type($nbarrier_id) `,` type($participant_thread_num) `->` type($result)"
    )


@irdl_op_definition
class NbarrierArriveOp(XeGPUOp):
    """Signal that this subgroup has arrived: `xegpu.nbarrier_arrive %b : !xegpu.nbarrier`."""

    name = "xegpu.nbarrier_arrive"

    nbarrier = operand_def(NbarrierType)

    assembly_format = "$nbarrier attr-dict `:` type($nbarrier)"


@irdl_op_definition
class NbarrierWaitOp(XeGPUOp):
    """Wait until all have arrived: `xegpu.nbarrier_wait %b : !xegpu.nbarrier`."""

    name = "xegpu.nbarrier_wait"

    nbarrier = operand_def(NbarrierType)

    assembly_format = "$nbarrier attr-dict `:` type($nbarrier)"

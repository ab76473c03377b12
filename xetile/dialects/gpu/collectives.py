"""Ops that work-items of a workgroup or subgroup carry out together."""

from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect


@irdl_op_definition
class BarrierOp(IRDLOperation):
    """All work-items of the workgroup wait for each other, and their memory accesses are ordered.

    It reads and writes memory, so no pass removes it or moves an access across it.
    """

    name = "gpu.barrier"

    assembly_format = "attr-dict"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

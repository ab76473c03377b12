"""Ops that are read under a name that is not theirs: of older MLIR, of the RFC, of Intel's implementation.

xDSL makes an op of the generic form through `create` of the class that has the name; here that makes another op.
"""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import NamedTuple, Self, cast

from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import Attribute, Block, Operation, Region, SSAValue


class Parts(NamedTuple):
    """The parts from which an op is created."""

    operands: Sequence[SSAValue]
    result_types: Sequence[Attribute]
    properties: Mapping[str, Attribute]
    attributes: Mapping[str, Attribute]
    successors: Sequence[Block]
    regions: Sequence[Region]


class Renamed(Operation):
    """Another spelling of an op. The parser turns it into the op itself, so this class never has an instance."""

    @classmethod
    @abstractmethod
    def become(cls, parts: Parts) -> Operation:
        """Return the op that is meant; raise ValueError if the parts do not fit it."""

    @classmethod
    def create(
        cls,
        *,
        operands: Sequence[SSAValue] = (),
        result_types: Sequence[Attribute] = (),
        properties: Mapping[str, Attribute] | None = None,
        attributes: Mapping[str, Attribute] | None = None,
        location: LocationAttr | None = None,
        successors: Sequence[Block] = (),
        regions: Sequence[Region] = (),
    ) -> Self:
        """Make the other op."""
        parts = Parts(
            operands, result_types, properties or {}, attributes or {}, successors, regions
        )
        made = cls.become(parts)
        if location is not None:
            made.location = location
        return cast(Self, made)

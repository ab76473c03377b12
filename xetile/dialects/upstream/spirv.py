"""The part of the spirv dialect that xetile needs; xDSL 0.75 has none (test_spirv.py fails once it has one).

Attributes that Intel's kernels carry and no pass here reads, as they are written: what SPIR-V
needs of a target is known from the device; see `xetile/codegen`. And ControlBarrier, by which
the lanes of a subgroup wait for each other: gpu.barrier is the whole workgroup's.
"""

import re
from collections.abc import Sequence
from typing import cast

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import Attribute, Data, Dialect, ParametrizedAttribute
from xdsl.irdl import IRDLOperation, irdl_attr_definition, prop_def, traits_def
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.str_enum import StrEnum

from xetile.dialects.formats import formatted_op
from xetile.dialects.structs import WordAttr
from xetile.parser import Parser

_ALIAS = re.compile(r"[#!][A-Za-z_]\w*(?![\w.$])")


class _Verbatim(ParametrizedAttribute):
    """An attribute whose text between `<` and `>` is kept."""

    body: StringAttr

    @classmethod
    def parse_parameters(cls, parser: AttrParser) -> Sequence[Attribute]:
        """Read the text up to the bracket that closes it."""
        assert isinstance(parser, Parser)
        start = parser.pos
        body = parser.parse_verbatim()
        if found := _ALIAS.search(body):
            parser.raise_error(
                f"{found[0]} is an alias inside of #{cls.name}, which is kept as text; write it out",
                start,
                parser.pos,
            )
        return [StringAttr(body)]

    def print_parameters(self, printer: Printer) -> None:
        printer.print_string(f"<{self.body.data}>")


def _verbatim(name: str) -> type[_Verbatim]:
    members = {"__module__": __name__, "name": f"spirv.{name}"}
    made = type(f"{name.title().replace('_', '')}Attr", (_Verbatim,), members)
    return irdl_attr_definition(cast("type[_Verbatim]", made))


class Scope(StrEnum):
    """Who takes part."""

    CROSS_DEVICE = "CrossDevice"
    DEVICE = "Device"
    WORKGROUP = "Workgroup"
    SUBGROUP = "Subgroup"
    INVOCATION = "Invocation"
    QUEUE_FAMILY = "QueueFamily"
    SHADER_CALL = "ShaderCallKHR"


class MemorySemantics(StrEnum):
    """How accesses are ordered, and to which memory."""

    NONE = "None"
    ACQUIRE = "Acquire"
    RELEASE = "Release"
    ACQUIRE_RELEASE = "AcquireRelease"
    SEQUENTIALLY_CONSISTENT = "SequentiallyConsistent"
    UNIFORM = "UniformMemory"
    SUBGROUP = "SubgroupMemory"
    WORKGROUP = "WorkgroupMemory"
    CROSS_WORKGROUP = "CrossWorkgroupMemory"
    ATOMIC_COUNTER = "AtomicCounterMemory"
    IMAGE = "ImageMemory"
    OUTPUT = "OutputMemory"
    MAKE_AVAILABLE = "MakeAvailable"
    MAKE_VISIBLE = "MakeVisible"
    VOLATILE = "Volatile"


@irdl_attr_definition
class ScopeAttr(WordAttr[Scope]):
    """`#spirv.scope<Subgroup>`."""

    name = "spirv.scope"
    words = Scope


@irdl_attr_definition
class MemorySemanticsAttr(Data[tuple[MemorySemantics, ...]]):
    """`#spirv.memory_semantics<AcquireRelease|WorkgroupMemory>`."""

    name = "spirv.memory_semantics"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[MemorySemantics, ...]:
        with parser.in_angle_brackets():
            found = [parser.parse_str_enum(MemorySemantics)]
            while parser.parse_optional_punctuation("|"):
                found.append(parser.parse_str_enum(MemorySemantics))
        return tuple(sorted(found, key=list(MemorySemantics).index))

    def print_parameter(self, printer: Printer) -> None:
        with printer.in_angle_brackets():
            printer.print_string("|".join(self.data))


@formatted_op
class ControlBarrierOp(IRDLOperation):
    """Those of a scope wait for each other; their accesses to the memories named are ordered by it.

    It reads and writes memory, so no pass removes it or moves an access across it.
    """

    name = "spirv.ControlBarrier"

    execution_scope = prop_def(ScopeAttr)
    memory_scope = prop_def(ScopeAttr)
    memory_semantics = prop_def(MemorySemanticsAttr)

    assembly_format = "$execution_scope `,` $memory_scope `,` $memory_semantics attr-dict"

    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self, scope: Scope, memory_scope: Scope, semantics: Sequence[MemorySemantics]
    ) -> None:
        super().__init__(
            properties={
                "execution_scope": ScopeAttr(scope),
                "memory_scope": ScopeAttr(memory_scope),
                "memory_semantics": MemorySemanticsAttr(tuple(semantics)),
            }
        )

    @property
    def is_of_subgroup(self) -> bool:
        """True if the lanes of one subgroup wait for each other, False if the whole workgroup does."""
        return self.execution_scope.data is Scope.SUBGROUP


SPIRV = Dialect(
    "spirv",
    [ControlBarrierOp],
    [
        *map(_verbatim, ("target_env", "entry_point_abi", "resource_limits", "vce")),
        ScopeAttr,
        MemorySemanticsAttr,
    ],
)

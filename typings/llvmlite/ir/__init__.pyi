from collections.abc import Sequence

from llvmlite.ir import instructions as instructions
from llvmlite.ir import types as types
from llvmlite.ir import values as values
from llvmlite.ir.instructions import AllocaInstr as AllocaInstr
from llvmlite.ir.instructions import CallInstr as CallInstr
from llvmlite.ir.instructions import Instruction as Instruction
from llvmlite.ir.instructions import PhiInstr as PhiInstr
from llvmlite.ir.types import DoubleType as DoubleType
from llvmlite.ir.types import FloatType as FloatType
from llvmlite.ir.types import FunctionType as FunctionType
from llvmlite.ir.types import HalfType as HalfType
from llvmlite.ir.types import IntType as IntType
from llvmlite.ir.types import PointerType as PointerType
from llvmlite.ir.types import Type as Type
from llvmlite.ir.types import VectorType as VectorType
from llvmlite.ir.types import VoidType as VoidType
from llvmlite.ir.values import Argument as Argument
from llvmlite.ir.values import Block as Block
from llvmlite.ir.values import BlockAddress as BlockAddress
from llvmlite.ir.values import Constant as Constant
from llvmlite.ir.values import Function as Function
from llvmlite.ir.values import GlobalVariable as GlobalVariable
from llvmlite.ir.values import MDValue as MDValue
from llvmlite.ir.values import Value as Value

Undefined: object

class Module:
    triple: str
    data_layout: str
    globals: dict[str, Value]
    functions: list[Function]
    def __init__(self, name: str = "") -> None: ...
    def add_metadata(self, operands: Sequence[Constant]) -> MDValue: ...

class IRBuilder:
    block: Block
    @property
    def module(self) -> Module: ...
    def call(self, fn: Function, args: Sequence[Value], name: str = "") -> CallInstr: ...
    def __init__(self, block: Block | None = None) -> None: ...
    def branch(self, target: Block) -> Instruction: ...
    def position_at_end(self, block: Block) -> None: ...
    def position_before(self, instr: Instruction) -> None: ...
    def phi(self, typ: Type, name: str = "") -> instructions.PhiInstr: ...
    def alloca(self, typ: Type, size: Value | None = None, name: str = "") -> AllocaInstr: ...
    def gep(
        self,
        ptr: Value,
        indices: Sequence[Value],
        inbounds: bool = False,
        name: str = "",
        source_etype: Type | None = None,
    ) -> Instruction: ...
    def atomic_rmw(
        self, op: str, ptr: Value, val: Value, ordering: str, name: str = ""
    ) -> Instruction: ...
    def cmpxchg(
        self,
        ptr: Value,
        cmp: Value,
        val: Value,
        ordering: str,
        failordering: str | None = None,
        name: str = "",
    ) -> Instruction: ...
    def extract_element(self, vector: Value, idx: Value, name: str = "") -> Instruction: ...
    def and_(self, lhs: Value, rhs: Value) -> Value: ...
    def icmp_unsigned(self, cmpop: str, lhs: Value, rhs: Value) -> Value: ...
    def fcmp_ordered(
        self, cmpop: str, lhs: Value, rhs: Value, name: str = "", flags: Sequence[str] = ()
    ) -> Instruction: ...
    def fcmp_unordered(
        self, cmpop: str, lhs: Value, rhs: Value, name: str = "", flags: Sequence[str] = ()
    ) -> Instruction: ...
    def select(self, cond: Value, lhs: Value, rhs: Value, name: str = "") -> Instruction: ...
    def fptosi(self, value: Value, typ: Type, name: str = "") -> Instruction: ...
    def fptoui(self, value: Value, typ: Type, name: str = "") -> Instruction: ...
    def uitofp(self, value: Value, typ: Type, name: str = "") -> Instruction: ...

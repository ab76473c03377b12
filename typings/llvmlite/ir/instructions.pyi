from collections.abc import Sequence

from llvmlite.ir.values import Block, Value

class Instruction(Value):
    parent: Block
    operands: list[Value]
    flags: list[str]
    def descr(self, buf: list[str]) -> None: ...

class Terminator(Instruction): ...
class CastInstr(Instruction): ...
class InsertElement(Instruction): ...
class LoadInstr(Instruction): ...

class GEPInstr(Instruction):
    pointer: Value
    indices: list[Value]

class AllocaInstr(Instruction):
    align: int | None

class FastMathFlags:
    def __init__(self, args: Sequence[str] = ()) -> None: ...

class CallInstr(Instruction):
    callee: Value
    cconv: str
    fastmath: FastMathFlags

class PhiInstr(Instruction):
    incomings: list[tuple[Value, Block]]
    def add_incoming(self, value: Value, block: Block) -> None: ...

from collections.abc import Sequence

from llvmlite.ir.values import Block, Value

class Instruction(Value):
    flags: list[str]

class Terminator(Instruction):
    operands: list[Value]

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

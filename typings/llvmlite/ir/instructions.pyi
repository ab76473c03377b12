from llvmlite.ir.values import Block, Value

class Instruction(Value): ...

class AllocaInstr(Instruction):
    align: int | None

class CallInstr(Instruction):
    callee: Value
    cconv: str

class PhiInstr(Instruction):
    def add_incoming(self, value: Value, block: Block) -> None: ...

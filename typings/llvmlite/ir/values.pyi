from llvmlite.ir import Module
from llvmlite.ir.instructions import Instruction, Terminator
from llvmlite.ir.types import FunctionType, Type

class Value:
    type: Type
    name: str
    def get_reference(self) -> str: ...

class Constant(Value):
    def __init__(self, typ: Type, constant: object) -> None: ...

class Argument(Value): ...

class NameScope:
    def register(self, name: str, deduplicate: bool = False) -> str: ...

class GlobalVariable(Value):
    linkage: str
    global_constant: bool
    initializer: Constant
    align: int
    def __init__(self, module: Module, typ: Type, name: str, addrspace: int = 0) -> None: ...

class MDValue:
    def get_reference(self) -> str: ...

class Block(Value):
    scope: NameScope
    instructions: list[Instruction]
    function: Function
    @property
    def terminator(self) -> Terminator: ...

class BlockAddress(Value):
    def __init__(self, function: Function, basic_block: Block) -> None: ...

class AttributeSet:
    def add(self, name: str) -> None: ...

class Function(Value):
    args: tuple[Argument, ...]
    attributes: AttributeSet
    blocks: list[Block]
    calling_convention: str
    def __init__(self, module: Module, ftype: FunctionType, name: str) -> None: ...
    def append_basic_block(self, name: str = "") -> Block: ...
    @property
    def module(self) -> Module: ...
    def set_metadata(self, name: str, node: MDValue) -> None: ...
    def descr_prototype(self, buf: list[str]) -> None: ...

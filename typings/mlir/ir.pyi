from collections.abc import Callable, Iterator
from enum import Enum

class MLIRError(Exception):
    message: str
    error_diagnostics: list[DiagnosticInfo]

class Context:
    def attach_diagnostic_handler(self, callback: Callable[[Diagnostic], bool]) -> object: ...
    allow_unregistered_dialects: bool
    def enable_multithreading(self, enable: bool) -> None: ...

class Location:
    filename: str
    start_line: int
    start_col: int
    locations: list[Location]
    child_loc: Location
    callee: Location
    caller: Location
    def emit_error(self, message: str) -> None: ...
    @staticmethod
    def file(filename: str, line: int, col: int, *, context: Context) -> Location: ...
    def is_a_file(self) -> bool: ...
    def is_a_fused(self) -> bool: ...
    def is_a_name(self) -> bool: ...
    def is_a_callsite(self) -> bool: ...

class DiagnosticSeverity(Enum):
    ERROR = 0
    WARNING = 1
    NOTE = 2
    REMARK = 3

class Diagnostic:
    severity: DiagnosticSeverity
    location: Location
    message: str

class DiagnosticInfo:
    location: Location
    message: str

class Operation:
    @staticmethod
    def parse(
        source: str, *, source_name: str = "", context: Context | None = None
    ) -> Operation: ...
    def get_asm(
        self,
        *,
        enable_debug_info: bool = False,
        print_generic_op_form: bool = False,
        use_local_scope: bool = False,
    ) -> str | bytes: ...
    name: str
    context: Context
    location: Location
    regions: list[Region]
    attributes: Attributes
    def erase(self) -> None: ...

class OpView:
    operation: Operation

class Block:
    operations: list[OpView]
    def append(self, operation: OpView) -> None: ...

class Region:
    blocks: list[Block]

class Attributes:
    def __iter__(self) -> Iterator[str]: ...
    def __getitem__(self, name: str) -> object: ...
    def __setitem__(self, name: str, value: object) -> None: ...
    def __delitem__(self, name: str) -> None: ...

# The public names with their homes, one a line: type checkers read them here, and so does __init__.py.
from xetile.errors import XetileError as XetileError
from .arrays import Array as Array
from .control.functions import function as function
from .indices import Index as Index
from .kernels import Kernel as Kernel
from .kernels import kernel as kernel
from .programs import program_id as program_id
from .ranges import Range as Range
from .ranges import range as range
from .specialised import Specialised as Specialised
from .tiles import Tile as Tile
from .types import ArrayType as ArrayType
from .types import bf16 as bf16
from .types import f8E4M3FN as f8E4M3FN
from .types import f8E5M2 as f8E5M2
from .types import f16 as f16
from .types import f32 as f32
from .types import f64 as f64
from .types import i4 as i4
from .types import i8 as i8
from .types import i16 as i16
from .types import i32 as i32
from .types import i64 as i64
from .types import index as index
from .types import tf32 as tf32
from .types import ui4 as ui4
from .types import ui8 as ui8

__all__: list[str]  # noqa: PYI035 (its value is this file)

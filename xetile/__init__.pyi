# The public names with their homes, one a line: type checkers read them here, and so does __init__.py.
from . import kernels as kernels
from .api import emit as emit
from .api import execute as execute
from .api import execute_host as execute_host
from .api import lower as lower
from .api import parse as parse
from .api import text as text
from .api import verify as verify
from .batch import compile_many as compile_many
from .errors import XetileError as XetileError
from .explanation import explain as explain
from .explanation import figures as figures
from .explanation import rank as rank
from .explorer import explore as explore
from .runtime.devices import list_devices as list_devices
from .runtime.devices import open_device as open_device

__all__: list[str]  # noqa: PYI035 (its value is this file)
__version__: str

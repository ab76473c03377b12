"""What kernels were compiled to, kept in the process and on disk.

    Dependencies(values)             the Python objects that tracing reads: `unchanged()` tells whether they still are
    key_of(value)                    what the values of constants are told apart by in the process
    digest(text, ...)                what code is kept by on disk: the text of the traced IR, device, options, versions
    Recent(most)                     a bounded memory of the process
    Store()                          a bounded folder, of XETILE_CACHE

Nothing here knows how a kernel is traced.
"""

from xetile.language.cache.dependencies import Dependencies
from xetile.language.cache.keys import digest, key_of
from xetile.language.cache.recent import Recent
from xetile.language.cache.store import Store

__all__ = ["Dependencies", "Recent", "Store", "digest", "key_of"]

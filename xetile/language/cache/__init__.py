"""What kernels were compiled to, kept in the process and on disk: what a function means, keys, and where things are.

    watch = Watch(function)          what a function means, with all that it reads: `watch.meaning()`, 32 bytes
    Keys(watch.meaning(), ...)       that, types, constants, device and options: `keys.digest()`
    Recent(most)                     a bounded memory of the process
    Store()                          a bounded folder, of XETILE_CACHE

Nothing here knows how a kernel is traced.
"""

from xetile.language.cache.keys import Keys
from xetile.language.cache.recent import Recent
from xetile.language.cache.store import Store
from xetile.language.cache.watch import Watch, fingerprint, fingerprint_of

__all__ = ["Keys", "Recent", "Store", "Watch", "fingerprint", "fingerprint_of"]

"""What accesses ask of the caches, as XeVM says it: a property of block messages, an attribute of LLVM's own accesses.

xegpu.load %m[%o], %mask <{l1_hint = #xegpu.cache_hint<streaming>}>
llvm.load %p {cache_control = #xevm.load_cache_control<L1s_L2uc_L3uc>} : !llvm.ptr<1> -> i32
"""

from collections.abc import Mapping
from typing import TypeVar

from xdsl.ir import Operation

from xetile.dialects.cache_hints import HINTS
from xetile.dialects.xegpu import CacheHintAttr
from xetile.dialects.xevm import LoadCacheControlAttr, StoreCacheControlAttr
from xetile.errors import fail

_Control = TypeVar("_Control", LoadCacheControlAttr, StoreCacheControlAttr)

_LOAD_HINTS = {"cached": "c", "uncached": "uc", "streaming": "s"}
_STORE_HINTS = {"uncached": "uc", "write_through": "wt", "write_back": "wb"}


def load_control(op: Operation) -> LoadCacheControlAttr | None:
    """What a load or a prefetch asks of the caches, None for nothing."""
    return _control(op, LoadCacheControlAttr, _LOAD_HINTS)


def store_control(op: Operation) -> StoreCacheControlAttr | None:
    """What a store asks of the caches, None for nothing."""
    return _control(op, StoreCacheControlAttr, _STORE_HINTS)


def _control(
    op: Operation, kind: type[_Control], letters: Mapping[str, str]
) -> _Control | None:
    """The op's cache hints as XeVM has them; levels without a hint are uncached, as upstream's lowering has it."""
    hints = {name: op.properties.get(name) for name in HINTS}
    if all(hint is None for hint in hints.values()):
        return None
    words = [
        hint.data.value if isinstance(hint, CacheHintAttr) else "uncached"
        for hint in hints.values()
    ]
    if "read_invalidate" in words:
        name = "ir"
    else:
        for hint, word in zip(hints, words, strict=True):
            if word not in letters:
                expected = ", ".join(sorted(letters))
                fail(op, f"'{op.name}' has {hint} {word}; expected one of {expected}")
        name = "_".join(f"L{level}{letters[word]}" for level, word in enumerate(words, 1))
    if name not in kind.legal:
        fail(op, f"cache hints {name}; legal are {', '.join(sorted(kind.legal))}")
    return kind(name)

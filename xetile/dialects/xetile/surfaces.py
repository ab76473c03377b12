"""What a tile's matrix must be, as far as the program says it: by literals, or by constants, which count alike."""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Attribute
from xdsl.utils.exceptions import VerifyException

from xetile.dialects.index_lists import Mixed
from xetile.dialects.known_integers import folded_integer
from xetile.dialects.upstream.memref.layout import strides_and_offset
from xetile.dialects.xetile.attributes import COLUMN_MAJOR
from xetile.dialects.xetile.types import TileType, per_byte

Known = Sequence[int | None]
"""Entries of a list, None where only running tells."""


def known_entries(entries: Sequence[Mixed]) -> list[int | None]:
    """The entries that the program says."""
    return [entry if isinstance(entry, int) else folded_integer(entry) for entry in entries]


def verify_against_type(source: MemRefType[Attribute], sizes: Known, strides: Known) -> None:
    """Refuse extents beyond those of a memref's type, and strides that are not the type's."""
    layout = strides_and_offset(source)
    assert layout is not None
    for dimension, (given, most) in enumerate(zip(sizes, source.get_shape(), strict=True)):
        if given is not None and given > most >= 0:
            raise VerifyException(
                f"'sizes' is {in_words(sizes)}, {source} has {most} along dimension {dimension}; expected no more"
            )
    for dimension, (given, written) in enumerate(zip(strides, layout[0], strict=True)):
        if given is not None and written is not None and given != written:
            raise VerifyException(
                f"'strides' is {in_words(strides)}, {source} has {written} along dimension {dimension}; "
                "expected the same"
            )


def verify_not_negative(name: str, entries: Known) -> None:
    """Refuse sizes or strides below 0."""
    if any(entry is not None and entry < 0 for entry in entries):
        raise VerifyException(f"'{name}' is {in_words(entries)}, expected none below 0")


def verify_batch(offsets: Known, sizes: Known) -> None:
    """Refuse indices of leading dimensions that are outside; rows and columns may be, for padding."""
    for dimension, (index, size) in enumerate(zip(offsets[:-2], sizes[:-2], strict=True)):
        if index is None:
            continue
        if index < 0 or (size is not None and 0 <= size <= index):
            most = "" if size is None or size < 0 else f", expected 0 to {size - 1}"
            raise VerifyException(
                f"'offsets' is {in_words(offsets)}: index {index} of dimension {dimension} is outside{most}"
            )


def verify_order(found: str, strides: Sequence[int | None], tile: TileType) -> None:
    """Refuse strides whose fastest dimension is not the order's; None is not known yet."""
    column_major = tile.order == COLUMN_MAJOR
    fastest = strides[-2] if column_major else strides[-1]
    if fastest in (1, None):
        return
    dimension = len(strides) - (2 if column_major else 1)
    text = in_words(strides)
    other = strides[-1] if column_major else strides[-2]
    advice = ""
    if other == 1:
        advice = f"; this is order = {[1, 0] if column_major else [0, 1]}"
    raise VerifyException(
        f"{found} {text}, order {list(tile.order)} needs stride 1 along dimension {dimension}{advice}"
    )


def verify_whole_bytes(tile: TileType, offsets: Known) -> None:
    """Refuse columns that cut a byte which elements share."""
    if per_byte(tile.element_type) > 1 and _is_odd(offsets[-1]):
        raise VerifyException(
            f"'offsets' is {in_words(offsets)}: two elements of {tile.element_type} share a byte, "
            "expected an even column"
        )


def verify_whole_rows(tile: TileType, sizes: Known, strides: Known, source: Attribute) -> None:
    """Refuse rows and pitches that cut a byte which elements share."""
    if per_byte(tile.element_type) == 1:
        return
    shared = f"two elements of {tile.element_type} share a byte"
    if _is_odd(sizes[-1]):
        raise VerifyException(
            f"{source} has rows of {sizes[-1]}: {shared}, expected an even number"
        )
    if any(map(_is_odd, strides[:-1])):
        raise VerifyException(
            f"{source} has strides {in_words(strides)}: {shared}, expected even ones but for the last"
        )


def _is_odd(entry: int | None) -> bool:
    return entry is not None and entry % 2 == 1


def in_words(entries: Sequence[int | None]) -> str:
    """`[?, 1]`."""
    return f"[{', '.join('?' if entry is None else str(entry) for entry in entries)}]"

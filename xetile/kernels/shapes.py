"""Facts about the shapes of arrays that kernels need."""

import xetile.language as xt


def of_batch(array: xt.Array) -> "tuple[xt.Index, ...]":
    """Return the leading index of a batched array, which axis 2 of the grid counts; an empty tuple for a matrix."""
    return (xt.program_id(2),) if len(array.shape) == 3 else ()


def known(extent: "xt.Index | int") -> int:
    """Return an extent that must be known when the kernel is traced.

    Errors: XetileError if it is known only at the call.
    """
    xt.static_assert(isinstance(extent, int), "the depth of the heads has to be a number")
    return int(extent)


def is_at_most(extent: "xt.Index | int", limit: int) -> bool:
    """Return True if an extent is known when the kernel is traced and is at most `limit`."""
    return isinstance(extent, int) and extent <= limit


def is_multiple(extent: "xt.Index | int", of: int) -> bool:
    """Return True if an extent is known when the kernel is traced and is a multiple of `of`."""
    return isinstance(extent, int) and extent % of == 0


def sum_type(element: xt.ElementType) -> xt.ElementType:
    """Return the type in which elements are summed: f64 for f64, i64 for i64, i32 for other integers, else f32."""
    if element in (xt.f64, xt.i64):
        return element
    return xt.i32 if element.kind == "integer" else xt.f32

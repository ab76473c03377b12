"""What kernels ask of the shapes of arrays."""

import xetile.language as xt


def of_batch(array: xt.Array) -> "tuple[xt.Index, ...]":
    """The leading index of an array of a batch: workgroups count its members along axis 2; none of a matrix."""
    return (xt.program_id(2),) if len(array.shape) == 3 else ()


def known(extent: "xt.Index | int") -> int:
    """An extent that has to be known while the kernel is made.

    Errors: XetileError where it is known at the call only.
    """
    xt.static_assert(isinstance(extent, int), "the depth of the heads has to be a number")
    return int(extent)


def is_at_most(extent: "xt.Index | int", limit: int) -> bool:
    """Whether an extent is known to be that small while the kernel is made."""
    return isinstance(extent, int) and extent <= limit


def is_multiple(extent: "xt.Index | int", of: int) -> bool:
    """Whether an extent is known to be a multiple while the kernel is made."""
    return isinstance(extent, int) and extent % of == 0


def sum_type(element: xt.ElementType) -> xt.ElementType:
    """The type in which elements are summed: f64, i32 (i64 of i64), else f32."""
    if element in (xt.f64, xt.i64):
        return element
    return xt.i32 if element.kind == "integer" else xt.f32

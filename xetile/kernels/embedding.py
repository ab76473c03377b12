"""Rows of a table by their numbers."""

import numpy as np

import xetile.language as xt
from xetile.language.testing import Numbers


@xt.kernel(sg_layout=(8, 1))
def embedding(
    ids: xt.Array, table: xt.Array, Y: xt.Array, *, BT: int = 64, BD: int = 64
) -> None:
    """Y[t] = table[ids[t]]: each workgroup gathers BD columns of BT rows. A number that is no row gives zeros.

    Shapes: `ids` has T elements, `table` is V x D, Y is T x D.
    Types: `ids` i32 or i64, the others any, converted where they differ.
    """
    t, d = xt.program_id(0) * BT, xt.program_id(1) * BD
    rows = ids[t : t + BT, None]
    columns = d + xt.arange(BD)
    known = (rows >= 0) & (rows < table.shape[0]) & (columns < table.shape[1])
    Y[t : t + BT, d : d + BD] = table.at[rows, columns].load(mask=known).to(Y.dtype)


def embedding_reference(ids: Numbers, table: Numbers) -> Numbers:
    """Return Y of `embedding`, the same numbers."""
    known = (ids >= 0) & (ids < len(table))
    return np.where(known[:, None], table[np.where(known, ids, 0)], 0)

"""The index dialect."""

from xdsl.dialects import get_all_dialects, test
from xdsl.dialects.builtin import IndexType
from xdsl.traits import Commutative, is_speculatable

from xetile.dialects.upstream import index


def test_stock_xdsl_has_no_index_dialect():
    """Gap of xDSL 0.75: once this fails, look whether its dialect does."""
    assert "index" not in get_all_dialects()


def test_rows_of_the_table_have_their_traits():
    assert index.AddOp.has_trait(Commutative)
    assert not index.SubOp.has_trait(Commutative)
    (n,) = test.TestOp(result_types=[IndexType()]).results
    for kind in (index.AddOp, index.SubOp, index.ShlOp):
        assert is_speculatable(kind.create(operands=[n, n]))
    for kind in (index.DivSOp, index.CeilDivUOp, index.RemUOp):
        assert not is_speculatable(kind.create(operands=[n, n]))

"""Names of attributes that are told apart from misspelled ones."""

from xetile.analysis.kernels import OLDER_CONVENTION
from xetile.dialects.names import FUNCTION_ATTRIBUTES
from xetile.dialects.spelling import did_you_mean, meant


def test_the_launch_convention_is_among_the_names_of_functions():
    assert OLDER_CONVENTION in FUNCTION_ATTRIBUTES


def test_the_nearest_name_in_whatever_case():
    assert meant("L1_hnt", ("l1_hint", "l2_hint")) == "l1_hint"
    assert meant("VectorComputeFunctionIntel", FUNCTION_ATTRIBUTES) == OLDER_CONVENTION


def test_names_that_are_like_none():
    assert meant("note", ("padding", "l1_hint")) is None
    assert did_you_mean("note", ("padding",)) == ""

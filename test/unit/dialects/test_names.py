"""Names of attributes that are told apart from misspelled ones."""

from xetile.analysis.module_kernels import OLDER_CONVENTION
from xetile.dialects.modules import FUNCTION_ATTRIBUTES


def test_the_launch_convention_is_among_the_names_of_functions():
    assert OLDER_CONVENTION in FUNCTION_ATTRIBUTES

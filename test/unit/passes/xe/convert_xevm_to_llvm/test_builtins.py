"""The names that the linker knows OpenCL's functions by."""

import pytest

from xetile.passes.xe.convert_xevm_to_llvm.builtins import mangle


@pytest.mark.parametrize(
    ("parameters", "mangled"),
    [
        ([], "_Z1fv"),
        (["i", "i"], "_Z1fii"),
        (["Dv2_i", "Dv2_i", "Dv4_i", "Dv4_i"], "_Z1fDv2_iS_Dv4_iS0_"),
        (["Pt", "Dv2_i", "Dv2_i"], "_Z1fPtDv2_iS0_"),
        # what a pointer to an address space points to is a type of its own
        (["PU3AS1i", "PU3AS1i"], "_Z1fPU3AS1iS0_"),
        (["PU3AS1i", "Dv2_i", "PU3AS1i", "Dv2_i"], "_Z1fPU3AS1iDv2_iS0_S1_"),
    ],
)
def test_what_occurred_before_is_a_reference(parameters: list[str], mangled: str) -> None:
    assert mangle("f", parameters) == mangled

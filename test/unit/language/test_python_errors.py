"""What Python refuses in a kernel is one line; what a kernel raises itself, or a module that it calls, stays."""

import pytest

import xetile.language as xt


class Unwanted(ValueError):
    pass


@xt.kernel(sg_layout=(1, 1))
def raising(A: xt.Array, C: xt.Array) -> None:
    raise Unwanted("odd")


@xt.kernel(sg_layout=(1, 1))
def dividing(A: xt.Array, C: xt.Array, *, parts: int = 0) -> None:
    C[0:8, 0:16] = A[0 : 8 // parts, 0:16]


@xt.kernel(sg_layout=(1, 1))
def forgetful(A: xt.Array, C: xt.Array) -> None:
    A.at[0:8, 0:16].load()


TYPES = xt.f32[8, 16], xt.f32[8, 16]


def test_what_a_kernel_raises_stays():
    with pytest.raises(Unwanted, match="odd"):
        raising.specialize(*TYPES)


def test_what_python_refuses_is_one_line_that_keeps_its_cause():
    with pytest.raises(xt.XetileError, match=r"ZeroDivisionError: .*by zero") as caught:
        dividing.specialize(*TYPES)
    assert isinstance(caught.value.__cause__, ZeroDivisionError)
    assert caught.value.location is not None
    assert caught.value.location.column.data == 26


def test_a_kernel_that_stores_nothing_is_warned_of(capsys: pytest.CaptureFixture[str]):
    forgetful.specialize(*TYPES)
    assert "kernel 'forgetful' stores nothing" in capsys.readouterr().err

"""Control flow that is traced: executing the trace gives the bits of Python's own run, eagerly.

`right_kernels.txt` has kernels below `=== name`.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

import xetile.language as xt

TEXT = (Path(__file__).parent / "right_kernels.txt").read_text()
KERNELS = dict(one.split("\n", 1) for one in TEXT.removeprefix("=== ").split("\n=== "))


@pytest.mark.parametrize("name", KERNELS)
def test_a_trace_computes_what_python_computes(name: str, tmp_path: Path) -> None:
    path = tmp_path / f"{name}.py"
    path.write_text(KERNELS[name])
    names: dict[str, object] = {"xt": xt, "np": np, "dataclass": dataclass, "__name__": name}
    exec(compile(KERNELS[name], path, "exec"), names)
    kernel = names["kernel"]
    assert isinstance(kernel, xt.Kernel)
    traced = kernel.specialize(xt.f32[16, 64], xt.f32[8, 16], grid=(1,))
    random = np.random.default_rng(0)
    a = random.integers(-4, 5, (16, 64)).astype(np.float32)
    c, d = np.zeros((8, 16), np.float32), np.zeros((8, 16), np.float32)
    traced(a, c)
    traced.eager(a, d)
    assert c.any()
    assert (c == d).all()


def test_functions_are_pythons_outside_of_kernels() -> None:
    @xt.function
    def largest(*numbers: int) -> int:
        found = numbers[0]
        for number in numbers:
            if number > found:
                found = number
        return found

    assert largest(3, 7, 5) == 7
    assert largest.__name__ == "largest"
    assert [int(k) for k in xt.range(7, 0, -3)] == [7, 4, 1]

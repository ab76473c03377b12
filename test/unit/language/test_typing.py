"""What users' type checkers say of kernels: nothing of right ones, one error at each wrong line."""

import json
import re
import subprocess
import sys
from pathlib import Path

TEXT = """
import numpy as np

import xetile.language as xt


@xt.function
def scaled(x: xt.Tile, by: xt.Scalar) -> xt.Tile:
    return x * by


@xt.kernel(sg_layout=(8, 4))
def gemm(A: xt.Array, B: xt.Array, C: xt.Array, bias: xt.Array, alpha: xt.Scalar, *, BM: int = 64, BN: int = 64) -> None:
    m, n = xt.program_id(0) * BM, xt.program_id(1) * BN
    acc = xt.zeros((BM, BN), xt.f32)
    for k in xt.range(0, A.shape[1], 32):
        A.at[m : m + BM, k + 96 : k + 128].prefetch(cache=("cached", "uncached"))
        acc += A[m : m + BM, k : k + 32] @ B.T[n : n + BN, k : k + 32].T
    acc = scaled(xt.maximum(acc + bias[n : n + BN], 0.0), alpha)
    with xt.fastmath("nnan", "afn"):
        e = xt.exp(acc - acc.max(1))
    rows = m + xt.arange(BM, axis=0)
    inside = (rows < A.shape[0]) & (e == e)
    y = xt.where(inside, e / e.sum(1), xt.f32(0.5))
    C.at[m : m + BM, n : n + BN].store(y.to(C.dtype), cache="write_back")
    C.at[rows, n : n + BN].add(y.to(C.dtype), mask=inside)
    if bias[0] > 1.0:
        bias[0] = 1.0 - bias[1]
    xt.print("row", m, bias[0])
    xt.static_assert(BM % 8 == 0, "rows come in eights")
    line = xt.shared((BN,), xt.f32)
    line[:] = bias[n : n + BN] + line[0:BN, None].T
    xt.barrier()


compiled = gemm.specialize(
    xt.f16[64, "K"], xt.f16["K", 64].T, xt.f32[64, 64].aligned(64), xt.f32[64], xt.f32, BM=32
)
arrays = np.ones((64, 64), np.float16), np.ones((64, 64), np.float16)
gemm(*arrays, np.ones((64, 64), np.float32), np.ones(64, np.float32), 0.5)


@xt.kernel
def wrong(A: xt.Array) -> None:
    x = A[0:8, 0:16]
    x + "text"  # wrong
    x.shape = (16, 8)  # wrong
    x.sum()  # wrong
    xt.zeros(8, xt.f32)  # wrong
    xt.exp("text")  # wrong
    x.to("f32")  # wrong
    A.at[0:8, 0:16].load(cache="fast")  # wrong
    xt.fastmath("quick")  # wrong
    xt.nothing  # wrong
    x.sum(1, keepdims=False)  # wrong
"""


def test_strict_type_checkers_know_the_language(tmp_path: Path) -> None:
    (tmp_path / "kernels.py").write_text(TEXT)
    root = Path(__file__).parents[3]
    settings = {
        "typeCheckingMode": "strict",
        "extraPaths": [str(root)],
        "reportUnusedExpression": False,
    }
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings))
    program = Path(sys.executable).parent / "basedpyright"
    done = subprocess.run(
        [program, "--outputjson", "--project", tmp_path],
        capture_output=True,
        text=True,
        check=False,
    )
    found = json.loads(done.stdout)["generalDiagnostics"]
    said = {one["range"]["start"]["line"] for one in found if one["severity"] == "error"}
    wrong = {
        number for number, line in enumerate(TEXT.splitlines()) if re.search("# wrong$", line)
    }
    assert said == wrong, [one["message"] for one in found]

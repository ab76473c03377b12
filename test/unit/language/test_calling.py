"""What calls keep: specialisations in the process, code on disk; figures that need no GPU; eager execution on request."""

import inspect
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import xetile.language as xt
from xetile.language.calling import specialised, tracing

SCALE = 2.0


@xt.kernel(sg_layout=(2, 2))
def scaled(X: xt.Array, Y: xt.Array, *, BM: int = 32) -> None:
    """Y = X * SCALE."""
    m = xt.program_id(0) * BM
    Y[m : m + BM, 0:32] = X[m : m + BM, 0:32] * SCALE


X = np.ones((64, 32), np.float32)


def zeros() -> NDArray[np.float32]:
    return np.zeros((64, 32), np.float32)


@pytest.fixture
def traces(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of kernels that are traced meanwhile."""
    found: list[str] = []
    trace = tracing.trace

    def counted(source: tracing.Source) -> Any:
        found.append(source.name)
        return trace(source)

    monkeypatch.setattr(tracing, "trace", counted)
    return found


def test_a_call_like_the_one_before_traces_nothing(traces: list[str]) -> None:
    for rows in (32, 32, 16):
        y = zeros()
        scaled(X, y, BM=rows)
        assert (y == 2).all()
    scaled(X.astype(np.float16), zeros().astype(np.float16))
    assert len(traces) == 3


def test_what_the_kernel_reads_is_looked_at_anew(
    traces: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    y = zeros()
    scaled(X, y)
    monkeypatch.setattr(f"{__name__}.SCALE", 3.0)
    scaled(X, y)
    assert (y == 3).all()
    monkeypatch.undo()
    scaled(X, y)
    assert (y == 2).all()


def test_code_is_kept_on_disk(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, traces: list[str]
) -> None:
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path))
    compiled: list[str] = []
    compile_code = specialised.compile_code

    def counted(*arguments: Any, **options: Any) -> Any:
        compiled.append("once")
        return compile_code(*arguments, **options)

    monkeypatch.setattr(specialised, "compile_code", counted)

    def specialise(rows: int) -> xt.Specialised:
        return scaled.specialize(xt.f32[64, 32], xt.f32[64, 32], BM=rows)

    first = specialise(32).compile("bmg")
    again = specialise(32).compile("bmg")
    assert (again.spirv, again.contract) == (first.spirv, first.contract)
    assert len(compiled) == 1
    specialise(32).compile("pvc")
    specialise(16).compile("bmg")
    specialise(32).compile("bmg", unroll=1)
    monkeypatch.setattr(f"{__name__}.SCALE", 3.0)
    assert specialise(32).compile("bmg").spirv != first.spirv
    assert len(compiled) == 5


@xt.kernel
def ragged(A: xt.Array, C: xt.Array) -> None:
    C[0:8, 0:16] = A[0:8, 0:16]


def test_what_was_said_of_kept_code_is_said_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path))
    types = xt.f32["M", "N"], xt.f32["M", "N"]
    kernel = ragged.specialize(*types)
    kernel.compile("bmg")
    first = capsys.readouterr().err
    assert first.count("remark: ") == 2, "of the load, and of the store"
    kernel.compile("bmg")
    assert capsys.readouterr().err == "", "once of a kernel and device"
    ragged.specialize(*types).compile("bmg")
    assert capsys.readouterr().err == first
    assert not [
        file
        for file in tmp_path.rglob("*")
        if file.is_file() and b"test_calling" in file.read_bytes()
    ]


@pytest.mark.ocloc
def test_what_ocloc_makes_is_kept_by_its_version(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XETILE_CACHE", str(tmp_path))
    asked: list[str] = []

    def compiled() -> xt.Compiled:
        return scaled.specialize(xt.f32[64, 32], xt.f32[64, 32]).compile("bmg")

    first = compiled()
    made = (first.asm, first.stats, first.zebin)

    def counted(module: object, *rest: object, **more: object) -> str:
        asked.append("asm")
        return "another"

    monkeypatch.setattr("xetile.codegen.emit", counted)
    again = compiled()
    assert (again.asm, again.stats, again.zebin) == made
    assert asked == []
    monkeypatch.setattr("xetile.toolchain.ocloc.ocloc_version", lambda: "another one")
    assert compiled().asm == "another"


def test_eager_execution_is_asked_for_by_the_environment(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    @xt.kernel
    def printing(X: xt.Array, Y: xt.Array) -> None:
        x = X[0:8, 0:16]
        print(float(x.sum(1, keepdims=True).sum(0, keepdims=True)))
        Y[0:8, 0:16] = x

    ones = np.ones((8, 16), np.float32)
    with pytest.raises(xt.XetileError, match="only when the kernel runs"):
        printing(ones, ones.copy())
    monkeypatch.setenv("XETILE_EAGER", "1")
    y = np.zeros((8, 16), np.float32)
    printing(ones, y, grid=(1,))
    assert (y == 1).all()
    assert capsys.readouterr().out == "128.0\n"


def test_a_kernel_looks_like_its_function() -> None:
    assert scaled.__name__ == "scaled"
    assert scaled.__doc__ == "Y = X * SCALE."
    assert list(inspect.signature(scaled).parameters) == ["X", "Y", "BM"]
    assert pickle.loads(pickle.dumps(scaled)) is scaled


def test_kernels_are_explained_by_lines_of_python() -> None:
    text = str(scaled.specialize(xt.f32[64, 32], xt.f32[64, 32]).explain("bmg"))
    line = (
        inspect.getsource(scaled)
        .splitlines()
        .index("    Y[m : m + BM, 0:32] = X[m : m + BM, 0:32] * SCALE")
        + inspect.getsourcelines(scaled)[1]
    )
    assert f"test_calling.py:{line}:5" in text


def test_configurations_are_ranked() -> None:
    ranks = scaled.rank(
        [{"BM": 64}, {"BM": 3.5}, {"BM": 32, "sg_layout": (4, 2)}, {"BX": 1}],
        xt.f32[64, 32],
        xt.f32[64, 32],
        device="bmg",
        assembly=False,
        report=lambda done, total: None,
    )
    assert ranks.best in ({"BM": 64}, {"BM": 32, "sg_layout": (4, 2)})
    assert [entry.figures is not None for _, entry in ranks.entries] == [True] * 2 + [
        False
    ] * 2
    assert "not compiled: BX=1: " in str(ranks)
    assert "has no constant 'BX'" in str(ranks)


@pytest.mark.opencl
def test_a_kernel_on_a_device_specialises_by_its_arguments(traces: list[str]) -> None:
    with scaled.on("opencl:cpu", device="bmg") as on_device:
        device = on_device.device
        x, y = device.buffer(X), device.zeros(X.shape, X.dtype)
        for _ in range(3):
            on_device(x, y)
        assert (y.numpy() == 2).all()
        z = zeros()
        on_device(X, z)
        assert (z == 2).all()
    assert len(traces) <= 1


@pytest.mark.opencl
def test_rows_of_one_array_are_copied_to_a_device() -> None:
    @xt.kernel
    def added(X: xt.Array, Y: xt.Array, Z: xt.Array) -> None:
        Z[0:64] = X[0:64] + Y[0:64]

    rows, z = np.arange(200, dtype=np.float32).reshape(2, 100), np.zeros(100, np.float32)
    with added.on("opencl:cpu", device="bmg") as on_device:
        on_device(rows[0], rows[1], z)
    assert (z[:64] == (rows[0] + rows[1])[:64]).all()


def test_types_of_arrays_are_no_annotations() -> None:
    def declared(X: Any) -> None:
        X[0:8, 0:16] = X[0:8, 0:16]

    declared.__annotations__["X"] = xt.f16[8, 16]
    with pytest.raises(
        xt.XetileError, match=r"argument 'X' .* annotated .* write `X: xt.Array`"
    ):
        xt.kernel(declared)


@pytest.mark.parametrize(
    ("element", "dtype"), [(xt.i1, np.bool_), (xt.index, np.int64)], ids=["i1", "index"]
)
def test_arrays_of_truth_values_and_of_indices(element: Any, dtype: Any) -> None:
    @xt.kernel(grid=(1,))
    def chosen_pairs(X: xt.Array, Y: xt.Array) -> None:
        x, y = X[0:8, 0:16], X[8:16, 0:16]
        Y[0:8, 0:16] = x
        Y[8:16, 0:16] = xt.where(x != y, x, y)

    x = np.random.default_rng(0).integers(0, 2, (16, 16)).astype(dtype)
    wanted = x.copy()
    wanted[8:] = np.where(x[:8] != x[8:], x[:8], x[8:])
    made = chosen_pairs.specialize(element[16, 16], element[16, 16])
    for run in (made, made.eager, made.lower("subgroup"), made.lower("xevm", device="bmg")):
        y = np.zeros_like(x)
        run(x, y)
        assert (y == wanted).all()


def test_what_is_said_of_a_view_loses_no_result() -> None:
    wide = np.zeros((64, 96), np.float32)
    said = (
        "pass the array that it is a view of, and slice that in the kernel, or "
        "numpy.ascontiguousarray(Y), which is copied back if the kernel stores to it"
    )
    made = scaled.specialize(xt.f32[64, 32], xt.f32[64, 32])
    for run in (scaled, made, made.eager):
        with pytest.raises(xt.XetileError) as refused:
            run(X, wide[:, :32])
        assert refused.value.message.endswith(said)

"""What our verifiers of XeGPU, XeVM and binaries refuse, mlir-opt 22 refuses too: the wrong programs of test/ir."""

import subprocess
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "ir" / "dialects"
FILES = sorted(
    path
    for pattern in ("xegpu/invalid*.mlir", "xevm/invalid*.mlir", "upstream/gpu/binary-invalid.mlir")
    for path in SOURCES.glob(pattern)
)


@pytest.mark.mlir_opt
@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_upstream_refuses_every_chunk(mlir_opt: Path, file: Path) -> None:
    chunks = file.read_text().split("// -----\n")
    assert len(chunks) >= 5
    for chunk in chunks:
        assert "expected-error" in chunk
        done = subprocess.run([mlir_opt], input=chunk, capture_output=True, text=True, check=False)
        assert done.returncode != 0, chunk

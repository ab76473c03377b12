"""What our verifiers refuse, mlir-opt 22 refuses too: the wrong programs of test/ir."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "ir" / "dialects"
FILES = sorted(
    path
    for pattern in (
        "xegpu/invalid*.mlir",
        "xevm/invalid*.mlir",
        "upstream/gpu/binary-invalid.mlir",
        "upstream/cf/invalid.mlir",
        "upstream/memref/*invalid.mlir",
        "upstream/scf/invalid.mlir",
    )
    for path in SOURCES.glob(pattern)
)


@pytest.mark.mlir_opt
@pytest.mark.parametrize("file", FILES, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_upstream_refuses_every_chunk(
    upstream_refuses: Callable[[Sequence[str]], list[bool]], file: Path
) -> None:
    chunks = file.read_text().split("// -----\n")
    assert len(chunks) >= 5
    assert all("expected-error" in chunk for chunk in chunks)
    refused = upstream_refuses(chunks)
    assert [
        chunk for chunk, is_refused in zip(chunks, refused, strict=True) if not is_refused
    ] == []

import pytest
from xdsl.dialects.builtin import ModuleOp

import xetile
from xetile.dialects.modules import context
from xetile.kernels import gemm_module
from xetile.passes import load_pass


def reread(module: ModuleOp) -> ModuleOp:
    return xetile.parse(xetile.text(module))


def names(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


@pytest.mark.parametrize("prefetch", [None, 3])
@pytest.mark.parametrize(
    ("a", "accumulator"), [("f16", "f32"), ("bf16", "f32"), ("i8", "i32")]
)
def test_the_examples_are_what_is_made(a: str, accumulator: str, prefetch: int | None) -> None:
    built = gemm_module(
        m=4096, n=4096, k=4096, a=a, accumulator=accumulator, prefetch=prefetch
    )
    for name in ("xetile-infer-wg-map", "xetile-carry-tiles"):
        load_pass(name)().apply(context(), built)
    written = xetile.parse(f"examples/gemm_{a}{'' if prefetch else '_plain'}.mlir")
    tiles = {str(v.type) for op in built.walk() for v in op.results if "tile<" in str(v.type)}
    written_tiles = {
        str(v.type) for op in written.walk() for v in op.results if "tile<" in str(v.type)
    }
    if a != "i8" or prefetch is None:  # ours of i8 are whole cache lines
        assert tiles == written_tiles
    xetile_ops = [name for name in names(written) if name.startswith("xetile.")]
    assert sorted(n for n in names(built) if n.startswith("xetile.")) == sorted(xetile_ops)


def test_what_is_built_reads_back_as_it_is() -> None:
    built = gemm_module(
        m=300, n=208, k=72, a="bf16", c="bf16", workgroup_tile=(128, 128), prefetch=2
    )
    assert reread(built).is_structurally_equivalent(built)


def test_values_have_names() -> None:
    text = xetile.text(gemm_module(m=300, n=208, k=72, workgroup_tile=(128, 128)))
    for name in ("%A", "%B", "%C", "%block_x", "%k", "%total"):
        assert name in text


def test_c_is_converted_after_the_loop() -> None:
    text = xetile.text(gemm_module(m=64, n=64, k=64, c="f16", workgroup_tile=(64, 64)))
    assert text.count("arith.truncf") == 1
    assert (
        text.index("scf.yield") < text.index("arith.truncf") < text.index("xetile.store_tile")
    )

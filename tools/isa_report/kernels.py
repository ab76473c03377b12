"""The kernels of the report: what is compiled, what a K step is, the tiles that its messages move, upstream's ways."""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from tools.instruction_counts.attention import Stored, attention
from tools.instruction_counts.weights import weights
from tools.isa_report.bounds import Tile
from tools.isa_report.library import LIKE
from tools.isa_report.products import BIAS_RELU, RELU, product
from tools.isa_report.rows import SOFTMAX
from tools.isa_report.upstream import Ways, ways
from tools.isa_report.upstream.subgroup import Product as SubgroupProduct
from tools.isa_report.upstream.workgroup import RELU as UPSTREAM_RELU
from tools.isa_report.upstream.workgroup import Product as WorkgroupProduct
from xetile.kernels import gemm_module
from xetile.layout.intel.message_layouts import Access
from xetile.targets import names

EXAMPLES = Path(__file__).parents[2] / "examples"


class Kernel(NamedTuple):
    """One row of the report.

    Attributes:
        text: XeTile, made when it is asked for.
        step: what the counts are of, in words.
        dpas: matrix instructions of a step; 0 where the unit is a block of 8x16 that is loaded.
        tiles: what a subgroup loads and prefetches in a step.
        ways: upstream's, the stock one first; none where there is no text.
        why_none: why there is none.
        blocks: that each loop of a kernel without products loads.
        arguments: values of scalar arguments, for the instructions executed.
        devices: those that have the kernel.
    """

    text: Callable[[], str]
    step: str
    dpas: int
    tiles: tuple[Tile, ...] = ()
    ways: Callable[[], Ways] = tuple
    why_none: str = ""
    blocks: int = 0
    arguments: Mapping[str, int] = {}
    devices: tuple[str, ...] = names()


def _gemm(
    element: str,
    accumulator: str = "f32",
    *,
    prefetch: int | None = None,
    step: int = 32,
    tile: tuple[int, int] = (32, 64),
    c: str | None = None,
) -> str:
    from xetile.api import text

    workgroup = (256, 256) if tile == (32, 64) else (64, 64)
    return text(
        gemm_module(
            m=4096,
            n=4096,
            k=4096,
            a=element,
            accumulator=accumulator,
            c=c,
            workgroup_tile=workgroup,
            subgroup_tile=tile,
            k_step=step,
            prefetch=prefetch,
        )
    )


def _tiles(
    bits: int, *, packed: bool = True, step: int = 32, tile: tuple[int, int] = (32, 64)
) -> tuple[Tile, ...]:
    access: Access = "load_packed" if packed else "load"
    return Tile("load", tile[0], step, bits), Tile(access, step, tile[1], bits)


AHEAD = (Tile("prefetch", 8, 32, 16), Tile("prefetch", 8, 32, 16))
"""A subgroup's part of both tiles of a workgroup."""

TURNED_B = (Tile("load", 32, 32, 16), Tile("load_transposed", 64, 16, 32))
"""B of 16-bit elements in words of 32 bits."""

WEIGHTS = (Tile("load", 32, 32, 16), Tile("load", 4, 64, 8))
"""A, and a subgroup's part of the bytes that B is made of."""

_F16 = WorkgroupProduct()
_BYTES = WorkgroupProduct(
    a="i8", b="i8", accumulator="i32", c="i32", instruction=((8, 32), (32, 16))
)
_TF32 = WorkgroupProduct(a="tf32", b="tf32", step=16, instruction=((8, 8), (8, 16)))
_FP8 = WorkgroupProduct(a="f8E4M3FN", b="f8E4M3FN", instruction=((8, 32), (32, 16)))


def _plain(
    workgroup: WorkgroupProduct, subgroup: SubgroupProduct | None
) -> Callable[[], Ways]:
    def made() -> Ways:
        return (
            *ways.workgroup(workgroup),
            *(ways.converted(workgroup) if workgroup.instruction[0] == (8, 16) else ()),
            *(() if subgroup is None else ways.subgroup(subgroup)),
        )

    return made


def _attention(rows: int, stored: Stored) -> Kernel:
    by_d = stored == "keys x D"
    k: tuple[Tile, ...] = (
        (Tile("load_transposed", 64, 32, 32),) if by_d else (Tile("load_packed", 64, 64, 16),)
    )
    return Kernel(
        partial(attention, rows, stored),
        "64 keys",
        rows * 4,
        (*k, Tile("load_packed", 64, 64, 16)),
        partial(ways.flash_attention, rows, keys_by_d=by_d),
        arguments={"keys": 4096},
    )


_STEP = "a K step of 32"

_WRITTEN: Mapping[str, Kernel] = {
    "f16": Kernel(
        partial(_gemm, "f16"), _STEP, 32, _tiles(16), _plain(_F16, SubgroupProduct())
    ),
    "f16, prefetch": Kernel(
        partial(_gemm, "f16", prefetch=3),
        _STEP,
        32,
        (*_tiles(16), *AHEAD),
        _plain(_F16._replace(prefetched=True), SubgroupProduct(prefetched=True)),
    ),
    "bf16": Kernel(
        partial(_gemm, "bf16"),
        _STEP,
        32,
        _tiles(16),
        _plain(_F16._replace(a="bf16", b="bf16"), SubgroupProduct(element="bf16")),
    ),
    "i8": Kernel(partial(_gemm, "i8", "i32"), _STEP, 16, _tiles(8), _plain(_BYTES, None)),
    "ui8": Kernel(
        partial(_gemm, "ui8", "i32"),
        _STEP,
        16,
        _tiles(8),
        _plain(_BYTES._replace(a="ui8", b="ui8"), None),
    ),
    "tf32": Kernel(
        partial(_gemm, "tf32", step=16),
        "a K step of 16",
        32,
        _tiles(32, packed=False, step=16),
        _plain(_TF32, None),
    ),
    "f8E4M3FN": Kernel(
        partial(_gemm, "f8E4M3FN"),
        _STEP,
        16,
        _tiles(8),
        _plain(_FP8, None),
        devices=("ptl", "cri"),
    ),
    "f16, B transposed": Kernel(
        partial(product, b="columns"),
        _STEP,
        32,
        TURNED_B,
        partial(ways.transposed, SubgroupProduct(b_transposed=True)),
    ),
    "f16, A transposed": Kernel(
        partial(product, a="columns"),
        _STEP,
        32,
        (Tile("load_transposed", 32, 16, 32), Tile("load_packed", 32, 64, 16)),
        partial(ways.transposed, SubgroupProduct(a_transposed=True)),
    ),
    "tf32, B transposed": Kernel(
        partial(product, "tf32", step=16, b="columns"),
        "a K step of 16",
        32,
        (Tile("load", 32, 16, 32), Tile("load_transposed", 64, 16, 32)),
        _plain(_TF32._replace(b_transposed=True), None),
    ),
    "f16, C in bf16": Kernel(
        partial(_gemm, "f16", c="bf16"),
        _STEP,
        32,
        _tiles(16),
        _plain(_F16._replace(c="bf16"), SubgroupProduct(c="bf16")),
    ),
    "f16, relu": Kernel(
        partial(product, after=RELU),
        _STEP,
        32,
        _tiles(16),
        _plain(_F16._replace(after=UPSTREAM_RELU), SubgroupProduct(after="relu")),
    ),
    "f16, bias, relu": Kernel(
        partial(product, after=BIAS_RELU),
        _STEP,
        32,
        _tiles(16),
        partial(ways.subgroup, SubgroupProduct(after="bias, relu")),
    ),
    "f16, tile of 8x16": Kernel(
        partial(_gemm, "f16", tile=(8, 16)),
        _STEP,
        2,
        _tiles(16, tile=(8, 16)),
        partial(ways.subgroup, SubgroupProduct(workgroup=(64, 64), subgroup=(8, 16))),
    ),
    "f16, weights in i8": Kernel(
        weights,
        _STEP,
        32,
        WEIGHTS,
        partial(ways.workgroup, _F16._replace(weights=True)),
    ),
    "f16, weights in i8, scales": Kernel(
        partial(weights, scaled=True),
        _STEP,
        32,
        WEIGHTS,
        partial(ways.subgroup, SubgroupProduct(scaled=True)),
    ),
    "f16, weights in i8, scales of groups": Kernel(
        (EXAMPLES / "gemm_int8_weights.mlir").read_text,
        _STEP,
        32,
        WEIGHTS,
        partial(ways.subgroup, SubgroupProduct(workgroup=(128, 256), scaled=True)),
    ),
    "f16, through shared memory": Kernel(
        (EXAMPLES / "rfc" / "2.4-shared-memory.mlir").read_text,
        _STEP,
        16,
        (Tile("load", 4, 32, 16), Tile("load", 4, 32, 16)),
        why_none="no text of ours for upstream",
    ),
    "attention, 8 rows, K as D x keys": _attention(8, "D x keys"),
    "attention, 16 rows, K as D x keys": _attention(16, "D x keys"),
    "attention, 8 rows, K as keys x D": _attention(8, "keys x D"),
    "attention, 16 rows, K as keys x D": _attention(16, "keys x D"),
    "softmax, three passes": Kernel(
        SOFTMAX.__str__,
        "a block of 8x16, all passes",
        0,
        (Tile("load", 8, 16, 32),) * 3,
        ways.three_passes,
        blocks=256,
    ),
    "softmax, rows in registers": Kernel(
        (EXAMPLES / "softmax.mlir").read_text,
        "8 rows of 256",
        0,
        (Tile("load", 8, 256, 32),),
        partial(ways.in_registers, "softmax"),
    ),
    "layer norm, rows in registers": Kernel(
        (EXAMPLES / "layer_norm.mlir").read_text,
        "8 rows of 256",
        0,
        (Tile("load", 8, 256, 16), Tile("load", 1, 256, 32), Tile("load", 1, 256, 32)),
        partial(ways.in_registers, "layer norm"),
    ),
}

KERNELS: Mapping[str, Kernel] = {
    **_WRITTEN,
    **{
        name: _WRITTEN[like]._replace(
            text=text, ways=tuple, why_none=f"as {like}", arguments={}
        )
        for name, (like, text) in LIKE.items()
    },
}

"""XeGPU texts of softmax and layer norm of 8 rows of 256 that stay in registers, as examples/ has them for ours."""

from tools.isa_report.upstream.blocks import Text, descriptor

TILE = "vector<8x16xf32>"
COLUMNS = range(0, 256, 16)


def _module(name: str, arguments: str, out: Text) -> str:
    body = "\n    ".join(out.lines)
    return f"""gpu.module @kernels {{
  gpu.func @{name}({arguments}) kernel
      attributes {{known_block_size = array<i32: 256, 1, 1>, intel_reqd_sub_group_size = 16 : i32,
      known_grid_size = array<i32: 32, 1, 1>}} {{
    {body}
    gpu.return
  }}
}}
"""


def _begin(element: str) -> Text:
    out = Text()
    for line in (
        "%c0 = arith.constant 0 : index",
        "%c8 = arith.constant 8 : index",
        "%c128 = arith.constant 128 : index",
        "%block = gpu.block_id x",
        "%subgroup = gpu.subgroup_id : index",
        "%above = arith.muli %block, %c128 : index",
        "%inside = arith.muli %subgroup, %c8 : index",
        "%first = arith.addi %above, %inside : index",
        *(
            f"%{name.lower()} = xegpu.create_nd_tdesc %{name} : memref<4096x256x{element}> -> "
            f"{descriptor((8, 16), element)}"
            for name in "XY"
        ),
    ):
        out.add(line)
    return out


def _loads(out: Text, element: str) -> list[str]:
    return [
        out.load("%x", ("%first", out.constant(column)), (8, 16), element)[0]
        for column in COLUMNS
    ]


def _stores(out: Text, values: list[str], element: str) -> None:
    kind = f"vector<8x16x{element}>, {descriptor((8, 16), element)}"
    for column, value in zip(COLUMNS, values, strict=True):
        out.add(f"xegpu.store_nd {value}, %y[%first, {out.constant(column)}] : {kind}")


def softmax() -> str:
    """As examples/softmax.mlir."""
    out = _begin("f32")
    x = _loads(out, "f32")
    largest = out.across("maximumf", out.chain("maximumf", x, " fastmath<nnan,nsz>"))
    below = [out.new(f"arith.subf {value}, {largest} : {TILE}") for value in x]
    powers = [out.new(f"math.exp {value} fastmath<afn> : {TILE}") for value in below]
    total = out.across("add", out.chain("addf", powers))
    parts = [
        out.new(f"arith.divf {power}, {total} fastmath<arcp> : {TILE}") for power in powers
    ]
    _stores(out, parts, "f32")
    return _module("softmax", "%X: memref<4096x256xf32>, %Y: memref<4096x256xf32>", out)


def layer_norm() -> str:
    """As examples/layer_norm.mlir."""
    half = "vector<8x16xf16>"
    out = _begin("f16")
    x = [out.new(f"arith.extf {value} : {half} to {TILE}") for value in _loads(out, "f16")]
    share = out.new(f"arith.constant dense<0.00390625> : {TILE}")
    epsilon = out.new(f"arith.constant dense<1.0e-5> : {TILE}")
    mean = out.new(f"arith.mulf {out.across('add', out.chain('addf', x))}, {share} : {TILE}")
    centred = [out.new(f"arith.subf {value}, {mean} : {TILE}") for value in x]
    squares = [out.new(f"arith.mulf {value}, {value} : {TILE}") for value in centred]
    variance = out.new(
        f"arith.mulf {out.across('add', out.chain('addf', squares))}, {share} : {TILE}"
    )
    positive = out.new(f"arith.addf {variance}, {epsilon} : {TILE}")
    factor = out.new(f"math.rsqrt {positive} : {TILE}")
    normal = [out.new(f"arith.mulf {value}, {factor} : {TILE}") for value in centred]
    for name, op in (("gamma", "mulf"), ("beta", "addf")):
        line = descriptor((1, 16), "f32")
        out.add(f"%{name}_tile = xegpu.create_nd_tdesc %{name} : memref<1x256xf32> -> {line}")
        for number, column in enumerate(COLUMNS):
            place = "%c0", out.constant(column)
            (row,) = out.load(f"%{name}_tile", place, (1, 16), "f32")
            all_rows = out.new(f"vector.broadcast {row} : vector<1x16xf32> to {TILE}")
            normal[number] = out.new(f"arith.{op} {normal[number]}, {all_rows} : {TILE}")
    _stores(out, [out.new(f"arith.truncf {v} : {TILE} to {half}") for v in normal], "f16")
    matrix = "memref<4096x256xf16>"
    lines = "%gamma: memref<1x256xf32>, %beta: memref<1x256xf32>"
    return _module("layer_norm", f"%X: {matrix}, {lines}, %Y: {matrix}", out)

"""An XeGPU text of softmax in three passes, as ours (rows.py): 8 rows of a subgroup in blocks of 8x16."""

from tools.isa_report.upstream.blocks import Text, descriptor

TILE = "vector<8x16xf32>"


def text() -> str:
    """The module."""
    out = Text()
    for line in (
        "%c0 = arith.constant 0 : index",
        "%c8 = arith.constant 8 : index",
        "%c16 = arith.constant 16 : index",
        "%c4096 = arith.constant 4096 : index",
        "%block = gpu.block_id x",
        "%first = arith.muli %block, %c8 : index",
        *(
            f"%{name} = xegpu.create_nd_tdesc %{name.upper()} : memref<4096x4096xf32> -> {descriptor((8, 16), 'f32')}"
            for name in "xy"
        ),
        f"%none = arith.constant dense<0xFF800000> : {TILE}",
        f"%zero = arith.constant dense<0.0> : {TILE}",
        f"%one = arith.constant dense<1.0> : {TILE}",
        f"%scale = arith.constant dense<1.44269502> : {TILE}",
    ):
        out.add(line)
    loop = "scf.for %k = %c0 to %c4096 step %c16"
    out.add(f"%largest = {loop} iter_args(%m = %none) -> ({TILE}) {{")
    (x,) = out.load("%x", ("%first", "%k"), (8, 16), "f32")
    out.add(f"scf.yield {out.new(f'arith.maxnumf %m, {x} : {TILE}')} : {TILE}")
    out.add("}")
    largest = out.across("maxnumf", "%largest")
    shift = out.new(f"arith.mulf {largest}, %scale : {TILE}")
    out.add(f"%sum = {loop} iter_args(%s = %zero) -> ({TILE}) {{")
    power = _power(out, shift)
    out.add(f"scf.yield {out.new(f'arith.addf %s, {power} : {TILE}')} : {TILE}")
    out.add("}")
    inverse = out.new(f"arith.divf %one, {out.across('add', '%sum')} fastmath<arcp> : {TILE}")
    out.add(f"{loop} {{")
    y = out.new(f"arith.mulf {_power(out, shift)}, {inverse} : {TILE}")
    out.add(f"xegpu.store_nd {y}, %y[%first, %k] : {TILE}, {descriptor((8, 16), 'f32')}")
    out.add("}")
    body = "\n    ".join(out.lines)
    return f"""gpu.module @kernels {{
  gpu.func @softmax(%X: memref<4096x4096xf32>, %Y: memref<4096x4096xf32>) kernel
      attributes {{known_block_size = array<i32: 16, 1, 1>, intel_reqd_sub_group_size = 16 : i32}} {{
    {body}
    gpu.return
  }}
}}
"""


def _power(out: Text, shift: str) -> str:
    (x,) = out.load("%x", ("%first", "%k"), (8, 16), "f32")
    scaled = out.new(f"arith.mulf {x}, %scale fastmath<contract> : {TILE}")
    below = out.new(f"arith.subf {scaled}, {shift} fastmath<contract> : {TILE}")
    return out.new(f"math.exp2 {below} fastmath<nnan> : {TILE}")

"""XeGPU texts of flash attention at subgroup level, of the same steps as ours (attention.py of the kernels).

Maxima and sums of rows are kept as tiles of 8x16: what a loop carries in one dimension upstream's distribution does not
take. The sum of a row stays 16 partial sums until the loop has ended, as in our kernel.
"""

from tools.isa_report.upstream.blocks import Text, descriptor

TILE = "vector<8x16xf32>"
HALF = "vector<8x16xf16>"
KEYS = 64
D = 64


def text(rows: int, *, keys_by_d: bool, array_length: int) -> str:
    """The module: `rows` queries of a subgroup; K lies as keys x D or as D x keys."""
    out = Text()
    height = 32 if array_length == 2 else 16
    groups = range(0, rows, 8)
    k_shape = f"{4096}x{D}" if keys_by_d else f"{D}x{4096}"
    k_block = (16, 16) if keys_by_d else (height, 16)
    k_length = 1 if keys_by_d else array_length
    for line in (
        "%c0 = arith.constant 0 : index",
        f"%c64 = arith.constant {KEYS} : index",
        f"%c_rows = arith.constant {rows} : index",
        "%block = gpu.block_id x",
        "%first = arith.muli %block, %c_rows : index",
        f"%q = xegpu.create_nd_tdesc %Q : memref<4096x{D}xf16> -> {descriptor((8, 16), 'f16')}",
        f"%k = xegpu.create_nd_tdesc %K : memref<{k_shape}xf16> -> {descriptor(k_block, 'f16', k_length)}",
        f"%v = xegpu.create_nd_tdesc %V : memref<4096x{D}xf16> -> {descriptor((height, 16), 'f16', array_length)}",
        f"%o = xegpu.create_nd_tdesc %O : memref<4096x{D}xf32> -> {descriptor((8, 16), 'f32')}",
    ):
        out.add(line)
    scale = out.new(f"arith.constant dense<0.180336878> : {HALF}")
    queries: dict[tuple[int, int], str] = {}
    for row in groups:
        for d in range(0, D, 16):
            place = out.plus("%first", row), out.constant(d)
            (loaded,) = out.load("%q", place, (8, 16), "f16")
            queries[row, d] = out.new(f"arith.mulf {loaded}, {scale} : {HALF}")
    zero = out.new(f"arith.constant dense<0.0> : {TILE}")
    none = out.new(f"arith.constant dense<0xFF800000> : {TILE}")
    carried = {f"%o_{row}_{d}": zero for row in groups for d in range(0, D, 16)}
    carried |= {f"%l_{row}": zero for row in groups} | {f"%m_{row}": none for row in groups}
    types = ", ".join([TILE] * len(carried))
    starts = ", ".join(f"{name} = {value}" for name, value in carried.items())
    out.add(
        f"%end:{len(carried)} = scf.for %at = %c0 to %keys step %c64 iter_args({starts}) -> ({types}) {{"
    )
    _round(out, groups, queries, zero, keys_by_d=keys_by_d, height=height, length=array_length)
    _end(out, groups, len(carried))
    body = "\n    ".join(out.lines)
    return f"""gpu.module @kernels {{
  gpu.func @attention(%Q: memref<4096x{D}xf16>, %K: memref<{k_shape}xf16>, %V: memref<4096x{D}xf16>,
      %O: memref<4096x{D}xf32>, %keys: index) kernel
      attributes {{known_block_size = array<i32: 16, 1, 1>, intel_reqd_sub_group_size = 16 : i32}} {{
    {body}
    gpu.return
  }}
}}
"""


def _round(
    out: Text,
    groups: range,
    queries: dict[tuple[int, int], str],
    zero: str,
    *,
    keys_by_d: bool,
    height: int,
    length: int,
) -> None:
    keys = _by_d(out) if keys_by_d else _blocks(out, "%k", "%c0", "%at", height, length)
    powers: dict[tuple[int, int], str] = {}
    rescales: dict[int, str] = {}
    sums: list[str] = []
    largest: list[str] = []
    for row in groups:
        scores: list[str] = []
        for key in range(0, KEYS, 16):
            total = zero
            for d in range(0, D, 16):
                total = _dpas(out, queries[row, d], keys[d, key], total)
            scores.append(total)
        m_next = out.new(
            f"arith.maxnumf %m_{row}, {out.across('maxnumf', out.chain('maxnumf', scores))} : {TILE}"
        )
        change = out.new(f"arith.subf %m_{row}, {m_next} : {TILE}")
        rescales[row] = out.new(f"math.exp2 {change} : {TILE}")
        exact: list[str] = []
        for number, score in enumerate(scores):
            below = out.new(f"arith.subf {score}, {m_next} : {TILE}")
            power = out.new(f"math.exp2 {below} : {TILE}")
            exact.append(power)
            powers[row, 16 * number] = out.new(f"arith.truncf {power} : {TILE} to {HALF}")
        kept = out.new(f"arith.mulf %l_{row}, {rescales[row]} fastmath<contract> : {TILE}")
        sums.append(
            out.new(
                f"arith.addf {kept}, {out.chain('addf', exact)} fastmath<contract> : {TILE}"
            )
        )
        largest.append(m_next)
    values = _blocks(out, "%v", "%at", "%c0", height, length)
    results: list[str] = []
    for row in groups:
        for d in range(0, D, 16):
            total = out.new(f"arith.mulf %o_{row}_{d}, {rescales[row]} : {TILE}")
            for key in range(0, KEYS, 16):
                total = _dpas(out, powers[row, key], values[key, d], total)
            results.append(total)
    results += sums + largest
    out.add(f"scf.yield {', '.join(results)} : {', '.join([TILE] * len(results))}")
    out.add("}")


def _end(out: Text, groups: range, carried: int) -> None:
    for number, row in enumerate(groups):
        first_sum = carried - 2 * len(groups)
        whole = out.across("add", f"%end#{first_sum + number}")
        for column in range(0, D, 16):
            value = out.new(
                f"arith.divf %end#{4 * number + column // 16}, {whole} fastmath<arcp> : {TILE}"
            )
            out.add(
                f"xegpu.store_nd {value}, %o[{out.plus('%first', row)}, {out.constant(column)}] : "
                f"{TILE}, {descriptor((8, 16), 'f32')}"
            )


def _dpas(out: Text, a: str, b: str, c: str) -> str:
    return out.new(f"xegpu.dpas {a}, {b}, {c} : {HALF}, vector<16x16xf16>, {TILE} -> {TILE}")


def _blocks(
    out: Text, tile: str, row: str, column: str, height: int, length: int
) -> dict[tuple[int, int], str]:
    """A tile of 64x64 in blocks of 16x16."""
    found: dict[tuple[int, int], str] = {}
    for i in range(0, 64, height):
        for j in range(0, 64, 16 * length):
            place = out.plus(row, i), out.plus(column, j)
            parts = out.load(tile, place, (height, 16), "f16", blocks=length)
            for number, part in enumerate(parts):
                for inside in range(0, height, 16):
                    found[i + inside, j + 16 * number] = out.rows(
                        part, inside, 16, (height, 16), "f16"
                    )
    return found


def _by_d(out: Text) -> dict[tuple[int, int], str]:
    """K, 64 keys x D, as D x 64 keys."""
    kind = "vector<16x16xf16>"
    found: dict[tuple[int, int], str] = {}
    for key in range(0, KEYS, 16):
        for d in range(0, D, 16):
            (loaded,) = out.load(
                "%k", (out.plus("%at", key), out.constant(d)), (16, 16), "f16"
            )
            found[d, key] = out.new(f"vector.transpose {loaded}, [1, 0] : {kind} to {kind}")
    return found

"""XeGPU texts of products at workgroup level, with the layouts that upstream's passes ask for.

A tile of C of 256x256 is shared by 32 subgroups of 32x64, as in our kernels.
"""

from collections.abc import Sequence
from string import Template
from typing import NamedTuple

SIZE = 4096


class Product(NamedTuple):
    """A product at workgroup level.

    Attributes:
        a, b, accumulator, c: element types; C is converted where it differs.
        step: of K (elements).
        workgroup, subgroup: tiles of C (elements); `sg_layout` follows.
        instruction: blocks of A and B as the matrix instruction takes them.
        loaded: blocks of A and B as they are loaded; where they differ, `xegpu.convert_layout` follows the load.
        prefetched: whether tiles are prefetched three steps ahead.
        b_transposed: whether memory has B as N x K.
        weights: whether B is converted from i8 to the type of A.
        after: lines that make `%out` of `%sum`; `#c` is its layout, `!cv` the type of the sums.
    """

    a: str = "f16"
    b: str = "f16"
    accumulator: str = "f32"
    c: str = "f32"
    step: int = 32
    workgroup: tuple[int, int] = (256, 256)
    subgroup: tuple[int, int] = (32, 64)
    instruction: tuple[tuple[int, int], tuple[int, int]] = ((8, 16), (16, 16))
    loaded: tuple[tuple[int, int], tuple[int, int]] | None = None
    prefetched: bool = False
    b_transposed: bool = False
    weights: bool = False
    after: Sequence[str] = ()

    @property
    def held_b(self) -> str:
        """The type of B in memory."""
        return "i8" if self.weights else self.b


RELU = (
    "%floor = arith.constant {layout_result_0 = #c} dense<0.0> : !cv",
    "%out = arith.maxnumf %sum, %floor {layout_result_0 = #c} : !cv",
)


def text(product: Product) -> str:
    """The module."""
    rows, columns = product.workgroup
    after = list(product.after)
    result = "%out" if after else "%sum"
    if product.c != product.accumulator:
        after.append(f"%narrow = arith.truncf {result} {{layout_result_0 = #c}} : !cv to !ov")
        result = "%narrow"
    ahead = [
        f"%ahead_{name} = xegpu.create_nd_tdesc %{name.upper()} : !{name.upper()} -> !ahead_{name}"
        for name in "ab"
        if product.prefetched
    ]
    return TEXT.substitute(
        aliases="\n".join((*_layouts(product), *_types(product))),
        items=16 * rows * columns // (product.subgroup[0] * product.subgroup[1]),
        grid=f"{SIZE // rows}, {SIZE // columns}",
        rows=rows,
        columns=columns,
        step=product.step,
        distance=3 * product.step,
        size=SIZE,
        zero="0.0" if product.accumulator.startswith("f") else "0",
        ahead="\n    ".join(ahead),
        body="\n      ".join(_loads(product)),
        after="\n    ".join(after),
        result=result,
    )


def _layouts(product: Product) -> list[str]:
    """The layouts of operands and sums, as multiplied (#a, #b, #c) and as loaded (#la, #lb; transposed #ta, #tb)."""
    (rows, columns), (sg_rows, sg_columns) = product.workgroup, product.subgroup
    layout = rows // sg_rows, columns // sg_columns
    number, step = layout[0] * layout[1], product.step
    a_shape, b_shape = (sg_rows, step), (step, sg_columns)
    inst_a, inst_b = product.instruction
    load_a, load_b = product.loaded or product.instruction
    lines = [
        f"#a = {_layout(layout, a_shape, inst_a)}",
        f"#b = {_layout(layout, b_shape, inst_b)}",
        f"#c = {_layout(layout, product.subgroup, (inst_a[0], inst_b[1]))}",
        f"#la = {_layout(layout, a_shape, load_a)}",
        f"#lb = {_layout(layout, b_shape, load_b)}",
    ]
    if product.b_transposed:
        lines.append(f"#tb = {_layout(layout, b_shape, load_b, turned=True)}")
    if product.prefetched:
        parts = (rows // number, step), (max(1, step * 8 // number), columns // 8)
        lines += [
            f"#ahead_a = {_layout((number, 1), parts[0], (parts[0][0], 16))}",
            f"#ahead_b = {_layout((number // 8, 8), parts[1], (parts[1][0], 16))}",
        ]
    return lines


def _layout(
    layout: tuple[int, int],
    data: tuple[int, int],
    block: tuple[int, int],
    *,
    turned: bool = False,
) -> str:
    fields = [list(pair)[::-1] if turned else list(pair) for pair in (layout, data, block)]
    order = ", order = [0, 1]" if turned else ""
    return f"#xegpu.layout<sg_layout = {fields[0]}, sg_data = {fields[1]}, inst_data = {fields[2]}{order}>"


def _types(product: Product) -> list[str]:
    (rows, columns), step = product.workgroup, product.step
    b_shape = f"{columns}x{step}" if product.b_transposed else f"{step}x{columns}"
    b_layout = "#tb" if product.b_transposed else "#lb"
    lines = [
        f"!av = vector<{rows}x{step}x{product.a}>",
        f"!bv = vector<{step}x{columns}x{product.b}>",
        f"!rb = vector<{b_shape}x{product.held_b}>",
        f"!cv = vector<{rows}x{columns}x{product.accumulator}>",
        f"!ov = vector<{rows}x{columns}x{product.c}>",
        f"!A = memref<{SIZE}x{SIZE}x{product.a}>",
        f"!B = memref<{SIZE}x{SIZE}x{product.held_b}>",
        f"!C = memref<{SIZE}x{SIZE}x{product.c}>",
        f"!a = !xegpu.tensor_desc<{rows}x{step}x{product.a}, #la>",
        f"!b = !xegpu.tensor_desc<{b_shape}x{product.held_b}, {b_layout}>",
        f"!c = !xegpu.tensor_desc<{rows}x{columns}x{product.c}, #c>",
    ]
    if product.prefetched:
        lines += [
            f"!ahead_a = !xegpu.tensor_desc<{rows}x{step}x{product.a}, #ahead_a>",
            f"!ahead_b = !xegpu.tensor_desc<{b_shape}x{product.held_b}, #ahead_b>",
        ]
    return lines


def _loads(product: Product) -> list[str]:
    lines = ["%la = xegpu.load_nd %a[%m, %k] <{layout = #la}> : !a -> !av"]
    if product.b_transposed:
        lines += [
            "%rb = xegpu.load_nd %b[%n, %k] <{layout = #tb}> : !b -> !rb",
            "%lb = vector.transpose %rb, [1, 0] {layout_result_0 = #b} : !rb to !bv",
        ]
    elif product.weights:
        lines += [
            "%rb = xegpu.load_nd %b[%k, %n] <{layout = #lb}> : !b -> !rb",
            "%lb = arith.sitofp %rb {layout_result_0 = #lb} : !rb to !bv",
        ]
    else:
        lines.append("%lb = xegpu.load_nd %b[%k, %n] <{layout = #lb}> : !b -> !bv")
    a, b = "%la", "%lb"
    if product.loaded is not None:
        a, b = "%va", "%vb"
        lines += [
            f"%v{name} = xegpu.convert_layout %l{name} "
            f"<{{input_layout = #l{name}, target_layout = #{name}}}> : !{name}v"
            for name in "ab"
        ]
    if product.prefetched:
        lines += [
            "%next_k = arith.addi %k, %c_distance : index",
            "xegpu.prefetch_nd %ahead_a[%m, %next_k] <{layout = #ahead_a}> : !ahead_a",
            "xegpu.prefetch_nd %ahead_b[%next_k, %n] <{layout = #ahead_b}> : !ahead_b",
        ]
    lines.append(
        f"%next = xegpu.dpas {a}, {b}, %acc {{layout_a = #a, layout_b = #b, layout_cd = #c}} "
        ": !av, !bv, !cv -> !cv"
    )
    return lines


TEXT = Template("""\
$aliases
gpu.module @kernels {
  gpu.func @gemm(%A: !A, %B: !B, %C: !C) kernel
      attributes {known_block_size = array<i32: $items, 1, 1>, known_grid_size = array<i32: $grid, 1>} {
    %c0 = arith.constant 0 : index
    %c_step = arith.constant $step : index
    %c_distance = arith.constant $distance : index
    %c_rows = arith.constant $rows : index
    %c_columns = arith.constant $columns : index
    %c_size = arith.constant $size : index
    %block_x = gpu.block_id x
    %block_y = gpu.block_id y
    %m = arith.muli %block_x, %c_rows : index
    %n = arith.muli %block_y, %c_columns : index
    %a = xegpu.create_nd_tdesc %A : !A -> !a
    %b = xegpu.create_nd_tdesc %B : !B -> !b
    %c = xegpu.create_nd_tdesc %C : !C -> !c
    $ahead
    %zero = arith.constant {layout_result_0 = #c} dense<$zero> : !cv
    %sum = scf.for %k = %c0 to %c_size step %c_step iter_args(%acc = %zero) -> (!cv) {
      $body
      scf.yield %next : !cv
    }
    $after
    xegpu.store_nd $result, %c[%m, %n] <{layout = #c}> : !ov, !c
    gpu.return
  }
}
""")

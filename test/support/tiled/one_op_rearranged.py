"""Kernels of one op each that moves elements: transposes, broadcasts, reductions, slices, masks."""

from support.subgroup import FLOAT_KINDS, INTEGER_KINDS, vector
from support.tiled.case import Case, Given
from support.tiled.one_op import BOX, COLUMNS, Operand, one_op


def rearranged() -> list[Case]:
    """Transposes, broadcasts, slices, masks, elements."""
    cases: list[Case] = []
    for t in ("f32", "f16", "i8", "bf16", "i32"):
        v, turned = vector(BOX, t), vector((32, 16), t)
        cases.append(
            one_op(
                f"transpose_{t}",
                f"%r = xetile.tile_transpose %a, [1, 0] : {v} -> {turned}",
                [Operand("a", t)],
                t,
                (32, 16),
            )
        )
        row, column = vector((1, 32), t), vector((16, 1), t)
        cases.append(
            one_op(
                f"broadcast_row_{t}",
                f"%r = xetile.tile_broadcast %a [0] : {row} -> {v}",
                [Operand("a", t, (1, 32))],
                t,
                BOX,
            )
        )
        cases.append(
            one_op(
                f"broadcast_column_{t}",
                f"%r = xetile.tile_broadcast %a [1] : {column} -> {v}",
                [Operand("a", t, (16, 1), order=COLUMNS)],
                t,
                BOX,
            )
        )
    return [*cases, *_pieces()]


def reductions() -> list[Case]:
    """Reductions of every kind along each dimension."""
    cases: list[Case] = []
    for t, kinds in (
        ("f32", FLOAT_KINDS),
        ("i32", INTEGER_KINDS),
        ("f16", ("add", "maximumf")),
        ("i8", ("add",)),
        ("bf16", ("add",)),
    ):
        for kind in kinds:
            for dimensions in ([0], [1], [0, 1]):
                if len(dimensions) == 2 and kind not in ("add", "maximumf"):
                    continue
                cases.append(_reduced(t, kind, dimensions))
    return cases


def _reduced(t: str, kind: str, dimensions: list[int]) -> Case:
    v = vector(BOX, t)
    line = vector((1 if 0 in dimensions else BOX[0], 1 if 1 in dimensions else BOX[1]), t)
    name = "_".join(map(str, dimensions))
    return one_op(
        f"reduce_{kind}_{t}_{name}",
        f"""%line = xetile.tile_reduce <{kind}>, %a {dimensions} : {v} -> {line}
    %r = xetile.tile_broadcast %line {dimensions} : {line} -> {v}""",
        [Operand("a", t)],
    )


def _pieces() -> list[Case]:
    f, half = vector(BOX, "f32"), vector((8, 16), "f32")
    mask = vector(BOX, "i1")
    two = [Operand("a", "f32"), Operand("b", "f32")]
    count: list[tuple[str, Given]] = [("%n: index", 19)]
    return [
        one_op(
            "scalar", f"%r = vector.broadcast %x : f32 to {f}", parameters=[("%x: f32", 2.5)]
        ),
        one_op(
            "reduce_with_accumulator",
            f"""%zero = arith.constant dense<1.5> : vector<16xf32>
    %sum = vector.multi_reduction <add>, %a, %zero [1] : {f} to vector<16xf32>
    %column = vector.shape_cast %sum : vector<16xf32> to vector<16x1xf32>
    %r = vector.broadcast %column : vector<16x1xf32> to {f}""",
        ),
        one_op(
            "reduce_to_scalar",
            f"""%zero = arith.constant 1.5 : f32
    %sum = vector.multi_reduction <add>, %a, %zero [0, 1] : {f} to f32
    %r = vector.broadcast %sum : f32 to {f}""",
        ),
        one_op(
            "slice_taken",
            f"%r = vector.extract_strided_slice %a {{offsets = [8, 16], sizes = [8, 16], strides = [1, 1]}} : {f} to {half}",
            shape=(8, 16),
        ),
        one_op(
            "slice_of_columns",
            f"%r = vector.extract_strided_slice %a {{offsets = [0, 8], sizes = [16, 16], strides = [1, 1]}} : {f} to {vector((16, 16), 'f32')}",
            shape=(16, 16),
        ),
        one_op(
            "slice_put",
            f"""%half = vector.extract_strided_slice %b {{offsets = [8, 16], sizes = [8, 16], strides = [1, 1]}} : {f} to {half}
    %r = vector.insert_strided_slice %half, %a {{offsets = [0, 0], strides = [1, 1]}} : {half} into {f}""",
            two,
        ),
        one_op(
            "element_taken",
            f"%e = vector.extract %a[3, 20] : f32 from {f}\n    %r = vector.broadcast %e : f32 to {f}",
        ),
        one_op(
            "element_put",
            f"%e = vector.extract %a[3, 20] : f32 from {f}\n    %r = vector.insert %e, %a[12, 5] : f32 into {f}",
        ),
        one_op(
            "step",
            f"""%step = vector.step : vector<32xindex>
    %numbers = arith.index_cast %step : vector<32xindex> to vector<32xi32>
    %r = vector.broadcast %numbers : vector<32xi32> to {vector(BOX, "i32")}""",
            [Operand("a", "i32")],
        ),
        one_op(
            "step_down",
            f"""%step = vector.step : vector<16xindex>
    %numbers = arith.index_cast %step : vector<16xindex> to vector<16xi32>
    %column = vector.shape_cast %numbers : vector<16xi32> to vector<16x1xi32>
    %r = vector.broadcast %column : vector<16x1xi32> to {vector(BOX, "i32")}""",
            [Operand("a", "i32")],
        ),
        one_op(
            "mask_made",
            f"%c9 = arith.constant 9 : index\n    %m = vector.create_mask %c9, %n : {mask}\n    %r = arith.select %m, %a, %b : {mask}, {f}",
            two,
            parameters=count,
        ),
        one_op(
            "mask_constant",
            f"%m = vector.constant_mask [9, 19] : {mask}\n    %r = arith.select %m, %a, %b : {mask}, {f}",
            two,
        ),
        one_op(
            "shape_cast",
            f"%line = vector.shape_cast %a : {vector((1, 32), 'f32')} to vector<32xf32>\n    %r = vector.broadcast %line : vector<32xf32> to {f}",
            [Operand("a", "f32", (1, 32))],
            shape=BOX,
        ),
    ]

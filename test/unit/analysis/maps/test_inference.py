"""Which maps follow from the written ones: each op, each direction."""

from collections.abc import Mapping

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from xetile.analysis.maps.inference import infer_workgroup_maps
from xetile.api import parse_text

Map = tuple[list[int], list[int]]
"""sg_layout and sg_data."""


def wg_map(map: Map) -> str:
    """`#xetile.wg_map<...>`."""
    layout, data = map
    return f"#xetile.wg_map<sg_layout = {list(layout)}, sg_data = {list(data)}>"


def tile(shape: str, map: Map | None = None, more: str = "") -> str:
    """The type of a tile such as `64x32xf16`."""
    attributes = [more] if more else []
    if map is not None:
        attributes.insert(0, f"wg_map = {wg_map(map)}")
    written = f", #xetile.tile_attr<{', '.join(attributes)}>" if attributes else ""
    return f"!xetile.tile<{shape}{written}>"


def loaded(name: str, shape: str, map: Map | None = None) -> str:
    """Load `%name` from a memref `%m_name` of its shape, through the tile `%t_name`."""
    of = tile(shape, map)
    return (
        f"%t_{name} = xetile.init_tile %m_{name}[0, 0] : memref<{shape}> -> {of}\n"
        f"%{name} = xetile.load_tile %t_{name} : {of} -> vector<{shape}>\n"
    )


def stored(name: str, shape: str, map: Map | None = None) -> str:
    """Store `%name` to a memref `%o_name` of its shape, through the tile `%s_name`."""
    of = tile(shape, map)
    return (
        f"%s_{name} = xetile.init_tile %o_{name}[0, 0] : memref<{shape}> -> {of}\n"
        f"xetile.store_tile %{name}, %s_{name} : vector<{shape}>, {of}\n"
    )


def kernel(body: str, arguments: str = "", attributes: str = "") -> str:
    """A module with the kernel `k`; memrefs that the body's loads and stores name become its arguments."""
    memrefs = dict.fromkeys(
        line.split("xetile.init_tile ")[1].split("[")[0] + ": " + _memref(line)
        for line in body.splitlines()
        if "xetile.init_tile %m_" in line or "xetile.init_tile %o_" in line
    )
    every = ", ".join([*memrefs, *([arguments] if arguments else [])])
    return (
        f"gpu.module @m {{\ngpu.func @k({every}) kernel attributes {{{attributes}}} {{\n"
        f"{body}\ngpu.return\n}}\n}}\n"
    )


def _memref(line: str) -> str:
    return "memref<" + line.split(": memref<")[1].split(">")[0] + ">"


def parsed(text: str) -> ModuleOp:
    """The module, verified, with positions in `k.mlir`."""
    return parse_text(text, "k.mlir")


def function(module: ModuleOp) -> Operation:
    """The kernel."""
    return next(op for op in module.walk() if op.name in ("gpu.func", "func.func"))


def inferred(body: str, arguments: str = "", attributes: str = "") -> Mapping[str, Map]:
    """The maps of all values of a kernel, by name."""
    maps = infer_workgroup_maps(function(parsed(kernel(body, arguments, attributes))))
    return {
        value.name_hint: (list(map.sg_layout), list(map.sg_data))
        for value, map in maps.items()
        if value.name_hint is not None
    }


C: Map = ([2, 2], [32, 32])
A: Map = ([2, 2], [32, 128])
B: Map = ([2, 2], [128, 32])
ROWS: Map = ([4, 1], [16, 64])

V = "64x64xf32"
ONES = "64x64xi1"


def product(maps: str = "", k: str = "128") -> str:
    return f"%d = xetile.tile_mma %a, %b {{{maps}}} : vector<64x{k}xf16>, vector<{k}x64xf16> -> vector<{V}>\n"


# tile_mma


def test_a_product_gives_its_operands_their_maps() -> None:
    found = inferred(
        loaded("a", "64x128xf16")
        + loaded("b", "128x64xf16")
        + product(f"wg_map_c = {wg_map(C)}")
        + stored("d", V)
    )
    assert found["a"] == found["t_a"] == A
    assert found["b"] == found["t_b"] == B
    assert found["d"] == found["s_d"] == C


def test_the_operands_give_the_product_its_map() -> None:
    found = inferred(loaded("a", "64x128xf16", A) + loaded("b", "128x64xf16", B) + product())
    assert found["d"] == C


def test_the_accumulator_has_the_products_map() -> None:
    found = inferred(
        loaded("a", "64x128xf16")
        + loaded("b", "128x64xf16")
        + loaded("c", V, C)
        + f"%d = xetile.tile_mma %a, %b, %c : vector<64x128xf16>, vector<128x64xf16>, vector<{V}> -> vector<{V}>"
    )
    assert (found["a"], found["b"], found["d"]) == (A, B, C)


def test_units_of_k_are_those_of_the_other_operand() -> None:
    found = inferred(
        loaded("a", "64x128xf16")
        + loaded("b", "128x64xf16", ([1, 1], [32, 64]))
        + product(f"wg_map_c = {wg_map(([1, 1], [64, 64]))}")
    )
    assert found["a"] == ([1, 1], [64, 32])


def test_each_operand_may_have_its_own_units_of_k() -> None:
    a, b = ([4, 1], [16, 32]), ([4, 1], [128, 64])
    found = inferred(
        loaded("a", "64x128xf16", a)
        + loaded("b", "128x64xf16", b)
        + product(f"wg_map_c = {wg_map(ROWS)}")
    )
    assert (found["a"], found["b"], found["d"]) == (a, b, ROWS)


@pytest.mark.parametrize(
    ("written", "others"), [("wg_map_a", ("wg_map_b",)), ("wg_map_b", ("wg_map_a",))]
)
def test_named_maps_of_operands_are_maps_of_their_makers(
    written: str, others: tuple[str, ...]
) -> None:
    maps = {"wg_map_a": A, "wg_map_b": B}
    named = ", ".join(f"{name} = {wg_map(maps[name])}" for name in (written, *others))
    found = inferred(loaded("a", "64x128xf16") + loaded("b", "128x64xf16") + product(named))
    assert (found["t_a"], found["t_b"], found["d"]) == (A, B, C)


# Elementwise ops, constants, masks


def test_maps_go_forward_through_elementwise_ops() -> None:
    found = inferred(
        loaded("v", V, C)
        + f"""
        %n = arith.negf %v : vector<{V}>
        %s = math.exp %n : vector<{V}>
        %h = arith.truncf %s : vector<{V}> to vector<64x64xf16>
        %m = arith.cmpf ogt, %n, %s : vector<{V}>
        %x = arith.select %m, %n, %s : vector<{ONES}>, vector<{V}>
        """
    )
    assert all(found[name] == C for name in ("n", "s", "h", "m", "x"))


def test_maps_go_backward_through_elementwise_ops() -> None:
    found = inferred(
        loaded("v", V)
        + loaded("w", V)
        + f"""
        %m = arith.cmpf ogt, %v, %w : vector<{V}>
        %x = arith.select %m, %v, %w : vector<{ONES}>, vector<{V}>
        %h = arith.truncf %x : vector<{V}> to vector<64x64xf16>
        """
        + stored("h", "64x64xf16", C)
    )
    assert all(found[name] == C for name in ("t_v", "t_w", "v", "w", "m", "x", "h"))


def test_a_map_that_is_written_on_an_elementwise_op_is_its_results() -> None:
    found = inferred(
        loaded("v", V) + f"%n = arith.negf %v {{wg_map = {wg_map(ROWS)}}} : vector<{V}>"
    )
    assert found["t_v"] == found["v"] == found["n"] == ROWS


@pytest.mark.parametrize(
    "make",
    [
        "%z = arith.constant dense<0.0> : vector<64x64xf32>",
        "%z = vector.broadcast %x : f32 to vector<64x64xf32>",
        "%on = vector.create_mask %n, %n : vector<64x64xi1>\n%z = arith.uitofp %on : vector<64x64xi1> to vector<64x64xf32>",
        "%on = vector.constant_mask [3, 5] : vector<64x64xi1>\n%z = arith.uitofp %on : vector<64x64xi1> to vector<64x64xf32>",
    ],
)
def test_what_is_made_of_no_vector_has_its_users_map(make: str) -> None:
    found = inferred(make + "\n" + stored("z", V, C), "%x: f32, %n: index")
    assert found["z"] == C
    assert found.get("on", C) == C


def test_a_select_by_a_scalar_keeps_the_map() -> None:
    found = inferred(
        loaded("v", V, C)
        + loaded("w", V)
        + f"%x = arith.select %p, %v, %w : vector<{V}>\n"
        + stored("x", V),
        "%p: i1",
    )
    assert found["t_w"] == found["s_x"] == C


# Control flow


def test_a_loop_carries_one_map() -> None:
    found = inferred(
        f"""
        %zero = arith.constant dense<0.0> : vector<{V}>
        %r = scf.for %i = %n to %n step %n iter_args(%acc = %zero) -> (vector<{V}>) {{
          {loaded("v", V)}
          %sum = arith.addf %acc, %v : vector<{V}>
          scf.yield %sum : vector<{V}>
        }}
        """
        + stored("r", V, C),
        "%n: index",
    )
    assert all(found[name] == C for name in ("zero", "acc", "v", "t_v", "sum", "r"))


def test_a_loop_carries_the_map_of_a_tile() -> None:
    of = tile(V)
    found = inferred(
        f"""
        %t = xetile.init_tile %m_a[0, 0] : memref<{V}> -> {of}
        %r = scf.for %i = %n to %n step %n iter_args(%u = %t) -> ({of}) {{
          %v = xetile.load_tile %u : {of} -> vector<{V}>
          {stored("v", V, C)}
          %w = xetile.update_tile_offset %u, [0, 16] : {of}
          scf.yield %w : {of}
        }}
        xetile.prefetch_tile %r : {of}
        """,
        "%n: index",
    )
    assert all(found[name] == C for name in ("t", "u", "v", "w", "r"))


def test_branches_meet_in_one_map() -> None:
    found = inferred(
        f"""
        %r = scf.if %p -> (vector<{V}>) {{
          {loaded("v", V)}
          scf.yield %v : vector<{V}>
        }} else {{
          %z = arith.constant dense<0.0> : vector<{V}>
          scf.yield %z : vector<{V}>
        }}
        """
        + stored("r", V, C),
        "%p: i1",
    )
    assert all(found[name] == C for name in ("v", "t_v", "z", "r"))


def test_a_while_loop_carries_one_map_to_both_regions() -> None:
    found = inferred(
        loaded("v", V)
        + f"""
        %r = scf.while (%x = %v) : (vector<{V}>) -> vector<{V}> {{
          scf.condition(%p) %x : vector<{V}>
        }} do {{
        ^bb0(%y: vector<{V}>):
          %n = arith.negf %y : vector<{V}>
          scf.yield %n : vector<{V}>
        }}
        """
        + stored("r", V, C),
        "%p: i1",
    )
    assert all(found[name] == C for name in ("t_v", "v", "x", "y", "n", "r"))


# Memory


def test_an_atomic_joins_value_tile_and_result() -> None:
    of = tile(V)
    found = inferred(
        loaded("v", V, C)
        + f"""
        %t = xetile.init_tile %m_a[0, 0] : memref<{V}> -> {of}
        %r = xetile.atomic_rmw_tile <addf> %v, %t : vector<{V}>, {of} -> vector<{V}>
        """
    )
    assert found["t"] == found["r"] == C


SCATTERED = tile(V, more="scattered = true")
GATHER = f"""
    %i = arith.constant dense<0> : vector<64x64xindex>
    %on = arith.constant dense<true> : vector<{ONES}>
    %t = xetile.init_tile %flat, %i : memref<4096xf32>, vector<64x64xindex> -> {SCATTERED}
    %u = xetile.update_tile_offset %t, %i : {SCATTERED}, vector<64x64xindex>
    %g = xetile.load_gather %u, %on : {SCATTERED}, vector<{ONES}> -> vector<{V}>
"""


def test_a_gather_joins_indices_steps_mask_tile_and_result() -> None:
    found = inferred(GATHER + stored("g", V, C), "%flat: memref<4096xf32>")
    assert all(found[name] == C for name in ("i", "on", "t", "u", "g"))


def test_a_scatter_joins_indices_mask_tile_and_value() -> None:
    found = inferred(
        loaded("v", V, C)
        + f"""
        %i = arith.constant dense<0> : vector<64x64xindex>
        %on = arith.constant dense<true> : vector<{ONES}>
        %t = xetile.init_tile %flat, %i : memref<4096xf32>, vector<64x64xindex> -> {SCATTERED}
        xetile.store_scatter %v, %t, %on : vector<{V}>, {SCATTERED}, vector<{ONES}>
        """,
        "%flat: memref<4096xf32>",
    )
    assert all(found[name] == C for name in ("i", "on", "t"))


def test_a_prefetched_tile_has_the_map_of_its_loads() -> None:
    found = inferred(
        loaded("v", V) + f"xetile.prefetch_tile %t_v : {tile(V)}\n" + stored("v", V, C)
    )
    assert found["t_v"] == C


# Ops that change the map


TALL, WIDE = "64x32xf32", "32x64xf32"
TALL_MAP: Map = ([4, 2], [16, 16])
WIDE_MAP: Map = ([2, 4], [16, 16])


def transposed(maps: str = "") -> str:
    return f"%r = xetile.tile_transpose %v, [1, 0] {{{maps}}} : vector<{TALL}> -> vector<{WIDE}>\n"


def test_a_transpose_forward() -> None:
    found = inferred(loaded("v", TALL, TALL_MAP) + transposed() + stored("r", WIDE))
    assert found["r"] == found["s_r"] == WIDE_MAP


def test_a_transpose_backward() -> None:
    found = inferred(loaded("v", TALL) + transposed() + stored("r", WIDE, WIDE_MAP))
    assert found["v"] == found["t_v"] == TALL_MAP


def test_a_transpose_that_names_both_takes_any_pair() -> None:
    source: Map = ([8, 1], [8, 32])
    named = f"wg_map_source = {wg_map(source)}, wg_map_result = {wg_map(WIDE_MAP)}"
    found = inferred(loaded("v", TALL) + transposed(named) + stored("r", WIDE))
    assert (found["t_v"], found["s_r"]) == (source, WIDE_MAP)


def test_a_transpose_that_names_its_source_takes_what_its_user_needs() -> None:
    source: Map = ([8, 1], [8, 32])
    found = inferred(
        loaded("v", TALL)
        + transposed(f"wg_map_source = {wg_map(source)}")
        + stored("r", WIDE, WIDE_MAP)
    )
    assert (found["t_v"], found["r"]) == (source, WIDE_MAP)


def test_a_transpose_that_names_its_source_transposes_it_where_no_user_says_more() -> None:
    found = inferred(loaded("v", TALL) + transposed(f"wg_map_source = {wg_map(TALL_MAP)}"))
    assert found["r"] == WIDE_MAP


def test_a_transpose_that_changes_nothing_keeps_the_map() -> None:
    found = inferred(
        loaded("v", TALL, TALL_MAP)
        + f"%r = xetile.tile_transpose %v, [0, 1] : vector<{TALL}> -> vector<{TALL}>"
    )
    assert found["r"] == TALL_MAP


COLUMN = "64x1xf32"


def reduced(maps: str = "") -> str:
    return (
        f"%r = xetile.tile_reduce <add>, %v [1] {{{maps}}} : vector<{V}> -> vector<{COLUMN}>\n"
    )


def test_a_reduction_forward() -> None:
    found = inferred(loaded("v", V, ROWS) + reduced() + stored("r", COLUMN))
    assert found["r"] == found["s_r"] == ([4, 1], [16, 1])


def test_a_reduction_backward() -> None:
    found = inferred(loaded("v", V) + reduced() + stored("r", COLUMN, ([4, 1], [16, 1])))
    assert found["v"] == ROWS


def test_a_reduction_that_names_both_crosses_subgroups() -> None:
    result: Map = ([4, 1], [16, 1])
    named = f"wg_map_source = {wg_map(C)}, wg_map_result = {wg_map(result)}"
    found = inferred(loaded("v", V) + reduced(named) + stored("r", COLUMN))
    assert (found["t_v"], found["s_r"]) == (C, result)


def test_a_reduction_that_names_its_source_keeps_its_layout_where_no_user_says_more() -> None:
    found = inferred(loaded("v", V) + reduced(f"wg_map_source = {wg_map(C)}"))
    assert found["r"] == ([2, 2], [32, 1])


def test_a_reduction_of_both_dimensions() -> None:
    found = inferred(
        loaded("v", V, ([4, 1], [64, 64]))
        + f"%r = xetile.tile_reduce <add>, %v [0, 1] : vector<{V}> -> vector<1x1xf32>"
    )
    assert found["r"] == ([4, 1], [1, 1])


def broadcast(maps: str = "") -> str:
    return f"%r = xetile.tile_broadcast %v [1] {{{maps}}} : vector<{COLUMN}> -> vector<{V}>\n"


def test_a_broadcast_backward() -> None:
    found = inferred(loaded("v", COLUMN) + broadcast() + stored("r", V, C))
    assert found["v"] == found["t_v"] == ([2, 2], [32, 1])


def test_a_broadcast_forward_where_one_subgroup_holds_the_dimension() -> None:
    found = inferred(loaded("v", COLUMN, ([4, 1], [16, 1])) + broadcast())
    assert found["r"] == ROWS


def test_a_broadcast_forward_where_one_unit_is_possible() -> None:
    found = inferred(
        loaded("v", "1x1xf32", ([2, 2], [1, 1]))
        + "%r = xetile.tile_broadcast %v [0, 1] : vector<1x1xf32> -> vector<1x1xf32>"
    )
    assert found["r"] == ([2, 2], [1, 1])


def test_a_broadcast_of_vector() -> None:
    found = inferred(
        loaded("v", COLUMN)
        + f"%r = vector.broadcast %v : vector<{COLUMN}> to vector<{V}>\n"
        + stored("r", V, C)
    )
    assert found["v"] == ([2, 2], [32, 1])


def test_a_transpose_of_vector() -> None:
    found = inferred(
        loaded("v", TALL)
        + f"%r = vector.transpose %v, [1, 0] : vector<{TALL}> to vector<{WIDE}>\n"
        + stored("r", WIDE, WIDE_MAP)
    )
    assert found["t_v"] == TALL_MAP


def test_a_multiplication_with_addition_of_vector() -> None:
    found = inferred(
        loaded("v", V) + f"%r = vector.fma %v, %v, %v : vector<{V}>\n" + stored("r", V, C)
    )
    assert found["t_v"] == C


def test_a_change_of_the_map_stands_between_two() -> None:
    found = inferred(
        loaded("v", V, C)
        + f"%r = xetile.tile_conv_layout %v {{wg_map_result = {wg_map(ROWS)}}} : vector<{V}>\n"
        + stored("r", V)
    )
    assert (found["v"], found["r"], found["s_r"]) == (C, ROWS, ROWS)


def test_a_change_of_the_map_names_its_source() -> None:
    named = f"wg_map_result = {wg_map(ROWS)}, wg_map_source = {wg_map(C)}"
    found = inferred(
        loaded("v", V) + f"%r = xetile.tile_conv_layout %v {{{named}}} : vector<{V}>\n"
    )
    assert found["t_v"] == C


def test_a_constant_whose_map_is_changed_is_made_where_it_is_wanted() -> None:
    found = inferred(
        f"""
        %z = arith.constant dense<0.0> : vector<{V}>
        %r = xetile.tile_conv_layout %z {{wg_map_result = {wg_map(ROWS)}}} : vector<{V}>
        """
    )
    assert found["z"] == ROWS


# Whole kernels


def test_arguments_of_a_function_have_maps() -> None:
    found = inferred(
        f"%s = arith.addf %v, %w {{wg_map = {wg_map(C)}}} : vector<{V}>",
        f"%v: vector<{V}>, %w: vector<{V}>",
    )
    assert found["v"] == found["w"] == C


def test_a_table_that_elements_are_taken_from_is_held_whole() -> None:
    found = inferred(
        loaded("v", V, C)
        + """
        %table = arith.constant dense<[[1.0, 2.0], [3.0, 4.0]]> : vector<2x2xf32>
        %x = vector.extract %table[%n, 1] : f32 from vector<2x2xf32>
        """,
        "%n: index",
    )
    assert found["table"] == ([4, 1], [2, 2])


def test_vectors_of_other_ranks_have_no_map() -> None:
    found = inferred(
        loaded("v", V, C) + "%line = arith.constant dense<0.0> : vector<16xf32>\n",
    )
    assert "line" not in found


def test_blocked_vectors_have_no_map() -> None:
    of = tile(V, C, "inner_blocks = [16, 16]")
    found = inferred(
        f"""
        %t = xetile.init_tile %m_v[0, 0] : memref<{V}> -> {of}
        %v = xetile.load_tile %t : {of} -> vector<4x4x16x16xf32>
        """
    )
    assert found == {"t": C}

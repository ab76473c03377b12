"""What an unknown name is answered with."""

import pytest

from xetile.advice import attribute_for, hint, hint_or_names, meant, nearest
from xetile.dialects.modules import context
from xetile.passes import PASSES
from xetile.targets import names


def ops(dialect: str) -> list[str]:
    found = context().get_optional_dialect(dialect)
    return [] if found is None else [op.name for op in found.operations]


OPS = [name for dialect in ("xetile", "arith", "vector") for name in ops(dialect)]
TYPES = ("f16", "bf16", "f32", "f64", "i8", "i32", "i64", "ui8", "index", "f8E4M3FN", "f8E5M2")
KINDS = ("add", "mul", "maxnumf", "maximumf", "maxsi", "maxui")
HINTS = ("cached", "uncached", "streaming", "write_back")


@pytest.mark.parametrize(
    ("name", "known", "expected"),
    [
        ("xetile.tile_load", OPS, ["xetile.load_tile"]),
        ("xetile.tile_store", OPS, ["xetile.store_tile"]),
        ("xetile.tile_prefetch", OPS, ["xetile.prefetch_tile"]),
        ("xetile.init", OPS, ["xetile.init_tile"]),
        ("xetile.load_nd", OPS, ["xetile.load_tile"]),
        ("xetile.update_nd_offset", OPS, ["xetile.update_tile_offset"]),
        ("xetile.offset_update_tile", OPS, ["xetile.update_tile_offset"]),
        ("xetile.matmul", OPS, ["xetile.tile_mma"]),
        ("tt.dot", OPS, ["xetile.tile_mma"]),
        ("tt.make_tensor_ptr", OPS, ["xetile.init_tile"]),
        ("xetile.laod_tile", OPS, ["xetile.load_tile"]),
        ("arith.adff", OPS, ["arith.addf"]),
        ("vector.brodcast", OPS, ["vector.broadcast"]),
        ("xetile.zzz", OPS, []),
        ("float16", TYPES, ["f16"]),
        ("Half", TYPES, ["f16"]),
        ("int8", TYPES, ["i8"]),
        ("fp8", TYPES, ["f8E4M3FN", "f8E5M2"]),
        ("bfloat16", TYPES, ["bf16"]),
        ("F32", TYPES, ["f32"]),
        ("sum", KINDS, ["add"]),
        ("max", KINDS, ["maxnumf", "maximumf", "maxsi"]),
        ("cahced", HINTS, ["cached"]),
        ("wb", HINTS, ["write_back"]),
        ("wg_layout", ("sg_layout", "sg_data"), ["sg_layout"]),
        ("sg_layouts", ("sg_layout", "sg_data"), ["sg_layout"]),
        ("B580", names(), ["bmg"]),
        ("max1550", names(), ["pvc"]),
        ("lunarlake", names(), ["lnl"]),
        ("a770", names(), []),
        ("xegpu-wg-to-sg-distribute", list(PASSES), ["xetile-wg-to-sg"]),
        ("xetile-block", list(PASSES), ["xetile-blocking"]),
        ("blocking", list(PASSES), ["xetile-blocking"]),
        ("convert-xetile-to-xevm", list(PASSES), ["xetile-to-xevm"]),
        ("arith.maxf", OPS, ["arith.maximumf"]),
        ("mp", ("map", "map_b"), ["map"]),
        ("tA", ("ta", "tb"), ["ta"]),
        ("acc0", ("acc", "a"), ["acc"]),
    ],
)
def test_what_is_meant(name: str, known: list[str], expected: list[str]) -> None:
    assert meant(name, known) == expected


def test_a_hint_lists_what_may_be_meant() -> None:
    assert hint("sum", KINDS) == "; did you mean 'add'?"
    assert hint("max", KINDS) == "; did you mean 'maxnumf', 'maximumf' or 'maxsi'?"
    assert hint("acc0", ("acc",), "%") == "; did you mean '%acc'?"
    assert hint("zzz", KINDS) == ""


def test_what_there_is_where_nothing_is_meant() -> None:
    assert hint_or_names("frist", ("first", "second"), "it has") == "; did you mean 'first'?"
    assert hint_or_names("gemm", ("first", "second"), "it has") == "; it has: first, second"
    assert hint_or_names("gemm", (), "it has") == "; it has: none"


def test_the_nearest_name_in_whatever_case() -> None:
    assert nearest("L1_hnt", ("l1_hint", "l2_hint"), 0.75) == "l1_hint"
    assert nearest("l1_hnt", ("l1_hint", "l2_hint"), 0.95) is None
    assert nearest("note", ("padding", "l1_hint")) is None


def test_words_in_the_place_of_attributes() -> None:
    assert attribute_for("shared") == "3"
    assert attribute_for("cached") == "#xetile.cache_hint<cached>"
    assert attribute_for("bmg") == '"bmg"'

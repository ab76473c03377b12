"""Suggestions for unknown names: by meaning, by the words of neighboring dialects and tools, else by spelling.

There is one table for ops, types, attributes, keywords, devices, passes and options of commands: a word counts only
if its meaning is among the names that are legal in its place.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence

ALIKE = 0.7
ALIKE_WHERE_SHORT = 0.6
SHORT = 4
"""Similarity above which two names may be confused: difflib's ratio; a slip changes more of a short one."""


def _words(**meanings: str) -> Mapping[str, Sequence[str]]:
    """Map each word of a list to the names that the list belongs to."""
    table: dict[str, list[str]] = {}
    for meaning, words in meanings.items():
        for word in words.split():
            table.setdefault(word, []).append(meaning)
    return table


_TYPES = _words(
    f16="half float16 fp16 float16_t",
    bf16="bfloat bfloat16 bfp16",
    f32="float float32 fp32 single float32_t",
    f64="double float64 fp64",
    tf32="tfloat32 tensorfloat32",
    f8E4M3FN="fp8 float8 e4m3 fp8e4m3 f8e4m3 float8_e4m3 float8_e4m3fn hf8",
    f8E5M2="fp8 float8 e5m2 fp8e5m2 float8_e5m2 bf8",
    i1="bool boolean int1 pred",
    i8="int8 int8_t char s8 byte sint8",
    i16="int16 int16_t short s16",
    i32="int int32 int32_t s32 integer",
    i64="int64 int64_t long s64",
    ui8="uint8 uint8_t u8 uchar",
    ui16="uint16 u16 ushort",
    ui32="uint32 u32 uint unsigned",
    ui64="uint64 u64",
    index="size_t usize idx ptrdiff_t intptr",
)

_OPS = _words(
    init_tile="tile_init init create_tile make_tile tile_create create_nd_tdesc create_nd_desc create_tdesc "
    "make_tensor_ptr make_block_ptr make_tensor_descriptor tile block_ptr",
    load_tile="tile_load load load_nd load_2d load2d block_load blockload blockload2d load_block descriptor_load "
    "load_matrix tile_read read_tile copy_in joint_matrix_load",
    store_tile="tile_store store store_nd store_2d store2d block_store blockstore blockstore2d descriptor_store "
    "store_matrix tile_write write_tile joint_matrix_store",
    prefetch_tile="tile_prefetch prefetch prefetch_nd prefetch_2d prefetch2d blockprefetch2d block_prefetch",
    update_tile_offset="update_nd_offset advance tile_advance update_offset update_tile_offsets tile_update_offset "
    "offset_tile move_tile",
    tile_mma="mma dot matmul gemm dpas mm mad wgmma contract tl_dot wmma",
    tile_transpose="trans permute transposed transpose_tile",
    tile_reduce="reduction reduce_tile sum multi_reduction",
    tile_broadcast="broadcast_tile splat expand expand_dims",
    tile_conv_layout="convert_layout tile_convert_layout layout_convert",
    load_gather="gather load_scatter tile_gather gather_load load_scattered",
    store_scatter="scatter store_gather tile_scatter scatter_store store_scattered",
    atomic_rmw_tile="atomic atomic_add tile_atomic tile_atomic_rmw atomic_tile",
    tile_pack="pack blocked pack_tile",
    tile_unpack="unpack unpack_tile tile_upack",
)

_KEYWORDS = _words(
    sg_layout="wg_layout layout subgroup_layout warps_per_cta warp_layout sg_map_layout",
    sg_data="wg_data data subgroup_data sg_tile sg_shape warp_tile tile_per_sg",
    wg_map="map workgroup_map wg sg_layout_map",
    inner_blocks="inner_block block blocks blocking",
    memory_space="space mem_space address_space scope memory_scope",
    add="sum plus addf addi",
    mul="prod product times mulf muli",
    maxnumf="max maxf maximum",
    maximumf="max maxf maximum",
    maxsi="max maximum",
    minnumf="min minf minimum",
    minimumf="min minf minimum",
    minsi="min minimum",
    addf="add sum fadd",
    addi="add sum",
    mulf="mul fmul",
    muli="mul",
    maxs="max maxsi",
    mins="min minsi",
    cached="cache c l1c hit always ca",
    uncached="nocache no_cache uc none bypass cg",
    streaming="stream st evict_first cs",
    read_invalidate="ri readinvalidate invalidate_after_read last_use",
    slm="local shared workgroup",
    workgroup="shared slm",
    slt="lt less",
    sle="le",
    sgt="gt greater",
    sge="ge",
    oeq="eq",
    one="ne",
    olt="lt less",
    ole="le",
    ogt="gt greater",
    oge="ge",
    write_back="wb writeback",
    write_through="wt writethrough",
)

_DEVICES = _words(
    pvc="max ponte_vecchio pontevecchio max1550 max1100 max_1550 max_1100 xe_hpc xehpc gpu_max 12.60.7",
    bmg="b580 b570 b50 b60 b65 b70 arc battlemage arc_b580 arc_b570 xe2 bmg_g21 bmg_g31 intel_gpu_bmg_g21 20.1.4",
    lnl="lunarlake lunar_lake lnl_m arc_140v 140v xe2 20.4.4",
    ptl="pantherlake panther_lake ptl_h xe3 30.0.4",
    cri="crescentisland crescent_island xe3p 35.11.0",
)

_RUNTIMES: Mapping[str, Sequence[str]] = {
    "opencl": ("opencl:cpu", "opencl:gpu"),
    "ocl": ("opencl:cpu", "opencl:gpu"),
    "cpu": ("opencl:cpu",),
    "cpu:opencl": ("opencl:cpu",),
    "gpu": ("opencl:gpu",),
    "gpu:opencl": ("opencl:gpu",),
    "xpu": ("opencl:gpu",),
    "level_zero": ("opencl:gpu",),
    "level_zero:gpu": ("opencl:gpu",),
    "ze": ("opencl:gpu",),
}
"""Other tools' names for the place where a kernel runs."""

_PASSES: Mapping[str, Sequence[str]] = {
    "xegpu_wg_to_sg_distribute": ("xetile-wg-to-sg",),
    "xegpu_wg_to_sg": ("xetile-wg-to-sg",),
    "xetile_distribute": ("xetile-wg-to-sg",),
    "xetile_workgroup_to_subgroup": ("xetile-wg-to-sg",),
    "xegpu_blocking": ("xetile-blocking",),
    "xegpu_unroll": ("xetile-blocking",),
    "xetile_tiling": ("xetile-blocking",),
    "xetile_block_aligning": ("xetile-blocking",),
    "xetile_blockop_fallback": ("xetile-blocking",),
    "xetile_canonicalization": ("canonicalize",),
    "xegpu_propagate_layout": ("xetile-infer-wg-map",),
    "convert_xegpu_to_vc": ("convert-xegpu-to-xevm",),
    "convert_xetile_to_xevm": ("xetile-to-xevm",),
    "gpu_lower_to_xevm_pipeline": ("xetile-to-xevm", "xetile-to-llvm"),
    "convert_xevm_to_spirv": ("convert-xevm-to-llvm",),
    "common_subexpression_elimination": ("cse",),
    "loop_invariant_code_motion": ("licm",),
    "symbol_dce": ("dce",),
}

_OPTIONS: Mapping[str, Sequence[str]] = {
    "__output": ("-o",),
    "__out": ("-o",),
    "__target": ("--device",),
    "__chip": ("--device",),
    "__arch": ("--device",),
    "__args": ("--arg",),
    "__function": ("--entry",),
    "__run_on": ("--on",),
    "__backend": ("--on",),
    "__timeout": ("--time-limit",),
    "__repeat": ("--time",),
    "__benchmark": ("--time",),
    "__kernel_name": ("--kernel",),
}
"""Other tools' names for options; dashes count as underscores, as everywhere here."""

_OTHERS: Mapping[str, Sequence[str]] = {
    "for": ("scf.for",),
    "if": ("scf.if",),
    "while": ("scf.while",),
    "yield": ("scf.yield",),
    "constant": ("arith.constant",),
    "const": ("arith.constant",),
    "barrier": ("gpu.barrier",),
    "block_id": ("gpu.block_id",),
    "program_id": ("gpu.block_id",),
    "get_program_id": ("gpu.block_id",),
    "thread_id": ("gpu.thread_id",),
    "subgroup_id": ("gpu.subgroup_id",),
    "add": ("arith.addf", "arith.addi"),
    "sub": ("arith.subf", "arith.subi"),
    "mul": ("arith.mulf", "arith.muli"),
    "div": ("arith.divf", "arith.divsi"),
    "max": ("arith.maximumf", "arith.maxsi"),
    "min": ("arith.minimumf", "arith.minsi"),
    "maxf": ("arith.maximumf",),
    "minf": ("arith.minimumf",),
    "exp": ("math.exp",),
    "sqrt": ("math.sqrt",),
    "relu": ("arith.maximumf",),
    "cast": ("arith.truncf", "arith.extf"),
    "convert": ("arith.truncf", "arith.extf"),
    "launch": ("gpu.launch_func",),
    "call": ("func.call",),
    "module": ("builtin.module",),
    "kernel": ("gpu.func",),
    "func": ("func.func", "gpu.func"),
    "def": ("func.func", "gpu.func"),
}
"""Ops of dialects that are not ours, by the words for them."""

_INTEGER_AND_FLOAT = (
    ("addi", "addf"),
    ("subi", "subf"),
    ("muli", "mulf"),
    ("divsi", "divf"),
    ("remsi", "remf"),
    ("cmpi", "cmpf"),
    ("maxsi", "maximumf"),
    ("minsi", "minimumf"),
    ("absi", "absf"),
    ("extsi", "extf"),
    ("trunci", "truncf"),
)
"""Pairs of equal ops on integers and on floats."""

_VALUES: Mapping[str, str] = {
    "shared": "3",
    "slm": "3",
    "local": "3",
    "workgroup": "3",
    "global": "0",
    **{
        hint: f"#xetile.cache_hint<{hint}>"
        for hint in (
            "cached",
            "uncached",
            "streaming",
            "read_invalidate",
            "write_back",
            "write_through",
        )
    },
}
"""Words in the place of an attribute, and the attribute that is meant."""


def counterpart(op: str) -> str:
    """Return the op on floats that equals one on integers, or the reverse, or an empty string."""
    dialect, _, name = op.rpartition(".")
    for pair in _INTEGER_AND_FLOAT:
        if name in pair:
            return f"{dialect}.{pair[1 - pair.index(name)]}"
    return ""


def _meanings(word: str) -> list[str]:
    tables = (_TYPES, _KEYWORDS, _DEVICES, _RUNTIMES, _PASSES, _OPTIONS, _OTHERS)
    found = [meaning for table in tables for meaning in table.get(word, ())]
    return [*found, *(f"xetile.{op}" for op in _OPS.get(word, ()))]


def meant(name: str, known: Iterable[str]) -> list[str]:
    """Return the known names that an unknown one may mean: by meaning perhaps several, by spelling the most similar."""
    names, plain = list(known), _plain(name)
    if found := meant_by_meaning(name, names):
        return found
    ends = [one for one in names if _plain(one).endswith((f"_{plain}", f".{plain}"))]
    if len(ends) == 1 and len(plain) > SHORT:
        return ends
    turned = sorted(_parts(plain))
    if same := [one for one in names if sorted(_parts(_plain(one))) == turned]:
        return same[:1]
    return _alike(plain, names)


def meant_by_meaning(name: str, known: Collection[str]) -> list[str]:
    """Return the known names that mean the same as another, whatever its spelling."""
    plain = _plain(name)
    if same := [one for one in known if _plain(one) == plain]:
        return same[:1]
    of_dialect = plain.rpartition(".")[2]
    meanings = [m for word in (plain, of_dialect) for m in _meanings(word)]
    return [one for one in dict.fromkeys(meanings) if one in known]


def _plain(name: str) -> str:
    return name.casefold().replace("-", "_")


def _parts(name: str) -> list[str]:
    return re.split(r"[_.]", name)


def _alike(name: str, names: Sequence[str]) -> list[str]:
    """Return the name with the most similar spelling; a common dialect does not count."""
    prefix = name[: name.find(".") + 1]
    if not any(_plain(one).startswith(prefix) for one in names):
        prefix = ""
    rest = {
        _plain(one).removeprefix(prefix): one
        for one in reversed(names)
        if _plain(one).startswith(prefix)
    }
    own = name.removeprefix(prefix)
    alike = ALIKE_WHERE_SHORT if len(own) <= SHORT else ALIKE
    near = nearest(own, rest, alike)
    return [] if near is None else [rest[near]]


def nearest(name: str, known: Iterable[str], alike: float = ALIKE) -> str | None:
    """Return the known name with the most similar spelling in any case, or None if all are below `alike` (of 1)."""
    from difflib import get_close_matches

    names = {_plain(one): one for one in known}
    found = get_close_matches(_plain(name), list(names), 1, alike)
    return names[found[0]] if found else None


def hint(name: str, known: Iterable[str], prefix: str = "") -> str:
    """Return the end of a message on an unknown name: suggested names, each after `prefix`, or nothing."""
    found = [f"'{prefix}{one}'" for one in meant(name, known)]
    if not found:
        return ""
    *others, last = found
    listed = f"{', '.join(others)} or {last}" if others else last
    return f"; did you mean {listed}?"


def hint_or_names(name: str, known: Collection[str], holder: str) -> str:
    """Return `hint`, or all known names if none is similar: `; the module has: a, b`."""
    return hint(name, known) or f"; {holder}: {', '.join(known) or 'none'}"


def attribute_for(word: str) -> str:
    """Return the attribute that a word in its place means; a string if nothing better is known."""
    return _VALUES.get(word.casefold(), f'"{word}"')

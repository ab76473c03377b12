"""Attention forward, as one pass over the keys: the running maximum, the running sum, the rescaled result.

A subgroup has whole rows of queries and sees 64 keys at a time. Q is scaled by log2(e) / sqrt(D) in the kernel, so that
exp2 is enough. The sum of a row is kept as 16 partial sums until the loop has ended. V is loaded where it is used: with
K, its registers would not suffice for 16 rows.
"""

import math
from typing import Literal, NamedTuple

import numpy
from support.tiled.case import Array, Case, filled
from support.tiled.epilogues import numbers
from support.workgroup import Map, tile, wg_map

KEYS = 64
"""That are seen at a time."""

ERROR = 4e-3
"""Of the result, relative to the largest number: P and the scaled Q are f16."""

Stored = Literal["by_keys", "by_d"]
"""K as keys x D, which is transposed, or as D x keys."""


class Attention(NamedTuple):
    """A case of attention; `keys` may be no multiple of 64."""

    depth: int
    queries: int
    keys: int
    stored: Stored = "by_keys"
    causal: bool = False
    rows: int = 16
    subgroups: int = 2

    @property
    def name(self) -> str:
        """What tells it from others."""
        causal = "_causal" if self.causal else ""
        return f"attention_d{self.depth}_k_{self.stored}_{self.keys}_keys_{self.rows}_rows{causal}"

    def map(self, columns: int) -> Map:
        """Whole rows to each subgroup."""
        return (self.subgroups, 1), (self.rows, columns)

    def shared(self, shape: tuple[int, int]) -> Map:
        """All of it to every subgroup."""
        return (self.subgroups, 1), shape


def attention(kind: Attention) -> Case:
    """Queries x D, keys x D (or D x keys), keys x D -> queries x D in f32."""
    d, m = kind.depth, kind.rows * kind.subgroups
    q, k, v = (
        numbers((extent, d), "f16", seed)
        for seed, extent in enumerate((kind.queries, kind.keys, kind.keys))
    )
    by_keys = kind.stored == "by_keys"
    result = numpy.full((kind.queries, d), 7, numpy.float32)
    q_type, v_type = f"memref<{kind.queries}x{d}xf16>", f"memref<{kind.keys}x{d}xf16>"
    k_type = v_type if by_keys else f"memref<{d}x{kind.keys}xf16>"
    o_type = f"memref<{kind.queries}x{d}xf32>"
    masked = CAUSAL if kind.causal else RAGGED if kind.keys % KEYS else ""
    values = {
        "QM": q_type,
        "KM": k_type,
        "VM": v_type,
        "OM": o_type,
        "QT": tile((m, d), "f16", kind.map(d)),
        "KT": tile((KEYS, d), "f16", _turned(kind))
        if by_keys
        else tile((d, KEYS), "f16", kind.shared((d, KEYS))),
        "VT": tile((KEYS, d), "f16", kind.shared((KEYS, d))),
        "OT": tile((m, d), "f32", kind.map(d)),
        "LOAD_K": BY_KEYS if by_keys else BY_D,
        "K_STEP": "[%c64, %c0]" if by_keys else "[%c0, %c64]",
        "MASK": masked,
        "SCORES": "%masked" if masked else "%s",
        "LAST": CAUSAL_LAST if kind.causal else "%last = arith.constant $KEYS : index",
        "QV": f"vector<{m}x{d}xf16>",
        "BV": f"vector<{d}x{KEYS}xf16>",
        "VV": f"vector<{KEYS}x{d}xf16>",
        "SV": f"vector<{m}x{KEYS}xf32>",
        "SI": f"vector<{m}x{KEYS}xi32>",
        "SM": f"vector<{m}x{KEYS}xi1>",
        "PV": f"vector<{m}x{KEYS}xf16>",
        "OV": f"vector<{m}x{d}xf32>",
        "LV": f"vector<{m}x16xf32>",
        "CV": f"vector<{m}x1xf32>",
        "MAP_S": wg_map(kind.map(KEYS)),
        "MAP_O": wg_map(kind.map(d)),
        "MAP_L": wg_map(kind.map(16)),
        "MAP_C": wg_map(kind.map(1)),
        "SCALE": f"{math.log2(math.e) / math.sqrt(d):.6e}",
        "KEYS": str(kind.keys),
        "ROWS": str(m),
    }
    return Case(
        kind.name,
        (f"%Q: {q_type}", f"%K: {k_type}", f"%V: {v_type}", f"%O: {o_type}"),
        filled(BODY, values),
        (q, k if by_keys else k.T.copy(), v, result),
        {3: attended(q, k, v, causal=kind.causal)},
        ERROR,
        kind.subgroups,
        -(-kind.queries // m),
    )


def _turned(kind: Attention) -> Map:
    return (1, kind.subgroups), (KEYS, kind.depth)


def attended(q: Array, k: Array, v: Array, *, causal: bool = False) -> Array:
    """softmax(q * transposed(k) / sqrt(D)) * v in f64."""
    scores = q.astype(float) @ k.astype(float).T / math.sqrt(q.shape[1])
    if causal:
        scores = numpy.where(numpy.tri(len(q), len(k), dtype=bool), scores, -numpy.inf)
    powers = numpy.exp(scores - scores.max(axis=1, keepdims=True))
    return powers @ v.astype(float) / powers.sum(axis=1, keepdims=True)


BY_KEYS = """%k_rows = xetile.load_tile %k_tile : $KT -> $VV
      %k = xetile.tile_transpose %k_rows, [1, 0] : $VV -> $BV"""
BY_D = "%k = xetile.load_tile %k_tile : $KT -> $BV"

RAGGED = """%left = arith.subi %last, %at : index
      %inside = vector.create_mask %all_rows, %left : $SM
      %masked = arith.select %inside, %s, %nothing : $SM, $SV"""
CAUSAL = """%lead = arith.subi %first, %at : index
      %lead_i32 = arith.index_cast %lead : index to i32
      %leads = vector.broadcast %lead_i32 : i32 to $SI
      %seen = arith.cmpi sle, %distance, %leads : $SI
      %masked = arith.select %seen, %s, %nothing : $SM, $SV"""
CAUSAL_LAST = """%last = arith.addi %first, %all_rows : index
    %columns = vector.step : vector<64xindex>
    %columns_i32 = arith.index_cast %columns : vector<64xindex> to vector<64xi32>
    %rows = vector.step : vector<$ROWSxindex>
    %rows_i32 = arith.index_cast %rows : vector<$ROWSxindex> to vector<$ROWSxi32>
    %row_column = vector.shape_cast %rows_i32 : vector<$ROWSxi32> to vector<$ROWSx1xi32>
    %row_of = vector.broadcast %row_column : vector<$ROWSx1xi32> to $SI
    %column_of = vector.broadcast %columns_i32 : vector<64xi32> to $SI
    %distance = arith.subi %column_of, %row_of : $SI"""

BODY = """
    %c0 = arith.constant 0 : index
    %c64 = arith.constant 64 : index
    %all_rows = arith.constant $ROWS : index
    %block = gpu.block_id x
    %first = arith.muli %block, %all_rows : index
    $LAST
    %q_tile = xetile.init_tile %Q[%first, 0] : $QM -> $QT
    %q_loaded = xetile.load_tile %q_tile : $QT -> $QV
    %scale = arith.constant dense<$SCALE> : $QV
    %q = arith.mulf %q_loaded, %scale : $QV
    %k_start = xetile.init_tile %K[0, 0] : $KM -> $KT
    %v_start = xetile.init_tile %V[0, 0] : $VM -> $VT
    %nothing = arith.constant dense<0xFF800000> : $SV
    %s_zero = arith.constant {wg_map = $MAP_S} dense<0.0> : $SV
    %o_zero = arith.constant {wg_map = $MAP_O} dense<0.0> : $OV
    %l_zero = arith.constant {wg_map = $MAP_L} dense<0.0> : $LV
    %m_none = arith.constant {wg_map = $MAP_C} dense<0xFF800000> : $CV
    %end:5 = scf.for %at = %c0 to %last step %c64
        iter_args(%o = %o_zero, %l = %l_zero, %m = %m_none, %k_tile = %k_start, %v_tile = %v_start)
        -> ($OV, $LV, $CV, $KT, $VT) {
      $LOAD_K
      %s = xetile.tile_mma %q, %k, %s_zero : $QV, $BV, $SV -> $SV
      $MASK

      // the largest score so far, and by how much it rescales what was summed before
      %largest = xetile.tile_reduce <maxnumf>, $SCORES [1] : $SV -> $CV
      %m_next = arith.maxnumf %m, %largest : $CV
      %change = arith.subf %m, %m_next : $CV
      %rescale = math.exp2 %change : $CV
      %m_all = xetile.tile_broadcast %m_next [1] : $CV -> $SV
      %below = arith.subf $SCORES, %m_all : $SV
      %p = math.exp2 %below : $SV

      // 16 partial sums of each row
      %p0 = vector.extract_strided_slice %p {offsets = [0, 0], sizes = [$ROWS, 16], strides = [1, 1]} : $SV to $LV
      %p1 = vector.extract_strided_slice %p {offsets = [0, 16], sizes = [$ROWS, 16], strides = [1, 1]} : $SV to $LV
      %p2 = vector.extract_strided_slice %p {offsets = [0, 32], sizes = [$ROWS, 16], strides = [1, 1]} : $SV to $LV
      %p3 = vector.extract_strided_slice %p {offsets = [0, 48], sizes = [$ROWS, 16], strides = [1, 1]} : $SV to $LV
      %p01 = arith.addf %p0, %p1 : $LV
      %p012 = arith.addf %p01, %p2 : $LV
      %parts = arith.addf %p012, %p3 : $LV
      %rescale_l = xetile.tile_broadcast %rescale [1] : $CV -> $LV
      %l_kept = arith.mulf %l, %rescale_l : $LV
      %l_next = arith.addf %l_kept, %parts : $LV

      %rescale_o = xetile.tile_broadcast %rescale [1] : $CV -> $OV
      %o_kept = arith.mulf %o, %rescale_o : $OV
      %p_f16 = arith.truncf %p : $SV to $PV
      %v = xetile.load_tile %v_tile : $VT -> $VV
      %o_next = xetile.tile_mma %p_f16, %v, %o_kept : $PV, $VV, $OV -> $OV
      %k_next = xetile.update_tile_offset %k_tile, $K_STEP : $KT
      %v_next = xetile.update_tile_offset %v_tile, [%c64, %c0] : $VT
      scf.yield %o_next, %l_next, %m_next, %k_next, %v_next : $OV, $LV, $CV, $KT, $VT
    }
    %sum = xetile.tile_reduce <add>, %end#1 [1] : $LV -> $CV
    %sums = xetile.tile_broadcast %sum [1] : $CV -> $OV
    %result = arith.divf %end#0, %sums : $OV
    %o_tile = xetile.init_tile %O[%first, 0] : $OM -> $OT
    xetile.store_tile %result, %o_tile : $OV, $OT"""


def attentions() -> list[Case]:
    """Both depths, both layouts of K, whole and ragged keys, causal."""
    return [
        attention(kind)
        for kind in (
            Attention(64, 32, 128),
            Attention(64, 32, 128, "by_d"),
            Attention(64, 16, 128, "by_d", rows=8),
            Attention(64, 16, 128, rows=8),
            Attention(64, 32, 100),
            Attention(64, 96, 96, causal=True),
            Attention(128, 32, 128),
            Attention(128, 32, 104, "by_d"),
            Attention(128, 64, 64, causal=True),
        )
    ]

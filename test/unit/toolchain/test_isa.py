import pytest

from xetile.errors import XetileError
from xetile.toolchain.isa import hot_loop, parse_assembly, statistics

DPAS = "        dpas.8x8 (16|M0)         r3:f  r3:f  r35:hf  r67.0:hf  {Atomic}\n"

# two K steps of two DPAS each in one round of the inner loop; an outer loop around it; an epilogue
ASSEMBLY = f"""L0:
(W)     mov (1|M0)               r99.0<1>:q    r1.0<0;1,0>:q                    {{Compacted}}
L16:
(W)     add (1|M0)               r1.0<1>:d  r1.0<0;1,0>:d  1:w
L32:
(W)     mov (1|M0)               r230.5<1>:d  r1.0<0;1,0>:d
        send.ugm (1|M0)          r67  r230  null:0  0x0  0x03F00203  {{$3}} // wr:1+0, rd:31; load_block2d.ugm.d16.a64
        send.ugm (1|M0)          null  r99  null:0  0x0  0x02000203  {{$1}} // wr:1+0, rd:0; load_block2d.ugm.d16.a64
        sendg.ugm (1|M0)         null  r99:1  null:0  0x0  {{$1}} // load_block2d.ugm.d16.a64
        sync.nop                             null                             {{Compacted,I@1}}
(W)     cmp (16|M0)   (lt)f0.0   null<1>:d  r1.1<0;1,0>:ud  0xFE0:uw
{DPAS * 4}(W&f0.0) jmpi                               L32
(W&~f0.0) jmpi                               L400
        send.ugm (1|M0)          null  r9  r100:8  0x0  0x02000407 {{$4}} // wr:1+8, rd:0; store_block2d.ugm.d32.a64
(W)     jmpi                                 L16
L400:
(W)     send.gtwy (1|M0)         null     r112  null:0  0x0  0x02000010 {{EOT}} // wr:1+0, rd:0; end of thread
"""

DESCRIPTION = """---
version:         '1.73'
kernels:
  - name:            copy
    execution_env:
      grf_count:       128
      simd_size:       16
  - name:            gemm
    execution_env:
      grf_count:       256
      spill_size:      5632
    payload_arguments:
      - arg_type:        arg_bypointer
        offset:          0
        size:            8
    per_thread_memory_buffers:
      - type:            scratch
        usage:           single_space
        size:            8192
kernels_misc_info:
  - name:            copy
  - name:            gemm
    args_info:
      - index:           0
"""


def test_the_hot_loop_is_the_innermost_with_most_dpas():
    loop = hot_loop(parse_assembly(ASSEMBLY))
    assert loop is not None
    assert len(loop) == 11
    assert loop[0].mnemonic == "mov"
    assert loop[-1].mnemonic == "jmpi"


def test_counts_per_k_step():
    assert statistics(ASSEMBLY, DESCRIPTION, "gemm", dpas_per_step=2) == {
        "load2d": 0.5,
        "prefetch2d": 1,
        "store2d": 0,
        "dpas": 2,
        "mov": 0.5,
        "alu": 0.5,
        "sync": 0.5,
        "total": 5.5,
        "loop_unroll": 2,
        "grf_count": 256,
        "spill_size": 5632,
        "scratch": 8192,
    }


def test_one_round_of_the_loop_where_no_step_is_given():
    counts = statistics(ASSEMBLY, DESCRIPTION, "copy")
    assert counts["dpas"] == 4
    assert counts["total"] == 11
    assert counts["loop_unroll"] == 1
    assert counts["grf_count"] == 128
    assert counts["spill_size"] == counts["scratch"] == 0


def test_without_a_loop_the_whole_kernel_counts():
    straight = "L0:\n" + DPAS * 6 + ASSEMBLY[ASSEMBLY.index("L400:") :]
    assert hot_loop(parse_assembly(straight)) is None
    counts = statistics(straight, DESCRIPTION, "gemm", dpas_per_step=2)
    assert counts["dpas"] == 2
    assert counts["loop_unroll"] == 3
    assert counts["total"] == 2.3333


def test_an_unknown_kernel():
    with pytest.raises(XetileError, match="the binary holds no kernel 'other' but copy, gemm"):
        statistics(ASSEMBLY, DESCRIPTION, "other")

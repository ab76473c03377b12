import pytest

from xetile.errors import XetileError
from xetile.targets.xe.issue import Rates
from xetile.toolchain.assembly import Work, hot_range, parse_assembly, statistics

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
    program = parse_assembly(ASSEMBLY)
    place = hot_range(program)
    assert place is not None
    loop = program.instructions[place.start : place.stop]
    assert len(loop) == 11
    assert loop[0].mnemonic == "mov"
    assert loop[-1].mnemonic == "jmpi"


def test_counts_per_k_step():
    assert statistics(ASSEMBLY, DESCRIPTION, "gemm", work=Work(products_per_step=2)) == {
        "load2d": 0.5,
        "prefetch2d": 1,
        "store2d": 0,
        "dpas": 2,
        "mov": 0.5,
        "alu": 0.5,
        "sync": 0.5,
        "total": 5.5,
        "loop_unroll": 2,
        "outside": 6,
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


STRAIGHT = "L0:\n" + DPAS * 6 + ASSEMBLY[ASSEMBLY.index("L400:") :]


def test_without_a_loop_the_whole_kernel_counts():
    assert hot_range(parse_assembly(STRAIGHT)) is None
    counts = statistics(STRAIGHT, DESCRIPTION, "gemm", work=Work(products_per_step=2))
    assert counts["dpas"] == 2
    assert counts["loop_unroll"] == 3
    assert counts["total"] == 2.3333
    assert counts["outside"] == 0
    assert counts["instructions"] == 7
    assert "unrolled_completely" not in counts


LOAD = "        send.ugm (1|M0)          r67  r230  null:0  0x0  0x0  {$3} // wr:1+0, rd:8; load_block2d.ugm.d16.a64\n"
PREFETCH = "        send.ugm (1|M0)          null  r99  null:0  0x0  0x0  {$1} // wr:1+0, rd:0; load_block2d.ugm.d16.a64\n"
MOVE = "        mov (16|M0)              r6.0<1>:f     r144.0<1;1,0>:f\n"
END = (
    "(W)     send.gtwy (1|M0)         null     r112  null:0  0x0  0x0 {EOT} // end of thread\n"
)
MARK = "(W)     mov (16|M0)              null<1>:ud    0x42C16975:ud\n"
PADDING = "L2288:\n        nop\n" + MARK + "        illegal\n" * 3
"""What IGC puts behind the end of a thread."""


def test_a_loop_that_was_unrolled_completely_is_told_of():
    """Two K steps of one load and two products: what stands before the load and behind the products is no K step's."""
    text = MOVE * 5 + (LOAD + MOVE + DPAS * 2) * 2 + MOVE * 3 + END + PADDING
    counts = statistics(
        text, DESCRIPTION, "gemm", work=Work(looped=True, products_per_step=2, products=4)
    )
    assert counts["unrolled_completely"] is True
    assert counts["loop_unroll"] == 2
    assert counts["total"] == 4
    assert (counts["load2d"], counts["mov"], counts["dpas"]) == (1, 1, 2)
    assert counts["outside"] == 9
    assert counts["instructions"] == 17


BRANCH = "(W&f0.0) jmpi                               {label}\n"
TWO_LOOPS = "".join(
    [
        MOVE * 4,
        "L8:\n",
        (LOAD + DPAS * 2) * 4,
        BRANCH.format(label="L8"),
        MOVE,
        "L16:\n",
        LOAD + MOVE + DPAS * 2,
        BRANCH.format(label="L16"),
        MOVE * 2,
        END,
        PADDING,
    ]
)
"""A loop of four K steps, and one of the steps that remain."""


@pytest.mark.parametrize(("steps", "instructions"), [(9, 26 + 13), (11, 26 + 13 + 2 * 5)])
def test_instructions_executed_with_steps_that_remain(steps: int, instructions: int):
    work = Work(looped=True, products_per_step=2, products=2 * steps)
    counts = statistics(TWO_LOOPS, DESCRIPTION, "gemm", work=work)
    assert (counts["loop_unroll"], counts["total"], counts["dpas"]) == (4, 3.25, 2)
    assert counts["outside"] == 13
    assert counts["instructions"] == instructions


NESTED = "".join(
    [
        MOVE * 4,
        "L8:\n",
        MOVE * 3,
        "L16:\n",
        LOAD + DPAS * 2,
        BRANCH.format(label="L16"),
        BRANCH.format(label="L8"),
        END,
    ]
)
"""A loop with two products, in another loop."""


def test_instructions_executed_of_loops_in_loops():
    """Entered 5 times, each time for 3 rounds: 5 of the outside, 5 times 4 around it, 15 times 4."""
    work = Work(looped=True, products_per_step=2, products=30, entries=5)
    counts = statistics(NESTED, DESCRIPTION, "gemm", work=work)
    assert (counts["total"], counts["outside"]) == (4, 9)
    assert counts["instructions"] == 5 + 5 * 4 + 15 * 4
    unknown = work._replace(entries=None)
    assert "instructions" not in statistics(NESTED, DESCRIPTION, "gemm", work=unknown)


@pytest.mark.parametrize("products", [None, 19])
def test_instructions_executed_where_nothing_tells(products: int | None):
    work = Work(looped=True, products_per_step=2, products=products)
    assert "instructions" not in statistics(TWO_LOOPS, DESCRIPTION, "gemm", work=work)


def prefetching(body: str) -> str:
    return "L8:\n" + body + BRANCH.format(label="L8") + END


def test_how_far_prefetches_run_ahead():
    """Three steps ahead as written, in a loop of two steps: spread over the round, or all in front of it."""
    step = LOAD + DPAS * 4
    work = Work(looped=True, products_per_step=4, ahead=3)
    spread = statistics(prefetching((PREFETCH + step) * 2), DESCRIPTION, "gemm", work=work)
    assert (spread["prefetch_distance_least"], spread["prefetch_distance_most"]) == (12, 12)
    clumped = statistics(prefetching(PREFETCH * 2 + step * 2), DESCRIPTION, "gemm", work=work)
    assert (clumped["prefetch_distance_least"], clumped["prefetch_distance_most"]) == (12, 16)


def test_no_distance_where_steps_have_no_prefetch_each():
    work = Work(looped=True, products_per_step=4, ahead=3)
    body = PREFETCH * 3 + (LOAD + DPAS * 4) * 2
    counts = statistics(prefetching(body), DESCRIPTION, "gemm", work=work)
    assert "prefetch_distance_least" not in counts


MATH = "        math.exp (16|M0)         r126.0<1>:f   r139.0<1;1,0>:f\n"


@pytest.mark.parametrize(
    ("body", "row", "cycles"),
    [
        (DPAS * 2, 1, 16),
        (DPAS.replace("8x8", "8x4") * 2, 2, 16),
        (DPAS + MATH * 5, 1, 20),
        (MOVE.replace("(16|", "(32|") * 4, 1, 8),
        (MOVE.replace(":f", ":df") * 4, 1, 8),
        (MOVE.replace("(16|M0)", "(1|M0) ") * 4, 1, 4),
    ],
    ids=["dpas", "half-dpas", "math", "wide", "64-bit", "scalar"],
)
def test_cycles_of_the_busiest_pipe(body: str, row: int, cycles: int):
    counts = statistics(body, DESCRIPTION, "gemm", rates=Rates(row=row))
    assert counts["cycles"] == cycles


def test_an_unknown_kernel():
    with pytest.raises(XetileError, match="the binary holds no kernel 'other' but copy, gemm"):
        statistics(ASSEMBLY, DESCRIPTION, "other")

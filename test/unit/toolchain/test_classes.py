"""What an instruction does."""

from collections import Counter

import pytest

from xetile.toolchain.assembly import CLASSES, class_of, classify, parse_assembly

TEXTS = {
    "spill": (
        "(W) send.dc0 (8|M0) null r0 r5:1 0x0 0x020F10FC {I@4,$4} // wr:1h+1, rd:0; hword scratch block write x2",
        "(W) send.ugm (1|M0) null r34 r3:2 0x8E800000:a0.2 0x4200E504 {I@4,$2} // wr:1+2, rd:0; store.ugm.d32x32t.a32.ss[a0.2][A-0xE300]",
        "(W) sendg.ugm (1|M0) null r98:1 r3:2 s0.56 0x3A0000D704 {I@5,$2} // rd:0 B; store.ugm.d32x32t.a32 surf[s0.56][src0+0x1D00]",
    ),
    "fill": (
        "(W) send.dc0 (16|M0) r3 r0 null:0 0x0 0x024C30F8 {$2} // wr:1h+0, rd:4; hword scratch block read x8",
        "(W) send.ugm (1|M0) r3 r34 null:0 0x8E800000:a0.2 0x4240F500 {$1} // wr:1+0, rd:4; load.ugm.d32x64t.a32.ss[a0.2][A-0xE300]",
    ),
    "load2d": ("send.ugm (1|M0) r35 r228 null:0 0x0 0x3 {$1} // wr:1+0, rd:31; load_block2d.ugm.d16.a64",),
    "prefetch2d": ("send.ugm (1|M0) null r228 null:0 0x0 0x3 {$1} // wr:1+0, rd:0; load_block2d.ugm.d16.a64.ca.ca",),
    "store2d": ("sendg.ugm (1|M0) null r1:1 r2:8 0x0 {$1} // rd:0 B; store_block2d.ugm.d32.a64",),
    "load": ("(W) send.ugm (1|M0) r1 r255 null:0 0x0 0x6 {$0} // wr:1+0, rd:1; load.ugm.d32x8t.a32.ca.ca.bti[255]",),
    "slm": ("(W) send.slm (1|M0) null r4 r7:2 0x0 0x2 {$0} // wr:1+2, rd:0; store.slm.d64x16t.a32",),
    "atomic": ("send.ugm (16|M0) null r4 r7:1 0x0 0x2 {$0} // wr:2+1, rd:0; atomic_fadd.ugm.d32.a64",),
    "barrier": (
        "(W) send.gtwy (1|M0) null r3 null:0 0x0 0x2 {$1} // wr:1+0, rd:0; signal barrier",
        "(W) sync.bar 0x0",
    ),
    "fence": ("(W) send.ugm (1|M0) r3 r0 null:0 0x0 0x2 {$1} // wr:1+0, rd:1; fence.ugm.none.group",),
    "sync": ("sync.nop null {$1.src}", "sync.allwr ($1,$2)"),
    "shuffle": ("mov (16|M0) r178.0<2>:ud r[a0.0,4]<1,0>:ud",),
    "mov": ("(W) mov (1|M0) r2.0<1>:d 192:w {Compacted}",),
    "math": ("math.exp (16|M0) r2.0<1>:f r4.0<1;1,0>:f",),
    "alu": ("mad (16|M0) r2.0<1>:f r4.0<1;0>:f r4.0<1;0>:f r5.0<1>:f",),
    "branch": ("(W) jmpi L8", "join (16|M0) L8"),
    "dpas": ("dpas.8x8 (16|M0) r2:f r2:f r196:hf r35.0:hf",),
    "other": ("(W) send.gtwy (1|M0) null r240 null:0 0x0 0x2 {EOT,$3} // wr:1+0, rd:0; end of thread",),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "texts"), TEXTS.items())
def test_each_class(kind: str, texts: tuple[str, ...]) -> None:
    for text in texts:
        (instruction,) = parse_assembly(text).instructions
        assert class_of(instruction) == kind
    assert kind in CLASSES


def test_classes_refine_what_stats_counts() -> None:
    """`--stats` counts prefetch2d, load2d, store2d, dpas, mov, alu and sync; each is a sum of classes."""
    everything = parse_assembly("\n".join(text for texts in TEXTS.values() for text in texts))
    counted = Counter(map(classify, everything.instructions))
    classes = Counter(map(class_of, everything.instructions))
    for kind in ("load2d", "prefetch2d", "store2d", "dpas"):
        assert counted[kind] == classes[kind]
    assert counted["mov"] == classes["mov"] + classes["shuffle"]
    assert counted["alu"] == classes["alu"] + classes["math"]
    assert counted["sync"] == classes["sync"] + 1  # sync.bar

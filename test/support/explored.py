"""An exploration of a few lines, made by hand: links, counts and folds that can be told by heart."""

WORKGROUP = [
    "// a kernel",
    "func.func @k() {",
    "  %zero = arith.constant 0 : index",
    "  %a = xetile.load_tile %zero : !tile -> vector<32x16xf16>",
    "  %sum = xetile.tile_mma %a, %a : vector<32x16xf16>",
    "}",
]
LONG = (
    "  %long = xetile.load_tile %zero {"
    + ", ".join(f"hint_{i} = {i}" for i in range(40))
    + "}"
)


def op(line: int, text: str, name: int, *parents: int) -> list[object]:
    return [line, len(text) - len(text.lstrip()), len(text), name, list(parents)]


def level(
    letter: str, of: int | None, lines: list[str], ops: list[list[object]]
) -> dict[str, object]:
    return {
        "id": letter,
        "title": letter,
        "of": of,
        "passes": [],
        "lines": lines,
        "numbers": None,
        "ops": ops,
        "values": [],
        "uses": [],
    }


def exploration(filler: int = 0, parents: tuple[int, ...] = (2,)) -> dict[str, object]:
    """A kernel at W, S, L and I: a constant, a load, a product of which 16 steps of 3 instructions came.

    `filler` more lines stand at the end of S and L; `parents` are those of the one message.
    """
    names = [
        "func.func",
        "arith.constant",
        "xetile.load_tile",
        "xetile.tile_mma",
        "dpas",
        "send",
        "mov",
        "sync.nop",
    ]
    w = level("W", None, WORKGROUP, [op(i, WORKGROUP[i], i - 1) for i in range(1, 5)])
    w["values"] = [[1, 0, 2, 2, 7, None], [2, 0, 3, 2, 4, 0], [3, 0, 4, 2, 6, None]]
    w["uses"] = [[2, 0, 0], [3, 0, 1], [3, 1, 1]]
    more = [f"  %{i} = arith.constant {i} : index" for i in range(filler)]
    s_lines = [*WORKGROUP[1:5], LONG, *more, "}"]
    s_ops = [op(i, s_lines[i], i, i) for i in range(4)]
    s_ops += [op(4, LONG, 2, 2), *(op(5 + i, text, 1, 1) for i, text in enumerate(more))]
    l_lines = [
        "llvm.func @k",
        "  llvm.constant",
        "  llvm.call @load",
        *(f"  dpas {'%' * i}" for i in range(16)),
        *more,
    ]
    l_ops = [op(n, l_lines[n], n, n) for n in range(3)]
    l_ops += [op(3 + i, l_lines[3 + i], 3, 3) for i in range(16)]
    l_ops += [op(19 + i, text, 1, 5 + i) for i, text in enumerate(more)]
    i_lines = [
        "start:",
        "mov r1 0",
        "send.ugm r2",
        *(
            f"{word} r{step} {{${step}}}"
            for step in range(16)
            for word in ("dpas.8x8", "sync.nop", "mov")
        ),
    ]
    i_ops = [op(1, i_lines[1], 6, 1), op(2, i_lines[2], 5, *parents)]
    i_ops += [op(3 + n, i_lines[3 + n], (4, 7, 6)[n % 3], 3 + n // 3) for n in range(48)]
    holding = {
        "tensor": ["M", "K"], "sizes": [32, 16], "bits": 16, "place": "registers", "layout": None, "blocks": None,
        "offset": None, "tile": None, "base": None, "step": None,
    }  # fmt: skip
    classes = ["mov", "load2d", "dpas", "sync"]
    one = {
        "name": "k", "levels": [w, level("S", 0, s_lines, s_ops), level("L", 1, l_lines, l_ops), level("I", 2, i_lines, i_ops)], "names": names, "subgroups": 4, "sg_layout": [2, 2], "lanes": 16,
        "register_bytes": 64, "holdings": [holding], "moves": [], "dpas": [], "notes": ["no layout of %a"],
        "loops": [{"asm": [2, 49], "unroll": 16, "step": "K 32", "trips": 8, "op": None, "is_hot": True}],
        "costs": {"asm": [0, 1, *[2, 3, 0] * 16], "classes": classes, "grf": 256, "spill": 0, "scratch": 0,
                  "bytes": [[2, 2, 1024]], "rereads": []},
    }  # fmt: skip
    return {
        "version": 1, "file": "k.mlir", "device": "bmg", "options": {}, "notes": ["ocloc is not installed"],
        "kernels": [one, one | {"name": "second"}],
    }  # fmt: skip

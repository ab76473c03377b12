"""Files of numpy whose headers lie, are cut, or fit no parameter."""

from random import Random

from tools.fuzz.case import MAIN_FILE, Case

_KERNEL = """gpu.module @m {
  gpu.func @k(%a: memref<ROWSx16xf32>, %b: memref<8x?xf32, strided<[STRIDE, 1]>>, %n: TYPE) kernel
      attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
    %t = xetile.init_tile %a[0, 0] : memref<ROWSx16xf32> -> !xetile.tile<8x16xf32>
    %v = xetile.load_tile %t : !xetile.tile<8x16xf32> -> vector<8x16xf32>
    xetile.store_tile %v, %t : vector<8x16xf32>, !xetile.tile<8x16xf32>
    gpu.return
  }
}
func.func @main(%a: memref<ROWSx16xf32>, %b: memref<8x?xf32, strided<[STRIDE, 1]>>, %n: TYPE) -> memref<ROWSx16xf32> {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0, %c0] : memref<ROWSx16xf32>
  memref.store %x, %b[%c0, %c0] : memref<8x?xf32, strided<[STRIDE, 1]>>
  return %a : memref<ROWSx16xf32>
}
"""

_KINDS = (
    ">f4",
    "<f2",
    "<f8",
    "<i4",
    "|b1",
    "|O",
    "<U4",
    "|V4",
    "|V2",
    "<c8",
    "<M8[s]",
    "",
    "x",
    "[('a', '<f4')]",
    "<f99",
)
_SHAPES = ("(16, 16)", "(8,)", "()", "(8, 16, 1)", "(0, 16)", "(-8, 16)", "(8, -1)", "(1000000000, 1000000000)",
           "(99999999999999999999, 1)", "(8.0, 16)", "('8', 16)", "8", "None", "(4294967296, 4294967296)",
           "(8, 16" + " " * 70000 + ")")  # fmt: skip
_ORDERS = ("True", "0", "None", "'no'")
_SCALARS = (
    "1",
    "1",
    "1",
    "zeros",
    "-1",
    "nan",
    "1e400",
    "300",
    "0.5",
    "a.npy",
    "int",
    "99999999999999999999",
)
_STRANGE = ("", "\0", "{", "'", "é", "__import__('os')", "f()")


def make(random: Random) -> Case:
    """A run on arrays from files."""
    program = _KERNEL.replace("ROWS", random.choice(("8", "8", "?", "16")))
    program = program.replace(
        "STRIDE", random.choice(("16", "16", "?", "1", "100000000", "0"))
    )
    program = program.replace(
        "TYPE", random.choice(("index", "i8", "f16", "f32", "i1", "i64"))
    )
    files = {
        MAIN_FILE: program.encode(),
        "a.npy": array_file(random),
        "b.npy": array_file(random),
        "results/x": b"",
    }
    which = ("--entry", "main") if random.random() < 0.5 else ()
    kinds = ("a.npy",) * 5 + ("b.npy",) * 5 + ("int", "iota", "normal", "7")
    given = [part for _ in range(2) for part in ("--arg", random.choice(kinds))]
    out = ("--out", "results") if random.random() < 0.2 else ()
    arguments = (MAIN_FILE, *which, *given, "--arg", random.choice(_SCALARS), *out)
    return Case("xetile-run", arguments, files)


def _or(random: Random, right: str, wrong: tuple[str, ...]) -> str:
    """Mostly what is right."""
    return random.choice(wrong) if random.random() < 0.15 else right


def array_file(random: Random) -> bytes:
    """A file of 8x16 numbers in numpy's format, of which parts may be wrong."""
    kind = _or(random, "<f4", _KINDS)
    kind = kind if kind.startswith("[") else repr(kind)
    order, shape = _or(random, "False", _ORDERS), _or(random, "(8, 16)", _SHAPES)
    header = f"{{'descr': {kind}, 'fortran_order': {order}, 'shape': {shape}, }}"
    if random.random() < 0.1:
        place = random.randrange(len(header))
        header = header[:place] + random.choice(_STRANGE) + header[place + 1 :]
    return _file(random, header)


def _file(random: Random, header: str) -> bytes:
    """Version, length, header, elements: one of them may lie, or the file be cut."""
    version = 1 if random.random() < 0.7 else random.choice((2, 3, 9))
    raw = header.encode("utf-8").ljust(118) + b"\n"
    length = (
        len(raw) if random.random() < 0.9 else random.choice((0, 1, 10, len(raw) + 9, 60000))
    )
    size = (
        (length % 65536).to_bytes(2, "little")
        if version == 1
        else length.to_bytes(4, "little")
    )
    data = bytes(512 if random.random() < 0.8 else random.choice((0, 511, 513, 4096)))
    start = (
        b"\x93NUMPY"
        if random.random() < 0.95
        else random.choice((b"PK\x03\x04", b"\x80\x04", b""))
    )
    whole = start + bytes((version, 0)) + size + raw + data
    return whole if random.random() < 0.9 else whole[: random.choice((3, 9, len(whole) // 2))]

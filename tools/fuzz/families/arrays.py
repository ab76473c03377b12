"""Files of numpy whose headers lie, are cut, or fit no parameter."""

from random import Random

from tools.fuzz.case import MAIN_FILE, Case

_KERNEL = """gpu.module @m {
  gpu.func @k(%a: memref<ROWSx16xf32>, %b: memref<8x?xf32, strided<[STRIDE, 1]>>, %n: TYPE) kernel attributes {known_block_size = array<i32: 16, 1, 1>, known_grid_size = array<i32: 1, 1, 1>} {
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

_DTYPES = ("<f4", "<f4", ">f4", "<f2", "<f8", "<i4", "|b1", "|O", "<U4", "|V4", "|V2", "<c8", "<M8[s]", "", "x", "[('a', '<f4')]", "<f99")
_SHAPES = ("(8, 16)", "(8, 16)", "(16, 16)", "(8,)", "()", "(8, 16, 1)", "(0, 16)", "(-8, 16)", "(8, -1)", "(1000000000, 1000000000)",
           "(99999999999999999999, 1)", "(8.0, 16)", "('8', 16)", "8", "None", "(4294967296, 4294967296)", "(8, 16" + " " * 70000 + ")")  # fmt: skip
_ORDERS = ("False", "False", "True", "0", "None", "'no'")
_SCALARS = ("1", "zeros", "-1", "nan", "1e400", "300", "0.5", "a.npy", "int", "99999999999999999999")


def make(random: Random) -> Case:
    """A run on an array from a file."""
    program = _KERNEL.replace("ROWS", random.choice(("8", "8", "?", "16")))
    program = program.replace("STRIDE", random.choice(("16", "?", "1", "100000000", "0")))
    program = program.replace("TYPE", random.choice(("index", "i8", "f16", "f32", "i1", "i64")))
    files = {MAIN_FILE: program.encode(), "a.npy": array_file(random), "b.npy": array_file(random), "results/x": b""}
    which = ("--entry", "main") if random.random() < 0.5 else ()
    kinds = ("a.npy", "a.npy", "b.npy", "int", "iota", "normal", "7")
    given = [part for _ in range(2) for part in ("--arg", random.choice(kinds))]
    out = ("--out", "results") if random.random() < 0.2 else ()
    arguments = (MAIN_FILE, *which, *given, "--arg", random.choice(_SCALARS), *out)
    return Case("xetile-run", arguments, files)


def array_file(random: Random) -> bytes:
    """A file in numpy's format of which one or more parts are wrong."""
    version = random.choice((b"\x01\x00", b"\x01\x00", b"\x02\x00", b"\x03\x00", b"\x09\x00"))
    kind = random.choice(_DTYPES)
    header = "{'descr': %s, 'fortran_order': %s, 'shape': %s, }" % (
        kind if kind.startswith("[") else repr(kind),
        random.choice(_ORDERS),
        random.choice(_SHAPES),
    )
    if random.random() < 0.2:
        place = random.randrange(len(header))
        header = header[:place] + random.choice(("", "\0", "{", "'", "é", "__import__('os')")) + header[place + 1 :]
    raw = header.encode("latin-1" if version < b"\x03" else "utf-8").ljust(random.choice((0, 118))) + b"\n"
    length = len(raw) if random.random() < 0.85 else random.choice((0, 1, 10, len(raw) + 9, 60000))
    size = (length % 65536).to_bytes(2, "little") if version == b"\x01\x00" else length.to_bytes(4, "little")
    data = bytes(random.choice((512, 512, 512, 0, 511, 513, 4096)))
    whole = random.choice((b"\x93NUMPY",) * 9 + (b"PK\x03\x04", b"\x80\x04", b"")) + version + size + raw + data
    return whole[: random.choice((len(whole),) * 8 + (3, 9, len(whole) // 2))]

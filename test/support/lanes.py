"""Kernels as one lane sees them."""

HEAD = 'gpu.module @m {\n  gpu.func @k(PARAMETERS) kernel attributes {known_block_size = array<i32: ITEMS, 1, 1>, \
known_grid_size = array<i32: 1, 1, 1>, intel_reqd_sub_group_size = 16 : i32, xetile.level = "lane"} {\n'


CONSTANTS = "".join(
    f"%c{n} = arith.constant {n} : i32\n" for n in (0, 8, 16, 32, 64, 128, 256)
)


def lanes(body: str, parameters: str, items: int = 16) -> str:
    head = HEAD.replace("PARAMETERS", parameters).replace("ITEMS", str(items))
    return (
        head + CONSTANTS + "%i0 = arith.constant 0 : index\n" + body + "\ngpu.return\n}\n}\n"
    )

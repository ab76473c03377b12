"""Which tile? Configurations of a GEMM, ranked without a GPU: by spills, machine code, bytes that are moved.

python examples/python/rank.py        (machine code is counted where ocloc is installed)
"""

import xetile.language as xt
from xetile.kernels import gemm


def main() -> None:
    """The best of three subgroup tiles for a square product of f16."""
    square = [xt.f16[1024, 1024], xt.f16[1024, 1024], xt.f32[1024, 1024]]
    configurations = [
        {"BM": 64, "BN": 64, "sg_layout": (2, 2)},
        {"BM": 64, "BN": 128, "sg_layout": (2, 2)},
        {"BM": 32, "BN": 32, "sg_layout": (2, 2)},
    ]
    print(gemm.rank(configurations, *square, device="bmg"))


if __name__ == "__main__":
    main()

"""How much shared memory an exchange may take: what the device has, less where the program asks for less."""

import pytest

from xetile.analysis.module_kernels import functions
from xetile.dialects.modules import parse
from xetile.passes.tiles.xetile_wg_to_sg import XeTileWgToSg
from xetile.targets import find


@pytest.mark.parametrize("device", ["pvc", "bmg", "cri"])
def test_an_exchange_may_take_what_the_device_has(device: str) -> None:
    module = parse(f"""
    gpu.module @m [#xevm.target<chip = "{device}">] {{
      gpu.func @k(%A: memref<8x16xf32>) kernel {{ gpu.return }}
    }}""")
    (function,) = functions(module)
    assert XeTileWgToSg().limit(function) == find(device).shared_bytes
    assert XeTileWgToSg(4096).limit(function) == 4096

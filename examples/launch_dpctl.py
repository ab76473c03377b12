"""Launches the f16 GEMM of a SPIR-V file through dpctl (SYCL), as the contract beside it says; needs no xetile.

    xetile-kernel gemm --m 256 --n 256 --k 128 --wg 64x64 --sg 32x32 -o gemm.mlir
    xetile-compile gemm.mlir --device bmg -o gemm.spv
    python launch_dpctl.py gemm.spv

The device is dpctl's default one (ONEAPI_DEVICE_SELECTOR changes it) and has to have Intel's block and matrix
builtins: dpctl links nothing to a module. docs/devices.md says what this was run on.
"""

# pyright: basic, reportMissingImports=false

import json
import sys
from pathlib import Path

import dpctl
import dpctl.memory
import dpctl.program
import numpy

ALIGNMENT = 64  # bytes

if len(sys.argv) < 2:
    sys.exit(__doc__)
path = sys.argv[1]
spirv, contract = Path(path).read_bytes(), json.loads(Path(f"{path}.json").read_text())
queue = dpctl.SyclQueue()
# a CPU has no register file to choose, and its runtime refuses the option
options = contract["build_options"][queue.backend.name] if queue.sycl_device.is_gpu else ""
program = dpctl.program.create_program_from_spirv(queue, spirv, options)

kernel = contract["kernels"][0]
if [argument["element"] for argument in kernel["arguments"]] != ["f16", "f16", "f32"]:
    sys.exit("this example multiplies f16 to f32")
if kernel["shared_memory"] > queue.sycl_device.local_mem_size:
    sys.exit(
        f"the kernel takes {kernel['shared_memory']} bytes of shared memory, more than there are"
    )
stated = [
    each
    for argument in kernel["arguments"]
    for each in argument.get("surface", {}).get("preconditions", ())
]
if wrong := [each for each in stated if each["of"] != "base" or ALIGNMENT % each["multiple"]]:
    sys.exit(
        f"this example gives static matrices at multiples of {ALIGNMENT} bytes, not {wrong[0]}"
    )
of_a, of_b, of_c = (argument["shape"] for argument in kernel["arguments"])
random = numpy.random.default_rng(0)
a = random.standard_normal(of_a, numpy.float32).astype(numpy.float16)
b = random.standard_normal(of_b, numpy.float32).astype(numpy.float16)
c = numpy.zeros(of_c, numpy.float32)
memories = []
for array in (a, b, c):
    memory = dpctl.memory.MemoryUSMDevice(array.nbytes, alignment=ALIGNMENT, queue=queue)
    memory.copy_from_host(array.view(numpy.uint8).reshape(-1))
    memories.append(memory)
block = kernel["block"][::-1]  # SYCL's last dimension is OpenCL's first
items = [groups * size for groups, size in zip(kernel["grid"][::-1], block, strict=True)]
queue.submit(program.get_sycl_kernel(kernel["name"]), memories, items, block).wait()
c = memories[2].copy_to_host().view(numpy.float32).reshape(c.shape)

error = numpy.abs(c - a.astype(numpy.float32) @ b.astype(numpy.float32)).max()
print(f"{queue.sycl_device.name}: the largest error is {error:.2e}")
assert error < 1e-3

"""Launches the f16 GEMM of a SPIR-V file through pyopencl, as the contract beside it says.

    xetile-kernel gemm --m 256 --n 256 --k 128 --wg 64x64 --sg 32x32 -o gemm.mlir
    xetile-compile gemm.mlir --device bmg -o gemm.spv
    python launch_opencl.py gemm.spv
    python launch_opencl.py gemm.spv cpu

It runs on Intel's first GPU, or with `cpu` on Intel's runtime for CPUs, to which Intel's block and matrix
builtins are linked as xetile emulates them. docs/devices.md says what this was run on.
"""

# pyright: basic

import json
import os
import sys
import warnings
from pathlib import Path

import numpy

INSTALL = "pip install 'xetile[device]'"
try:
    import pyopencl as cl
except ImportError as error:
    sys.exit(f"pyopencl cannot be imported ({error}); {INSTALL}")

if len(sys.argv) < 2:
    sys.exit(__doc__)
path, on_cpu = sys.argv[1], sys.argv[2:] == ["cpu"]
spirv, contract = Path(path).read_bytes(), json.loads(Path(f"{path}.json").read_text())
if on_cpu:
    from xetile.runtime.devices import cpu_library
    from xetile.runtime.emulation import emulated
    from xetile.runtime.emulation.imports import imported_functions

    library = cpu_library()
    if library is None:
        sys.exit(f"Intel's OpenCL runtime for CPUs is not installed; {INSTALL}")
    # pyopencl's loader sees this driver alone
    os.environ["OCL_ICD_VENDORS"] = str(library)

kind = cl.device_type.CPU if on_cpu else cl.device_type.GPU
try:
    platforms = cl.get_platforms()
except cl.LogicError:  # no driver at all
    platforms = []
found = [device for platform in platforms for device in platform.get_devices(kind)]
device = next((device for device in found if "Intel" in device.platform.vendor), None)
if device is None:
    sys.exit("there is no driver for an Intel GPU; give `cpu` for Intel's runtime for CPUs")
context = cl.Context([device])
queue = cl.CommandQueue(context)
program = cl.Program(context, spirv)
if on_cpu:
    builtins = cl.Program(context, emulated(imported_functions(spirv)))
    program.compile()
    warnings.filterwarnings("ignore", "Pre-build attribute access")
    builtins.compile(["-cl-std=CL3.0"])
    program = cl.link_program(context, [program, builtins])
else:
    program.build(contract["build_options"]["opencl"].split())

kernel = contract["kernels"][0]
if [argument["element"] for argument in kernel["arguments"]] != ["f16", "f16", "f32"]:
    sys.exit("this example multiplies f16 to f32")
if kernel["shared_memory"] > device.local_mem_size:
    sys.exit(
        f"the kernel takes {kernel['shared_memory']} bytes of shared memory, more than there are"
    )
stated = [
    each
    for argument in kernel["arguments"]
    for each in argument.get("surface", {}).get("preconditions", ())
]
aligned = device.mem_base_addr_align // 8
if wrong := [each for each in stated if each["of"] != "base" or aligned % each["multiple"]]:
    sys.exit(
        f"this example gives static matrices at multiples of {aligned} bytes, not {wrong[0]}"
    )
of_a, of_b, of_c = (argument["shape"] for argument in kernel["arguments"])
random = numpy.random.default_rng(0)
a = random.standard_normal(of_a, numpy.float32).astype(numpy.float16)
b = random.standard_normal(of_b, numpy.float32).astype(numpy.float16)
c = numpy.zeros(of_c, numpy.float32)
flags = cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR
buffers = [cl.Buffer(context, flags, hostbuf=array) for array in (a, b, c)]
block = tuple(kernel["block"])
items = tuple(groups * size for groups, size in zip(kernel["grid"], block, strict=True))
cl.Kernel(program, kernel["name"])(queue, items, block, *buffers)
cl.enqueue_copy(queue, c, buffers[2])

error = numpy.abs(c - a.astype(numpy.float32) @ b.astype(numpy.float32)).max()
print(f"{device.name}: the largest error is {error:.2e}")
assert error < 1e-3

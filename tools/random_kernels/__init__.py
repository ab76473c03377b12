"""Random kernels in Python, executed at every level and on a device, against a numpy evaluation of their own.

    python -m tools.random_kernels --seed 0 --count 1000 --levels W,S,B,X,V --device bmg,pvc,cri --on opencl:cpu

A kernel is drawn as a tree (`drawing.py`). Each node has the text that stands in the kernel and a function of numpy
arrays that computes the same in 64-bit whole numbers (`nodes.py`). No level of the compiler, no interpreter and no
eager execution has a part in the expected result. All values are whole numbers small enough for their type, so that
every order of additions gives the same bits.

Offsets are data, extents are odd or named, arrays are column-major or read and written through `.T`, in batches, with
gathers, scatters and atomics. The kernels are lowered for the devices in turn. A kernel is right, wrong, refused in
one line, or broken: a Python exception, a crash or a hang. A wrong one is printed without the parts that it is wrong
without (`shrinking.py`); `--only N` repeats it.
"""

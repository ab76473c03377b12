"""Host code: functions that allocate, launch kernels and look at the results, executed on numpy.

`run` executes a function; the other modules hold what its ops do: `functions` calls, `allocations` memory,
`device` and `launches` the gpu dialect, `runner` the functions that tests of MLIR expect of a runner, `loops`
decides which loops are `compiled`.
"""
